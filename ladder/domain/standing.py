"""How a race stands: every number that a page, a stream or an API shows of it is computed here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, takewhile
from typing import Any

from ladder.models import Climb, Hold, Race, Rung
from probes.domain.results import Cell, Mark, Tally, cells, tally
from probes.domain.settle import NOT_CALLED
from probes.models import Batch, Trial
from probes.models.run import State

MOST_OPENED, EXAMPLES = 10, 3
"""How many repeats of a cell open in place, and how many do where there are more."""


@dataclass(frozen=True)
class RaceCell:
    """One climb at one rung: a cell a repeat, and what they come to together."""

    rung: Rung
    climb: Climb
    cells: tuple[Cell, ...]

    @property
    def letter(self) -> str:
        return self.climb.letter

    @cached_property
    def tally(self) -> Tally:
        return tally(self.cells)

    @property
    def seq(self) -> int:
        """The batch's event at which this last changed."""
        return max(cell.trial.seq for cell in self.cells)

    @cached_property
    def mark(self) -> Mark:
        """Of several repeats: waiting while one is, then failed if one is, and passed only if all are."""
        marks = {cell.mark for cell in self.cells}
        order: tuple[Mark, ...] = ("calling", "pending", "fail", "unscored", "cancelled", "pass")
        return next(mark for mark in order if mark in marks)

    @property
    def opens(self) -> bool:
        """Whether there is anything to open: an attempt."""
        return any(cell.attempts for cell in self.cells)

    @property
    def opened(self) -> tuple[Cell, ...]:
        """What opens in place: every repeat, or of many the first few, and those that failed first."""
        if len(self.cells) <= MOST_OPENED:
            return self.cells
        tried = (cell for cell in self.cells if cell.attempts)
        return tuple(sorted(tried, key=lambda cell: cell.mark != "fail"))[:EXAMPLES]

    @property
    def message(self) -> str:
        """`11 / 10 words`; for several repeats how many passed of those scored: `2 / 3 passed`."""
        if len(self.cells) == 1:
            return _message(self.cells[0])
        counts = self.tally
        words = [f"{counts.passed} / {counts.scored} passed"] if counts.scored else []
        return ", ".join(words + _left_over(counts))

    @property
    def costs(self) -> tuple[str, ...]:
        return self.cells[0].costs if len(self.cells) == 1 else ()

    @cached_property
    def digests(self) -> frozenset[str]:
        """The digests of all that was sent for it; more than one is a difference."""
        attempts = (attempt for cell in self.cells for attempt in cell.attempts)
        return frozenset(attempt.sent_digest for attempt in attempts if attempt.sent_digest)


def _message(cell: Cell) -> str:
    """A verdict's own words; of what has none the reason in a word, told in full once beside the model."""
    if cell.mark == "unscored" and cell.attempt:
        return cell.attempt.reason
    return cell.message if cell.mark in {"pass", "fail"} else ""


def _left_over(counts: Tally) -> list[str]:
    named = {"unscored": counts.unscored, "pending": counts.pending, "cancelled": counts.cancelled}
    return [f"{count} {name}" for name, count in named.items() if count]


@dataclass(frozen=True)
class Row:
    """A rung of the scoreboard with one cell a climb."""

    rung: Rung
    cells: tuple[RaceCell, ...]
    concept: str

    @property
    def messages(self) -> list[dict[str, str]]:
        """What every model is asked here, before an endpoint alters anything."""
        return self.rung.version.parsed.render({"concept": self.concept})

    @property
    def heuristic(self) -> bool:
        return self.rung.version.parsed.rubric.heuristic

    @property
    def identical(self) -> bool | None:
        """Whether every climb was sent the same messages; None while one has been sent nothing yet."""
        if not all(cell.digests for cell in self.cells):
            return None
        return len(frozenset().union(*(cell.digests for cell in self.cells))) == 1


@dataclass(frozen=True)
class Total:
    """How one climb stands: rungs by mark, and the highest it holds from the foot without a break."""

    climb: Climb
    cells: tuple[RaceCell, ...]

    @property
    def letter(self) -> str:
        return self.climb.letter

    @property
    def endpoint_name(self) -> str:
        """As it was called when the race began."""
        return self.cells[0].cells[0].run.endpoint_name if self.cells else self.climb.endpoint.name

    @cached_property
    def tally(self) -> Tally:
        return tally(cell for rung in self.cells for cell in rung.cells)

    @cached_property
    def held(self) -> int:
        """The index of the highest rung held without a break; 0 is the ground."""
        unbroken = list(takewhile(lambda cell: cell.mark == "pass", self.cells))
        return unbroken[-1].rung.index if unbroken else 0

    @property
    def score(self) -> str:
        """`5 / 7`, with two repeats `12 / 14`: trials passed of those scored, so others lower nothing."""
        return f"{self.tally.passed} / {self.tally.scored}"

    @property
    def aside(self) -> str:
        """What `score` leaves out: `1 unscored, 3 pending`."""
        return ", ".join(_left_over(self.tally))

    @property
    def standing(self) -> str:
        if self.cells and self.held == self.cells[-1].rung.index:
            return f"holds all {len(self.cells)} rungs"
        if self.cells and self.cells[0].mark in {"pending", "calling"}:
            return "not yet decided"
        return f"unbroken to rung {self.held}" if self.held else "on the ground"

    @property
    def alters(self) -> tuple[str, ...]:
        """What the endpoint does to messages or parameters, such as `no temperature`."""
        runs = (rung.cells[0].run for rung in self.cells)
        return tuple(dict.fromkeys(what for run in runs for what in run.alters))

    @property
    def problems(self) -> tuple[str, ...]:
        """What kept trials from a verdict for good, in full and each reason once.

        A call that is tried again may yet succeed, and one that was not called shares its cause's reason.
        """
        trials = (cell for rung in self.cells for cell in rung.cells)
        attempts = (cell.attempt for cell in trials if cell.mark == "unscored" and cell.attempt)
        details = (attempt.detail.removeprefix(NOT_CALLED) for attempt in attempts)
        return tuple(dict.fromkeys(detail for detail in details if detail))


