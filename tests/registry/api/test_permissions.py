"""Every route × visitor, stranger, viewer, runner, author, owner, staff × every method, against a table."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse

from tests.registry.api.asking import bearer, problem
from tests.registry.api.planted import Planted, plant
from tests.thorough import thorough

pytestmark = pytest.mark.django_db

MEMBERS = {"vera", "bob", "anna", "alice"}
ACTORS = ["visitor", "charlie", "vera", "bob", "anna", "alice", "staff"]
EVERYBODY = set(ACTORS)
ASKED = [
    pytest.param(actor, marks=thorough) if actor in {"bob", "anna", "staff"} else actor for actor in ACTORS
]
WRITING = ["post", "put", "patch", "delete"]


def routes(planted: Planted) -> list[tuple[str, dict, set[str]]]:
    """Route, arguments, and who is answered 200; everybody else is answered 404."""
    probe, hidden = planted.version.probe, planted.hidden.probe
    shown, kept, blocked = (batch.runs.get() for batch in (planted.shown, planted.kept, planted.blocked))
    ladder = planted.race.ladder
    one = {"team": probe.team.slug, "slug": probe.slug}
    two = {"team": hidden.team.slug, "slug": hidden.slug}
    edition = {"team": ladder.team.slug, "slug": ladder.slug}
    return [
        ("api-root", {}, EVERYBODY),
        ("api-schema", {}, EVERYBODY),
        ("api-docs", {}, EVERYBODY),
        ("api-probes", {}, EVERYBODY),
        ("api-probe", one, EVERYBODY),
        ("api-probe", two, MEMBERS),
        ("api-probe", {"team": "acme", "slug": "nothing"}, set()),
        ("api-versions", {}, EVERYBODY),
        ("api-version", one | {"number": 1}, EVERYBODY),
        ("api-version", two | {"number": 1}, MEMBERS),
        ("api-version", one | {"number": 2}, set()),
        ("api-batches", {}, EVERYBODY),
        ("api-batch", {"pk": planted.shown.pk}, EVERYBODY),
        ("api-batch", {"pk": planted.kept.pk}, MEMBERS),
        ("api-batch", {"pk": planted.blocked.pk}, MEMBERS),
        ("api-batch-evidence", {"pk": planted.shown.pk}, EVERYBODY),
        ("api-batch-evidence", {"pk": planted.kept.pk}, MEMBERS),
        ("api-runs", {}, EVERYBODY),
        ("api-run", {"pk": shown.pk}, EVERYBODY),
        ("api-run", {"pk": kept.pk}, MEMBERS),
        ("api-run", {"pk": blocked.pk}, MEMBERS),
        ("api-trials", {}, EVERYBODY),
        ("api-trial", {"pk": shown.trials.all()[0].pk}, EVERYBODY),
        ("api-trial", {"pk": kept.trials.all()[0].pk}, MEMBERS),
        ("api-trial", {"pk": blocked.trials.all()[0].pk}, MEMBERS),
        ("api-models", {}, EVERYBODY),
        ("api-ladders", {}, EVERYBODY),
        ("api-ladder-current", edition, EVERYBODY),
        ("api-ladder-current", {"team": "acme", "slug": "nothing"}, set()),
        ("api-ladder", edition | {"number": 1}, EVERYBODY),
        ("api-ladder", edition | {"number": 2}, set()),
        ("api-races", {}, EVERYBODY),
        ("api-race", {"pk": planted.race.pk}, EVERYBODY),
        ("api-race", {"pk": planted.kept_race.pk}, MEMBERS),
        ("api-race", {"pk": planted.shown.pk}, set()),  # a batch that is no race
    ]


@pytest.fixture
def planted(team, alice) -> Planted:
    return plant(team, alice)


@pytest.fixture
def cast(alice, anna, bob, vera, charlie, staff) -> dict:
    return {
        "alice": alice,
        "anna": anna,
        "bob": bob,
        "vera": vera,
        "charlie": charlie,
        "staff": staff,
    }


@pytest.fixture(autouse=True)
def _unhurried(settings):
    settings.API_RATE_ADDRESS = settings.API_RATE_PERSON = "100000/minute"


def named_routes(patterns=None) -> Iterator[str]:
    for pattern in patterns or get_resolver().url_patterns:
        if isinstance(pattern, URLPattern):
            yield str(pattern.name)
        elif str(pattern.pattern) != "admin/":
            yield from named_routes(pattern.url_patterns)


def test_every_route_has_a_row(planted):
    api = {name for name in named_routes() if name.startswith("api-")}
    assert len(api) >= 19
    assert api == {name for name, _, _ in routes(planted)}


@pytest.mark.parametrize("actor", ASKED)
@pytest.mark.parametrize("by", ["session", "token"])
def test_who_may_read_what(planted, cast, actor, by):
    client, headers = Client(), {}
    if actor in cast and by == "session":
        client.force_login(cast[actor])
    elif actor in cast:
        headers = bearer(cast[actor])
    for name, arguments, readers in routes(planted):
        address = reverse(name, kwargs=arguments)
        expected = 200 if actor in readers else 404
        for method in ("get", "head") if by == "session" else ("get",):
            answer = getattr(client, method)(address, headers=headers)
            assert answer.status_code == expected, (method, address)


@pytest.mark.parametrize("actor", ASKED)
def test_nobody_writes_and_no_refusal_tells_what_is_there(planted, cast, actor):
    client = Client()
    if actor in cast:
        client.force_login(cast[actor])
    for name, arguments, _ in routes(planted):
        address = reverse(name, kwargs=arguments)
        for method in WRITING:
            problem(getattr(client, method)(address, content_type="application/json"), 405)
        if name == "api-docs":
            problem(client.options(address), 405)
        else:
            assert client.options(address).status_code == 200


def test_a_writer_without_a_csrf_secret_is_refused_before_all_else(alice):
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    assert "CSRF" in problem(client.post(reverse("api-probes")), 403)["detail"]


@pytest.mark.parametrize("team_of", ["acme", "other"])
def test_a_token_of_one_team_sees_what_is_public_and_that_team(client, planted, charlie, alice, team_of):
    other = charlie.memberships.get().team
    other.memberships.create(user=alice, role="viewer")
    team = planted.shown.team if team_of == "acme" else other
    headers = bearer(alice, team=team)
    for name, arguments, readers in routes(planted):
        expected = 200 if readers == EVERYBODY or (readers and team_of == "acme") else 404
        answer = client.get(reverse(name, kwargs=arguments), headers=headers)
        assert answer.status_code == expected, name


def test_a_token_of_another_team_is_another_persons(client, planted, charlie):
    headers = bearer(charlie, team=planted.shown.team)  # not charlie's team
    assert client.get(reverse("api-batch", args=[planted.kept.pk]), headers=headers).status_code == 404
