"""A race as lines of text: the scoreboard that a terminal shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ladder.domain.standing import RaceCell, Standing
from probes.core.terminal import printable
from probes.core.verification import distribution

NARROWEST, WIDEST = 16, 24
"""Characters that a message takes at least, and at most before it pushes what follows aside."""

PARTIAL = ("truncated", "refused", "filtered")
"""Outcomes that are shown beside the verdict on what came."""


def board(standing: Standing) -> list[str]:
    """A line for each climb at each rung, lowest first, as in ` 2 ten-words   A PASS  10 / 10 words`."""
    cells = list(standing.cells)
    key = max((len(cell.rung.key) for cell in cells), default=0)
    mark = max((len(_word(cell)) for cell in cells), default=0)
    message = max((len(_message(cell)) for cell in cells if _beside(cell)), default=0)
    width = min(max(message, NARROWEST), WIDEST)
    return [
        f"{cell.rung.index:>2} {cell.rung.key:<{key}} {cell.letter} {_word(cell):<{mark}}  "
        f"{_message(cell):<{width}}  {_beside(cell)}".rstrip()
        for cell in cells
    ]


def totals(standing: Standing) -> list[str]:
    """A line for each climb, how the trials came out, and whether all were sent the same."""
    rows = [
        [total.letter, total.score, total.standing, f"{total.cells[0].climb.model} at {total.endpoint_name}"]
        + [f"({what})" for what in (total.aside, *total.alters) if what]
        for total in standing.totals
        if total.cells
    ]
    counted = standing.tally
    marks = {
        "pass": counted.passed,
        "fail": counted.failed,
        "unscored": counted.unscored,
        "pending": counted.pending,
        "cancelled": counted.cancelled,
    }
    return [*_aligned(rows), distribution(marks), printable(standing.identical)]


def _word(cell: RaceCell) -> str:
    return "PENDING" if cell.mark == "calling" else cell.mark.upper()


def _message(cell: RaceCell) -> str:
    return printable(cell.message)


def _beside(cell: RaceCell) -> str:
    """What stands beside the message: `truncated`, and what a model that thinks spent: `rt=3200  9515ms`."""
    if len(cell.cells) != 1 or not (attempt := cell.cells[0].attempt):
        return ""
    said = [attempt.outcome] if attempt.outcome in PARTIAL else []
    if attempt.reasoning_tokens:
        said += [f"rt={attempt.reasoning_tokens}", f"{cell.cells[0].milliseconds}ms"]
    return "  ".join(said)


def _aligned(rows: Iterable[Sequence[str]]) -> list[str]:
    rows = [list(map(printable, row)) for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(3)] if rows else []
    return [
        "  ".join([*(f"{text:<{width}}" for text, width in zip(row, widths, strict=False)), *row[3:]])
        for row in rows
    ]
