"""From a reply and a rubric to an outcome, one verdict a rule, and a score."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from probes.core.checks.base import finished
from probes.core.document import Document
from probes.core.finding import Finding
from probes.core.parts import Rubric
from probes.core.patterns import DIALECT, engine_version
from probes.core.view import MAX_CHARACTERS, View, is_blank

Outcome = Literal["answered", "empty", "truncated", "refused", "filtered"]
OutputIs = Literal["text", "refusal", "nothing"]
"""What an output is: the reply's text, a refusal, or nothing, as no text came at all."""

CORE_VERSION = "core/1"
"""Grows when an outcome or a score would be decided differently."""

_CUT_SHORT = ("length", "max_tokens", "max_output_tokens", "model_length")
_FILTERED = ("content_filter", "content-filter", "safety")


class TooLarge(ValueError):
    """An output that is not scored: scoring a part of it would be wrong."""

    def __init__(self, characters: int) -> None:
        self.characters = characters
        self.limit = MAX_CHARACTERS
        super().__init__(
            f"the output has {characters:,} characters; over {MAX_CHARACTERS:,} nothing is scored"
        )


class Reply(NamedTuple):
    """What a provider gave back.

    `text` is None where the reply held no text at all; `finish` is the provider's own word;
    `reasoning_tokens` is a count, as the reasoning itself never gets here.
    """

    text: str | None
    finish: str | None = "stop"
    refusal: str | None = None
    reasoning_tokens: int | None = None

    @property
    def output(self) -> str:
        """What is shown and scored: the refusal where there is one, else the text."""
        if self.refusal is not None and not is_blank(self.refusal):
            return self.refusal
        return self.text or ""

    @property
    def output_is(self) -> OutputIs:
        """What must be kept beside the output, so that the outcome can be decided again from it."""
        if self.refusal is not None and not is_blank(self.refusal):
            return "refusal"
        return "nothing" if self.text is None else "text"

    @classmethod
    def stored(cls, output: str, output_is: OutputIs, finish: str, reasoning_tokens: int | None) -> Reply:
        """The reply that an output was kept of: its outcome and its score are the same."""
        if output_is == "refusal":
            return cls(None, finish, output, reasoning_tokens)
        return cls(None if output_is == "nothing" else output, finish, None, reasoning_tokens)

    @property
    def outcome(self) -> Outcome:
        """Decided from the provider's fields alone, before any rule runs; the first that holds.

        `refused`: there is a refusal. `filtered`: a filter took the whole text away. `empty`: the
        text is blank, whatever the finish reason. `truncated` and `filtered`: the finish reason
        says that the text is a part. `answered`: everything else.
        """
        finish = _ascii_lower(self.finish or "")
        if self.refusal is not None and not is_blank(self.refusal):
            return "refused"
        filtered = finish.startswith(_FILTERED)
        if self.text is None or is_blank(self.text):
            return "filtered" if filtered and self.text is None else "empty"
        if finish in _CUT_SHORT:
            return "truncated"
        return "filtered" if filtered else "answered"

    @property
    def ran_out(self) -> bool:
        """Whether the tokens ran out before any text came: then it is asked again with twice as many."""
        return self.outcome == "empty" and _ascii_lower(self.finish or "") in _CUT_SHORT


def _ascii_lower(text: str) -> str:
    if text.isascii():
        return text.lower()
    return "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in text)


class Verdict:
    """One rule's finding on one output. Whether it is `ok` is known; the finding is made when first read."""

    __slots__ = ("_finding", "ok", "rule")

    def __init__(self, rule: str, ok: bool, finding: Finding | Callable[[], Finding]) -> None:
        self.rule = rule
        self.ok = ok
        self._finding = finding

    @property
    def finding(self) -> Finding:
        self._finding = found = finished(self._finding)
        return found

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Verdict):
            return NotImplemented
        return (self.rule, self.finding) == (other.rule, other.finding)

    def __hash__(self) -> int:
        return hash((self.rule, self.ok))

    def __repr__(self) -> str:
        return f"Verdict({self.rule!r}, {self.finding!r})"

    def as_json(self) -> dict[str, Any]:
        return {"rule": self.rule, "finding": self.finding.as_json()}


class Result(NamedTuple):
    """What one output scored. `value` is rules passed / rules, 0.00 to 1.00, to four decimals."""

    outcome: Outcome
    verdicts: tuple[Verdict, ...]
    output: str
    reasoning_tokens: int | None
    scored_with: str

    @property
    def passed(self) -> int:
        return sum(verdict.ok for verdict in self.verdicts)

    @property
    def total(self) -> int:
        return len(self.verdicts)

    @property
    def value(self) -> float:
        return round(self.passed / self.total, 4)

    @property
    def failed(self) -> tuple[str, ...]:
        """The names of the rules that fail, in the order of the rubric."""
        return tuple(verdict.rule for verdict in self.verdicts if not verdict.ok)

    def as_json(self) -> dict[str, Any]:
        """The score as JSON values, without the output it is about."""
        return {
            "value": self.value,
            "passed": self.passed,
            "total": self.total,
            "outcome": self.outcome,
            "reasoning_tokens": self.reasoning_tokens,
            "scored_with": self.scored_with,
            "verdicts": [verdict.as_json() for verdict in self.verdicts],
        }


def score(subject: Document | Rubric, reply: Reply | str) -> Result:
    """Score one reply; a bare text means that the model stopped by itself.

    Raises TooLarge for an output of over 200,000 characters, and nothing else.
    """
    rubric = subject.rubric if isinstance(subject, Document) else subject
    reply = Reply(reply) if isinstance(reply, str) else reply
    output = reply.output
    if len(output) > MAX_CHARACTERS:
        raise TooLarge(len(output))
    view = View(output)
    verdicts = tuple([Verdict(name, *decide(view)) for name, decide in rubric.compiled])
    return Result(reply.outcome, verdicts, output, reply.reasoning_tokens, scored_with())


def scored_with() -> str:
    """What decided a verdict: `core/1 re2 1.1.20251105 js-re2/1`."""
    return f"{CORE_VERSION} re2 {engine_version()} {DIALECT}"
