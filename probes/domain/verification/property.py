"""One property, whether it holds, and what was seen: an assertion that can be argued with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from probes.core.terminal import printable

Look = tuple[bool, list[str]]
"""Whether a property holds, and lines of what was seen."""

MOST_SEEN = 8
"""Lines of what was seen that are printed; the rest is counted."""


@dataclass(frozen=True)
class Property:
    """`[PASS]` or `[FAIL]`, its name, and lines of what was seen."""

    name: str
    holds: bool
    seen: tuple[str, ...]

    def lines(self) -> Iterator[str]:
        yield f"[{'PASS' if self.holds else 'FAIL'}] {self.name}"
        for text in self.seen[:MOST_SEEN]:
            yield f"       {printable(text)}"
        if len(self.seen) > MOST_SEEN:
            yield f"       and {len(self.seen) - MOST_SEEN:,} more"


def holding(name: str, look: Callable[[], Look]) -> Property:
    """The property that `look` finds; what cannot be looked at does not hold."""
    try:
        holds, seen = look()
    except Exception as error:  # noqa: BLE001 - a broken row must not hide the other properties
        holds, seen = False, [f"cannot be looked at: {type(error).__name__}: {error}"]
    return Property(name, holds, tuple(seen))


def counted(count: int, noun: str) -> str:
    """`1 rung`, `1,234 rungs`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
