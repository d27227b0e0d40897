"""The page of a person's API tokens: made once, shown once, revoked for good."""

from __future__ import annotations

import hashlib
import re
from datetime import timedelta

import pytest
from django.utils import timezone

from registry.teams import tokens
from registry.teams.models import ApiToken, Team

pytestmark = pytest.mark.django_db

PAGE = "/account/tokens/"
GIVEN = {"name": "nightly", "scopes": ["read"], "team": "", "days": "90"}


def shown(text: str) -> list[str]:
    return re.findall(r"prt_[\w-]{20,}", text)


@pytest.fixture
def signed_in(client, bob):
    client.force_login(bob)
    return client


def test_a_visitor_signs_in_first(client):
    for method in (client.get, client.post):
        answer = method(PAGE)
        assert (answer.status_code, answer["Location"]) == (302, f"/sign-in/?next={PAGE}")
    assert client.post(f"{PAGE}1/revoke/")["Location"].startswith("/sign-in/")


def test_the_secret_is_shown_once_and_kept_nowhere(signed_in):
    answer = signed_in.post(PAGE, GIVEN)
    [secret] = shown(answer.content.decode())
    token = ApiToken.objects.get()
    assert token.digest == hashlib.sha256(secret.encode()).hexdigest()
    assert token.prefix == secret[:8]
    assert secret not in str(ApiToken.objects.values())
    assert "no-store" in answer["Cache-Control"]
    again = signed_in.get(PAGE).content.decode()
    assert shown(again) == []
    assert f"{token.prefix}…" in again
    assert tokens.redeem(secret) == token


def test_two_secrets_differ_and_do_not_show_in_a_repr(bob):
    one, two = (tokens.make_token(bob, name, ["read"], None, timedelta(days=1)) for name in "ab")
    assert one.secret != two.secret
    assert len(one.secret) >= 40
    assert one.secret not in repr(one)


def test_a_token_holds_what_was_asked_for(signed_in, team):
    signed_in.post(PAGE, GIVEN | {"scopes": ["author", "read"], "team": team.pk, "days": "30"})
    token = ApiToken.objects.get()
    assert (token.scopes, token.team) == (["read", "author"], team)
    assert abs(token.expires_at - timezone.now() - timedelta(days=30)) < timedelta(minutes=1)
    text = " ".join(signed_in.get(PAGE).content.decode().split())
    for said in ("nightly", "read, author", "Acme", "never"):
        assert f">{said}</" in text


REFUSED = [
    ({"name": ""}, "Name what will use the token."),
    ({"name": "x" * 101}, "Shorten the name to 100 characters."),
    ({"scopes": []}, "Tick at least one thing that the token may do."),
    ({"scopes": ["everything"]}, "everything"),
    ({"team": "999999"}, "Choose one of your teams, or all of them."),
    ({"days": "4000"}, "Choose one of the periods listed."),
]


@pytest.mark.parametrize(("change", "message"), REFUSED, ids=lambda value: str(value)[:40])
def test_what_cannot_be_is_said_at_its_field(signed_in, change, message):
    answer = signed_in.post(PAGE, GIVEN | change)
    assert answer.status_code == 422
    assert message in answer.content.decode()
    assert not ApiToken.objects.exists()
    if "name" not in change:
        assert 'value="nightly"' in answer.content.decode()


def test_another_teams_name_is_no_choice(signed_in, charlie):
    other = Team.objects.get(slug="other")
    assert "Other" not in signed_in.get(PAGE).content.decode()
    answer = signed_in.post(PAGE, GIVEN | {"team": other.pk})
    assert "Choose one of your teams" in answer.content.decode()


def test_a_name_is_used_once_at_a_time(signed_in, bob):
    signed_in.post(PAGE, GIVEN)
    answer = signed_in.post(PAGE, GIVEN)  # as a reload would
    assert answer.status_code == 422
    assert "You have a token of this name." in answer.content.decode()
    tokens.revoke(ApiToken.objects.get())
    assert shown(signed_in.post(PAGE, GIVEN).content.decode())


def test_there_are_only_so_many(signed_in, bob, monkeypatch):
    monkeypatch.setattr(tokens, "MOST_OPEN", 1)
    signed_in.post(PAGE, GIVEN)
    answer = signed_in.post(PAGE, GIVEN | {"name": "another"})
    assert "You have 1 tokens." in answer.content.decode()


def test_revoking_ends_it_for_good(signed_in):
    [secret] = shown(signed_in.post(PAGE, GIVEN).content.decode())
    address = f"{PAGE}{ApiToken.objects.get().pk}/revoke/"
    assert signed_in.get(address).status_code == 405
    answer = signed_in.post(address, follow=True)
    assert "“nightly” opens nothing any more" in answer.content.decode()
    assert "You have no tokens." in answer.content.decode()
    with pytest.raises(tokens.TokenRefused, match="revoked"):
        tokens.redeem(secret)
    assert signed_in.post(address).status_code == 404


def test_nobody_elses_token_can_be_seen_or_revoked(client, alice, signed_in):
    made = tokens.make_token(alice, "hers", ["read"], None, timedelta(days=1))
    assert "hers" not in signed_in.get(PAGE).content.decode()
    assert signed_in.post(f"{PAGE}{made.token.pk}/revoke/").status_code == 404
    assert tokens.redeem(made.secret).revoked_at is None


def test_an_expired_token_is_listed_as_such(signed_in, bob):
    tokens.make_token(bob, "old", ["read"], None, timedelta(days=-1))
    assert "expired <time" in signed_in.get(PAGE).content.decode()


def test_the_list_asks_no_more_for_more(signed_in, bob, team, django_assert_num_queries):
    signed_in.get(PAGE)
    for number in range(3):
        tokens.make_token(bob, str(number), ["read"], team, timedelta(days=1))
    with django_assert_num_queries(4):  # session, person, tokens with their teams, the person's teams
        signed_in.get(PAGE)


def test_the_account_leads_to_them(signed_in):
    assert f'href="{PAGE}"' in signed_in.get("/account/").content.decode()
