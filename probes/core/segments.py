"""From overlapping spans to one row of segments, each with the spans that lie over it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from probes.core.finding import Mark, Span

Family = Mark | Literal["paragraph"]
"""What is counted together: a paragraph is marked as the lines it is made of."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A span with its number among the counted things of its finding, from 1; 0 if it wears none."""

    span: Span
    number: int


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of the text under the same spans; `starting` and `ending` are those with an edge here.

    A span of no length gives a segment of no length, over which only the spans of that place lie.
    """

    start: int
    end: int
    over: tuple[Drawn, ...]

    @property
    def starting(self) -> tuple[Drawn, ...]:
        return tuple(drawn for drawn in self.over if drawn.span.start == self.start)

    @property
    def ending(self) -> tuple[Drawn, ...]:
        return tuple(drawn for drawn in self.over if drawn.span.end == self.end)


def family(span: Span) -> Family:
    return "paragraph" if span.mark == "line" and span.label == "paragraph" else span.mark


def numbered(findings: Iterable[Iterable[Span]]) -> list[Drawn]:
    """The spans of several findings, each once, numbered by family within the first finding that has it.

    Two findings may count the words of one text differently; two rows of numbers could not be told apart.
    """
    found: dict[Span, int] = {}
    taken: set[Family] = set()
    for spans in findings:
        counts: dict[Family, int] = {}
        for span in spans:
            of = family(span)
            counts[of] = counts.get(of, 0) + 1
            found.setdefault(span, 0 if of in taken else counts[of])
        taken.update(counts)
    return sorted((Drawn(span, number) for span, number in found.items()), key=lambda drawn: drawn.span)


def segments(length: int, drawn: Sequence[Drawn]) -> Iterator[Segment]:
    """Cut a text of `length` characters at every edge of `drawn` (sorted by start); nothing is left out."""
    edges = sorted({0, length, *(e for d in drawn for e in (d.span.start, d.span.end))})
    points = [d for d in drawn if d.span.start == d.span.end]
    lasting = [d for d in drawn if d.span.start < d.span.end]
    active: list[Drawn] = []
    following = iter(lasting)
    coming = next(following, None)
    for i, edge in enumerate(edges):
        if here := tuple(d for d in points if d.span.start == edge):
            yield Segment(edge, edge, here)
        active = [d for d in active if d.span.end > edge]
        while coming is not None and coming.span.start == edge:
            active.append(coming)
            coming = next(following, None)
        if i + 1 < len(edges):
            yield Segment(edge, edges[i + 1], tuple(active))
