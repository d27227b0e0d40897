"""Who is in a team: the verbs, and the last owner, who cannot go, not even by two acting at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.http import Http404

from registry.audit.models import Entry
from registry.teams import access, domain, invitations, members, tokens
from registry.teams.members import MembersRefused
from registry.teams.models import Membership, Role, Team, User
from tests.conftest import _member
from tests.registry.api.asking import API, ask
from tests.thorough import thorough

pytestmark = pytest.mark.django_db


def of(team: Team, user: User) -> Membership:
    return Membership.objects.get(team=team, user=user)


def roles(team: Team) -> dict[str, str]:
    """The roles in the team, by the first part of each address."""
    rows = team.memberships.order_by("pk").values_list("user__email", "role")
    return {email.partition("@")[0]: role for email, role in rows}


def joined(team: Team, name: str, role: Role) -> User:
    return _member(team, f"{name}@example.org", role)


VERBS: dict[str, Callable[[User, Membership], None]] = {
    "change_role": lambda by, member: members.change_role(by, member, Role.AUTHOR),
    "remove": members.remove,
    "transfer": members.transfer,
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    ("who", "refusal"), [("anna", PermissionDenied), ("bob", PermissionDenied), ("charlie", Http404)]
)
def test_only_an_owner_manages(request, team, alice, vera, verb, who, refusal):
    by = request.getfixturevalue(who)
    before = roles(team)
    with pytest.raises(refusal):
        VERBS[verb](by, of(team, vera))
    assert roles(team) == before


def test_no_token_manages_even_for_an_owner(team, alice, vera):
    made = tokens.make_token(alice, "all", ["read", "run", "author"], None, timedelta(days=1))
    alice.came_with = made.token
    with pytest.raises(PermissionDenied):
        members.remove(alice, of(team, vera))


def test_a_role_is_changed(team, alice, vera):
    members.change_role(alice, of(team, vera), Role.OWNER)
    members.change_role(vera, of(team, alice), Role.VIEWER)
    assert roles(team) == {"alice": "viewer", "vera": "owner"}


def test_the_last_owner_stays(team, alice, bob):
    for act in (
        lambda: members.change_role(alice, of(team, alice), Role.AUTHOR),
        lambda: members.leave(alice, team),
        lambda: members.remove(alice, of(team, alice)),
    ):
        with pytest.raises(MembersRefused, match="Alice is the last owner of Acme: make another member"):
            act()
    assert roles(team) == {"alice": "owner", "bob": "runner"}
    members.change_role(alice, of(team, alice), Role.OWNER)


def test_an_owner_whose_account_is_closed_does_not_count(team, alice):
    closed = joined(team, "olga", Role.OWNER)
    members.change_role(closed, of(team, closed), Role.OWNER)
    User.objects.filter(pk=closed.pk).update(is_active=False)
    with pytest.raises(MembersRefused, match="last owner"):
        members.leave(alice, team)
    with pytest.raises(MembersRefused, match="The account of Olga is closed"):
        members.transfer(alice, of(team, closed))
    members.remove(alice, of(team, closed))
    assert roles(team) == {"alice": "owner"}


def test_ownership_is_handed_over_whole(team, alice, bob):
    members.transfer(alice, of(team, bob))
    assert roles(team) == {"alice": "author", "bob": "owner"}
    with pytest.raises(MembersRefused, match="Choose another member"):
        members.transfer(bob, of(team, bob))


def test_who_is_gone_already_is_said(team, alice, bob):
    gone = of(team, bob)
    members.leave(bob, team)
    for verb in VERBS.values():
        with pytest.raises(MembersRefused, match="Bob is no longer a member"):
            verb(alice, gone)
    with pytest.raises(Http404):
        members.leave(bob, team)


@pytest.mark.parametrize("way", ["removed", "left"])
def test_tokens_lose_the_team_at_once(client, team, alice, bob, way):
    """One for all of a person's teams opens what is left; one for this team alone opens nothing."""
    other = Team.objects.create(slug="second", name="Second")
    Membership.objects.create(team=other, user=bob, role=Role.RUNNER)
    everywhere, here, there = (
        tokens.make_token(bob, name, ["read", "run"], only, timedelta(days=1))
        for name, only in (("all", None), ("here", team), ("there", other))
    )
    if way == "left":
        members.leave(bob, team)
    else:
        members.remove(alice, of(team, bob))
    found = tokens.redeem(everywhere.secret)
    found.user.came_with = found
    for right in ("see team results", "start and cancel runs"):
        assert list(access.teams_where(found.user, right)) == [other]
    with pytest.raises(tokens.TokenRefused, match="revoked"):
        tokens.redeem(here.secret)
    assert ask(client, API, {"Authorization": f"Bearer {there.secret}"})
    assert client.get(API, headers={"Authorization": f"Bearer {here.secret}"}).status_code == 401


