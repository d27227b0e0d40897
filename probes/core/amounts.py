"""Which counts a check lets through: what two checks of one count have to do with each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from probes.core.patterns.characters import Ranges, complement, ranges
from probes.core.view import MAX_CHARACTERS

MOST = MAX_CHARACTERS
"""No count of an output that is scored is larger."""

_NEVER_NONE = ("lines", "paragraphs")


def allowed(data: Mapping[str, Any]) -> Ranges | None:
    """The counts that pass the check `data`, by its canonical parameters; None if it compares no count.

    Only counts that an output which is not blank can have. For `contains`, the counts of each text.
    """
    if data["kind"] == "contains":
        bounds = data.get("at_least", 0), data.get("at_most", MOST)
        exactly = data.get("exactly")
        return _between(*bounds) if exactly is None else _between(exactly, exactly)
    if "op" not in data or "n" not in data:
        return None
    return both(_compared(data["op"], data["n"]), _between(_least(data), MOST))


def _between(low: int, high: int) -> Ranges:
    return ((low, high),) if 0 <= low <= high else ()


def _compared(op: str, n: int) -> Ranges:
    below, above = _between(0, n - 1), _between(n + 1, MOST)
    same = _between(n, n)
    return {
        "==": same,
        "!=": (*below, *above),
        "<=": _between(0, n),
        ">=": _between(n, MOST),
        "<": below,
        ">": above,
    }[op]


def _least(data: Mapping[str, Any]) -> int:
    """The smallest count there is where something is written."""
    pieces = data["kind"] == "words" and data.get("token") == "whitespace" and "where" not in data
    return 1 if pieces or data["kind"] in _NEVER_NONE else 0


def opposite(of: Ranges) -> Ranges:
    """Every other count."""
    return complement(of, MOST)


def both(one: Ranges, other: Ranges) -> Ranges:
    """The counts in both."""
    return opposite(ranges([*opposite(one), *opposite(other)]))


def within(inner: Ranges, outer: Ranges) -> bool:
    """Whether every count of `inner` is one of `outer`."""
    return not both(inner, opposite(outer))


def told_apart(one: Ranges, other: Ranges) -> list[int]:
    """The counts that are in one of them only; few, where the two are neighbours."""
    only = [*both(one, opposite(other)), *both(other, opposite(one))]
    return sorted(count for low, high in only for count in range(low, high + 1))
