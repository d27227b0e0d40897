"""Sign-ins that were refused are shown to the person whose account was named, and to nobody else."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.accounts import domain
from registry.accounts.models import SignIn
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
WRONG, CODE, OFTEN = (
    each.value for each in (SignIn.What.WRONG_PASSWORD, SignIn.What.WRONG_CODE, SignIn.What.TOO_OFTEN)
)


def noted(user) -> list[str]:
    """The oldest first."""
    return [each.what for each in user.sign_ins.order_by("pk")]


def guess(client, email: str, password: str = "wrong"):
    return client.post(
        "/sign-in/", {"login": email, "password": password}, headers={"user-agent": "Guesser/1"}
    )


def test_a_wrong_password_is_shown_with_time_and_address(client, alice, bob):
    guess(client, " ALICE@example.org")
    assert noted(with_password(alice)) == [WRONG]
    sign_in(client, alice)
    page = client.get("/account/sign-ins/").content.decode()
    for said in ("Refused: wrong password", "127.0.0.1", "Guesser/1", "UTC"):
        assert said in page
    assert noted(bob) == []


def test_a_wrong_code_says_that_the_password_was_right(client, alice):
    with_second_factor(with_password(alice))
    sign_in(client, alice)
    client.post("/sign-in/code/", {"code": "000000"})
    client.post("/sign-in/code/", {"code": app_codes(SECRET)[1]})
    assert noted(alice) == [CODE, SignIn.What.ENTERED]
    assert "right password, wrong code" in client.get("/account/sign-ins/").content.decode()


def test_what_is_tried_too_often_is_noted_too(client, alice):
    with_second_factor(with_password(alice))
    for _ in range(6):
        guess(client, alice.email)
    assert noted(alice) == [WRONG] * 5 + [OFTEN]
    assert guess(client, alice.email, PASSWORD).status_code == 422
    assert noted(alice)[-1] == OFTEN, "the right password, but too often: not let in"


def test_codes_that_are_tried_too_often_are_noted_too(client, alice):
    with_second_factor(with_password(alice))
    sign_in(client, alice)
    for _ in range(7):
        client.post("/sign-in/code/", {"code": "000000"})
    assert noted(alice) == [CODE] * 5 + [OFTEN] * 2
    assert who(client) is None


def test_who_is_inside_and_does_not_know_the_password_is_noted(client, alice):
    client.force_login(with_password(alice))
    client.post("/account/confirm/", {"password": "wrong"})
    assert noted(alice) == [WRONG]


def test_they_are_bounded_and_push_no_sign_in_out(alice, bob, monkeypatch):
    monkeypatch.setattr(domain, "SIGN_INS_KEPT", 3)
    domain.record_sign_in(alice, "192.0.2.1", "")
    domain.record_sign_in(bob, "", "", SignIn.What.WRONG_PASSWORD)
    for number in range(5):
        domain.record_sign_in(alice, f"192.0.2.{number}", "", SignIn.What.WRONG_CODE)
        domain.record_sign_in(None, "", "", SignIn.What.WRONG_PASSWORD)
    kept = [(each.what, each.address) for each in alice.sign_ins.order_by("pk")]
    assert kept == [("entered", "192.0.2.1")] + [(CODE, f"192.0.2.{number}") for number in (2, 3, 4)]
    assert (noted(bob), SignIn.objects.filter(user=None).count()) == ([WRONG], 3)


def test_an_address_that_nobody_has_is_answered_alike(client, alice):
    """The same page, and the same work in the database: no clock tells the two apart either."""
    with_password(alice)
    said, asked = [], []
    for email in (alice.email, "nobody@example.org"):
        with CaptureQueriesContext(connection) as queries:
            for _ in range(6):
                answer = guess(client, email)
        said.append(answer.content.decode().replace(email, "…"))
        asked.append([query["sql"].split()[0] for query in queries])
        cache.clear()  # else it is the address of both that was too often there
    assert said[0].count("tried too often") == said[1].count("tried too often") == 1
    assert asked[0] == asked[1]
    assert set(SignIn.objects.values_list("user", "agent")) == {(alice.pk, "Guesser/1"), (None, "Guesser/1")}


def test_an_account_that_is_shut_is_nobodys(client, alice):
    with_password(alice)
    alice.is_active = False
    alice.save()
    guess(client, alice.email)
    assert noted(alice) == []
