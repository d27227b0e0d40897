"""Kinds that look at single characters: `letters`, `charset`, `case`."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, ConfigDict, Field, WithJsonSchema, model_validator

from probes.core.checks.amounts import Count, absent, tally
from probes.core.checks.base import Check, Operator, register
from probes.core.checks.dialect import in_every_dialect
from probes.core.checks.example import Example, Examples
from probes.core.finding import Finding, Span
from probes.core.text import Case, has_case, letters, lookalikes, out_of_case, outside, show_all, show_text
from probes.core.view import WHITE_SPACE, View


def _one_letter(value: str) -> str:
    if len(value) == 1 and "a" <= value <= "z":
        return value
    raise ValueError(f"{show_text(value)} is not one small letter: write one from a to z")


Letter = Annotated[str, AfterValidator(_one_letter), WithJsonSchema({"type": "string", "pattern": "^[a-z]$"})]


@register
class Letters(Check):
    """Forbids a letter, or counts one."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {
                    "required": ["forbid"],
                    "properties": {"forbid": {"type": "string"}, **absent("letter", "op", "n")},
                },
                {
                    "required": ["letter", "op", "n"],
                    "properties": {
                        **absent("forbid"),
                        "letter": {"type": "string"},
                        "op": {"type": "string"},
                        "n": {"type": "integer"},
                    },
                },
            ]
        }
    )

    kind: Literal["letters"]
    name: ClassVar[str] = "letters"
    summary: ClassVar[str] = (
        "A character counts if it holds the letter, in either case, after NFKD (é and ⒠ hold an e). Where e "
        "is forbidden, letters drawn like it (Cyrillic Е е Ё ё, Greek Ε) fail as look-alikes; nothing else "
        "is e."
    )
    examples: ClassVar[Examples] = (
        Example({"forbid": "e"}, "A calm day, dear."),
        Example({"forbid": "e"}, "No such mark is in this."),
        Example({"letter": "s", "op": ">=", "n": 3}, "She sells shells."),
    )

    forbid: Letter | None = Field(None, description="a letter that must not occur; stands alone")
    letter: Letter | None = Field(None, description="the letter to count, with op and n")
    op: Operator | None = Field(None, description="how the count compares with n")
    n: Count | None = Field(None, description="the number that the count is compared with")

    @model_validator(mode="after")
    def _one_form(self) -> Letters:
        counting = [self.letter is not None, self.op is not None, self.n is not None]
        if self.forbid is not None and any(counting):
            raise ValueError("`forbid` stands alone: to count a letter write letter, op and n instead")
        if self.forbid is None and not all(counting):
            raise ValueError("write `forbid: e`, or `letter`, `op` and `n` together")
        return self

    def evaluate(self, view: View) -> Finding:
        if self.forbid is not None:
            return _none_of(self.forbid, view.text)
        if self.letter is None or self.op is None or self.n is None:
            raise AssertionError("unreachable: _one_form asks for all three")
        found = tuple(letters(view.text, self.letter))
        return tally(len(found), self.op, self.n, f"'{self.letter}' characters", found)


def _none_of(letter: str, text: str) -> Finding:
    unit = f"'{letter}' characters"
    found = tuple(letters(text, letter, "forbidden"))
    alike = tuple(lookalikes(text)) if letter == "e" else ()
    plain = tally(len(found), "==", 0, unit, found)
    if not alike:
        return plain
    reason = f"look-alike of e: {show_all(text[span.start] for span in alike)}"
    if not found:
        return Finding(False, len(alike), 0, "look-alikes of e", reason, alike)
    spans = tuple(sorted((*found, *alike), key=lambda span: span.start))
    return Finding(False, len(found), 0, unit, f"{plain.message}; {reason}", spans)


def _all_of(view: View) -> tuple[Span]:
    end = len(view.text.rstrip(WHITE_SPACE))
    return (Span(len(view.text) - len(view.text.lstrip(WHITE_SPACE)), end, "match"),)


def _visible(value: str) -> str:
    if any(character in WHITE_SPACE for character in value):
        raise ValueError("white space is always allowed: list the other characters only")
    repeated = next((character for i, character in enumerate(value) if character in value[:i]), None)
    if repeated is not None:
        raise ValueError(f"{show_text(repeated)} is listed twice: write each character once")
    return value


@register
class Charset(Check):
    """Only the listed characters, and white space."""

    kind: Literal["charset"]
    name: ClassVar[str] = "charset"
    summary: ClassVar[str] = (
        "Every character is a listed one or white space, and at least one is listed: for 01, /^[01\\s]+$/ "
        "and a 0 or 1."
    )
    examples: ClassVar[Examples] = (
        Example({"only": "01"}, "0100 1000"),
        Example({"only": "01"}, "0100 2000"),
        Example({"only": "0123456789,.-"}, "-1,234.50"),
    )

    only: Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_visible)] = Field(
        description="the allowed characters, one after another, such as '01' (in quotes)",
        json_schema_extra={"pattern": in_every_dialect(f"^[^{WHITE_SPACE}]+$")},
    )

    def evaluate(self, view: View) -> Finding:
        listed = "/".join(self.only) if len(self.only) <= 10 else f"{len(self.only)} listed characters"
        spans = tuple(outside(view.text, self.only))
        if not spans:
            return Finding(
                True, f"only {listed}", f"only {listed}", "characters", f"only {listed}", _all_of(view)
            )
        offenders = show_all(character for span in spans for character in view.text[span.start : span.end])
        message = f"charset violation: {offenders}"
        return Finding(False, "other", f"only {listed}", "characters", message, spans)


@register
class InCase(Check):
    """All letters in one case."""

    kind: Literal["case"]
    name: ClassVar[str] = "case"
    summary: ClassVar[str] = (
        "Putting the output in that case would change no character (frozen Unicode 17 tables), and at least "
        "one letter of it has a case."
    )
    examples: ClassVar[Examples] = (
        Example({"case": "lower"}, "not one capital, ß or 7"),
        Example({"case": "upper"}, "MOSTLY Loud"),
        Example({"case": "upper"}, "4, 8, 15"),
    )

    case: Case = Field(description="`upper` or `lower`")

    def evaluate(self, view: View) -> Finding:
        spans: tuple[Span, ...] = tuple(out_of_case(view.text, self.case))
        wrong: Case = "lower" if self.case == "upper" else "upper"
        if not spans and not has_case(view.text):
            return tally(0, ">=", 1, f"{self.case}-case letters")
        return tally(len(spans), "==", 0, f"{wrong}-case letters", spans)
