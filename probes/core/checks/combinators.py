"""Kinds that join checks: `all`, `any`, `not`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from functools import partial
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, PlainValidator, SerializeAsAny, WithJsonSchema

from probes.core.checks.base import Check, CheckError, Decider, Decision, check, finished, limited, register
from probes.core.checks.example import Example, Examples
from probes.core.finding import Finding, Span
from probes.core.view import View


def _part(value: Any) -> Check:
    if isinstance(value, Check):
        return value
    if isinstance(value, dict):
        return check(value)
    raise CheckError("a check is keys with values: write one like {kind: words, op: '==', n: 10}")


Part = Annotated[
    SerializeAsAny[Check], PlainValidator(_part), WithJsonSchema({"type": "object", "description": "a check"})
]
Parts = Annotated[tuple[Part, ...], Field(min_length=1, max_length=20, strict=False)]


_WORDS = {"kind": "words", "op": "==", "n": 3}
"""A part of some examples."""


class _Joined(Check):
    of: Parts = Field(description="the checks, one to twenty")

    @property
    def heuristic(self) -> bool:
        return any(part.heuristic for part in self.of)

    def evaluate(self, view: View) -> Finding:
        return self.joined([part.run(view) for part in self.of])

    def decider(self) -> Decider:
        deciders = [part.decider() for part in self.of]

        def decide(view: View) -> Decision:
            if view.blank:
                return False, self.on_blank()
            made = [decide(view) for decide in deciders]
            return self.holds([ok for ok, _ in made]), partial(self._finding, made)

        return decide

    def _finding(self, made: list[Decision]) -> Finding:
        return limited(self.joined([finished(finding) for _, finding in made]))

    @abstractmethod
    def holds(self, parts: list[bool]) -> bool:
        """Whether the check passes where its parts do."""

    @abstractmethod
    def joined(self, found: list[Finding]) -> Finding:
        """The finding, from those of the parts."""


@register
class All(_Joined):
    """Every part must hold."""

    kind: Literal["all"]
    name: ClassVar[str] = "all"
    summary: ClassVar[str] = "Every listed check passes; those that do not are reported."
    examples: ClassVar[Examples] = (
        Example({"of": [_WORDS, {"kind": "letters", "forbid": "e"}]}, "a calm day"),
        Example({"of": [_WORDS, {"kind": "letters", "forbid": "e"}]}, "the calm day"),
        Example({"of": [{"kind": "starts_with", "of": "{"}, {"kind": "json", "top": "object"}]}, '{"a": 1,}'),
    )

    def holds(self, parts: list[bool]) -> bool:
        return all(parts)

    def joined(self, found: list[Finding]) -> Finding:
        failed = [finding for finding in found if not finding.ok]
        if not failed:
            return Finding(True, len(found), len(found), "checks", _messages(found), _spans(found))
        first = failed[0]
        return Finding(False, first.actual, first.expected, first.unit, _messages(failed), _spans(failed))


@register
class AnyOf(_Joined):
    """One part is enough."""

    kind: Literal["any"]
    name: ClassVar[str] = "any"
    summary: ClassVar[str] = "At least one of the listed checks passes; those that do are reported."
    examples: ClassVar[Examples] = (
        Example({"of": [_WORDS, {"kind": "lines", "op": "==", "n": 3}]}, "one two three"),
        Example({"of": [_WORDS, {"kind": "lines", "op": "==", "n": 3}]}, "one\ntwo too\nthree"),
        Example({"of": [_WORDS, {"kind": "lines", "op": "==", "n": 3}]}, "one two"),
    )

    def holds(self, parts: list[bool]) -> bool:
        return any(parts)

    def joined(self, found: list[Finding]) -> Finding:
        held = [finding for finding in found if finding.ok]
        if not held:
            return Finding(False, 0, 1, "checks", _messages(found), _spans(found))
        first = held[0]
        return Finding(True, first.actual, first.expected, first.unit, _messages(held), _spans(held))


@register
class Not(Check):
    """The part must fail."""

    kind: Literal["not"]
    name: ClassVar[str] = "not"
    summary: ClassVar[str] = "The check does not pass. Blank output fails this kind as it fails every other."
    examples: ClassVar[Examples] = (
        Example({"of": {"kind": "starts_with", "of": ["Sure", "Certainly"]}}, "The answer is 4."),
        Example({"of": {"kind": "starts_with", "of": ["Sure", "Certainly"]}}, "Sure! The answer is 4."),
        Example({"of": {"kind": "json"}}, "{a: 1}"),
    )

    of: Part = Field(description="the check that must not pass")

    @property
    def heuristic(self) -> bool:
        return self.of.heuristic

    def evaluate(self, view: View) -> Finding:
        return self._finding(self.of.run(view))

    def decider(self) -> Decider:
        decide_part = self.of.decider()

        def decide(view: View) -> Decision:
            if view.blank:
                return False, self.on_blank()
            ok, inner = decide_part(view)
            return not ok, lambda: self._finding(finished(inner))

        return decide

    def _finding(self, inner: Finding) -> Finding:
        lead = "must not pass" if inner.ok else "does not pass, as wanted"
        message = f"{lead}: {inner.message}"
        return Finding(not inner.ok, inner.ok, False, "check passes", message, _denied(inner))


def _denied(inner: Finding) -> tuple[Span, ...]:
    """Marks of what should not be: what matched was forbidden; what broke the part is nothing wrong."""
    if inner.ok:
        found = inner.spans
        return tuple(span._replace(mark="forbidden") if span.mark == "match" else span for span in found)
    return tuple(span for span in inner.spans if span.mark not in ("forbidden", "lookalike", "after"))


def _messages(findings: Iterable[Finding]) -> str:
    return "; ".join(finding.message for finding in findings)


def _spans(findings: Iterable[Finding]) -> tuple[Span, ...]:
    """The spans of all of them in the order of the text, each once."""
    lists = dict.fromkeys(finding.spans for finding in findings)  # parts that count the same have the same
    unique = dict.fromkeys(span for spans in lists for span in spans)
    return tuple(sorted(unique, key=lambda span: (span.start, span.end)))
