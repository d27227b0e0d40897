"""Invitations: one person, once, for a while, until revoked; and what is said when one lets nobody in."""

from __future__ import annotations

import hashlib
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, connection, transaction
from django.http import Http404
from django.utils import timezone

from registry.immutability import erasure
from registry.teams import invitations, members
from registry.teams.invitations import SESSION_KEY, InvitationRefused, Made
from registry.teams.members import MembersRefused
from registry.teams.models import Invitation, Membership, Role, Team, User
from tests.thorough import thorough

pytestmark = pytest.mark.django_db

PAGE, ACCEPT, INVITE = "/invitation/", "/invitation/accept/", "/teams/acme/invite/"
WEEK = timedelta(days=7)


def link(by: User, role: Role = Role.RUNNER, email: str = "") -> Made:
    return invitations.make_link(by, Team.objects.get(slug="acme"), role, WEEK, email)


@pytest.fixture
def newcomer(db) -> User:
    return User.objects.create_user("nina@example.org", name="Nina")


# --- made ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(("who", "refusal"), [("anna", PermissionDenied), ("charlie", Http404)])
def test_only_an_owner_invites_and_revokes(request, alice, who, refusal):
    made = link(alice)
    by = request.getfixturevalue(who)
    with pytest.raises(refusal):
        link(by)
    with pytest.raises(refusal):
        invitations.revoke(by, made.invitation)
    assert Invitation.objects.filter(revoked_at=None).count() == 1


def test_a_link_is_shown_once_and_kept_as_a_digest(client, alice):
    client.force_login(alice)
    answer = client.post(INVITE, {"role": "author", "email": "", "days": "7"})
    [secret] = re.findall(r"/invitation/#(pri\.[\w-]{40,})", answer.content.decode())
    made = Invitation.objects.get()
    assert "no-store" in answer["Cache-Control"]
    assert made.digest == hashlib.sha256(secret.encode()).hexdigest()
    assert secret not in str(Invitation.objects.values())
    assert (made.role, made.email, made.invited_by) == ("author", "", alice)
    assert abs(made.expires_at - timezone.now() - WEEK) < timedelta(minutes=1)
    page = client.get("/teams/acme/").content.decode()
    assert secret not in page
    assert "whoever has the link" in page
    assert invitations.find(secret) == made
    assert secret not in repr(link(alice))


def test_a_mail_carries_the_link_and_the_page_does_not(client, alice, mailoutbox, settings):
    settings.MAIL = "sent"
    client.force_login(alice)
    answer = client.post(INVITE, {"role": "viewer", "email": "Nina@Example.org", "days": "1"}, follow=True)
    [mail] = mailoutbox
    assert (mail.to, mail.subject) == (["nina@example.org"], "Join Acme on Probe Registry")
    [secret] = re.findall(r"/invitation/#(\S+)", mail.body)
    assert "Alice invites you to join Acme on Probe Registry, as viewer." in mail.body
    assert invitations.find(secret).email == "nina@example.org"
    page = answer.content.decode()
    assert "An invitation is on its way to" in page
    assert secret not in page
    client.post(PAGE, {"code": secret})
    client.logout()
    client.post(PAGE, {"code": secret})
    assert "Only the account of" in client.get(PAGE).content.decode()


@pytest.mark.parametrize("mail", ["printed", "none"])
def test_where_mail_goes_nowhere_that_is_said_or_only_links_are_made(client, alice, settings, mail):
    settings.MAIL = mail
    client.force_login(alice)
    page = client.get("/teams/acme/").content.decode()
    assert ('name="email"' in page) is (mail == "printed")
    sent = {"role": "viewer", "email": "nina@example.org", "days": "1"}
    said = client.post(INVITE, sent, follow=True).content.decode()
    assert ("printed in the terminal" in said) is (mail == "printed")
    assert ("/invitation/#pri." in said) is (mail == "none")


def test_a_dropped_mail_invites_nobody(client, alice, monkeypatch):
    monkeypatch.setattr(invitations, "send_mail", lambda *_, **__: 0)
    with pytest.raises(MembersRefused, match="nobody was invited"):
        invitations.send(alice, Team.objects.get(slug="acme"), Role.VIEWER, WEEK, "nina@example.org")
    assert Invitation.objects.get().revoked_at


