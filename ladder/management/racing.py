"""What the commands share: start a race as the operator, see it through, and print how it stands."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from django.core.management.base import CommandError, OutputWrapper
from django.db import OperationalError, ProgrammingError

from ladder.domain.board import board, totals
from ladder.domain.lanes import LaneError, find_lanes
from ladder.domain.latest import current_ladders
from ladder.domain.standing import Standing, race_standing
from ladder.domain.start import start_race
from ladder.models import Ladder, Race
from probes.core.terminal import INTERRUPTED, printable
from probes.domain.attend import see_through
from probes.domain.cancel import cancel_batch
from probes.domain.results import Tally, tallies
from probes.domain.start import StartRefused
from probes.models import Batch
from registry.web.address import site_address

BAD_ARGUMENTS = 2
"""The exit status for what cannot be understood or started."""
QUIET = 2.0
"""Seconds between two lines of progress where they cannot be written over each other."""


def start(
    concept: str, lanes: Mapping[str, str], *, team: str = "", repeats: int = 1, visibility: str = "team"
) -> Race:
    """A race of the team whose endpoints these are, started by the operator. Raises CommandError."""
    require_tables()
    try:
        racing_team, found = find_lanes(lanes, team)
        return start_race(
            team=racing_team,
            by=None,
            ladder=_ladder(),
            concept=concept,
            lanes=found,
            repeats=repeats,
            visibility=visibility,
        )
    except LaneError as error:
        raise CommandError(str(error), returncode=BAD_ARGUMENTS) from None
    except StartRefused as refused:
        said = "\n".join(dict.fromkeys(refused.problems.values()))
        raise CommandError(said, returncode=BAD_ARGUMENTS) from None


def require_tables() -> None:
    """Raises CommandError where the database cannot be read, or was never migrated."""
    try:
        Race.objects.exists()
    except (OperationalError, ProgrammingError) as error:
        said = f"The database cannot be read ({str(error).strip()}): run manage.py migrate first."
        raise CommandError(said, returncode=BAD_ARGUMENTS) from None


def _ladder() -> Ladder:
    if ladder := current_ladders().first():
        return ladder
    raise CommandError("No ladder is loaded: run manage.py load_library.", returncode=BAD_ARGUMENTS)


def run(race: Race, out: OutputWrapper, progress: OutputWrapper) -> Standing:
    """See the race through and print its scoreboard; Ctrl-C cancels what was not yet called."""
    out.write(f"{printable(race.batch.title)}  [{race.ladder.title}]")
    line = ProgressLine(race.batch, progress)
    try:
        see_through(race.batch, line.tell)
    except KeyboardInterrupt:
        _cancel(race, line)
    line.end()
    standing = race_standing(Race.objects.select_related("batch", "ladder__team").get(pk=race.pk))
    for text in [
        "",
        *board(standing),
        "",
        *totals(standing),
        f"{site_address()}{race.get_absolute_url()}",
    ]:
        out.write(text)
    return standing


def _cancel(race: Race, line: ProgressLine) -> None:
    """Cancel the race and see through what is being called. Raises CommandError on another Ctrl-C."""
    try:
        line.end()
        cancel_batch(race.batch, None)
        said = "Cancelled: what is being called still lands. Ctrl-C again leaves it."
        line.out.write(said, lambda text: text)
        see_through(race.batch, line.tell)
    except KeyboardInterrupt:
        line.end()
        said = f"Left: a worker finds the calls that were lost. {site_address()}{race.get_absolute_url()}"
        raise CommandError(said, returncode=INTERRUPTED) from None


@dataclass
class ProgressLine:
    """`9 of 14 trials closed`: written over itself in a terminal, now and then a line elsewhere."""

    batch: Batch
    out: OutputWrapper
    said: str = ""
    at: float = field(default_factory=lambda: float("-inf"))

    def tell(self) -> None:
        tally = tallies([self.batch])[self.batch.pk]
        text = progress_of(tally)
        if text == self.said:
            return
        if self.out.isatty():
            self.out.write(f"\r{text}", lambda x: x, ending="")
        elif tally.pending == 0 or time.monotonic() - self.at >= QUIET:
            self.out.write(text, lambda x: x)
        else:
            return
        self.said, self.at = text, time.monotonic()

    def end(self) -> None:
        """Leave the line that was written over."""
        if self.said and self.out.isatty():
            self.out.write("")
        self.said = ""


def progress_of(tally: Tally) -> str:
    aside = {"unscored": tally.unscored, "cancelled": tally.cancelled}
    named = "".join(f", {count} {name}" for name, count in aside.items() if count)
    return f"{tally.scored + tally.unscored} of {tally.total} trials closed{named}"
