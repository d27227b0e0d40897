"""Too many requests: told when to come back, and nobody else pays for it."""

from __future__ import annotations

import pytest
from django.test import Client

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
        ("7.7.7.10:1001", "7.7.7.10"),
        (" 7.7.7.10 ", "7.7.7.10"),
        ("[2001:db8::1]:99", "2001:db8::/64"),
        ("[2001:db8::1]", "2001:db8::/64"),
        ("[::ffff:192.0.2.7]:1", "192.0.2.7"),
        ("", "unknown"),
        ("unknown", "unknown"),
        ("_hidden7", "unknown"),
        ("7.7.7.10:", "unknown"),
        ("7.7.7.10:1001:1", "unknown"),
        ("[2001:db8::1", "unknown"),
        ("[7.7.7.10]x", "unknown"),
        ("x" * 5000, "unknown"),
    ],
)
def test_an_address_is_counted_with_its_network(address, counted):
    assert network(address) == counted


@pytest.mark.parametrize(
    "hops",
    [["7.7.7.10:1001", "7.7.7.10:1002", "7.7.7.10"], ["[2001:db8::1]:1", "[2001:db8::2]", "2001:db8::"]],
)
def test_a_port_makes_no_other_address(client, settings, hops):
    settings.REST_FRAMEWORK = settings.REST_FRAMEWORK | {"NUM_PROXIES": 1}
    seen = [client.get(API, headers={"x-forwarded-for": f"9.9.9.9, {hop}"}).status_code for hop in hops]
    assert seen == [200, 200, 429]


def test_all_tokens_of_a_person_are_counted_together(client, alice, bob):
    tokens = [bearer(alice) for _ in range(3)]
    assert [client.get(API, headers=each).status_code for each in tokens] == [200, 200, 200]
    assert statuses(client, 1, headers=tokens[0]) == [429]
    client.force_login(alice)
    assert statuses(client, 1) == [429]
    client.logout()
    assert statuses(client, 1) == [200]
    assert statuses(client, 1, headers=bearer(bob)) == [200]


BAD = ["Bearer prt_wrong", "Bearer", "Basic YTpi", "Bearer a b"]


@pytest.mark.parametrize("header", BAD)
def test_a_token_that_opens_nothing_is_counted_by_address(client, alice, header):
    bad = {"Authorization": header}
    assert statuses(client, 3, headers=bad) == [401, 401, 429]
    refused = client.get(API, headers=bad)
    assert 0 < int(refused["Retry-After"]) <= 60
    assert problem(refused, 429)
    assert statuses(client, 1) == [429]
    assert statuses(client, 1, headers=bad, REMOTE_ADDR="192.0.2.7") == [401]
    assert statuses(client, 1, headers=bearer(alice)) == [200]


def test_expired_revoked_and_closed_ones_too(client, alice, bob):
    expired, revoked = bearer(alice, days=-1), bearer(bob)
    bob.is_active = False
    bob.save()
    assert [client.get(API, headers=each).status_code for each in (expired, revoked, expired)] == [
        401,
        401,
        429,
    ]


def test_what_a_token_may_not_do_is_counted_as_what_it_may(client, alice):
    assert statuses(client, 4, headers=bearer(alice, "run")) == [403, 403, 403, 429]


def test_who_writes_without_a_csrf_secret_is_counted_by_address(alice):
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    assert [client.post(API).status_code for _ in range(3)] == [403, 403, 429]


def test_people_who_are_signed_in_are_counted_by_person(client, alice):
    client.force_login(alice)
    assert statuses(client, 4) == [200, 200, 200, 429]
    assert statuses(client, 1, REMOTE_ADDR="192.0.2.7") == [429]


def test_the_schema_is_held_back_too(client):
    assert [client.get(f"{API}schema/").status_code for _ in range(3)] == [200, 200, 429]