@pytest.mark.parametrize("sign_up", ["open", "closed"])
def test_a_visitor_is_told_how_to_get_an_account(client, alice, mailoutbox, settings, sign_up):
    settings.SIGN_UP = sign_up
    invitations.send(alice, Team.objects.get(slug="acme"), Role.VIEWER, WEEK, "nina@example.org")
    [mail] = mailoutbox
    assert ("or make one for it" in mail.body) is (sign_up == "open")
    client.post(PAGE, {"code": re.findall(r"#(\S+)", mail.body)[0]})
    page = client.get(PAGE).content.decode()
    assert (f'href="/sign-up/?next={PAGE}"' in page) is (sign_up == "open")
    assert ("made by whoever runs this site" in page) is (sign_up == "closed")


def test_a_mail_that_cannot_be_sent_invites_nobody(client, alice, monkeypatch):
    def broken(*_, **__):
        raise ConnectionRefusedError

    monkeypatch.setattr(invitations, "send_mail", broken)
    client.force_login(alice)
    answer = client.post(INVITE, {"role": "viewer", "email": "nina@example.org", "days": "1"})
    assert answer.status_code == 409
    assert "The mail could not be sent, so nobody was invited." in answer.content.decode()
    assert not invitations.open_invitations(Team.objects.get(slug="acme")).exists()


INVALID = [
    ({"role": "king"}, "Choose one of the roles listed."),
    ({"email": "nobody"}, "Write an address such as"),
    ({"days": "400"}, "Choose one of the periods listed."),
]


@pytest.mark.parametrize(("change", "message"), INVALID)
def test_what_cannot_be_is_said_at_its_field(client, alice, mailoutbox, change, message):
    client.force_login(alice)
    answer = client.post(INVITE, {"role": "viewer", "email": "", "days": "7"} | change)
    assert answer.status_code == 422
    assert message in answer.content.decode()
    assert (Invitation.objects.count(), mailoutbox) == (0, [])


@pytest.mark.parametrize(("bound", "message"), [("MOST_OPEN", "open invitations"), ("MOST_A_DAY", "a day")])
def test_there_are_only_so_many(alice, monkeypatch, bound, message):
    link(alice)
    monkeypatch.setattr(invitations, bound, 1)
    with pytest.raises(MembersRefused, match=message):
        link(alice)


# --- what lets nobody in -------------------------------------------------------------------------
def expire(made: Made) -> None:
    with erasure("a test makes time pass"):
        Invitation.objects.filter(pk=made.invitation.pk).update(
            expires_at=timezone.now() - timedelta(seconds=1)
        )


def dismiss(made: Made) -> None:
    """Whoever made it owns the team no more."""
    by = made.invitation.invited_by
    heir = User.objects.create_user("heir@example.org")
    members.transfer(by, Membership.objects.create(team=made.invitation.team, user=heir, role=Role.VIEWER))


def use(made: Made) -> None:
    invitations.accept(User.objects.create_user("first@example.org"), made.secret)


def revoke(made: Made) -> None:
    invitations.revoke(made.invitation.invited_by, made.invitation)


def close(made: Made) -> None:
    User.objects.filter(pk=made.invitation.invited_by_id).update(is_active=False)


ENDS = {
    "used": (use, "was used on"),
    "revoked": (
        lambda made: invitations.revoke(made.invitation.invited_by, made.invitation),
        "was revoked on",
    ),
    "expired": (expire, "expired on"),
    "inviter no owner": (dismiss, "may not invite any more"),
    "inviter closed": (close, "may not invite any more"),
}


@pytest.mark.parametrize("end", ENDS)
def test_one_that_is_over_lets_nobody_in_and_says_why(client, alice, newcomer, end):
    made = link(alice)
    client.force_login(newcomer)
    client.post(PAGE, {"code": made.secret})
    act, message = ENDS[end]
    act(made)
    answer = client.post(ACCEPT)
    assert answer.status_code == 409
    assert message in answer.content.decode()
    assert "Acme" not in answer.content.decode()
    assert not newcomer.memberships.exists()
    assert SESSION_KEY not in client.session
    again = client.post(PAGE, {"code": made.secret})
    assert (again.status_code, message in again.content.decode()) == (422, True)
    assert not invitations.open_invitations(made.invitation.team).exists()


@pytest.mark.parametrize("code", ["", "pri.wrong", "x" * 501, "https://elsewhere.example/#pri.x", "é\x01"])
def test_what_is_no_invitation_opens_nothing(client, alice, code):
    made = link(alice)
    assert client.post(PAGE, {"code": code}).status_code == 422
    assert client.post(PAGE, {"code": made.invitation.digest}).status_code == 422
    assert SESSION_KEY not in client.session


