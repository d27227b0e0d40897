"""The standing cast: Alice owns, Bob runs, Vera looks, Charlie is a stranger; a visitor has no account."""

from __future__ import annotations

import functools
from typing import Any

import hypothesis
import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import TransactionTestCase, override_settings

from probes.domain import publish
from registry.environment import counts
from registry.teams.models import Membership, Role, Team, User
from tests.deleting import deleting, emptying
from tests.thorough import examples, mark_most_of_many_cases, skip_unless_asked_for

hypothesis.settings.register_profile(
    "tests",
    max_examples=examples(100),
    deadline=None,  # a machine that does other work besides is slow
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("tests")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    mark_most_of_many_cases(items)


@pytest.hookimpl(tryfirst=True)  # before any fixture
def pytest_runtest_setup(item: pytest.Item) -> None:
    skip_unless_asked_for(item)


@pytest.fixture(autouse=True, scope="session")
def _flush_may_delete():
    """A transactional test ends by emptying the tables, which nobody else may do."""
    case: Any = TransactionTestCase  # its teardown is named in no stub
    flush = case._fixture_teardown

    def teardown(self):
        with deleting(), emptying():
            flush(self)

    case._fixture_teardown = teardown
    yield
    case._fixture_teardown = flush


@pytest.fixture(autouse=True, scope="session")
def _no_static_files():
    """No test client asks for one; for each the middleware would list them all and start an event loop."""
    middleware = [name for name in settings.MIDDLEWARE if not name.startswith("servestatic.")]
    with override_settings(MIDDLEWARE=middleware):
        yield


@pytest.fixture(autouse=True, scope="session")
def _tries_are_counted_in_this_process():
    """On either database: most tests count nothing, and may not ask the database to forget it."""
    with override_settings(CACHES={"default": counts(shared=False)}):
        yield


@pytest.fixture(autouse=True, scope="session")
def _passwords_are_hashed_at_once():
    """What is slow on purpose would be slow in every test that has a user."""
    with override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]):
        yield


@pytest.fixture(autouse=True, scope="session")
def _each_text_is_examined_once():
    """Hundreds of tests publish the same probe files, of which the gate always says the same."""
    examined = publish.accepted
    publish.accepted = functools.lru_cache(maxsize=64)(examined)
    yield
    publish.accepted = examined


@pytest.fixture(autouse=True)
def _nobody_asked_yet():
    """The throttles count in the cache, which outlives a test."""
    cache.clear()


def _member(team: Team, email: str, role: Role) -> User:
    user = User.objects.create_user(email, name=email.split("@")[0].title())
    Membership.objects.create(team=team, user=user, role=role)
    return user


@pytest.fixture
def team(db) -> Team:
    return Team.objects.create(slug="acme", name="Acme")


@pytest.fixture
def alice(team) -> User:
    return _member(team, "alice@example.org", Role.OWNER)


@pytest.fixture
def anna(team) -> User:
    return _member(team, "anna@example.org", Role.AUTHOR)


@pytest.fixture
def bob(team) -> User:
    return _member(team, "bob@example.org", Role.RUNNER)


@pytest.fixture
def vera(team) -> User:
    return _member(team, "vera@example.org", Role.VIEWER)


@pytest.fixture
def charlie(db) -> User:
    return _member(Team.objects.create(slug="other", name="Other"), "charlie@example.org", Role.OWNER)


@pytest.fixture
def staff(db) -> User:
    return User.objects.create_superuser("root@example.org")


@pytest.fixture
def library(db) -> None:
    from tests.library import put_library

    put_library()


@pytest.fixture
def practice_endpoints(team):
    from registry.endpoints.practice import ensure_practice_endpoints

    return ensure_practice_endpoints(team)
