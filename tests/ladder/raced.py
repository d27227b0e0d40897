"""Races climbed by the practice models, recorded as a worker records them, without a worker or a network."""

from __future__ import annotations

from typing import Any

from ladder.domain import start_race
from ladder.models import Race
from probes.domain.calls import Call, Versions
from probes.domain.claim import claim_trials
from probes.domain.record import record
from probes.engine import Landed
from registry.endpoints.chat import Answer, target_of
from registry.endpoints.personas import said
from registry.endpoints.practice import ensure_practice_endpoints
from registry.endpoints.request import digest, effective_messages, effective_parameters
from registry.teams.models import Team, User
from tests.ladder.stage import the_ladder


def a_practice_race(
    team: Team, a: str = "steady", b: str = "silent", *, by: User | None = None, **options: Any
) -> Race:
    """A race of two personas at the team's practice endpoints, not yet begun."""
    first, second = ensure_practice_endpoints(team)
    given = {"concept": "recursion", "visibility": "public", "lanes": [(first, a), (second, b)]} | options
    return start_race(team=team, by=by, ladder=the_ladder(), **given)


def climbed(race: Race) -> Race:
    """The race, with everything called that waits, until nothing does."""
    versions = Versions()
    while calls := claim_trials("w", 64, versions=versions):
        record([Landed(call, answer(call, versions)) for call in calls], "w", versions)
    race.batch.refresh_from_db()
    return race


def answer(call: Call, versions: Versions) -> Answer:
    """What the persona says, with what was sent as the transport would have seen it."""
    target = target_of(call.endpoint)
    messages, parameters = versions[call.version_id].request(call)
    sent = effective_messages(target, messages)
    reply = said(call.model, messages)
    return Answer(
        text=reply.text,
        finish=reply.finish,
        reasoning_tokens=reply.reasoning_tokens or None,
        completion_tokens=24,
        served_model=call.model,
        status=200,
        sent_messages=sent,
        sent_digest=digest(sent),
        sent_parameters=effective_parameters(target, parameters),
        milliseconds=9515,
    )
