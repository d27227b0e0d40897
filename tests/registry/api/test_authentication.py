"""What a token opens, and what it says when it opens nothing."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from registry.immutability import erasure
from registry.teams import access, tokens
from registry.teams.models import ApiToken, Membership
from tests.registry.api.asking import API, ask, bearer, problem

pytestmark = pytest.mark.django_db


def refused(client, headers) -> str:
    answer = client.get(API, headers=headers)
    assert answer["WWW-Authenticate"] == 'Bearer realm="api"'
    return problem(answer, 401)["detail"]


def test_a_token_opens(client, alice):
    assert "probes" in ask(client, "", bearer(alice))


@pytest.mark.parametrize("scheme", ["bearer", "BEARER", "Bearer "])
def test_the_scheme_is_read_as_people_write_it(client, alice, scheme):
    secret = bearer(alice)["Authorization"].split()[1]
    assert ask(client, "", {"Authorization": f"{scheme} {secret}"})


MALFORMED = ["Bearer", "Bearer ", "Token prt_abc", "prt_abc", "Bearer a b", "Basic YTpi"]


@pytest.mark.parametrize("header", MALFORMED)
def test_a_header_of_another_shape_is_named(client, header):
    assert "Authorization: Bearer prt_…" in refused(client, {"Authorization": header})


@pytest.mark.parametrize("secret", ["prt_wrong", "x" * 5000, "prt_é", "prt_\x01"])
def test_a_wrong_token_is_refused_where_a_visitor_is_not(client, secret):
    assert client.get(API).status_code == 200
    assert "No such token" in refused(client, {"Authorization": f"Bearer {secret}"})


def test_neither_digest_nor_beginning_opens(client, alice):
    made = tokens.make_token(alice, "one", ["read"], None, timedelta(days=1))
    for secret in (made.token.digest, made.token.prefix):
        assert "No such token" in refused(client, {"Authorization": f"Bearer {secret}"})


def test_an_expired_token_says_when(client, alice):
    headers = bearer(alice, days=-1)
    yesterday = timezone.now() - timedelta(days=1)
    assert f"expired on {yesterday:%Y-%m-%d}" in refused(client, headers)


def test_a_revoked_token_says_when(client, alice):
    headers = bearer(alice)
    tokens.revoke(ApiToken.objects.get())
    assert f"revoked on {timezone.now():%Y-%m-%d}" in refused(client, headers)


def test_a_closed_account_opens_nothing(client, alice):
    headers = bearer(alice)
    alice.is_active = False
    alice.save()
    assert "closed" in refused(client, headers)


@pytest.mark.parametrize("scopes", [["run"], ["author"], ["run", "author"]])
def test_a_token_made_for_something_else_reads_nothing(client, alice, scopes):
    said = problem(client.get(API, headers=bearer(alice, *scopes)), 403)
    assert f"may {', '.join(scopes)}" in said["detail"]
    assert "“read”" in said["detail"]


def test_its_use_is_noted_at_most_once_a_minute(client, alice, django_assert_num_queries):
    headers = bearer(alice)
    before = timezone.now()
    with django_assert_num_queries(2):  # the token, and its note
        ask(client, "", headers)
    noted = ApiToken.objects.get().last_used_at
    assert noted
    assert noted >= before
    with django_assert_num_queries(1):
        ask(client, "", headers)
    ApiToken.objects.update(last_used_at=noted - timedelta(seconds=61))
    ask(client, "", headers)
    again = ApiToken.objects.get().last_used_at
    assert again
    assert again >= noted


def test_a_refused_token_is_not_noted(client, alice):
    refused(client, bearer(alice, days=-1))
    assert ApiToken.objects.get().last_used_at is None


def came_by(user, *scopes, team=None):
    made = tokens.make_token(user, f"t{user.tokens.count()}", scopes, team, timedelta(days=1))
    user.came_with = made.token
    return user


RIGHTS = [
    ("see team results", "read"),
    ("start and cancel runs", "run"),
    ("publish probes", "author"),
]


@pytest.mark.parametrize(("right", "scope"), RIGHTS)
def test_a_right_needs_its_scope(alice, team, right, scope):
    others = [other for _, other in RIGHTS if other != scope]
    assert access.allowed(came_by(alice, scope), team, right)
    assert not access.allowed(came_by(alice, *others), team, right)


@pytest.mark.parametrize("right", ["manage endpoints", "manage members"])
def test_no_token_manages_a_team(alice, team, right):
    assert access.allowed(alice, team, right)
    assert not access.allowed(came_by(alice, "read", "run", "author"), team, right)


def test_every_right_is_decided_for_tokens():
    assert set(access.SCOPES) <= set(access.RIGHTS)
    assert set(access.SCOPES) == {right for right, _ in RIGHTS}


def test_a_token_never_gives_more_than_the_role(bob, team):
    assert not access.allowed(came_by(bob, "author"), team, "publish probes")


def test_a_token_of_a_team_that_was_left_reaches_nothing(bob, team):
    person = came_by(bob, "read", team=team)
    assert access.allowed(person, team, "see team results")
    Membership.objects.filter(user=bob).delete()
    assert not access.allowed(person, team, "see team results")


def test_what_a_token_allows_cannot_be_widened(alice, team, charlie):
    bearer(alice, team=team)
    for change in ({"scopes": ["read", "run"]}, {"team": None}, {"user": charlie}, {"digest": "x"}):
        with pytest.raises(IntegrityError, match="cannot be changed"), transaction.atomic():
            ApiToken.objects.update(**change)


def test_a_revoked_token_is_never_opened_again(alice):
    bearer(alice)
    tokens.revoke(ApiToken.objects.get())
    with pytest.raises(IntegrityError, match="cannot be changed"), transaction.atomic():
        ApiToken.objects.update(revoked_at=None)


def test_erasure_is_the_way_past(alice):
    bearer(alice)
    with erasure("a test"):
        ApiToken.objects.update(name="x", scopes=[])
