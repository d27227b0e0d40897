"""What becomes of an endpoint: paused, deleted, kept for owners, its key unreadable; and what it costs."""

from __future__ import annotations

from decimal import Decimal

import pytest

from registry.audit.models import Entry
from registry.endpoints.domain import (
    EndpointError,
    change_endpoint,
    delete_endpoint,
    pause_endpoint,
    resume_endpoint,
)
from registry.endpoints.models import Endpoint
from registry.endpoints.picker import suggested, usable
from registry.endpoints.practice import ensure_practice_endpoints
from registry.endpoints.prices import cost, cost_said
from tests.registry.endpoints.conftest import KEY
from tests.registry.endpoints.test_domain import OTHER_SECRET, added

pytestmark = pytest.mark.django_db

LIST = "/teams/acme/endpoints/"
ONE = f"{LIST}local/"


@pytest.fixture
def local(team) -> Endpoint:
    return added(team)


def noted() -> list[tuple[str, str]]:
    rows = Entry.objects.exclude(action="endpoint-added").order_by("id")
    return [(entry.who, entry.action) for entry in rows]


def enter(client, person) -> None:
    client.force_login(person)


# --- paused --------------------------------------------------------------------------------------
def test_an_owner_pauses_and_resumes(client, alice, bob, local):
    enter(client, alice)
    page = client.post(f"{ONE}pause/", follow=True).content.decode()
    assert "Local is paused" in page
    assert "Resume Local" in page
    client.post(f"{ONE}pause/")
    enter(client, bob)
    assert "An owner of Acme can resume it." in client.get(ONE).content.decode()
    assert '<span class="label">paused</span>' in client.get(LIST).content.decode()
    enter(client, alice)
    assert "Local is resumed" in client.post(f"{ONE}resume/", follow=True).content.decode()
    local.refresh_from_db()
    assert local.paused_at is None
    assert local.key() == KEY
    assert noted() == [("Alice", "endpoint-paused"), ("Alice", "endpoint-resumed")]


def test_a_paused_endpoint_is_not_suggested(team, alice, local):
    other = added(team, name="Other")
    assert pause_endpoint(local)
    assert not pause_endpoint(local)
    assert suggested(list(usable(alice))).endpoint == other
    assert resume_endpoint(local)
    assert not resume_endpoint(local)


# --- deleted -------------------------------------------------------------------------------------
def test_a_deleted_endpoint_is_gone_and_its_key_destroyed(client, alice, local):
    pause_endpoint(local)
    enter(client, alice)
    page = client.post(f"{ONE}delete/", follow=True).content.decode()
    assert "Local is deleted, and its key destroyed." in page
    stored = Endpoint.objects.get()
    assert (stored.key_cipher, stored.key_last4, stored.key_set_at, stored.paused_at) == ("", "", None, None)
    assert stored.closed_at
    for address in (ONE, f"{ONE}delete/", f"{ONE}resume/"):
        assert client.post(address).status_code == 404
    assert noted()[-1] == ("Alice", "endpoint-deleted")
    assert added(stored.team).slug == "local-2"


def test_deleting_twice_is_deleting_once_and_nothing_is_put_in_afterwards(local):
    delete_endpoint(local)
    delete_endpoint(local)
    assert not pause_endpoint(local)
    with pytest.raises(EndpointError, match="deleted meanwhile"):
        change_endpoint(local, key=KEY)
    assert Endpoint.objects.get().key_cipher == ""
    assert noted() == [("the operator", "endpoint-deleted")]


@pytest.mark.parametrize("way", ["pause", "resume", "delete"])
def test_practice_endpoints_stay(client, team, alice, way):
    practice = ensure_practice_endpoints(team)[0]
    enter(client, alice)
    assert client.post(f"{LIST}{practice.slug}/{way}/").status_code == 403
    assert not pause_endpoint(practice)
    with pytest.raises(EndpointError, match="stays as it is"):
        delete_endpoint(practice)


# --- kept for owners -----------------------------------------------------------------------------
def test_what_is_kept_for_owners_is_used_by_them_alone(client, team, alice, anna, local):
    change_endpoint(local, owners_only=True)
    assert (list(usable(alice)), list(usable(anna))) == ([local], [])
    enter(client, alice)
    assert '<span class="label">owners only</span>' in client.get(LIST).content.decode()
    enter(client, anna)
    assert "Local" not in client.get(LIST).content.decode()
    for address in (ONE, f"{ONE}test/", f"{ONE}models/"):
        answer = client.get(address) if address == ONE else client.post(address, {"model": "m"})
        assert answer.status_code == 403
        assert "does not let you use endpoints kept for owners" in answer.content.decode()


# --- its key cannot be read ----------------------------------------------------------------------
def test_an_unreadable_key_is_said_with_what_to_do(client, alice, bob, local, settings):
    settings.ENDPOINT_KEYS = OTHER_SECRET
    enter(client, bob)
    assert "An owner of Acme can enter it again." in client.get(ONE).content.decode()
    assert "<strong>cannot be read</strong>" in client.get(LIST).content.decode()
    enter(client, alice)
    page = client.get(ONE).content.decode()
    assert "The stored key cannot be read" in page
    assert "enter it again. Leave this empty to keep it" in page
    assert KEY not in page
    change_endpoint(local, key=KEY)
    assert "cannot be read" not in client.get(ONE).content.decode()


# --- what it costs -------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("prices", "tokens", "said"),
    [
        (("0.15", "0.6"), (1000, 500), "0.00045 EUR"),
        (("0", "0"), (9, 1), "0 EUR"),
        (("100", "200"), (10_000, 10_000), "3 EUR"),
        ((None, None), (9, 1), ""),
        (("1", "1"), (None, 1), ""),
        (("1", "1"), (1, None), ""),
    ],
)
def test_costs_are_of_stated_prices_only(prices, tokens, said):
    prompt, completion = (price and Decimal(price) for price in prices)
    endpoint = Endpoint(price_prompt=prompt, price_completion=completion, currency="EUR")
    assert cost_said(endpoint, *tokens) == said
    assert (cost(endpoint, *tokens) is None) is (said == "")


def test_a_test_call_says_what_it_cost(client, bob, team, hostile):
    added(team, base_url=hostile.url("strict"), price_prompt=Decimal(100), price_completion=Decimal(300))
    enter(client, bob)
    assert "at the stated prices 0.0012 USD" in client.post(f"{ONE}test/", {"model": "m"}).content.decode()
