"""The ladder as a picture: two rails, a rung for each constraint, one part of a rung for each climb.

Rung 1 is at the foot. A part is empty until its verdict lands; then it is solid (pass), snapped
(fail) or hatched (unscored): shapes, so that colour is never the only sign. Units are those of
the picture's view box.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ladder.domain.standing import RaceCell, Standing, Total
from ladder.models import Rung

LEFT, RIGHT = 46, 214  # the inner edges of the rails
RAIL = 8
STEP = 46
THICK = 14
HEAD = 26
FOOT = 34
GAP = 4
WIDTH = LEFT + RIGHT


@dataclass(frozen=True)
class Piece:
    """One path of a part: `body` is filled, `edge` and `hatch` are lines."""

    kind: str
    path: str


@dataclass(frozen=True)
class Part:
    """One climb's share of a rung, `x`, `y` its upper left corner."""

    index: int
    letter: str
    mark: str
    x: float
    y: float
    pieces: tuple[Piece, ...]
    title: str


@dataclass(frozen=True)
class Marker:
    """Where a climb stands: beside the highest rung held without a break, or at the foot."""

    letter: str
    x: float
    y: float
    side: str
    title: str

    @property
    def arrow(self) -> str:
        return "M-13,-6 L-3,0 L-13,6 Z" if self.side == "left" else "M13,-6 L3,0 L13,6 Z"

    @property
    def text_x(self) -> int:
        return -22 if self.side == "left" else 22


@dataclass(frozen=True)
class Label:
    """A rung's name, above it."""

    x: float
    y: float
    key: str
    text: str


@dataclass(frozen=True)
class Drawing:
    height: float
    rails: tuple[str, ...]
    parts: tuple[Part, ...]
    markers: tuple[Marker, ...]
    labels: tuple[Label, ...]
    title: str

    @property
    def view_box(self) -> str:
        return f"0 0 {WIDTH} {self.height:g}"


def drawing(standing: Standing) -> Drawing:
    """The picture of a race as it stands."""
    height = _height(len(standing.rows))
    parts = tuple(part(cell, len(standing.rows), len(standing.totals)) for cell in standing.cells)
    markers = tuple(marker(total, len(standing.rows)) for total in standing.totals[:2])
    labels = _labels([row.rung for row in standing.rows])
    said = " ".join(f"{t.letter}: {t.standing}, {t.tally.passed} passed." for t in standing.totals)
    return Drawing(height, _rails(height), parts, markers, labels, said)


def bare(rungs: Sequence[Rung]) -> Drawing:
    """The picture of a ladder that nobody climbs."""
    height = _height(len(rungs))
    parts = [
        Part(rung.index, letter, "pending", *_corner(rung.index, len(rungs), place, 2), _outline(2), "")
        for rung in rungs
        for place, letter in enumerate("AB")
    ]
    title = (
        f"A ladder of {len(rungs)} rungs, from {rungs[0].key} at the foot up to {rungs[-1].key}."
        if rungs
        else ""
    )
    return Drawing(height, _rails(height), tuple(parts), (), _labels(rungs), title)


def part(cell: RaceCell, rungs: int, climbs: int) -> Part:
    place = ord(cell.letter) - ord("A")
    x, y = _corner(cell.rung.index, rungs, place, climbs)
    title = f"{cell.rung.index} {cell.rung.key}, {cell.letter}: {cell.mark} {cell.message}".strip()
    return Part(cell.rung.index, cell.letter, cell.mark, x, y, pieces(cell.mark, place, climbs), title)


def marker(total: Total, rungs: int) -> Marker:
    left = total.letter == "A"
    y = _y(total.held, rungs) + THICK / 2
    x = LEFT - RAIL if left else RIGHT + RAIL
    return Marker(total.letter, x, y, "left" if left else "right", f"{total.letter} {total.standing}")


@lru_cache
def pieces(mark: str, place: int, climbs: int) -> tuple[Piece, ...]:
    """The paths of one part, relative to its corner."""
    width = _width(climbs)
    if mark == "pass":
        return (*_outline(climbs), Piece("body", _box(0, 0, width, THICK)))
    if mark == "fail":
        return _snapped(width, mirrored=place % 2 == 1)
    if mark == "unscored":
        return (*_outline(climbs), Piece("hatch", _hatching(width)))
    return _outline(climbs)


def _height(rungs: int) -> float:
    return HEAD + rungs * STEP + FOOT - STEP / 2


def _y(index: int, rungs: int) -> float:
    """The upper edge of rung `index`, 1 at the foot; 0 is the ground below it."""
    return HEAD + (rungs - index) * STEP - (STEP / 3 if index == 0 else 0)


def _width(climbs: int) -> float:
    return (RIGHT - LEFT - GAP * (climbs - 1)) / climbs


def _corner(index: int, rungs: int, place: int, climbs: int) -> tuple[float, float]:
    return LEFT + place * (_width(climbs) + GAP), _y(index, rungs)


def _rails(height: float) -> tuple[str, ...]:
    return tuple(_box(x, 6, RAIL, height - 12) for x in (LEFT - RAIL, RIGHT))


def _labels(rungs: Sequence[Rung]) -> tuple[Label, ...]:
    middle = (LEFT + RIGHT) / 2
    return tuple(Label(middle, _y(r.index, len(rungs)) - 5, r.key, f"{r.index} {r.key}") for r in rungs)


def _outline(climbs: int) -> tuple[Piece, ...]:
    return (Piece("edge", _box(0.75, 0.75, _width(climbs) - 1.5, THICK - 1.5)),)


def _box(x: float, y: float, width: float, height: float) -> str:
    return f"M{x:g},{y:g} h{width:g} v{height:g} h{-width:g} Z"


def _hatching(width: float) -> str:
    """Strokes from lower left to upper right, wholly inside the box."""
    starts = range(2, int(width - THICK), 7)
    return " ".join(f"M{x:g},{THICK - 1.5:g} l{THICK - 3:g},{3 - THICK:g}" for x in starts)


def _snapped(width: float, *, mirrored: bool) -> tuple[Piece, ...]:
    """A rung broken in the middle: the stump stays at the rail, the rest hangs from the centre."""
    stump = [(0, 0), (34, 0), (29, 5), (37, 8), (30, THICK), (0, THICK)]
    rest = [(47, 11), (82, 0), (82, THICK), (50, THICK + 11), (52, 19), (43, 17)]
    return tuple(Piece("body", _polygon(points, width, mirrored)) for points in (stump, rest))


def _polygon(points: Sequence[tuple[float, float]], width: float, mirrored: bool) -> str:
    """`points` of a part 82 wide, brought to `width`."""
    scaled = [(x * width / 82, y) for x, y in points]
    flipped = [(width - x if mirrored else x, y) for x, y in scaled]
    return "M" + " L".join(f"{round(x, 2):g},{y:g}" for x, y in flipped) + " Z"
