"""The kind that counts syllables line by line: `syllables`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, zip_longest
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from probes.core.checks.base import MOST_SPANS, Check, register
from probes.core.checks.example import Example, Examples
from probes.core.finding import Finding, Span
from probes.core.syllables import Syllables, of_line
from probes.core.text import lines
from probes.core.view import View

MOST_SHOWN = 12
"""So many lines a message names; the rest is counted."""


@register
class LineSyllables(Check):
    """The syllables of each line, by an estimate."""

    kind: Literal["syllables"]
    name: ClassVar[str] = "syllables"
    estimates: ClassVar[bool] = True
    summary: ClassVar[str] = (
        "English: each line that holds more than white space has its number of syllables, and there are no "
        "other lines. The number must lie between the smallest and the largest count of the dictionary; "
        "words it lacks are estimated by 17 rules; some are overridden by a reviewed list. Whole numbers "
        "count as they are spoken (105, 1984, 20th) and & as and; every other sign is silent ($5 is five, "
        "100% a hundred), and capitals are read as a word."
    )
    examples: ClassVar[Examples] = (
        Example({"lines": [5, 7, 5]}, "An old silent pond\nA frog jumps into the pond\nPlop! Silence again"),
        Example({"lines": [5, 7, 5]}, "An old silent pond\nA frog jumps in\nPlop! Silence again"),
        Example({"lines": [3]}, "Every cat"),
    )

    lines: Annotated[
        tuple[Annotated[int, Field(ge=1, le=100)], ...], Field(min_length=1, max_length=50, strict=False)
    ] = Field(description="how many syllables each line has, such as [5, 7, 5]")

    def evaluate(self, view: View) -> Finding:
        found = view.once("syllables", lambda: _of_lines(view.text))
        wanted = [*self.lines[: len(found)], *[None] * (len(found) - len(self.lines))]
        actual = [_nearest(count, number) for (_, count), number in zip(found, wanted, strict=True)]
        pairs = zip_longest(actual, self.lines)
        marked = islice(zip(found, wanted, strict=True), MOST_SPANS)
        spans = tuple(_mark(span, count, number) for (span, count), number in marked)
        message = f"{_joined(actual)} / {_joined(self.lines)} syllables"
        ok = all(one == other for one, other in pairs)
        return Finding(ok, actual, list(self.lines), "syllables", message, spans)


def _of_lines(text: str) -> list[tuple[Span, Syllables]]:
    return [(span, of_line(text[span.start : span.end])) for span in lines(text)]


def _nearest(count: Syllables, wanted: int | None) -> int:
    """The count closest to what was wanted; the smallest for a line that was not."""
    return count.low if wanted is None else min(max(wanted, count.low), count.high)


def _mark(span: Span, count: Syllables, wanted: int | None) -> Span:
    number = f"{count.low}" if count.low == count.high else f"{count.low}–{count.high}"
    label = f"{number} syllable{'' if number == '1' else 's'}"
    if wanted is None:
        return Span(span.start, span.end, "forbidden", f"{label}, one line too many")
    missed = not count.low <= wanted <= count.high
    return Span(span.start, span.end, "line", f"{label}, not {wanted}" if missed else label)


def _joined(counts: Sequence[int]) -> str:
    more = f"… ({len(counts)} lines)" if len(counts) > MOST_SHOWN else ""
    return "-".join(map(str, counts[:MOST_SHOWN])) + more