def test_what_is_done_is_noted(team, alice, bob, vera):
    nina = User.objects.create_user("nina@example.org", name="Nina")
    made = invitations.make_link(alice, team, Role.RUNNER, timedelta(days=1), "nina@example.org")
    invitations.accept(nina, made.secret)
    second = invitations.make_link(alice, team, Role.VIEWER, timedelta(days=1))
    invitations.revoke(alice, second.invitation)
    invitations.revoke(alice, second.invitation)
    members.change_role(alice, of(team, vera), Role.VIEWER)
    members.change_role(alice, of(team, vera), Role.RUNNER)
    tokens.make_token(vera, "hers", ["read"], team, timedelta(days=1))
    members.remove(alice, of(team, vera))
    members.leave(bob, team)
    members.transfer(alice, of(team, nina))
    domain.rename_team(nina, team, "Acme")
    domain.rename_team(nina, team, "Acme & Co")
    assert [(each.who, each.action, each.about) for each in Entry.objects.order_by("id")] == [
        ("Alice", "member-invited", "invitation by mail"),
        ("Nina", "member-joined", "invitation by mail"),
        ("Alice", "member-invited", "invitation by link"),
        ("Alice", "invitation-revoked", "invitation by link"),
        ("Alice", "member-role-changed", "Vera"),
        ("Vera", "token-made", "hers"),
        ("Alice", "token-revoked", "hers"),
        ("Alice", "member-removed", "Vera"),
        ("Bob", "member-left", "Bob"),
        ("Alice", "ownership-transferred", "Nina"),
        ("Nina", "team-renamed", "Acme & Co"),
    ]
    assert Entry.objects.get(action="member-role-changed").details == {"before": "viewer", "now": "runner"}
    assert "nina@example.org" not in str(list(Entry.objects.values()))


def race(*acts: Callable[[], None]) -> list[str]:
    """How acts end that begin at the same moment, each on a connection of its own."""
    together = threading.Barrier(len(acts))

    def act(verb: Callable[[], None]) -> str:
        try:
            together.wait(10)
            verb()
        except (MembersRefused, PermissionDenied, Http404) as refused:
            return type(refused).__name__
        finally:
            connection.close()
        return "done"

    with ThreadPoolExecutor(len(acts)) as pool:
        return sorted(future.result(30) for future in [pool.submit(act, verb) for verb in acts])


@thorough
@pytest.mark.django_db(transaction=True)
def test_of_owners_who_all_go_at_once_one_stays():
    team = Team.objects.create(slug="acme", name="Acme")
    owners = [joined(team, f"owner{number}", Role.OWNER) for number in range(4)]
    leave = [lambda each=each: members.leave(each, team) for each in owners]
    assert race(*leave) == ["MembersRefused", "done", "done", "done"]
    assert list(roles(team).values()) == ["owner"]


@thorough
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("verb", ["change_role", "remove", "transfer"])
def test_two_owners_who_act_on_each_other_leave_one(verb):
    team = Team.objects.create(slug="acme", name="Acme")
    one, two = (joined(team, name, Role.OWNER) for name in ("one", "two"))
    against = {user: of(team, other) for user, other in ((one, two), (two, one))}
    ended = race(*(lambda by=by, it=it: VERBS[verb](by, it) for by, it in against.items()))
    assert ended.count("done") == (2 if verb == "transfer" else 1)  # ownership may be handed back
    assert list(roles(team).values()).count("owner") == 1
