"""Of several who ask for one name at the same moment one gets it; the others are told, in their form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from registry.accounts.forms import SignUpForm
from registry.endpoints.domain import EndpointError, add_endpoint, change_endpoint
from registry.endpoints.models import Endpoint
from registry.teams.models import ApiToken, Team, User
from tests.registry.accounts.people import PASSWORD
from tests.registry.web.test_limits import at_once
from tests.test_audited import ENDPOINT
from tests.thorough import thorough

SERVER = "https://api.example.com/v1"
MANY = 5
NO_ROWS = {"memberships-TOTAL_FORMS": "0", "memberships-INITIAL_FORMS": "0"}

FORMS: dict[str, tuple[str, dict[str, str], set[int], Callable[[], int]]] = {
    "sign-up": (
        "/sign-up/",
        {"email": "new@example.org", "password1": PASSWORD},
        {302},  # who comes second is told of no account
        lambda: User.objects.filter(email="new@example.org").count(),
    ),
    "token": (
        "/account/tokens/",
        {"name": "nightly", "scopes": "read", "days": "30"},
        {200, 422},
        lambda: ApiToken.objects.filter(name="nightly").count(),
    ),
    "endpoint": (
        "/teams/acme/endpoints/new/",
        ENDPOINT,
        {302, 422},
        lambda: Endpoint.objects.filter(name="Mine").count(),
    ),
    "team": (
        "/teams/new/",
        {"name": "New", "slug": "new-one"},
        {302, 422},
        lambda: Team.objects.filter(slug="new-one").count(),
    ),
    "administration": (
        "/admin/teams/team/add/",
        {"name": "New", "slug": "new-two", **NO_ROWS},
        {302, 200, 403},
        lambda: Team.objects.filter(slug="new-two").count(),
    ),
}
"""Each form of a name that only one has: where it is, what is sent, the answers, and how many there are."""


@thorough
@pytest.mark.django_db(transaction=True)
def test_one_gets_the_name_and_the_others_are_told(settings, alice, staff):
    settings.SIGN_UP = "open"
    for name, (address, sent, answered, made) in FORMS.items():

        def send(address: str = address, sent: dict[str, str] = sent, name: str = name) -> Any:
            client = Client(raise_request_exception=False)
            if name != "sign-up":
                client.force_login(staff if name == "administration" else alice)
            return client.post(address, sent).status_code

        answers = at_once(MANY, send)
        assert set(answers) <= answered, (name, answers)
        assert made() == 1, name


@pytest.fixture
def _taken_meanwhile(monkeypatch):
    """What a form asks of names is answered before the other's row is there."""
    monkeypatch.setattr("registry.teams.tokens.open_tokens", lambda user: ApiToken.objects.none())
    monkeypatch.setattr(
        "registry.endpoints.forms.EndpointForm.clean_name", lambda form: form.cleaned_data["name"]
    )
    monkeypatch.setattr("registry.teams.domain.check_slug", lambda slug: slug)
    monkeypatch.setattr("registry.teams.models.User.validate_unique", lambda user, exclude=None: None)
    monkeypatch.setattr("registry.teams.models.User.validate_constraints", lambda user, exclude=None: None)


@pytest.mark.django_db
@pytest.mark.usefixtures("_taken_meanwhile")
@pytest.mark.parametrize("name", ["token", "endpoint", "team"])
def test_a_name_that_was_taken_meanwhile_is_an_error_of_its_form(client, alice, name):
    client.force_login(alice)
    address, sent, answered, made = FORMS[name]
    assert client.post(address, sent).status_code == min(answered)
    second = client.post(address, sent)
    assert (second.status_code, made()) == (422, 1)
    assert "another" in second.content.decode()


@pytest.mark.django_db
def test_an_address_that_was_taken_meanwhile_looks_like_a_free_one(client, settings, monkeypatch):
    settings.SIGN_UP = "open"
    monkeypatch.setattr(SignUpForm, "validate_unique_email", lambda form, email: email)
    address, sent, _, made = FORMS["sign-up"]
    first, second = client.post(address, sent), Client().post(address, sent)
    assert (first.status_code, first["Location"]) == (second.status_code, second["Location"])
    assert made() == 1
    assert [each.subject for each in mail.outbox] == ["[Probe Registry] Is this your address?"]


@pytest.mark.django_db
@pytest.mark.usefixtures("_taken_meanwhile")
def test_the_administration_says_that_somebody_was_faster(client, staff):
    client.force_login(staff)
    sent = {"email": "new@example.org", "usable_password": "false", **NO_ROWS}
    assert client.post("/admin/teams/user/add/", sent).status_code == 302
    refused = client.post("/admin/teams/user/add/", sent)
    assert (refused.status_code, "at this very moment" in refused.content.decode()) == (403, True)


@pytest.mark.django_db
def test_open_endpoints_of_a_team_have_names_of_their_own(team, charlie):
    one = add_endpoint(team, name="One", base_url=SERVER)
    two = add_endpoint(team, name="Two", base_url=SERVER)
    add_endpoint(charlie.memberships.get().team, name="one", base_url=SERVER)
    for refused in (
        lambda: add_endpoint(team, name="ONE", base_url=SERVER),
        lambda: change_endpoint(two, name="one"),
    ):
        with pytest.raises(EndpointError, match="choose another name"):
            refused()
    change_endpoint(one, name="one")
