"""A registry with something of every kind, public and not, and secrets wherever one could be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ladder.domain.start import start_race
from ladder.models import Ladder, Race, Rung
from probes.models import Batch, Probe, ProbeVersion, Run, Trial
from registry.endpoints.models import Endpoint
from registry.teams.models import Team, User
from tests.probes.ran import batch, one_more_trial
from tests.probes.stage import a_version

KEY = "sk-planted-0123456789abcdefwxyz"
PUBLIC_SECRETS = [
    KEY,
    KEY[-4:],
    "planted-host.example",
    "planted-extra-value",
    "planted-worker",
    "alice@example.org",
    "nameless@example.org",
]
"""What nobody may read, member or not."""
TEAM_SECRETS = ["Hidden title", "hidden-probe", "team-only-model", "team-only output", "A hidden instruction"]
"""What only members of acme may read."""


@dataclass(frozen=True)
class Planted:
    """`shown` is open to everybody; `kept` to members of acme; `blocked` is public on a hidden probe.

    `unseen` is public, and its owner has hidden it.
    """

    version: ProbeVersion
    hidden: ProbeVersion
    shown: Batch
    kept: Batch
    blocked: Batch
    unseen: Batch
    race: Race
    kept_race: Race


def plant(team: Team, alice: User) -> Planted:
    endpoint = an_endpoint_with_secrets(team)
    nameless = User.objects.create_user("nameless@example.org")
    version = a_version(team)
    hidden = a_version(team, slug="hidden-probe", title="Hidden title", user="A hidden instruction.")
    Probe.objects.filter(pk=hidden.probe_id).update(visibility="team")
    replies = ["one two three", "one two three four", None]
    shown = batch(version, endpoint, replies, by=alice, finished=False)
    kept = batch(
        version, endpoint, ["team-only output"], by=nameless, visibility="team", model="team-only-model"
    )
    blocked = batch(hidden, endpoint, ["team-only output"], by=alice)
    unseen = batch(version, endpoint, ["team-only output"], by=alice, model="team-only-model")
    Batch.objects.filter(pk=unseen.pk).update(hidden_at=unseen.created_at)
    _plant_leases(shown)
    ladder = a_ladder(team)
    race = a_race(ladder, endpoint, alice)
    kept_race = a_race(ladder, endpoint, alice, visibility="team", concept="a hidden concept")
    _close_one_of(race)
    return Planted(version, hidden, shown, kept, blocked, unseen, race, kept_race)


def a_ladder(team: Team, rungs: int = 2) -> Ladder:
    """A ladder of small probes, which is quicker to have than the one that ships."""
    ladder = Ladder.objects.create(
        team=team,
        slug="small",
        number=1,
        title="Small",
        summary="A small ladder.",
        digest="d" * 64,
        rung_count=rungs,
    )
    for index in range(1, rungs + 1):
        asked = {"user": f"'{index} words on {{{{concept}}}}.'", "variables": "[concept]"}
        version = a_version(team, slug=f"rung-{index}", **asked)
        place = {"key": f"rung-{index}", "label": f"Rung {index}", "constraint": "Three words"}
        Rung.objects.create(ladder=ladder, index=index, version=version, **place)
    return ladder


def a_race(
    ladder: Ladder, endpoint: Endpoint, by: User | None, concept: str = "recursion", **fields: Any
) -> Race:
    given = {"visibility": "public", "lanes": [(endpoint, "model-a"), (endpoint, "model-b")]} | fields
    return start_race(team=endpoint.team, by=by, ladder=ladder, concept=concept, **given)


def an_endpoint_with_secrets(team: Team) -> Endpoint:
    endpoint = Endpoint(
        team=team,
        slug="planted",
        name="Planted",
        base_url="https://planted-host.example/v1",
        extra_body={"user": "planted-extra-value"},
    )
    endpoint.set_key(KEY)
    endpoint.save()
    return endpoint


def _plant_leases(shown: Batch) -> None:
    """An attempt that was sent the extra body, and a trial that a worker holds."""
    run = Run.objects.get(batch=shown)
    sent: dict[str, Any] = {"max_tokens": 40, "user": "planted-extra-value", "temperature": 0}
    messages = [{"role": "user", "content": "Write three words."}]
    one_more_trial(run, 9, "one two three", sent_parameters=sent, sent_messages=messages)
    Trial.objects.filter(run=run, state="waiting").update(
        state="leased", lease_owner="planted-worker", leased_at=shown.created_at, tries=1
    )


def _close_one_of(race: Race) -> None:
    trial = Trial.objects.filter(run__batch=race.batch).order_by("pk")[0]
    Trial.objects.filter(pk=trial.pk).update(lease_owner="planted-worker")