@dataclass(frozen=True)
class Standing:
    """A race at event `seq`. Later changes may already be in it: replaying them is harmless."""

    race: Race
    seq: int
    rows: tuple[Row, ...]
    totals: tuple[Total, ...]

    @property
    def batch(self) -> Batch:
        return self.race.batch

    @property
    def running(self) -> bool:
        return self.batch.state == State.RUNNING

    @property
    def cells(self) -> Iterator[RaceCell]:
        return (cell for row in self.rows for cell in row.cells)

    @cached_property
    def tally(self) -> Tally:
        return tally(cell for rung in self.cells for cell in rung.cells)

    @property
    def closed(self) -> int:
        """Trials that were called to their end, scored or not."""
        return self.tally.scored + self.tally.unscored

    @property
    def progress(self) -> str:
        """`9 of 14 trials closed, 1 unscored`: what got no verdict, or was never called, is named."""
        aside = {"unscored": self.tally.unscored, "cancelled": self.tally.cancelled}
        named = "".join(f", {count} {name}" for name, count in aside.items() if count)
        return f"{self.closed} of {self.tally.total} trials closed{named}"

    @property
    def identical(self) -> str:
        return identical_messages(self.rows, len(self.totals), over=not self.running)


def identical_messages(rows: Sequence[Row], climbs: int, *, over: bool) -> str:
    """`Both models received identical messages on 7 of 7 rungs`, as observed at the transport."""
    who = "Both models" if climbs == 2 else f"All {climbs} models"
    same = sum(row.identical is True for row in rows)
    unknown = sum(row.identical is None for row in rows)
    differing = [f"{row.rung.index} {row.rung.key}" for row in rows if row.identical is False]
    said = f"{who} received identical messages on {same} of {len(rows)} rungs"
    if same == 0 and not differing:
        whom = f"{who[0].lower()}{who[1:]}"
        if over:
            return f"Nothing was sent to {whom}, so nothing can be said of the messages."
        return f"Whether {whom} receive identical messages is not yet known."
    if differing:
        said += f"; different ones on {', '.join(differing)}"
    if unknown:
        said += f"; {unknown} {'never sent to both' if over else 'not yet known'}"
    return said + "."


def race_standing(race: Race) -> Standing:
    return standings([race])[0]


def standings(races: Iterable[Race]) -> list[Standing]:
    """How each race stands, in as many queries for twenty as for one."""
    races = list(races)
    batches = Batch.objects.filter(pk__in=[race.pk for race in races]).select_related("team", "started_by")
    known = {batch.pk: batch for batch in batches}
    placed = _placed(races)
    found: dict[int, list[Cell]] = {}
    for cell in cells(Trial.objects.filter(run__batch__in=list(known))):
        found.setdefault(cell.run.pk, []).append(cell)
    return [_standing(race, known[race.pk], placed.get(race.pk, []), found) for race in races]


def _placed(races: Sequence[Race]) -> dict[object, list[Hold]]:
    """The holds of each race, rung by rung and A before B."""
    holds = (
        Hold.objects.filter(climb__race__in=[race.pk for race in races])
        .select_related("climb__endpoint", "rung__version__probe__team")
        .order_by("climb__race", "rung__index", "climb__letter")
    )
    return {pk: list(own) for pk, own in groupby(holds, lambda hold: hold.climb.race_id)}


def _standing(race: Race, batch: Batch, holds: list[Hold], found: dict[int, list[Cell]]) -> Standing:
    race.batch = batch  # as it was before the cells were read: `seq` must not run ahead of them
    made = [RaceCell(hold.rung, hold.climb, tuple(found.get(hold.run_id, ()))) for hold in holds]
    rows = [Row(own[0].rung, own, race.concept) for own in _grouped(made, lambda cell: cell.rung.index)]
    by_letter = sorted(made, key=lambda cell: (cell.letter, cell.rung.index))
    totals = [Total(own[0].climb, own) for own in _grouped(by_letter, lambda cell: cell.letter)]
    return Standing(race, batch.seq, tuple(rows), tuple(totals))


def _grouped(made: Iterable[RaceCell], key: Callable[[RaceCell], Any]) -> list[tuple[RaceCell, ...]]:
    return [tuple(own) for _, own in groupby(made, key)]
