"""Who watches a team's batch and may not any more, by whatever way, is told so; nobody else is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.models import Session
from django.test import Client, RequestFactory
from django.utils import timezone

from probes.models import Batch, Visibility
from probes.views.batches import batch_or_404
from registry.accounts import domain as accounts
from registry.teams import members
from registry.teams.models import Role, User
from registry.web import viewers
from registry.web.sse import REFUSED
from registry.web.viewers import Doorkeeper, StillMay, Visit
from tests.probes.stage import a_batch, a_version, an_endpoint
from tests.registry.accounts.people import PASSWORD, sign_in, with_password
from tests.registry.web.board import Board, hub_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def batch(team) -> Batch:
    return a_batch(team, a_version(team), an_endpoint(team), visibility=Visibility.TEAM)


@pytest.fixture
def public(team) -> Batch:
    return a_batch(team, a_version(team), an_endpoint(team, "other"))


def watching(client: Client | None, user: User | None, batch: Batch) -> StillMay:
    """As `user` opens the stream in a browser."""
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    if client and user:
        request.session, request.user = client.session, User.objects.get(pk=user.pk)
    check = partial(batch_or_404, pk=batch.pk)
    check(request.user)
    return StillMay("batch", str(batch.pk), Visit.of(request), request.user, check)


def removed(client: Client, bob: User, alice: User) -> None:
    members.remove(alice, bob.memberships.get())


def left(client: Client, bob: User, alice: User) -> None:
    members.leave(bob, bob.memberships.get().team)


def signed_out(client: Client, bob: User, alice: User) -> None:
    client.post("/sign-out/")


def changed_the_password_elsewhere(client: Client, bob: User, alice: User) -> None:
    other = Client()
    sign_in(other, bob)
    new = {
        "oldpassword": PASSWORD,
        "password1": "egret-in-the-long-reeds",
        "password2": "egret-in-the-long-reeds",
    }
    assert other.post("/account/password/", new).status_code == 302


def ended_other_sessions(client: Client, bob: User, alice: User) -> None:
    User.objects.filter(pk=bob.pk).update(sessions_ended=7)


def closed_the_account(client: Client, bob: User, alice: User) -> None:
    accounts.close_account(User.objects.get(pk=bob.pk))


def shut_out(client: Client, bob: User, alice: User) -> None:
    User.objects.filter(pk=bob.pk).update(is_active=False)


def session_expired(client: Client, bob: User, alice: User) -> None:
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))


WAYS: list[Callable[[Client, User, User], None]] = [
    removed,
    left,
    signed_out,
    changed_the_password_elsewhere,
    ended_other_sessions,
    closed_the_account,
    shut_out,
    session_expired,
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_who_may_not_any_more_is_refused_at_once(client, way, alice, bob, vera, batch, public):
    sign_in(client, with_password(bob))
    other = Client()
    mine, theirs, shown = watching(client, bob, batch), None, watching(client, bob, public)
    ask = Doorkeeper()
    assert set(ask([mine, shown]).values()) == {True}
    way(client, bob, alice)
    other.force_login(vera)
    theirs = watching(other, vera, batch)
    assert ask([mine, shown, theirs]) == {mine: False, shown: True, theirs: True}


def test_the_stream_ends_with_the_word_for_it(client, bob, batch):
    """Through the hub: whoever is refused is told, and nobody waits for a heartbeat."""
    client.force_login(bob)
    may = watching(client, bob, batch)
    allowed = True

    async def scenario() -> list[bytes]:
        nonlocal allowed
        hub = hub_of(Board(), ask_every=0.01, beat_every=3600)
        hub.ask_by(lambda asked: dict.fromkeys(asked, allowed))
        viewer = hub.subscribe("board", "a", 0, may)
        allowed = False
        async with asyncio.timeout(5):
            return [chunk async for chunk in viewer]

    assert asyncio.run(scenario()) == [REFUSED]


def test_all_are_asked_about_by_three_queries(
    client, bob, vera, charlie, batch, public, django_assert_num_queries
):
    asked = [watching(None, None, public)]
    for user, seen in ((bob, batch), (bob, public), (vera, batch), (charlie, public)):
        browser = Client()
        browser.force_login(user)
        asked.append(watching(browser, user, seen))
    ask = Doorkeeper()
    ask(asked)
    with django_assert_num_queries(3):
        assert set(ask(asked).values()) == {True}
    with django_assert_num_queries(0):
        ask(asked[:1])


def test_what_is_watched_is_looked_at_now_and_then(client, charlie, public, monkeypatch):
    client.force_login(charlie)
    asked = [watching(client, charlie, public), watching(None, None, public)]
    ask = Doorkeeper()
    ask(asked)
    Batch.objects.filter(pk=public.pk).update(hidden_at=timezone.now())
    assert set(ask(asked).values()) == {True}
    monkeypatch.setattr(viewers, "SURE_FOR", 0)
    assert set(ask(asked).values()) == {False}


def test_another_role_is_asked_about_in_full(client, alice, bob, batch):
    client.force_login(bob)
    may, asked = watching(client, bob, batch), []
    counted = StillMay("batch", "x", may.visit, may.person, lambda person: asked.append(str(person)))
    ask = Doorkeeper()
    for _ in range(3):
        ask([counted])
    members.change_role(alice, bob.memberships.get(), Role.VIEWER)
    ask([counted])
    assert asked == ["Bob", "Bob"]


def test_one_that_cannot_be_told_holds_up_no_other(client, bob, batch, caplog):
    def broken(person: object) -> None:
        raise RuntimeError("a bug")

    client.force_login(bob)
    may = watching(client, bob, batch)
    bad = StillMay("batch", "x", may.visit, may.person, broken)
    ask = Doorkeeper()
    ask([bad, may])
    client.post("/sign-out/")
    assert ask([bad, may]) == {bad: True, may: False}


def test_windows_of_one_browser_are_one(client, bob, batch, public):
    client.force_login(bob)
    browser = Client()
    browser.force_login(bob)
    opened = [watching(client, bob, batch) for _ in range(3)] + [watching(browser, bob, batch)]
    assert len({*opened, *(watching(None, None, public) for _ in range(3))}) == 3
