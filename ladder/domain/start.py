"""Start a race: one batch whose runs are every rung for every climb."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from ladder.domain.concept import concept_problem, stripped
from ladder.models import Climb, Hold, Ladder, Race, Rung
from probes.domain.start import (
    KEY_TAKEN,
    LONGEST_TITLE,
    RIGHT,
    RunRequest,
    StartRefused,
    start_batch,
    start_problems,
)
from probes.models import Batch
from registry.endpoints.models import Endpoint
from registry.teams import access
from registry.teams.models import Team, User

LETTERS = "ABCDEFGH"
Lane = tuple[Endpoint, str]
"""Where a climb's model is reached, and its slug there."""


def start_race(
    *,
    team: Team,
    by: User | None,
    ladder: Ladder,
    concept: str,
    lanes: Sequence[Lane],
    repeats: int = 1,
    visibility: str,
    idempotency_key: str | None = None,
) -> Race:
    """Write batch, runs, trials and race in one transaction; the same key gives the same race again.

    A key that has started another race is refused.

    Raises StartRefused with `problems` by field: `concept`, `lanes`, `a-endpoint`, `a-model`, …,
    and those that starting a batch has (`repeats`, `visibility`, …); and what `access.require` does.
    """
    concept, lanes = stripped(concept), [(endpoint, stripped(model)) for endpoint, model in lanes]
    title = f"{concept}: {' × '.join(model for _, model in lanes)}"[:LONGEST_TITLE]
    rungs = list(ladder.rungs.select_related("version__probe__team").order_by("index"))
    runs = _requests(rungs, lanes, concept, repeats)
    if problems := _problems(concept, lanes):
        if by:
            access.require(by, team, RIGHT)
        raise StartRefused(start_problems(team, by, runs, title, visibility, idempotency_key) | problems)
    with transaction.atomic():
        batch = start_batch(
            team=team,
            by=by,
            runs=runs,
            title=title,
            visibility=visibility,
            idempotency_key=idempotency_key,
        )
        return _already(batch, ladder) or _place(batch, ladder, rungs, concept, lanes)


def _requests(rungs: list[Rung], lanes: Sequence[Lane], concept: str, repeats: int) -> list[RunRequest]:
    """Rung by rung, so that the models climb side by side."""
    return [
        RunRequest(rung.version, endpoint, model, {"concept": concept}, repeats, prefix=f"{letter}-")
        for rung in rungs
        for letter, (endpoint, model) in zip(LETTERS.lower(), lanes, strict=False)
    ]


def _already(batch: Batch, ladder: Ladder) -> Race | None:
    """The race of a batch that an earlier start with the same key made; the batch has the same runs."""
    race = Race.objects.filter(batch=batch).select_related("batch", "ladder").first()
    if race and race.ladder_id != ladder.pk:  # another edition may stand on the same versions
        raise StartRefused({"idempotency_key": KEY_TAKEN})
    return race


def _place(batch: Batch, ladder: Ladder, rungs: list[Rung], concept: str, lanes: Sequence[Lane]) -> Race:
    runs = batch.runs.order_by("position")
    race = Race.objects.create(batch=batch, ladder=ladder, concept=concept, climb_count=len(lanes))
    climbs = [
        Climb.objects.create(race=race, letter=letter, endpoint=endpoint, model=model)
        for letter, (endpoint, model) in zip(LETTERS, lanes, strict=False)
    ]
    places = [(climb, rung) for rung in rungs for climb in climbs]
    Hold.objects.bulk_create(
        Hold(climb=climb, rung=rung, run=run) for (climb, rung), run in zip(places, runs, strict=True)
    )
    return race


def _problems(concept: str, lanes: Sequence[Lane]) -> dict[str, str]:
    """What only a race has; the rest is said where its batch is started."""
    found = {"concept": concept_problem(concept)}
    if not 2 <= len(lanes) <= len(LETTERS):
        found["lanes"] = f"A race needs 2 to {len(LETTERS)} models: {len(lanes)} were given."
    return {name: message for name, message in found.items() if message}
