"""What the evidence of a race says beyond that of its batch: the ladder, and who climbed it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ladder.core import FORMAT
from ladder.models import Hold, Ladder, Race, Rung
from probes.models import Batch


def about(batch: Batch) -> Iterable[Mapping[str, Any]]:
    """The `race` line, where the batch is a race."""
    races = Race.objects.filter(pk=batch.pk).select_related("ladder__team")
    return map(race_record, races)


def race_record(race: Race) -> Mapping[str, Any]:
    """Which document stands at which rung, and which run is whose try at it."""
    ladder = race.ladder
    rungs = list(ladder.rungs.select_related("version__probe").order_by("index"))
    holds = Hold.objects.filter(climb__race=race).select_related("climb", "rung", "run")
    ordered = holds.order_by("rung__index", "climb__letter")
    climbs = {hold.climb.letter: hold for hold in ordered}
    return {
        "kind": "race",
        "concept": race.concept,
        "team": ladder.team.slug,
        "edition": ladder.number,
        "ladder": canonical(ladder, rungs),
        "digest": ladder.digest,
        "documents": [rung.version.digest for rung in rungs],
        "climbs": [
            {"letter": letter, "endpoint": hold.run.endpoint_name, "model": hold.climb.model}
            for letter, hold in sorted(climbs.items())
        ],
        "holds": [
            {"run": hold.run.position, "letter": hold.climb.letter, "rung": hold.rung.index}
            for hold in ordered
        ],
    }


def canonical(ladder: Ladder, rungs: list[Rung]) -> dict[str, Any]:
    """The ladder as its file says it; with the documents' digests it gives the ladder's own."""
    return {
        "format": FORMAT,
        "slug": ladder.slug,
        "title": ladder.title,
        "summary": ladder.summary,
        "rungs": [
            {
                "id": rung.key,
                "label": rung.label,
                "constraint": rung.constraint,
                "probe": rung.version.probe.slug,
            }
            for rung in rungs
        ],
    }
