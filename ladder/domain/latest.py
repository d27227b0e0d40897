"""What a person may see of ladders, races and results, newest first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import F, Max, QuerySet, Window
from django.db.models.functions import RowNumber

from ladder.domain.drawing import Drawing, drawing
from ladder.domain.standing import Standing, standings
from ladder.models import Ladder, Race, Rung
from probes.domain.results import Tally, tallies
from probes.domain.visible import visible_batches, visible_probes
from probes.models import Batch, Probe
from registry.teams.access import Person


def current_ladders() -> QuerySet[Ladder]:
    """The newest edition of every ladder. Ladders are public, as the probes on them are."""
    newest = Ladder.objects.alias(
        place=Window(RowNumber(), partition_by=[F("team"), F("slug")], order_by=F("number").desc())
    ).filter(place=1)
    return newest.select_related("team").order_by("published_at", "pk")


def rungs_of(ladder: Ladder) -> list[Rung]:
    return list(ladder.rungs.select_related("version__probe__team", "version__rubric").order_by("index"))


def visible_races(person: Person) -> QuerySet[Race]:
    """The public races and those of the person's teams."""
    rows = Race.objects.select_related("batch__team", "batch__started_by", "ladder__team")
    return rows.filter(batch__in=visible_batches(person)).order_by("-batch__created_at", "-pk")


@dataclass(frozen=True)
class Listed:
    """A race in a list: how it stands, and its picture."""

    standing: Standing
    drawing: Drawing


def listed(races: Iterable[Race]) -> list[Listed]:
    return [Listed(standing, drawing(standing)) for standing in standings(races)]


def latest_races(person: Person, limit: int, ladder: Ladder | None = None) -> list[Listed]:
    """The latest races; those of one ladder, whichever its edition, where it is given."""
    races = visible_races(person)
    if ladder:
        races = races.filter(ladder__team=ladder.team, ladder__slug=ladder.slug)
    return listed(races[:limit])


@dataclass(frozen=True)
class Result:
    """A batch in a list: its tally and, where it is a race, how that stands."""

    batch: Batch
    tally: Tally
    race: Listed | None


def results(batches: Sequence[Batch]) -> list[Result]:
    """The batches as a list shows them, in as many queries for twenty as for one."""
    counts = tallies(batches)
    races = Race.objects.filter(pk__in=[batch.pk for batch in batches]).select_related("ladder__team")
    found = {one.standing.race.pk: one for one in listed(races)}
    return [
        Result(batch, counts.get(batch.pk, Tally(0, 0, 0, 0, 0)), found.get(batch.pk)) for batch in batches
    ]


def latest_probes(person: Person, limit: int, *, without: Sequence[Rung] = ()) -> QuerySet[Probe]:
    """Published probes, those most recently published first; `without` those that stand as rungs."""
    rows = visible_probes(person).filter(versions__isnull=False)
    rows = rows.exclude(pk__in=[rung.version.probe_id for rung in without])
    newest = rows.annotate(newest=Max("versions__number"), published_at=Max("versions__published_at"))
    return newest.order_by("-published_at", "slug")[:limit]
