"""Start a race: one batch whose runs are every rung for every climb."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from ladder.domain.concept import concept_problem, stripped
from ladder.models import Climb, Hold, Ladder, Race, Rung
from probes.domain.start import LONGEST_TITLE, RunRequest, StartRefused, start_batch
from probes.models import Batch
from registry.endpoints.models import Endpoint
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

    Raises StartRefused with `problems` by field: `concept`, `lanes`, `a-endpoint`, `a-model`, …,
    and those that starting a batch has (`repeats`, `visibility`, …); and what `access.require` does.
    """
    concept, lanes = stripped(concept), [(endpoint, stripped(model)) for endpoint, model in lanes]
    if problems := _problems(concept, lanes):
        raise StartRefused(problems)
    rungs = list(ladder.rungs.select_related("version__probe__team").order_by("index"))
    with transaction.atomic():
        batch = start_batch(
            team=team,
            by=by,
            runs=_requests(rungs, lanes, concept, repeats),
            title=f"{concept}: {' × '.join(model for _, model in lanes)}"[:LONGEST_TITLE],
            visibility=visibility,
            idempotency_key=idempotency_key,
        )
        return _already(batch) or _place(batch, ladder, rungs, concept, lanes)


def _requests(rungs: list[Rung], lanes: Sequence[Lane], concept: str, repeats: int) -> list[RunRequest]:
    """Rung by rung, so that the models climb side by side."""
    return [
        RunRequest(rung.version, endpoint, model, {"concept": concept}, repeats, prefix=f"{letter}-")
        for rung in rungs
        for letter, (endpoint, model) in zip(LETTERS.lower(), lanes, strict=False)
    ]


def _already(batch: Batch) -> Race | None:
    """The race of a batch that an earlier start with the same key made."""
    return Race.objects.filter(batch=batch).select_related("batch", "ladder").first()


def _place(batch: Batch, ladder: Ladder, rungs: list[Rung], concept: str, lanes: Sequence[Lane]) -> Race:
    runs = list(batch.runs.order_by("position"))
    wanted = [(rung.version_id, model) for rung in rungs for _, model in lanes]
    if [(run.version_id, run.model) for run in runs] != wanted:
        raise StartRefused({"idempotency_key": "This key has started something else: use a new one."})
    race = Race.objects.create(batch=batch, ladder=ladder, concept=concept)
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
    found = {"concept": concept_problem(concept)}
    if not 2 <= len(lanes) <= len(LETTERS):
        found["lanes"] = f"A race needs 2 to {len(LETTERS)} models: {len(lanes)} were given."
    for letter, (endpoint, model) in zip(LETTERS.lower(), lanes, strict=False):
        message = _unknown_model(endpoint, model)
        if message not in found.values():
            found[f"{letter}-model"] = message
    return {name: message for name, message in found.items() if message}


def _unknown_model(endpoint: Endpoint, model: str) -> str:
    """Said before the start only where the list of models is surely complete: of practice endpoints."""
    if not endpoint.practice or not model or model in endpoint.models_offered:
        return ""
    return f"{endpoint.name} has no model {model}: write one of {', '.join(endpoint.models_offered)}."
