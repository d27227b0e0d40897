"""Kinds that look for given strings: `contains`, `starts_with`, `ends_with`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, model_validator

from probes.core.checks.amounts import Count, absent, tally
from probes.core.checks.base import Check, Operator, register
from probes.core.checks.example import Example, Examples
from probes.core.finding import Finding, Mark, Span
from probes.core.text import lower, show_text
from probes.core.view import WHITE_SPACE, View


def as_list(value: Any) -> Any:
    """A single text stands for a list of it."""
    return [value] if isinstance(value, str) else value


UNIQUE = Field(json_schema_extra={"uniqueItems": True})
"""What `distinct` asks for, in a JSON Schema."""


def distinct(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse a list that names something twice."""
    for i, text in enumerate(texts):
        if text in texts[:i]:
            raise ValueError(f"{show_text(text)} is listed twice: write it once")
    return texts


Text = Annotated[str, Field(min_length=1, max_length=500)]
Texts = Annotated[
    tuple[Text, ...],
    Field(min_length=1, max_length=50, strict=False),
    BeforeValidator(
        as_list,
        json_schema_input_type=Text | Annotated[list[Text], Field(min_length=1, max_length=50), UNIQUE],
    ),
    AfterValidator(distinct),
]
"""One text or a list of up to 50, each of up to 500 characters."""


class _Strings(Check):
    of: Texts = Field(description="the text to look for, or a list of texts")
    ignore_case: bool = Field(False, description="whether upper and lower case count as the same")

    def _seen(self, text: str) -> str:
        return lower(text) if self.ignore_case else text


