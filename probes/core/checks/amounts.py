"""Comparing a count with a wanted number, and saying so: `11 / 10 words`."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Annotated, Any

from pydantic import Field

from probes.core.checks.base import Check, Operator
from probes.core.finding import Finding, Span

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

    def compare(self, unit: str, spans: Iterable[Span]) -> Finding:
        """The finding where every span is one of the counted things."""
        found = tuple(spans)
        return tally(len(found), self.op, self.n, unit, found)


def absent(*keys: str) -> dict[str, Any]:
    """In a JSON Schema: none of these is given, or only as null."""
    return {key: {"type": "null"} for key in keys}
