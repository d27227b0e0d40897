"""Making an account: for whom, by which steps, and what a stranger learns of other accounts: nothing."""

from __future__ import annotations

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.core import mail

from registry.teams.invitations import InvitationRefused, make_link, use_for_sign_up
from registry.teams.models import Membership, Role, User
from tests.registry.accounts.people import PASSWORD, mailed_link, who

pytestmark = pytest.mark.django_db
FORM = {"email": "New@Example.org", "name": "Nora New", "password1": PASSWORD}


@pytest.fixture
def open_house(settings):
    settings.SIGN_UP = "open"


def test_closed_is_the_default(client):
    assert "Whoever runs this site makes accounts" in client.get("/sign-up/").content.decode()
    client.post("/sign-up/", FORM)
    assert not User.objects.filter(email__iexact=FORM["email"]).exists()
    assert "Make an account" not in client.get("/sign-in/").content.decode()


def test_an_invitation_lets_its_holder_make_one(client, settings, alice, team):
    settings.SIGN_UP = "invitation"
    made = make_link(alice, team, Role.RUNNER, timedelta(days=1))
    assert "Whoever holds an invitation" in client.get("/sign-up/").content.decode()
    client.post("/sign-up/", FORM)
    assert mail.outbox == []
    client.post("/invitation/", {"code": made.link})
    assert "/sign-up/?next=/invitation/" in client.get("/sign-in/?next=/invitation/").content.decode()
    client.post("/sign-up/", FORM | {"next": "/invitation/"})
    assert client.post(mailed_link())["Location"] == "/invitation/"
    client.post("/invitation/accept/")
    assert Membership.objects.get(team=team, user__email="new@example.org").role == Role.RUNNER
    client.post("/sign-out/")
    client.post("/sign-up/", FORM | {"email": "second@example.org"})
    assert not User.objects.filter(email="second@example.org").exists()


def test_a_verified_address_gets_an_account_and_a_team(client, open_house):
    assert "Make an account" in client.get("/sign-in/").content.decode()
    answer = client.post("/sign-up/?next=/ladders/", FORM | {"next": "/ladders/"})
    assert answer["Location"] == "/sign-up/verify/"
    user = User.objects.get(email="new@example.org")
    assert (user.name, who(client)) == ("Nora New", None)
    assert not Membership.objects.filter(user=user).exists()
    assert "printed in the terminal" in client.get("/sign-up/verify/").content.decode()
    path = mailed_link()
    assert "new@example.org" in client.get(path).content.decode()
    assert who(client) is None, "only a form verifies: mail scanners open links"
    assert client.post(path)["Location"] == "/ladders/"
    assert who(client) == str(user.pk)
    [membership] = user.memberships.all()
    assert (membership.role, membership.team.endpoints.count()) == (Role.OWNER, 2)


def test_an_unverified_address_does_not_sign_in(client, open_house):
    client.post("/sign-up/", FORM)
    answer = client.post("/sign-in/", {"login": "new@example.org", "password": PASSWORD})
    assert answer["Location"] == "/sign-up/verify/"
    assert who(client) is None
    assert client.get("/account/").status_code == 302


def test_another_browser_verifies_and_chooses_the_password(client, open_house):
    """Whoever signed up with an address that is not theirs does not get in by the password they know."""
    client.post("/sign-up/", FORM)
    other = type(client)()
    shown = other.post(mailed_link(), follow=True)
    at, _ = shown.redirect_chain[-1]
    assert "made in another browser, so choose its password now" in shown.content.decode()
    assert [who(other), who(client)] == [None, None]
    assert EmailAddress.objects.get(email="new@example.org").verified
    known = {"login": "new@example.org", "password": PASSWORD}
    assert client.post("/sign-in/", known).status_code == 422
    chosen = {"password1": "otter-under-old-bridge", "password2": "otter-under-old-bridge"}
    assert other.post(at, chosen)["Location"] == "/password/reset/done/"
    assert client.post("/sign-in/", known).status_code == 422
    other.post("/sign-in/", known | {"password": "otter-under-old-bridge"})
    assert who(other) == str(User.objects.get().pk)