def test_one_sent_to_an_address_is_for_its_account_alone(client, alice, bob, newcomer, charlie):
    made = link(alice, email=" Nina@Example.org ")
    client.force_login(charlie)
    client.post(PAGE, {"code": made.secret})
    answer = client.post(ACCEPT)
    assert answer.status_code == 409
    assert "was sent to nina@example.org: sign in with the account" in answer.content.decode()
    assert roles_of(charlie) == {"other": "owner"}
    assert roles_of(invitations.accept(newcomer, made.secret).user) == {"acme": "runner"}
    assert Invitation.objects.get().email == ""


def roles_of(user: User) -> dict[str, str]:
    return dict(user.memberships.values_list("team__slug", "role"))


@pytest.mark.parametrize("role", list(Role))
def test_it_never_changes_a_role(client, alice, bob, role):
    made = link(alice, role)
    client.force_login(bob)
    client.post(PAGE, {"code": made.secret})
    assert "You are in Acme already, as runner." in client.get(PAGE).content.decode()
    assert client.post(ACCEPT).status_code == 409
    assert roles_of(bob) == {"acme": "runner"}
    assert invitations.find(made.secret) == made.invitation


def test_what_was_used_cannot_be_revoked_nor_used_rows_changed(alice, newcomer):
    made = link(alice)
    invitations.accept(newcomer, made.secret)
    with pytest.raises(MembersRefused, match="Nina accepted this invitation already"):
        invitations.revoke(alice, made.invitation)
    for change in ({"role": "owner"}, {"accepted_at": None}, {"expires_at": timezone.now()}):
        with pytest.raises(IntegrityError, match="cannot be changed"), transaction.atomic():
            Invitation.objects.update(**change)


# --- accepted ------------------------------------------------------------------------------------
def test_a_visitor_sees_it_signs_in_and_accepts(client, alice, newcomer):
    made = link(alice)
    assert client.post(PAGE, {"code": made.link})["Location"] == PAGE
    assert client.session[SESSION_KEY] == made.secret
    page = client.get(PAGE).content.decode()
    assert "Join Acme" in page
    assert "<strong>runner</strong>" in page
    assert f'href="/sign-in/?next={PAGE}"' in page
    assert ACCEPT not in page
    assert client.post(ACCEPT)["Location"] == f"/sign-in/?next={ACCEPT}"
    assert made.secret not in page
    newcomer.set_password("a-long-password")
    newcomer.save()
    client.login(username="nina@example.org", password="a-long-password")
    assert "Join as runner" in client.get(PAGE).content.decode()
    assert client.get(ACCEPT).status_code == 405
    assert not newcomer.memberships.exists()
    answer = client.post(ACCEPT, follow=True)
    assert answer.redirect_chain == [("/teams/acme/", 302)]
    assert "You are in Acme now, as runner." in answer.content.decode()
    assert roles_of(newcomer) == {"acme": "runner"}
    assert SESSION_KEY not in client.session
    assert Invitation.objects.get().accepted_by == newcomer


def test_without_an_invitation_there_is_nothing_to_accept(client, newcomer):
    client.force_login(newcomer)
    assert "Open an invitation" in client.get(PAGE).content.decode()
    answer = client.post(ACCEPT)
    assert (answer.status_code, "Open the link again." in answer.content.decode()) == (409, True)


def test_what_waits_in_a_session_lets_one_sign_up(alice):
    made = link(alice)
    assert invitations.waiting({}) is None
    assert invitations.waiting({SESSION_KEY: made.secret}) == made.invitation
    use(made)
    assert invitations.waiting({SESSION_KEY: made.secret}) is None


@thorough
@pytest.mark.django_db(transaction=True)
def test_of_many_who_accept_at_once_one_is_let_in(alice):
    made, together = link(alice), threading.Barrier(4)
    people = [User.objects.create_user(f"p{number}@example.org") for number in range(4)]

    def accept(person: User) -> bool:
        try:
            together.wait(10)
            return invitations.accept(person, made.secret).user == person
        except InvitationRefused:
            return False
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        let_in = [future.result(30) for future in [pool.submit(accept, person) for person in people]]
    assert sum(let_in) == 1
    assert made.invitation.team.memberships.count() == 2


def test_an_expired_invitation_forgets_its_address(alice, team):
    made = [
        invitations.make_link(alice, team, Role.VIEWER, timedelta(days=days), "a@example.org")
        for days in (-1, 1)
    ]
    assert [invitations.forget_expired(), invitations.forget_expired()] == [1, 0]
    kept = [Invitation.objects.get(pk=each.invitation.pk).email for each in made]
    assert kept == ["", "a@example.org"]
