"""A second factor: turned on, asked for, rescued, turned off; its secrets sealed."""

from __future__ import annotations

import json
import re

import pytest
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command

from registry.accounts.domain import close_account
from registry.teams import signin
from registry.teams.models import User
from tests.registry.accounts.people import (
    PASSWORD,
    SECRET,
    app_codes,
    sign_in,
    who,
    with_password,
    with_second_factor,
)

pytestmark = pytest.mark.django_db
ON = "/account/two-factor/on/"


def test_turning_it_on_ends_every_other_session(client, alice):
    other = type(client)()
    for browser in (client, other):
        sign_in(browser, with_password(alice) if browser is client else alice)
    client.post("/account/confirm/", {"password": PASSWORD, "next": ON})
    [spelled] = re.findall(r'id="secret" data-literal>([A-Z2-7 ]+)<', client.get(ON).content.decode())
    assert other.get("/account/").status_code == 200
    client.post(ON, {"code": app_codes(spelled.replace(" ", ""))[1]})
    assert Authenticator.objects.filter(user=alice, type="totp").exists()
    assert [browser.get("/account/").status_code for browser in (client, other)] == [200, 302]


def test_it_is_turned_on_after_showing_who_one_is(client, alice):
    sign_in(client, with_password(alice))
    assert client.get(ON)["Location"] == "/account/confirm/?next=%2Faccount%2Ftwo-factor%2Fon%2F"
    again = {"password": PASSWORD, "next": ON}
    assert client.post("/account/confirm/", again | {"password": "wrong"}).status_code == 422
    assert client.post("/account/confirm/", again)["Location"] == ON
    text = client.get(ON).content.decode()
    [spelled] = re.findall(r'id="secret" data-literal>([A-Z2-7 ]+)<', text)
    secret = spelled.replace(" ", "")
    assert "<svg" in text
    assert "data:" not in text
    assert client.post(ON, {"code": "000000"}).status_code == 422
    assert client.post(ON, {"code": app_codes(secret)[1]})["Location"] == "/account/two-factor/recovery/"
    shown = client.get("/account/two-factor/recovery/").content.decode()
    assert len(re.findall(r"\b\d{8}\b", shown)) == 10
    assert not re.findall(r"\b\d{8}\b", client.get("/account/two-factor/recovery/").content.decode())
    kept = json.dumps(list(Authenticator.objects.values_list("data", flat=True)))
    assert secret not in kept


def test_a_password_alone_does_not_sign_in(client, alice):
    recovery = with_second_factor(with_password(alice))
    assert sign_in(client, alice, next="/ladders/")["Location"] == "/sign-in/code/"
    assert who(client) is None
    assert client.post("/sign-in/code/", {"code": "000000"}).status_code == 422
    assert client.post("/sign-in/code/", {"code": app_codes(SECRET)[1]})["Location"] == "/ladders/"
    assert who(client) == str(alice.pk)
    other = type(client)()
    sign_in(other, alice)
    other.post("/sign-in/code/", {"code": app_codes(SECRET)[1]})
    assert who(other) is None, "a code works once"
    other.post("/sign-in/code/", {"code": recovery[0]})
    assert who(other) == str(alice.pk)
    third = type(client)()
    sign_in(third, alice)
    third.post("/sign-in/code/", {"code": recovery[0]})
    assert who(third) is None, "a recovery code works once"


def another_password(user: User) -> None:
    user.set_password("otter-under-old-bridge")
    user.save()


def shut(user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_active=False)


def end_sessions(user: User) -> None:
    User.objects.filter(pk=user.pk).update(sessions_ended=user.sessions_ended + 1)


@pytest.mark.parametrize("meanwhile", [another_password, end_sessions, shut, close_account])
def test_what_ends_a_session_ends_a_sign_in_that_waits_for_its_code(client, bob, meanwhile):
    recovery = with_second_factor(with_password(bob))
    assert sign_in(client, bob)["Location"] == "/sign-in/code/"
    meanwhile(bob)
    for code in (app_codes(SECRET)[1], recovery[0]):
        client.post("/sign-in/code/", {"code": code})
        assert who(client) is None


def test_whoever_must_begin_again_is_told(client, bob):
    with_second_factor(with_password(bob))
    sign_in(client, bob)
    end_sessions(bob)
    answer = client.post("/sign-in/code/", {"code": app_codes(SECRET)[1]}, follow=True)
    assert answer.redirect_chain[-1][0] == "/sign-in/"
    assert "changed while you were signing in: begin again" in answer.content.decode()
    sign_in(client, bob)
    client.post("/sign-in/code/", {"code": app_codes(SECRET)[2]})
    assert who(client) == str(bob.pk)


def test_codes_are_not_tried_for_ever(client, alice):
    with_second_factor(with_password(alice))
    sign_in(client, alice)
    for _ in range(5):
        client.post("/sign-in/code/", {"code": "000000"})
    client.post("/sign-in/code/", {"code": app_codes(SECRET)[1]})
    assert who(client) is None


def test_a_one_time_link_is_the_way_back_in(client, alice):
    with_second_factor(with_password(alice))
    client.post("/sign-in/", {"code": signin.make_code(User.objects.get(pk=alice.pk))})
    assert who(client) == str(alice.pk)
    assert client.post("/account/two-factor/off/")["Location"] == "/account/two-factor/"
    assert not Authenticator.objects.exists()


def test_turning_it_off_needs_a_password_or_a_code(client, alice):
    with_second_factor(with_password(alice))
    client.force_login(alice)
    assert client.post("/account/two-factor/off/")["Location"].startswith("/account/confirm/")
    assert "Use authenticator app or code" in client.get("/account/confirm/").content.decode()
    client.post("/account/confirm/code/", {"code": app_codes(SECRET)[1]})
    page = client.get("/account/two-factor/recovery/new/").content.decode()
    assert "10 codes that you have left" in " ".join(page.split())
    client.post("/account/two-factor/off/")
    assert not Authenticator.objects.exists()


def test_a_secret_that_cannot_be_read_lets_nobody_in(client, alice, settings):
    with_second_factor(with_password(alice))
    settings.ENDPOINT_KEYS = [Fernet.generate_key().decode()]
    sign_in(client, alice)
    answer = client.post("/sign-in/code/", {"code": app_codes(SECRET)[1]})
    assert "cannot be read any more" in answer.content.decode()
    assert who(client) is None


def test_its_secrets_follow_when_keys_are_rotated(client, alice, bob, settings):
    with_second_factor(with_password(alice))
    old, new = settings.ENDPOINT_KEYS[0], Fernet.generate_key().decode()
    settings.ENDPOINT_KEYS = [new, old]
    call_command("rotate_keys")
    settings.ENDPOINT_KEYS = [new]
    sign_in(client, alice)
    client.post("/sign-in/code/", {"code": app_codes(SECRET)[1]})
    assert who(client) == str(alice.pk)
    settings.ENDPOINT_KEYS = [old]
    with pytest.raises(CommandError, match="Second factors that cannot be read: 2"):
        call_command("rotate_keys")


def test_what_a_visitor_posts_waits_in_no_session(client):
    for path in ("on/", "off/", "recovery/new/"):
        assert client.post(f"/account/two-factor/{path}", {"code": "x" * 1000})["Location"].startswith(
            "/sign-in/"
        )
    assert not client.session.keys()


def test_nothing_of_it_is_in_the_admin(client, staff):
    client.force_login(staff)
    assert client.get("/admin/mfa/authenticator/").status_code == 404
    assert client.get("/admin/account/emailaddress/").status_code == 404
