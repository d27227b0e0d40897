"""The end of an account, and what is kept of sign-ins."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.core import mail

from registry.accounts import domain
from registry.accounts.models import SignIn
from registry.audit.domain import record
from registry.audit.models import Entry
from registry.teams import access, members, tokens
from registry.teams import domain as domain_of_teams
from registry.teams.invitations import accept, make_link, open_invitations
from registry.teams.models import ApiToken, Invitation, Membership, Role, Scope, Team, User
from tests.registry.accounts.people import PASSWORD, sign_in, who, with_password, with_second_factor

pytestmark = pytest.mark.django_db


def confirmed(client, user: User):
    """Signed in, and having shown who they are just now."""
    sign_in(client, with_password(user))
    client.post("/account/confirm/", {"password": PASSWORD})
    return client


def test_an_account_is_closed_in_place(client, alice, bob, team):
    confirmed(client, bob)
    with_second_factor(bob)
    noted = record(team, bob, "batch-started", "a race")
    made = tokens.make_token(bob, "nightly", [Scope.READ], None, timedelta(days=1))
    kind = ContentType.objects.get_for_model(User)
    told = LogEntry.objects.create(
        user=bob, content_type=kind, object_id=str(bob.pk), object_repr="bob@example.org", action_flag=CHANGE
    )
    assert client.post("/account/close/", {"email": "other@example.org"}).status_code == 422
    assert client.post("/account/close/", {"email": "BOB@example.org"})["Location"] == "/"
    closed = User.objects.get(pk=bob.pk)
    assert closed.name == "Closed account"
    assert re.fullmatch(r"closed-[0-9a-f]{16}@account\.invalid", closed.email), "to be guessed by nobody"
    assert [closed.is_active, closed.has_usable_password(), closed.memberships.exists()] == [False] * 3
    assert who(client) is None
    with pytest.raises(tokens.TokenRefused):
        tokens.redeem(made.secret)
    assert not SignIn.objects.exists()
    noted.refresh_from_db()
    assert (noted.by_name, noted.by) == ("Closed account", bob)
    left = Entry.objects.get(team=team, action="member-left")
    assert (left.by_name, left.about) == ("Closed account", "Closed account")
    told.refresh_from_db()
    assert told.object_repr == "Closed account"
    assert sign_in(client, bob).status_code == 422
    client.post("/password/reset/", {"email": "bob@example.org"})
    assert mail.outbox[-1].subject == "[Probe Registry] No account has this address"


def test_no_name_or_address_stays_anywhere(client, alice, charlie, staff, team):
    """Of teams left long ago, of invitations, and in what the admin told of others."""
    dora = User.objects.create_user("dora@example.org")
    other = charlie.memberships.get().team
    members.add(staff, team, dora, Role.OWNER, access.require_of_staff)
    accept(charlie, make_link(dora, team, Role.VIEWER, timedelta(days=1)).secret)
    make_link(charlie, other, Role.VIEWER, timedelta(days=1), dora.email)
    members.remove(staff, dora.memberships.get(), access.require_of_staff)
    said = '[{"added": {"name": "membership", "object": "dora@example.org is owner of Acme"}}]'
    for row, called in (
        (team, "Acme"),
        (dora, str(dora)),
        (alice.memberships.get(), f"{dora} is owner of Acme"),
    ):
        kind = ContentType.objects.get_for_model(row)
        LogEntry.objects.create(
            user=staff,
            content_type=kind,
            object_id=str(row.pk),
            object_repr=called,
            action_flag=CHANGE,
            change_message=said,
        )
    domain.close_account(dora)
    told: list[object] = [*Entry.objects.values_list("by_name", "about", "details")]
    told += [*LogEntry.objects.values_list("object_repr", "change_message")]
    told += [*Invitation.objects.values_list("email"), *Team.objects.values_list("slug", "name")]
    assert "dora" not in str(told)
    assert Entry.objects.get(action="member-joined").details["invited_by"] == "Closed account"
    assert not open_invitations(other).exists(), "without its address it would let anybody in"


def test_who_has_the_same_name_elsewhere_keeps_it(bob, charlie, staff):
    namesake = User.objects.create_user("robert@example.org", name="Bob")
    other = charlie.memberships.get().team
    members.add(staff, other, namesake, Role.VIEWER, access.require_of_staff)
    domain.close_account(bob)
    assert other.audit_entries.get().about == "Bob"


def test_lines_about_a_namesake_of_the_same_team_stay(bob, alice, team, staff):
    """Whom a line names is known by a column: a name is had by many, and was once somebody's address."""
    namesake = User.objects.create_user("robert@example.org", name="Bob")
    impostor = User.objects.create_user("eve@example.org", name="bob@example.org")
    everybody = (namesake, impostor, bob)
    for each in everybody[:2]:
        members.add(staff, team, each, Role.VIEWER, access.require_of_staff)
        members.change_role(alice, each.memberships.get(), Role.RUNNER)
        tokens.make_token(each, "Bob", [Scope.READ], team, timedelta(days=1))
        members.remove(alice, each.memberships.get())
    members.change_role(alice, bob.memberships.get(), Role.VIEWER)
    domain.close_account(bob)
    abouts = {
        each: set(Entry.objects.filter(whom=each).values_list("about", flat=True))
        for each in (namesake, impostor)
    }
    assert abouts == {namesake: {"Bob"}, impostor: {"bob@example.org", "Bob"}}
    assert set(Entry.objects.filter(whom=bob).values_list("about", flat=True)) == {"Closed account"}


