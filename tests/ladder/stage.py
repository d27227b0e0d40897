"""Races whose answers are made up, but recorded as a worker records them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ladder.domain import start_race
from ladder.domain.latest import current_ladders
from ladder.models import Hold, Ladder, Race
from probes.domain.calls import Versions, call_of
from probes.domain.claim import claim_trials
from probes.domain.record import record
from probes.engine import Landed
from probes.models import Trial
from registry.endpoints.chat import Answer
from registry.endpoints.models import Endpoint
from registry.teams.models import User
from tests.probes.stage import an_endpoint

RUNGS = ["one-sentence", "ten-words", "five-words", "pirate", "binary", "haiku", "no-e"]

HELD = {
    "one-sentence": "It is a thing that is made of itself.",
    "ten-words": "one two three four five six seven eight nine ten",
    "five-words": "one two three four five",
    "pirate": "Arr, matey, it calls itself.",
    "binary": "0110",
    "haiku": "an old silent pond\na frog jumps into the pond\nsplash silence again",
    "no-e": "It is a loop that calls on its own body.",
}
"""For each rung an output that holds it."""

BROKEN = {
    "one-sentence": "One. Two.",
    "ten-words": "one two three four five six seven eight nine ten eleven",
    "five-words": "one two three four",
    "pirate": "It calls itself.",
    "binary": "zero",
    "haiku": "no",
    "no-e": "There is one.",
}
"""For each rung an output that breaks it."""


def the_ladder() -> Ladder:
    return current_ladders().get()


def a_race(by: User | None, *endpoints: Endpoint, concept: str = "recursion", **options: Any) -> Race:
    """A race of as many climbs as endpoints, by models named `model-a`, `model-b`, …"""
    lanes = [(endpoint, f"model-{'abcdefgh'[place]}") for place, endpoint in enumerate(endpoints)]
    given = {"visibility": "public", "lanes": lanes} | options
    return start_race(team=endpoints[0].team, by=by, ladder=the_ladder(), concept=concept, **given)


def two_endpoints(team: Any) -> tuple[Endpoint, Endpoint]:
    return an_endpoint(team, "lab"), an_endpoint(team, "cloud")


Outputs = Mapping[tuple[str, str], str | Answer]
"""By rung id and letter: the output, or the whole answer."""


def climb(race: Race, outputs: Outputs) -> None:
    """Record these answers; all other trials that wait are leased, and stay so."""
    versions = Versions()
    places = {hold.run_id: (hold.rung.key, hold.climb.letter) for hold in _holds(race)}
    for call in claim_trials("w", 64, versions=versions):
        answer = outputs.get(places.get(call.run_id, ("", "")))
        if answer is not None:
            record([Landed(call, answered(answer))], "w", versions)


def climb_one(race: Race, key: str, letter: str, output: str) -> None:
    """Record one answer of a race whose trials are all leased by `climb`."""
    held = Trial.objects.filter(run__hold__rung__key=key, run__hold__climb__letter=letter)
    trial = held.select_related("run__endpoint").get(run__batch=race.batch)
    versions = Versions()
    versions.load([trial.run.version_id])
    record([Landed(call_of(trial, alone=False), answered(output))], "w", versions)


def answered(answer: str | Answer, **fields: Any) -> Answer:
    if isinstance(answer, Answer):
        return answer
    return Answer(text=answer, finish="stop", sent_digest="d" * 64, milliseconds=5, **fields)


def failed(detail: str = "The endpoint refused the key.", **fields: Any) -> Answer:
    return Answer(error="unauthorized", detail=detail, **fields)


def everywhere(letter: str, outputs: Mapping[str, str | Answer]) -> dict[tuple[str, str], str | Answer]:
    return {(key, letter): output for key, output in outputs.items()}


def _holds(race: Race) -> Any:
    return Hold.objects.filter(climb__race=race).select_related("rung", "climb")
