"""Tries are counted once for all web processes of a database, and exactly, however many ask at once."""

from __future__ import annotations

import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.http import HttpRequest
from django.test import Client, RequestFactory
from django.utils import timezone

from probes.domain.sweep import sweep
from registry import settings as settings_module
from registry.environment import counts
from registry.teams.models import User
from registry.web import limits
from registry.web.models import Count
from tests.registry.accounts.people import sign_in, who, with_password
from tests.served import fresh_database, serving
from tests.thorough import thorough


@pytest.fixture
def _shared(settings, db):
    settings.CACHES = {"default": counts(shared=True)}


def started(user: User | None = None) -> HttpRequest:
    request = RequestFactory().post("/")
    request.user = user or User(pk=1)
    return request


@pytest.mark.parametrize(
    ("url", "backend"),
    [
        ("postgres://me@db.example/registry", "DatabaseCache"),
        ("sqlite:////tmp/x", "LocMemCache"),
        ("", "LocMemCache"),
    ],
)
def test_who_shares_a_database_server_shares_the_counts(url, backend):
    shared = settings_module.database(url)["ENGINE"].endswith("postgresql")
    assert counts(shared)["BACKEND"].endswith(backend)


def test_on_sqlite_there_is_one_process_and_it_keeps_its_own():
    wanted = "DatabaseCache" if connection.vendor == "postgresql" else "LocMemCache"
    assert settings_module.CACHES["default"]["BACKEND"].endswith(wanted)


@pytest.mark.usefixtures("_shared")
def test_another_process_sees_what_this_one_counted(settings):
    settings.START_RATE_PERSON = "2/minute"
    assert [limits.seconds_to_wait(started()) for _ in range(2)] == [0, 0]
    settings.CACHES = {"default": counts(shared=True)}  # nothing of this process is left
    assert limits.seconds_to_wait(started()) > 0
    settings.CACHES = {"default": counts(shared=False)}
    assert limits.seconds_to_wait(started()) == 0


@pytest.mark.usefixtures("_shared")
def test_wrong_passwords_and_api_requests_are_counted_together(settings, alice):
    settings.API_RATE_ADDRESS = "3/minute"
    with_password(alice)
    for _ in range(5):
        Client().post("/sign-in/", {"login": alice.email, "password": "wrong"})
    settings.CACHES = {"default": counts(shared=True)}
    client = Client()
    assert (sign_in(client, alice).status_code, who(client)) == (422, None)
    assert [Client().get("/api/v1/").status_code for _ in range(4)] == [200, 200, 200, 429]


@pytest.mark.usefixtures("_shared")
@pytest.mark.parametrize("address", ["192.0.2.7", "x" * 5000, "a b\tc", "\u2603", ""])
def test_whatever_an_address_looks_like_it_is_counted(settings, address, alice):
    settings.API_RATE_ADDRESS = "1/minute"
    asked = [Client().get("/api/v1/", REMOTE_ADDR=address).status_code for _ in range(2)]
    assert asked == [200, 429]


@pytest.mark.usefixtures("_shared")
def test_what_expired_is_dropped_with_the_sweep(settings):
    limits.seconds_to_wait(started())
    assert Count.objects.count() == 2
    sweep()
    assert Count.objects.count() == 2
    Count.objects.update(expires=timezone.now() - timedelta(seconds=1))
    sweep()
    assert not Count.objects.exists()


def at_once(number: int, act: Callable[[], Any]) -> list[Any]:
    together = threading.Barrier(number)

    def one() -> Any:
        try:
            together.wait(10)
            return act()
        finally:
            connection.close()

    with ThreadPoolExecutor(number) as pool:
        return [each.result(30) for each in [pool.submit(one) for _ in range(number)]]


@thorough
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("shared", [True, False])
def test_of_many_at_once_as_many_are_let_in_as_may_be(settings, shared):
    """On PostgreSQL by a lock of the database, which other processes take as well."""
    settings.CACHES = {"default": counts(shared)}
    settings.START_RATE_PERSON = settings.START_RATE_ADDRESS = "5/minute"
    waits = at_once(12, lambda: limits.seconds_to_wait(started()))
    assert waits.count(0) == 5
    cache.clear()


@thorough
@pytest.mark.skipif(connection.vendor != "postgresql", reason="on SQLite there is one web process")
def test_two_sites_of_one_database_count_together(tmp_path):
    with fresh_database() as database:
        few = database | {"API_RATE_ADDRESS": "5/minute"}
        with serving(tmp_path / "one", **few) as one, serving(tmp_path / "two", **few) as two:
            answers = [asked(f"{site.url}/api/v1/") for _ in range(4) for site in (one, two)]
    assert answers == [200] * 5 + [429] * 3


def asked(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=20) as answer:
            return answer.status
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code
