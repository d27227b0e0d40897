"""Passwords: signing in with one, changing one, and another one by mail."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core import mail

from registry.teams import signin, tokens
from registry.teams.models import Scope, User
from tests.registry.accounts.people import PASSWORD, mailed_link, sign_in, who, with_password

pytestmark = pytest.mark.django_db
NEW = "egret-in-the-long-reeds"


def test_who_an_administrator_made_needs_no_mail(client, alice):
    with_password(alice)
    assert sign_in(client, alice)["Location"] == "/"
    assert (who(client), mail.outbox) == (str(alice.pk), [])


def test_an_address_that_an_administrator_changed_is_vouched_for_too(client, alice):
    with_password(alice)
    sign_in(client, alice)
    alice.email = "alice@elsewhere.example"
    alice.save()
    assert sign_in(type(client)(), alice)["Location"] == "/"


@pytest.mark.parametrize("wanted", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
def test_no_way_on_leads_off_the_site(client, alice, wanted):
    assert sign_in(client, with_password(alice), next=wanted)["Location"] == "/"


def test_a_password_is_not_tried_for_ever(client, alice):
    with_password(alice)
    for _ in range(5):
        client.post("/sign-in/", {"login": alice.email, "password": "wrong"})
    answer = sign_in(client, alice)
    assert "tried too often" in answer.content.decode()
    assert who(client) is None


def test_an_address_is_counted_behind_the_proxies_there_are(client, alice, settings, monkeypatch):
    settings.ACCOUNT_RATE_LIMITS = settings.ACCOUNT_RATE_LIMITS | {"login": "2/m/ip"}
    from rest_framework.settings import api_settings

    monkeypatch.setattr(api_settings, "NUM_PROXIES", 1)
    tried = [
        client.post("/sign-in/", {"code": "x"}, headers={"x-forwarded-for": f"10.0.0.{fake}, 192.0.2.{real}"})
        for fake, real in [(1, 1), (2, 1), (3, 1), (3, 2)]
    ]
    assert [answer.status_code for answer in tried] == [422, 422, 429, 422]


def test_another_password_by_mail(client, alice):
    with_password(alice)
    inside = type(client)()
    sign_in(inside, alice)
    assert (
        client.post("/password/reset/", {"email": "ALICE@example.org"})["Location"] == "/password/reset/sent/"
    )
    path = mailed_link()
    form = client.get(path)["Location"]
    assert "set-password" in form, "the key is in no address that a page of ours is shown under"
    assert client.post(form, {"password1": NEW, "password2": "other"}).status_code == 422
    assert client.post(form, {"password1": NEW, "password2": NEW})["Location"] == "/password/reset/done/"
    assert User.objects.get(pk=alice.pk).check_password(NEW)
    assert inside.get("/account/").status_code == 302, "who was signed in is not any more"
    assert mail.outbox[-1].subject == "[Probe Registry] Your password was changed"
    assert "does not work any more" in type(client)().get(path).content.decode()


def test_a_link_comes_from_the_sites_own_address(client, alice):
    client.post("/password/reset/", {"email": alice.email}, headers={"host": "localhost:666"})
    assert "http://127.0.0.1:8000/password/reset/key/" in mail.outbox[0].body


def test_an_unknown_address_looks_like_a_known_one(client, alice):
    known = client.post("/password/reset/", {"email": alice.email})
    unknown = client.post("/password/reset/", {"email": "nobody@example.org"})
    assert (known.status_code, known["Location"]) == (unknown.status_code, unknown["Location"])
    assert [(sent.to, sent.subject) for sent in mail.outbox] == [
        ([alice.email], "[Probe Registry] Choose another password"),
        (["nobody@example.org"], "[Probe Registry] No account has this address"),
    ]


def test_a_mail_server_that_is_down_tells_of_no_account(client, alice, settings, caplog):
    settings.EMAIL_BACKEND = "registry.accounts.mail.Refused"
    asked = [client.post("/password/reset/", {"email": email}) for email in (alice.email, "nobody@x.example")]
    assert [answer["Location"] for answer in asked] == ["/password/reset/sent/"] * 2
    assert caplog.text.count("A mail could not be sent (SMTPException). Check EMAIL_URL.") == 2


def test_a_site_without_mail_says_who_can_help(client, settings):
    settings.MAIL = "none"
    text = client.get("/password/reset/").content.decode()
    assert "This site sends no mail" in text
    assert "Send me a link" not in text


def test_a_password_is_changed_by_who_knows_it(client, alice):
    sign_in(client, with_password(alice))
    other = type(client)()
    sign_in(other, alice)
    sent = {"oldpassword": "wrong", "password1": NEW, "password2": NEW}
    assert client.post("/account/password/", sent).status_code == 422
    assert client.post("/account/password/", sent | {"oldpassword": PASSWORD})["Location"] == "/account/"
    assert client.get("/account/").status_code == 200
    assert other.get("/account/").status_code == 302


def by_link(client, user: User):
    return client.post("/sign-in/", {"code": signin.make_code(User.objects.get(pk=user.pk))})


def test_who_came_by_a_link_may_choose_a_first_password(client, alice):
    by_link(client, alice)
    assert client.get("/account/password/")["Location"] == "/account/password/set/"
    sent = {"password1": NEW, "password2": NEW}
    assert client.post("/account/password/set/", sent)["Location"] == "/account/"
    assert User.objects.get(pk=alice.pk).check_password(NEW)


def test_later_they_show_who_they_are_by_another_link(client, alice):
    by_link(client, alice)
    session = client.session
    session["signed_in_by_link_at"] -= 3600
    session.save()
    for path in ("/account/password/set/", "/account/two-factor/on/", "/account/close/"):
        answer = client.get(path)
        assert answer["Location"].startswith("/sign-in/?next=%2Faccount%2F"), path


@pytest.mark.parametrize(("chosen", "left"), [("keep", 1), ("revoke", 0)])
def test_with_the_password_tokens_may_go_too(client, alice, chosen, left):
    sign_in(client, with_password(alice))
    at = "/account/password/"
    assert "Your API tokens" not in client.get(at).content.decode()
    tokens.make_token(alice, "nightly", [Scope.READ], None, timedelta(days=1))
    assert "Your API tokens" in client.get(at).content.decode()
    sent = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW, "tokens": chosen}
    assert client.post(at, sent)["Location"] == "/account/"
    assert (tokens.open_tokens(alice).count(), who(client)) == (left, str(alice.pk))
