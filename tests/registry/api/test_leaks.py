"""What is planted in the database and may not be read is in no answer of any route, to anybody."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from registry.api import views
from tests.registry.api.asking import bearer
from tests.registry.api.planted import PUBLIC_SECRETS, TEAM_SECRETS, plant
from tests.registry.api.test_permissions import routes

pytestmark = pytest.mark.django_db


@pytest.fixture
def planted(team, alice):
    return plant(team, alice)


def everything(planted, headers) -> str:
    """All answers of all routes, by every harmless method, headers included."""
    client, said = Client(), []
    for name, arguments, _ in routes(planted):
        address = reverse(name, kwargs=arguments)
        for method in ("get", "options"):
            answer = getattr(client, method)(address, headers=headers)
            said.append(answer.getvalue().decode() + str(answer.headers))
    return "\n".join(said)


@pytest.fixture(autouse=True)
def _unhurried(settings):
    settings.API_RATE_ADDRESS = settings.API_RATE_PERSON = "100000/minute"


def test_the_planted_is_there_to_be_found(planted, alice):
    said = everything(planted, bearer(alice))
    for secret in [*TEAM_SECRETS, "a hidden concept", "Write three words.", "Alice"]:
        assert secret in said


@pytest.mark.parametrize("reader", ["visitor", "charlie", "alice", "staff"])
def test_nobody_reads_keys_and_no_stranger_anything_of_a_team(request, planted, reader):
    """Nor addresses, nor e-mails."""
    headers = bearer(request.getfixturevalue(reader)) if reader != "visitor" else {}
    said = everything(planted, headers)
    hidden = [*PUBLIC_SECRETS, *([] if reader == "alice" else [*TEAM_SECRETS, "a hidden concept"])]
    assert [secret for secret in hidden if secret in said] == []


def test_the_schema_and_options_are_the_same_for_everybody(client, planted, alice, staff):
    for address in [reverse("api-schema"), reverse("api-batch", args=[planted.kept.pk])]:
        method = client.get if address == reverse("api-schema") else client.options
        views._generate.cache_clear()
        said = {method(address, headers=headers).content for headers in ({}, bearer(alice), bearer(staff))}
        assert len(said) == 1