def test_what_they_called_their_tokens_is_forgotten(bob, alice, team):
    made = tokens.make_token(bob, "Bob Boyd's laptop", [Scope.RUN], None, timedelta(days=1))
    tokens.revoke(tokens.make_token(bob, "Bob's phone", [Scope.RUN], team, timedelta(days=1)).token)
    bob.came_with = made.token
    record(team, bob, "batch-started", "a race")
    bob.came_with = None
    hers = tokens.make_token(alice, "Alice's laptop", [Scope.RUN], team, timedelta(days=1))
    domain.close_account(bob)
    told = [*Entry.objects.values_list("by_name", "about", "details"), *ApiToken.objects.values_list("name")]
    assert "Bob" not in str(told)
    assert Entry.objects.get(action="batch-started").details == {
        "with the token": "token of a closed account"
    }
    assert str(told).count("Alice's laptop") == 2
    assert tokens.redeem(hers.secret).user == alice


def test_a_team_that_was_called_as_they_were_is_called_so_no_more(bob, alice, team):
    domain_of_teams.rename_team(alice, team, "Bob")
    domain_of_teams.rename_team(alice, team, "Bob ")
    LogEntry.objects.create(
        user=alice,
        content_type=ContentType.objects.get_for_model(Team),
        object_id=str(team.pk),
        object_repr="Bob",
        action_flag=CHANGE,
    )
    domain.close_account(bob)
    assert Team.objects.get(pk=team.pk).name == f"Team of a closed account ({bob.pk})"
    assert "Bob" not in str([*Entry.objects.values(), *LogEntry.objects.values()])


def test_no_browser_keeps_their_address(client, bob, alice, settings):
    """Signed in, at the code, waiting for a mail to an address that they had before: each row is gone."""
    settings.SIGN_UP = "open"
    domain.change_address(bob, "robert@example.org")
    signed_in, at_code, signing_up, hers = (type(client)() for _ in range(4))
    sign_in(signed_in, with_password(bob))
    with_second_factor(bob)
    sign_in(at_code, bob)
    signing_up.post("/sign-up/", {"email": "Robert@example.org", "password1": PASSWORD})
    sign_in(hers, with_password(alice))
    assert Session.objects.count() == 4
    assert "robert@example.org" in str([row.get_decoded() for row in Session.objects.all()])
    domain.close_account(User.objects.get(pk=bob.pk))
    assert [row.get_decoded()["_auth_user_id"] for row in Session.objects.all()] == [str(alice.pk)]


def test_every_other_session_ends(client, bob):
    other = type(client)()
    sign_in(other, with_password(bob))
    domain.close_account(User.objects.get(pk=bob.pk))
    assert other.get("/account/").status_code == 302


def test_the_last_owner_of_others_stays(client, alice, bob, team):
    confirmed(client, alice)
    assert "last owner of Acme" in client.get("/account/close/").content.decode()
    answer = client.post("/account/close/", {"email": alice.email})
    assert (answer.status_code, "last owner of Acme" in answer.content.decode()) == (422, True)
    assert User.objects.get(pk=alice.pk).is_active
    Membership.objects.filter(user=bob).update(role=Role.OWNER)
    assert client.post("/account/close/", {"email": alice.email}).status_code == 302


def test_a_team_of_ones_own_forgets_its_keys(charlie):
    from registry.endpoints.domain import add_endpoint

    team = Team.objects.get(slug="other")
    endpoint = add_endpoint(team, name="Mine", base_url="https://api.example.com/v1", key="sk-secret-123456")
    domain.close_account(charlie)
    endpoint.refresh_from_db()
    assert (endpoint.key_cipher, endpoint.key_last4, endpoint.closed_at is None) == ("", "", False)
    team.refresh_from_db()
    assert team.name == f"Team of a closed account ({charlie.pk})"


def test_the_only_administrator_stays(staff):
    with pytest.raises(domain.CannotClose, match="only administrator"):
        domain.close_account(staff)
    User.objects.create_superuser("second@example.org")
    domain.close_account(staff)


def test_sign_ins_are_shown_to_who_signed_in(client, alice, bob):
    domain.record_sign_in(bob, "192.0.2.7", "Bob's browser")
    client.post(
        "/sign-in/",
        {"login": with_password(alice).email, "password": PASSWORD},
        headers={"user-agent": "<b>Lynx</b>" + "x" * 500},
    )
    text = client.get("/account/sign-ins/").content.decode()
    assert "127.0.0.1" in text
    assert "&lt;b&gt;Lynx" in text
    assert "x" * 110 not in text
    assert "192.0.2.7" not in text


def test_only_the_latest_are_kept(alice, bob, monkeypatch):
    monkeypatch.setattr(domain, "SIGN_INS_KEPT", 3)
    domain.record_sign_in(bob, "", "")
    for number in range(5):
        domain.record_sign_in(alice, f"192.0.2.{number}", "")
    assert [each.address for each in alice.sign_ins.all()] == ["192.0.2.4", "192.0.2.3", "192.0.2.2"]
    assert [each.address for each in bob.sign_ins.all()] == [None]
