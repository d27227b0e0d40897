"""Too many requests: told when to come back, and nobody else pays for it."""

from __future__ import annotations

import pytest

from registry.web.limits import network
from tests.registry.api.asking import API, bearer, problem

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _few(settings):
    settings.API_RATE_ADDRESS = "2/minute"
    settings.API_RATE_PERSON = "3/minute"


def statuses(client, count, **how):
    return [client.get(API, **how).status_code for _ in range(count)]


def test_a_visitor_is_held_back_by_address(client):
    assert statuses(client, 3) == [200, 200, 429]
    answer = client.get(API)
    said = problem(answer, 429)
    assert "throttled" in said["detail"]
    assert 0 < int(answer["Retry-After"]) <= 60
    assert statuses(client, 1, REMOTE_ADDR="192.0.2.7") == [200]


def test_a_forged_header_is_no_other_address(client):
    seen = [client.get(API, headers={"x-forwarded-for": f"192.0.2.{n}"}).status_code for n in range(3)]
    assert seen == [200, 200, 429]


def test_whoever_holds_an_ipv6_network_is_one_visitor(client):
    seen = [statuses(client, 1, REMOTE_ADDR=f"2001:db8:0:1::{n}") for n in (1, 2, "abcd:1")]
    assert seen == [[200], [200], [429]]
    assert statuses(client, 1, REMOTE_ADDR="2001:db8:0:2::1") == [200]


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:DB8::1:2:3:4", "2001:db8::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("unknown", "unknown"),
    ],
)
def test_an_address_is_counted_with_its_network(address, counted):
    assert network(address) == counted


def test_each_token_has_its_own_count(client, alice):
    one, two = bearer(alice), bearer(alice)
    assert statuses(client, 4, headers=one) == [200, 200, 200, 429]
    assert statuses(client, 1, headers=two) == [200]
    assert statuses(client, 1) == [200]


def test_people_who_are_signed_in_are_counted_by_person(client, alice):
    client.force_login(alice)
    assert statuses(client, 4) == [200, 200, 200, 429]
    assert statuses(client, 1, REMOTE_ADDR="192.0.2.7") == [429]


def test_the_schema_is_held_back_too(client):
    assert [client.get(f"{API}schema/").status_code for _ in range(3)] == [200, 200, 429]
