"""A key is nowhere but in its sealed column: after refusals that echo it, crashes, edits and DEBUG logs."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client

from ladder.models import Race
from ladder.views import live
from probes.domain import judge
from probes.domain.drain import drain
from probes.models import Attempt, Batch
from probes.views import streams
from registry.endpoints import domain, wire
from registry.endpoints.models import Endpoint
from registry.teams.models import Membership, Team, User
from tests.probes.stage import a_batch, a_version
from tests.registry.api.planted import a_ladder, a_race
from tests.served import Counterparty, _Handler, running
from tests.thorough import thorough

pytestmark = [thorough, pytest.mark.django_db(transaction=True)]

KEY = "sk-hunted-Zx81Qm47Wb93Tk"
SECOND = "sk-hunted-Rv52Hn68Yc16Pd"
NEEDLES = [needle for key in (KEY, SECOND) for needle in (key, key[-10:])]
NAME = "Hunted endpoint"
"""Stands wherever the key could: a search that misses it would miss the key."""


class Echoing(Counterparty):
    """Refuses `refused` with the key in its words; tells it in an answer to everybody else."""

    def __init__(self) -> None:
        super().__init__("", {})
        self.RequestHandlerClass = _Echo


class _Echo(_Handler):
    def do_POST(self) -> None:  # noqa: N802 - so http.server calls it
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        bearer = self.headers.get("Authorization", "")
        self.server.received.append({"bearer": bearer})
        key = bearer.removeprefix("Bearer ")
        if '"refused"' in body:
            said = f"Incorrect API key provided: {key}. You sent '{bearer}', which ends in {key[-10:]}."
            self.reply(401, {"error": {"message": said, "code": "invalid_api_key", "param": key}})
            return
        message = {"role": "assistant", "content": f"one two {key} or {key[-10:]}"}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        self.reply(200, {"model": f"tester {key}", "choices": [choice], "usage": {"prompt_tokens": 1}})


@pytest.fixture
def server() -> Iterator[Echoing]:
    with running(Echoing()) as started:
        yield started


@pytest.fixture
def alice() -> User:
    user = User.objects.create_user("alice@example.org", name="Alice")
    team = Team.objects.create(slug="acme", name="Acme")
    Membership.objects.create(team=team, user=user, role="owner")
    return user


@pytest.fixture
def owner(alice) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(alice)
    return client


@pytest.fixture
def everything_logged(caplog) -> Iterator[None]:
    for name in ("httpx", "aiohttp", "asyncio", "uvicorn", "django", "django.db.backends", ""):
        caplog.set_level(logging.DEBUG, logger=name or None)
    connection.force_debug_cursor = True
    yield
    connection.force_debug_cursor = False


def form(**changes: str) -> dict[str, str]:
    fields = {
        "name": NAME, "reasoning": "leave", "token_limit": "max_tokens", "send_temperature": "on",
        "system_role": "send", "extra_body": "", "concurrency": "4", "requests_per_minute": "",
        "deadline_seconds": "20",
    }  # fmt: skip
    return fields | changes


def crash_on(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The wire breaks in a way nobody knows, for one model, with all that it was given in its message."""
    real = wire.Wire.exchange

    async def exchange(self, request, dial, **options):
        if model.encode() in request.content:
            raise RuntimeError(f"{request.headers.raw} {request.content!r}")
        return await real(self, request, dial, **options)

    monkeypatch.setattr(wire.Wire, "exchange", exchange)


def crash_scorer(monkeypatch: pytest.MonkeyPatch) -> None:
    real, calls = judge.score, iter(range(1000))

    def score(document, reply):
        if next(calls) % 2:
            raise RuntimeError(f"{KEY} {SECOND} {reply}")
        return real(document, reply)

    monkeypatch.setattr(judge, "score", score)


