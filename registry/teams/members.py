"""Who is in a team, and as what: one verb a function. A team never loses its last owner.

Each verb holds the team's row until it is done. Whether the actor may, and how many owners there
are, is asked under that hold: of two who act at the same moment, the second sees what the first did.
"""

from __future__ import annotations

from collections.abc import Callable

from django.db import transaction
from django.db.models import QuerySet

from registry.audit.domain import record
from registry.teams import access, tokens
from registry.teams.models import Membership, Role, Team, User

MANAGE = "manage members"
Asked = Callable[[User, Team, str], None]
"""Who is asked whether a person may: access.require, or access.require_of_staff in the admin."""
LAST_OWNER = "{who} is the last owner of {team}: make another member an owner first."


class MembersRefused(Exception):
    """What was asked cannot be, as the team is now; the message says why and what to do."""


def hold(team: Team) -> None:
    """Until the transaction ends, nobody else changes who is in the team."""
    Team.objects.select_for_update(no_key=True).get(pk=team.pk)


@transaction.atomic
def add(by: User, team: Team, user: User, role: Role, asked: Asked = access.require) -> Membership:
    """Let `user` in without an invitation, as only the admin does."""
    hold(team)
    asked(by, team, MANAGE)
    if _members(team).filter(user=user).exists():
        raise MembersRefused(f"{user} is in {team} already.")
    record(team, by, "member-added", user, role=role.value)
    return Membership.objects.create(team=team, user=user, role=role)


@transaction.atomic
def change_role(by: User, member: Membership, role: Role, asked: Asked = access.require) -> None:
    stored = _managed(by, member, asked)
    if role != Role.OWNER:
        _keep_an_owner(stored)
    if stored.role != role:
        Membership.objects.filter(pk=stored.pk).update(role=role)
        record(stored.team, by, "member-role-changed", stored.user, before=stored.role, now=role.value)


@transaction.atomic
def remove(by: User, member: Membership, asked: Asked = access.require) -> None:
    """End a membership. At once the person may do what a stranger may, and so may their tokens."""
    stored = _managed(by, member, asked)
    _end(stored, by)
    record(stored.team, by, "member-removed", stored.user, role=stored.role)


@transaction.atomic
def leave(by: User, team: Team) -> None:
    """End one's own membership; 404 for a stranger."""
    hold(team)
    stored = access.get_or_404(_members(team), user=by)
    _end(stored, by)
    record(team, by, "member-left", by, role=stored.role)


@transaction.atomic
def transfer(by: User, to: Membership) -> None:
    """Make another member an owner, and oneself an author."""
    heir = _managed(by, to)
    if heir.user_id == by.pk:
        raise MembersRefused("Choose another member: you are an owner already.")
    if not heir.user.is_active:
        raise MembersRefused(f"The account of {heir.user} is closed: choose another member.")
    Membership.objects.filter(pk=heir.pk).update(role=Role.OWNER)
    Membership.objects.filter(team_id=heir.team_id, user=by).update(role=Role.AUTHOR)
    record(heir.team, by, "ownership-transferred", heir.user, before=heir.role)


@transaction.atomic
def note_shut(by: User, person: User) -> None:
    """Tell the log of each of their teams that an administrator shut an account, or opened it again."""
    done = "member-let-back" if person.is_active else "member-shut-out"
    for membership in person.memberships.select_related("team"):
        record(membership.team, by, done, person, role=membership.role)


def is_last_owner(member: Membership) -> bool:
    """Whether the team would be left without an owner who can sign in."""
    if member.role != Role.OWNER:
        return False
    others = Membership.objects.filter(team_id=member.team_id, role=Role.OWNER, user__is_active=True)
    return not others.exclude(pk=member.pk).exists()


def _managed(by: User, member: Membership, asked: Asked = access.require) -> Membership:
    """The membership as it is stored, held for a change by someone who may make it."""
    hold(member.team)
    asked(by, member.team, MANAGE)
    stored = _members(member.team).filter(pk=member.pk).first()
    if stored is None:
        raise MembersRefused(f"{member.user} is no longer a member.")
    return stored


def _members(team: Team) -> QuerySet[Membership]:
    return Membership.objects.filter(team=team).select_related("user", "team")


def _end(member: Membership, by: User) -> None:
    _keep_an_owner(member)
    tokens.revoke_in(member.team, member.user, by)
    member.delete()


def _keep_an_owner(member: Membership) -> None:
    if is_last_owner(member):
        raise MembersRefused(LAST_OWNER.format(who=member.user, team=member.team))
