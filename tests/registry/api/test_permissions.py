"""Every route of the API × every actor × every method, against `tests/permission_table.py`."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from tests.permission_table import ACTORS, API, ASKED, PEOPLE, named_arguments
from tests.registry.api.asking import bearer, problem
from tests.registry.api.planted import Planted, plant

pytestmark = pytest.mark.django_db

EVERYBODY = set(ACTORS)
WRITING = ["post", "put", "patch", "delete"]


def routes(planted: Planted) -> list[tuple[str, dict, set[str]]]:
    """Route, arguments, and who is answered 200; everybody else is answered 404."""
    known = named_arguments(planted)
    assert {answer for row in API for answer in row.get} == {"200", "404"}
    assert {answer for row in API for answer in row.post} == {"405"}
    return [(row.route, known[row.of], row.readers) for row in API]


@pytest.fixture
def planted(team, alice) -> Planted:
    return plant(team, alice)


@pytest.fixture
def cast(request, alice, anna, bob, vera, charlie, staff) -> dict:
    return {actor: request.getfixturevalue(fixture) for actor, fixture in PEOPLE.items()}


@pytest.fixture(autouse=True)
def _unhurried(settings):
    settings.API_RATE_ADDRESS = settings.API_RATE_PERSON = "100000/minute"


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
