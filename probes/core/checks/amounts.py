"""Comparing a count with a wanted number, and saying so: `11 / 10 words`."""

from __future__ import annotations

import operator
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cached_property, partial
from itertools import islice
from typing import Annotated, Any

from pydantic import Field

from probes.core.checks.base import Check, Decider, Decision, Operator, limited
from probes.core.finding import Finding, Span
from probes.core.view import Shared, View

Count = Annotated[int, Field(ge=0, le=100_000)]

_HOLDS: dict[Operator, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_SIGNS: dict[Operator, str] = {"==": "", "!=": "≠", "<=": "≤", ">=": "≥", "<": "<", ">": ">"}


def tally(
    actual: int, op: Operator, n: int, unit: str, spans: Iterable[Span] = (), *, usual: Operator = "=="
) -> Finding:
    """The finding for `actual op n`: `11 / 10 words`, `60 / ≤50 words`.

    The wanted number has a sign before it unless `op` is the usual one of the kind.
    """
    sign = "" if op == usual else _SIGNS[op]
    return Finding(_HOLDS[op](actual, n), actual, n, unit, f"{actual} / {sign}{n} {unit}", tuple(spans))


class Amount(Check):
    """Base of the kinds that compare one count with one number."""

    op: Operator = Field(description="how the count compares with n: ==, !=, <=, >=, < or >")
    n: Count = Field(description="the number that the count is compared with, from 0 to 100000")


class Stretches(Amount):
    """Base of the kinds that count stretches of the text, each of them marked."""

    @abstractmethod
    def stretches(self, view: View) -> Iterator[Span]:
        """What is counted, in the order of the text."""

    @property
    @abstractmethod
    def unit(self) -> str:
        """What the message calls them."""

    def evaluate(self, view: View) -> Finding:
        return self._finding((), self._shared(view))

    def decider(self) -> Decider:
        """Decides by the first n + 1 of them, as more change nothing; the finding takes up the rest."""
        enough, holds = self.n + 1, _HOLDS[self.op]

        def decide(view: View) -> Decision:
            if view.blank:
                return False, self.on_blank()
            found = self._shared(view)
            first = tuple(islice(found, enough))
            return holds(len(first), self.n), partial(self._finding, first, found)

        return decide

    def _shared(self, view: View) -> Iterator[Span]:
        """The stretches, which are looked for once for all checks that count the same."""
        return iter(view.once(self._counted, lambda: Shared(self.stretches(view))))

    @cached_property
    def _counted(self) -> Hashable:
        """What is counted: everything but the number that it is compared with."""
        return tuple((key, value) for key, value in self if key not in ("op", "n"))

    def _finding(self, first: tuple[Span, ...], rest: Iterator[Span]) -> Finding:
        found = (*first, *rest)
        return limited(tally(len(found), self.op, self.n, self.unit, found))


def absent(*keys: str) -> dict[str, Any]:
    """In a JSON Schema: none of these is given, or only as null."""
    return {key: {"type": "null"} for key in keys}