def test_a_sign_up_waits_for_its_mail_only_while_its_password_stands(client, open_house):
    client.post("/sign-up/", FORM)
    link, user = mailed_link(), User.objects.get()
    user.set_password("otter-under-old-bridge")
    user.save()
    assert client.post(link)["Location"] == "/sign-in/"
    assert who(client) is None
    assert EmailAddress.objects.get().verified


def test_a_link_that_is_opened_signs_nobody_else_out(client, alice, open_house):
    client.post("/sign-up/", FORM)
    path, other = mailed_link(), type(client)()
    other.force_login(alice)
    for shown in (other.get(path), other.head(path), other.get(path)):
        assert (shown.status_code, who(other)) == (200, str(alice.pk))
    assert "as Alice. The button signs you out of it." in shown.content.decode()
    assert "as Alice" not in client.get(path).content.decode().split("<main", 1)[1]
    assert not EmailAddress.objects.get(email="new@example.org").verified
    assert other.post(path)["Location"].startswith("/password/reset/key/")
    assert who(other) is None
    assert EmailAddress.objects.get(email="new@example.org").verified


def test_an_invitation_makes_one_account_of_its_address(client, settings, alice, team):
    settings.SIGN_UP = "invitation"
    made = make_link(alice, team, Role.RUNNER, timedelta(days=1), "new@example.org")
    other = type(client)()
    for browser in (client, other):
        browser.post("/invitation/", {"code": made.link})
    refused = client.post("/sign-up/", FORM | {"email": "second@example.org"})
    assert (refused.status_code, "was sent to new@example.org" in refused.content.decode()) == (422, True)
    assert client.post("/sign-up/", FORM)["Location"] == "/sign-up/verify/"
    for browser in (client, other):
        browser.post("/sign-up/", FORM | {"email": "third@example.org"})
    with pytest.raises(InvitationRefused, match="made by this invitation already"):
        use_for_sign_up(other.session, "new@example.org")
    assert set(User.objects.values_list("email", flat=True)) == {alice.email, "new@example.org"}
    client.post(mailed_link())
    client.post("/invitation/accept/")
    assert Membership.objects.filter(team=team, user__email="new@example.org").exists()


def test_a_taken_address_uses_the_invitation_too(client, settings, alice, team):
    settings.SIGN_UP = "invitation"
    client.post("/invitation/", {"code": make_link(alice, team, Role.RUNNER, timedelta(days=1)).link})
    assert client.post("/sign-up/", FORM | {"email": alice.email})["Location"] == "/sign-up/verify/"
    assert "Whoever holds an invitation" in client.get("/sign-up/").content.decode()


def test_a_taken_address_looks_like_a_free_one(client, alice, open_house):
    free = client.post("/sign-up/", FORM)
    stranger = type(client)()
    taken = stranger.post("/sign-up/", FORM | {"email": "Alice@Example.org"})
    assert (free.status_code, free["Location"]) == (taken.status_code, taken["Location"])
    assert [sent.subject for sent in mail.outbox] == [
        "[Probe Registry] Is this your address?",
        "[Probe Registry] You have an account already",
    ]
    assert User.objects.filter(email__iexact="alice@example.org").count() == 1


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"email": "nobody"}, "valid email"),
        ({"password1": "short"}, "at least 8 characters"),
        ({"password1": "password123"}, "too common"),
        ({"password1": "new@example.org"}, "too similar"),
        ({"name": "n" * 101}, "at most 100 characters"),
        ({"name": "The \u200boperator\n"}, "write your own name, or none"),
    ],
)
def test_what_is_wrong_is_said(client, open_house, wrong, says):
    answer = client.post("/sign-up/", FORM | wrong)
    assert answer.status_code == 422
    assert says in answer.content.decode()
    assert not User.objects.exists()


def test_no_way_on_leads_off_the_site(client, open_house):
    client.post("/sign-up/?next=https://evil.example/", FORM | {"next": "//evil.example/"})
    assert client.post(mailed_link())["Location"] == "/"


def test_many_accounts_from_one_address_are_refused(client, open_house, settings):
    settings.ACCOUNT_RATE_LIMITS = settings.ACCOUNT_RATE_LIMITS | {"signup": "2/h/ip"}
    for number in range(2):
        client.post("/sign-up/", FORM | {"email": f"new{number}@example.org", "password1": ""})
    answer = client.post("/sign-up/", FORM)
    assert answer.status_code == 429
    assert "tried too often" in answer.content.decode()
