"""The parsed pattern: five kinds of node. Captures are not kept: no verdict depends on them.

Each knows its `size` and `copies`, which the budgets count, and how many characters its `shortest` match has.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from probes.core.patterns.characters import Ranges

Place = Literal["start", "end", "line_start", "line_end", "word_edge"]


@dataclass(frozen=True)
class Chars:
    """One character out of a set; an empty set never matches."""

    ranges: Ranges
    size = 1
    copies = 1
    shortest = 1


@dataclass(frozen=True)
class At:
    """A place between characters."""

    place: Place
    size = 1
    copies = 1
    shortest = 0


@dataclass(frozen=True)
class Sequence:
    """One node after the other; without parts it matches the empty text."""

    parts: tuple[Node, ...]

    @cached_property
    def size(self) -> int:
        return sum(part.size for part in self.parts) or 1

    @cached_property
    def copies(self) -> int:
        return max((part.copies for part in self.parts), default=1)

    @cached_property
    def shortest(self) -> int:
        return sum(part.shortest for part in self.parts)


@dataclass(frozen=True)
class Choice:
    """The first node that leads to a match."""

    parts: tuple[Node, ...]

    @cached_property
    def size(self) -> int:
        return sum(part.size for part in self.parts) or 1

    @cached_property
    def copies(self) -> int:
        return max((part.copies for part in self.parts), default=1)

    @cached_property
    def shortest(self) -> int:
        return min((part.shortest for part in self.parts), default=0)


@dataclass(frozen=True)
class Repeat:
    """`body` from `low` to `high` times (None: any number), as many as possible unless `lazy`."""

    body: Node
    low: int
    high: int | None
    lazy: bool = False

    @property
    def count(self) -> int:
        """How many copies of the body writing the repetition out takes."""
        return max(1, self.low if self.high is None else self.high)

    @cached_property
    def size(self) -> int:
        """Parts when written out: characters and places, and one for each repeated group that may vary."""
        varies = self.low != self.high and not isinstance(self.body, Chars | At)
        return self.body.size * self.count + varies

    @cached_property
    def copies(self) -> int:
        """The largest product of counts inside each other."""
        return self.body.copies * self.count

    @cached_property
    def shortest(self) -> int:
        return self.body.shortest * self.low


Node = Chars | At | Sequence | Choice | Repeat

EMPTY = Sequence(())
NEVER = Chars(())
