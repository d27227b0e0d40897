"""One-time codes: one use, one hour, one person; and the page that takes them."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test import Client

from registry.teams import signin
from registry.teams.models import User


def code_of(user: User) -> str:
    return signin.make_code(User.objects.get(pk=user.pk))


def who(client: Client) -> str | None:
    return client.session.get("_auth_user_id")


@pytest.mark.django_db
def test_a_code_signs_in_once(alice):
    code = code_of(alice)
    assert signin.redeem(code) == alice
    assert signin.redeem(code) is None


@pytest.mark.django_db
@pytest.mark.parametrize("around", ["{}", "  {}\n", "http://127.0.0.1:8000/sign-in/#{}", "#{}"])
def test_the_code_or_the_whole_link_will_do(alice, around):
    assert signin.redeem(around.format(code_of(alice))) == alice


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("minutes", "good"), [(0, True), (59, True), (61, False), (60 * 24, False), (-5, False)]
)
def test_a_code_lives_for_an_hour(alice, minutes, good, monkeypatch):
    code = code_of(alice)
    later = datetime.now(UTC).replace(tzinfo=None) + timedelta(minutes=minutes)
    monkeypatch.setattr(signin.SignInCodes, "_now", lambda self: later)
    assert (signin.redeem(code) is not None) is good


@pytest.mark.django_db
def test_any_sign_in_kills_the_codes_made_before_it(alice, client):
    code = code_of(alice)
    client.force_login(alice)
    assert signin.redeem(code) is None


@pytest.mark.django_db
def test_a_new_password_or_address_kills_them_too(alice):
    code = code_of(alice)
    alice.set_password("another-long-one")
    alice.save()
    assert signin.redeem(code) is None
    code = code_of(alice)
    User.objects.filter(pk=alice.pk).update(email="a@example.org")
    assert signin.redeem(code) is None


@pytest.mark.django_db
def test_a_closed_account_stays_closed(alice):
    code = code_of(alice)
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert signin.redeem(code) is None


@pytest.mark.django_db
def test_a_code_is_for_one_person(alice, bob):
    theirs, mine = code_of(alice), code_of(bob)
    swapped = f"{theirs.partition('.')[0]}.{mine.partition('.')[2]}"
    assert signin.redeem(swapped) is None


@pytest.mark.django_db
@pytest.mark.parametrize(
    "nonsense",
    ["", ".", "MQ.", ".x-y", "MQ.x", "MQ.x-y", "é.é-é", "LTE.a-b", "OTk5OTk5OTk5OTk5OTk5OTk5OTk5.a-b"],
)
def test_nonsense_is_refused(alice, nonsense):
    assert signin.redeem(nonsense) is None


@pytest.mark.django_db(transaction=True)
def test_of_many_at_the_same_moment_one_wins(alice):
    code, together = code_of(alice), threading.Barrier(8)

    def attempt() -> bool:
        try:
            together.wait(10)
            return signin.redeem(code) is not None
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        won = [future.result() for future in [pool.submit(attempt) for _ in range(8)]]
    assert sum(won) == 1


@pytest.mark.django_db
def test_the_page_takes_a_code_and_goes_on(client, alice):
    answer = client.post("/sign-in/", {"code": code_of(alice), "next": "/account/"})
    assert (answer.status_code, answer["Location"]) == (302, "/account/")
    assert who(client) == str(alice.pk)


@pytest.mark.django_db
def test_a_spent_code_says_so_and_how_to_get_another(client, alice):
    code = code_of(alice)
    client.post("/sign-in/", {"code": code})
    stranger = Client()
    answer = stranger.post("/sign-in/", {"code": code})
    text = answer.content.decode()
    assert answer.status_code == 422
    assert text.count("each one signs in once, within an hour") == 1
    assert "manage.py signin_link" in text
    assert who(stranger) is None


@pytest.mark.django_db
def test_an_empty_code_says_what_to_paste(client):
    text = client.post("/sign-in/", {"code": ""}).content.decode()
    assert text.count("Paste the code") == 1
    assert 'aria-describedby="id_code_helptext id_code_error"' in text
    assert 'id="id_code_error"' in text
    assert "autofocus" not in text


@pytest.mark.django_db
def test_an_address_and_its_password_sign_in(client):
    user = User.objects.create_superuser("root@example.org", "a-long-password")
    answer = client.post("/sign-in/", {"login": "Root@Example.org", "password": "a-long-password"})
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert who(client) == str(user.pk)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "sent",
    [
        {"login": "alice@example.org", "password": "wrong"},
        {"login": "alice@example.org", "password": ""},
        {"login": "nobody@example.org", "password": "wrong"},
        {"login": "", "password": ""},
        {},
    ],
)
def test_a_wrong_password_stays_outside(client, alice, sent):
    answer = client.post("/sign-in/", sent)
    assert answer.status_code == 422
    assert who(client) is None
    assert "wrong" not in answer.content.decode()


@pytest.mark.django_db
def test_a_wrong_password_keeps_what_was_typed_and_says_one_thing(client, alice):
    text = client.post("/sign-in/", {"login": "alice@example.org", "password": "x"}).content.decode()
    assert text.count("No account has this e-mail address and password.") == 1
    assert 'value="alice@example.org"' in text


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("wanted", "goes_to"),
    [
        ("/account/", "/account/"),
        ("/probes/?page=2", "/probes/?page=2"),
        ("", "/"),
        ("https://evil.example/", "/"),
        ("//evil.example/", "/"),
        ("///evil.example/", "/"),
        ("/\\evil.example/", "/"),
        ("javascript:alert(1)", "/"),
        ("http:evil.example", "/"),
        ("\x00//evil.example", "/"),
    ],
)
def test_it_never_leads_off_the_site(client, alice, wanted, goes_to):
    answer = client.post("/sign-in/", {"code": code_of(alice), "next": wanted})
    assert answer["Location"] == goes_to


@pytest.mark.django_db
def test_the_page_loads_its_script_and_works_without_it(client):
    text = client.get("/sign-in/?next=/account/").content.decode()
    assert '<script src="/static/registry/sign-in.js" defer></script>' in text
    assert text.count('name="next" value="/account/"') == 2
    assert text.count('method="post"') == 2
    assert "after the # sign" in text
    assert 'id="code-form"' in text


@pytest.mark.django_db
def test_the_page_tells_who_is_in_already(client, bob):
    client.force_login(bob)
    assert "You are signed in as Bob." in client.get("/sign-in/?next=/admin/").content.decode()


@pytest.mark.django_db
def test_signing_in_changes_the_session(client, alice, bob):
    client.force_login(bob)
    before = client.session.session_key
    client.post("/sign-in/", {"code": code_of(alice)})
    assert client.session.session_key != before
    assert who(client) == str(alice.pk)


@pytest.mark.django_db
def test_signing_out_is_a_post(client, alice):
    client.force_login(alice)
    assert client.get("/sign-out/").status_code == 405
    assert who(client)
    answer = client.post("/sign-out/")
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert who(client) is None


@pytest.mark.django_db
def test_the_admin_uses_the_same_door(client):
    answer = client.get("/admin/", follow=True)
    assert answer.redirect_chain[-1][0] == "/sign-in/?next=%2Fadmin%2F"
    assert answer.context["next"] == "/admin/"