def live_through_it(owner: Client, alice: User, server: Echoing, monkeypatch) -> dict[str, str]:
    """Everything that could let a key out; what was answered on the way."""
    new, one = "/teams/acme/endpoints/new/", "/teams/acme/endpoints/hunted-endpoint/"
    said = {"refused": owner.post(new, form(base_url="nonsense", key=KEY)).text}
    assert owner.post(new, form(base_url=server.base_url, key=KEY)).status_code == 302
    endpoint = Endpoint.objects.get()
    for model in ("refused", "m"):
        said[f"test {model}"] = owner.post(f"{one}test/", {"model": model}).text
    owner.post(f"{one}models/")
    crash_on("boom", monkeypatch)
    crash_scorer(monkeypatch)
    version, ladder = a_version(endpoint.team), a_ladder(endpoint.team)
    for _ in range(2):
        for model in ("refused", "m", "boom"):
            a_batch(endpoint.team, version, endpoint, model=model, repeats=2)
        a_race(ladder, endpoint, alice, lanes=[(endpoint, "refused"), (endpoint, "m")])
        drain()
        edited = form(base_url=server.base_url, key=SECOND)
        said["edit refused"] = owner.post(one, edited | {"concurrency": "0"}).text
        assert owner.post(one, edited).status_code == 302
        endpoint.refresh_from_db()
    with monkeypatch.context() as broken:
        broken.setattr(domain, "check_change", lambda *given: [][0])
        said["broken"] = owner.post(one, edited).text
    root = Client()
    root.force_login(User.objects.create_superuser("root@example.org"))
    change = f"/admin/endpoints/endpoint/{endpoint.pk}/change/"
    assert root.post(change, {"name": "x", "key_cipher": "x"}).status_code == 403
    return said | {"admin": root.get(change).text}


def pages(client: Client) -> dict[str, str]:
    """What every address that can be reached from the home page answers."""
    found: dict[str, str] = {}
    waiting = ["/", "/account/", "/teams/acme/endpoints/", "/teams/acme/log/", "/results/", "/api/v1/"]
    while waiting:
        address = waiting.pop()
        if address in found or len(found) > 300:
            continue
        answer = client.get(address)
        found[address] = b"".join(answer).decode("utf-8", "replace") if answer.streaming else answer.text
        links = re.findall(r'(?:href="|http://testserver)(/[^"#?\\]*)', found[address])
        waiting += [link for link in links if not link.startswith(("/static/", "/admin/"))]
    return found


def stored() -> dict[str, str]:
    """Every table, and the files of a database that is one: what was deleted may still lie there."""
    found: dict[str, str] = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            found[table] = "\n".join(map(str, cursor.fetchall()))
    if connection.vendor == "sqlite":
        for path in Path(connection.settings_dict["NAME"]).parent.glob("test*.sqlite3*"):
            found[path.name] = path.read_bytes().decode("latin-1")
    return found


def streamed() -> dict[str, str]:
    told = {f"race {race.pk}": live.replay(str(race.pk), 0) for race in Race.objects.all()}
    told |= {f"batch {batch.pk}": streams.replay(str(batch.pk), 0) for batch in Batch.objects.all()}
    return {name: " ".join(frame.html for frame in replayed.frames) for name, replayed in told.items()}


def hits(places: Mapping[str, str]) -> list[str]:
    return [f"{needle} in {place}" for place, text in places.items() for needle in NEEDLES if needle in text]


def test_a_key_is_found_nowhere(owner, alice, server, everything_logged, caplog, monkeypatch):
    said = live_through_it(owner, alice, server, monkeypatch)
    assert {each["bearer"] for each in server.received} == {f"Bearer {KEY}", f"Bearer {SECOND}"}
    errors = set(Attempt.objects.values_list("error", flat=True))
    assert {"", "unauthorized", "scorer_error", "internal_error"} <= errors
    looked_at = pages(owner)
    kinds: dict[str, dict[str, str]] = {
        "answers": said,
        "pages": looked_at,
        "evidence": {at: text for at, text in looked_at.items() if at.endswith("/evidence")},
        "streams": streamed(),
        "database": stored(),
        "log": {"log": caplog.text},
    }
    assert {kind: hits(places) for kind, places in kinds.items()} == {kind: [] for kind in kinds}
    missed = [kind for kind, places in kinds.items() if not any(NAME in text for text in places.values())]
    assert missed == [], "a kind that would not have shown the key either"
    assert "[redacted]" in str(list(Attempt.objects.values("output", "detail")))


def test_a_key_that_is_anywhere_is_found(owner, alice, server, everything_logged, caplog):
    """The control, for each kind of place."""
    team = Team.objects.get()
    a_race(a_ladder(team), domain.add_endpoint(team, name=KEY, base_url=server.base_url), alice)
    drain()
    logging.getLogger("x").debug("%s", KEY[-10:])
    looked_at = pages(owner)
    evidence = {at: text for at, text in looked_at.items() if at.endswith("/evidence")}
    found = [looked_at, evidence, streamed(), stored(), {"log": caplog.text}]
    assert [bool(hits(places)) for places in found] == [True] * 5