@register
class Contains(_Strings):
    """Counts each string on its own; every one must be there as often as asked."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"properties": absent("exactly")},
                {"properties": absent("at_least", "at_most")},
            ]
        }
    )

    kind: Literal["contains"]
    name: ClassVar[str] = "contains"
    summary: ClassVar[str] = (
        "Each listed text occurs at least once (or exactly, at least, at most n times), anywhere, also "
        "inside words; occurrences do not overlap."
    )
    examples: ClassVar[Examples] = (
        Example({"of": ["left", "right"]}, "First left, then right."),
        Example({"of": "can", "exactly": 1}, "You can use a canvas."),
        Example({"of": "sorry", "at_most": 0, "ignore_case": True}, "Sorry, no."),
    )

    exactly: Count | None = Field(None, description="how often each text must occur; stands alone")
    at_least: Count | None = Field(
        None, description="the fewest times each text must occur; 1 if no bound is given"
    )
    at_most: Count | None = Field(None, description="the most times each text may occur; 0 forbids it")

    @model_validator(mode="before")
    @classmethod
    def _at_least_once(cls, data: Any) -> Any:
        """Without a number, once: filled in, so that both ways of writing it are the same check."""
        bounds = ("exactly", "at_least", "at_most")
        if isinstance(data, dict) and all(data.get(bound) is None for bound in bounds):
            return {**data, "at_least": 1}
        return data

    @model_validator(mode="after")
    def _bounds_agree(self) -> Contains:
        if self.exactly is not None and (self.at_least is not None or self.at_most is not None):
            raise ValueError("`exactly` stands alone: drop at_least and at_most")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError(f"at_least {self.at_least} is more than at_most {self.at_most}: swap them")
        return self

    def evaluate(self, view: View) -> Finding:
        text = self._seen(view.text)
        found = [self._count(text, wanted) for wanted in self.of]
        if len(found) == 1:
            return found[0]
        failed = [finding for finding in found if not finding.ok]
        spans = dict.fromkeys(span for finding in failed or found for span in finding.spans)
        message = f"{len(found) - len(failed)} / {len(found)} texts"
        if failed:
            message += ": " + _first_three([finding.message for finding in failed])
        held = len(found) - len(failed)
        return Finding(not failed, held, len(found), "texts", message, tuple(sorted(spans, key=_place)))

    def _count(self, text: str, wanted: str) -> Finding:
        places = list(_occurrences(text, self._seen(wanted)))
        findings = [
            tally(len(places), op, bound, show_text(wanted))
            for op, bound in self._bounds()
            if bound is not None
        ]
        worst = next((finding for finding in findings if not finding.ok), findings[0])
        mark: Mark = "forbidden" if not worst.ok and worst.actual > worst.expected else "match"
        spans = tuple(Span(start, start + len(wanted), mark) for start in places)
        return Finding(worst.ok, worst.actual, worst.expected, worst.unit, worst.message, spans)

    def _bounds(self) -> tuple[tuple[Operator, int | None], ...]:
        # At most nothing is exactly nothing, and reads better: 1 / 0 'sorry'.
        return (
            ("==", self.exactly),
            (">=", self.at_least),
            ("==" if self.at_most == 0 else "<=", self.at_most),
        )


def _place(span: Span) -> tuple[int, int]:
    return span.start, span.end


def _first_three(messages: list[str]) -> str:
    more = f" and {len(messages) - 3} more" if len(messages) > 3 else ""
    return "; ".join(messages[:3]) + more


def _occurrences(text: str, wanted: str) -> Iterator[int]:
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + len(wanted))


@register
class StartsWith(_Strings):
    """The beginning of the output, white space aside."""

    kind: Literal["starts_with"]
    name: ClassVar[str] = "starts_with"
    summary: ClassVar[str] = (
        "After leading white space, the output starts with the text (or with one of the list)."
    )
    examples: ClassVar[Examples] = (
        Example({"of": "Dear "}, "\n Dear reader"),
        Example({"of": ["{", "["]}, "Here it is: {}"),
        Example({"of": "yes", "ignore_case": True}, "Yes."),
    )

    def evaluate(self, view: View) -> Finding:
        start = len(view.text) - len(view.text.lstrip(WHITE_SPACE))
        text = self._seen(view.text)
        for wanted in self.of:
            if text.startswith(self._seen(wanted), start):
                return _held("starts", wanted, Span(start, start + len(wanted), "match"))
        end = min(start + len(self.of[0]), len(view.text.rstrip(WHITE_SPACE)))
        return _missed("starts", view.text[start:end], self.of, Span(start, end, "forbidden"))


@register
class EndsWith(_Strings):
    """The end of the output, white space aside."""

    kind: Literal["ends_with"]
    name: ClassVar[str] = "ends_with"
    summary: ClassVar[str] = (
        "Before trailing white space, the output ends with the text (or with one of the list)."
    )
    examples: ClassVar[Examples] = (
        Example({"of": "<<END>>"}, "It ran.\n<<END>>\n"),
        Example({"of": "<<END>>"}, "It ran.\n<<END>> I hope it helps."),
        Example({"of": [".", "!"]}, "It ran"),
    )

    def evaluate(self, view: View) -> Finding:
        end = len(view.text.rstrip(WHITE_SPACE))
        text = self._seen(view.text[:end])
        for wanted in self.of:
            if text.endswith(self._seen(wanted)):
                return _held("ends", wanted, Span(end - len(wanted), end, "match"))
        # Where the text stands earlier on, what follows it is what broke the rule.
        last = max(_end_of_last(text, self._seen(wanted)) for wanted in self.of)
        lead = len(view.text) - len(view.text.lstrip(WHITE_SPACE))
        start = max(lead, end - len(self.of[0]))
        span = Span(last, end, "after") if last >= 0 else Span(start, end, "forbidden")
        return _missed("ends", view.text[start:end], self.of, span)


def _end_of_last(text: str, wanted: str) -> int:
    at = text.rfind(wanted)
    return at + len(wanted) if at >= 0 else -1


def _held(verb: str, wanted: str, span: Span) -> Finding:
    return Finding(True, wanted, wanted, "text", f"{verb} with {show_text(wanted)}", (span,))


def _missed(verb: str, actual: str, wanted: tuple[str, ...], span: Span) -> Finding:
    one = len(wanted) == 1
    named = show_text(wanted[0]) if one else f"one of {len(wanted)} texts"
    message = f"{verb} with {show_text(actual)}, not {named}"
    return Finding(False, actual, wanted[0] if one else list(wanted), "text", message, (span,))
