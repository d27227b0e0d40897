"""A key reaches its own server and no other: a hundred races at once, while keys change and servers swap."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pytest
from cryptography.fernet import Fernet
from django.db import connections

from probes.domain.drain import drain
from probes.models import Attempt, Trial
from registry.endpoints.domain import add_endpoint, change_endpoint
from registry.endpoints.keys import reseal_keys
from registry.endpoints.models import Endpoint
from registry.teams.models import Team
from tests.registry.api.planted import a_ladder, a_race
from tests.served import Counterparty, _Handler, running
from tests.thorough import thorough
from tests.waiting import until

pytestmark = [thorough, pytest.mark.django_db(transaction=True)]

Server = TypeVar("Server", bound=Counterparty)
RACES, RUNGS, WORKERS = 100, 2, 3


class Guarded(Counterparty):
    """Takes every key that was ever its own, and no other; a foreign one is noted by how it ends."""

    def __init__(self, name: str) -> None:
        super().__init__("", {"": "one two three"})
        self.name = name
        self.own: set[str] = set()
        self.foreign: list[str] = []
        self.taken: Counter[str] = Counter()
        self.RequestHandlerClass = _Guard

    def new_key(self) -> str:
        key = f"sk-{self.name}-{random.getrandbits(96):024x}"
        self.own.add(key)
        return key


class _Guard(_Handler):
    server: Guarded

    def _note(self, body: Any) -> bool:
        bearer = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if bearer in self.server.own:
            self.server.taken[bearer] += 1
            return True
        self.server.foreign.append(bearer[-4:])
        self.reply(401, {"error": {"message": f"Incorrect API key provided: {bearer}"}})
        return False


@dataclass
class Stage:
    """Two servers, and two endpoints of which each reaches one of them with a key of that server."""

    servers: list[Guarded]
    endpoints: list[Endpoint] = field(default_factory=list)
    changes: int = 0

    def rekey(self) -> None:
        """Give both endpoints new keys; every third time they also change places."""
        self.changes += 1
        if self.changes % 3 == 0:
            self.servers.reverse()
        for endpoint, server in zip(self.endpoints, self.servers, strict=True):
            change_endpoint(endpoint, base_url=server.base_url, key=server.new_key())
        reseal_keys()


@pytest.fixture
def stage(settings) -> Iterator[Stage]:
    team = Team.objects.create(slug="acme", name="Acme")
    settings.ENDPOINT_KEYS = [Fernet.generate_key().decode() for _ in range(2)]
    with ExitStack() as stack:
        made = Stage([stack.enter_context(running(Guarded(name))) for name in ("a", "b")])
        for server in made.servers:
            given: dict[str, Any] = {
                "name": f"Endpoint {server.name}",
                "base_url": server.base_url,
                "concurrency": 16,
            }
            made.endpoints.append(add_endpoint(team, key=server.new_key(), **given))
        yield made


def _in_a_thread(work: Any) -> Any:
    try:
        return work()
    finally:
        connections.close_all()


def test_no_server_is_shown_the_key_of_another(stage):
    ladder = a_ladder(stage.endpoints[0].team, rungs=RUNGS)
    for number in range(RACES):
        lanes = [(endpoint, f"model-{number}") for endpoint in stage.endpoints]
        a_race(ladder, stage.endpoints[0], None, concept=f"concept {number}", lanes=lanes)
    calls = RACES * RUNGS * 2
    waiting = Trial.objects.exclude(state=Trial.State.CLOSED)
    assert waiting.count() == calls
    with ThreadPoolExecutor(WORKERS) as pool:
        turns = [pool.submit(_in_a_thread, drain) for _ in range(WORKERS)]
        try:
            while not all(turn.done() for turn in turns):
                stage.rekey()
        finally:
            done = [turn.result(120) for turn in turns]
    until(lambda: not waiting.exists())
    assert {server.name: server.foreign for server in stage.servers} == {"a": [], "b": []}
    assert sum(turn.recorded for turn in done) == sum(sum(s.taken.values()) for s in stage.servers) == calls
    assert set(Attempt.objects.values_list("outcome", flat=True)) == {"answered"}
    assert stage.changes >= 10, "keys hardly changed while the races were on"
    assert all(len(server.taken) >= 5 for server in stage.servers), "few keys were ever sent"


def test_a_foreign_key_would_be_seen(stage):
    """The control: what the servers note is what the test above rests on."""
    stolen = stage.servers[0].new_key()
    change_endpoint(stage.endpoints[1], key=stolen)
    a_race(
        a_ladder(stage.endpoints[0].team, rungs=1),
        stage.endpoints[0],
        None,
        lanes=[(each, "m") for each in stage.endpoints],
    )
    drain()
    assert (stage.servers[0].foreign, stage.servers[1].foreign) == ([], [stolen[-4:]])
    refused = Attempt.objects.get(outcome="error")
    assert refused.error == "unauthorized"
    assert stolen not in refused.detail
