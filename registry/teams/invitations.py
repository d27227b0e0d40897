"""Invitations into a team: made and shown once, sent or passed on, revoked, accepted once.

The secret stands after the `#` of a link, as in a sign-in link: no log, proxy or Referer gets it.
While a visitor signs in or up, it waits in their session under SESSION_KEY.
"""

from __future__ import annotations

import secrets
from collections.abc import MutableMapping
from dataclasses import dataclass
from datetime import timedelta
from smtplib import SMTPException
from typing import Any

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from registry.audit.domain import record
from registry.teams import access
from registry.teams.members import MANAGE, MembersRefused, hold
from registry.teams.models import Invitation, Membership, Role, Team, User
from registry.teams.tokens import digest_of
from registry.web.address import site_address

SESSION_KEY = "invitation"
START = "pri."
"""How every secret begins: known for one wherever it turns up, and by its dot for a code in a link."""
MOST_OPEN = 50
"""Invitations that a team may have open."""
MOST_A_DAY = 100
"""Invitations that a person may make within a day: each may be a mail to a stranger."""

NOT_KNOWN = "There is no such invitation. Copy the link whole, or ask for another."
NOT_SENT = "The mail could not be sent, so nobody was invited. Make a link instead, and pass it on yourself."

USED = "{who} accepted this invitation already. To undo that, remove the member."

MADE_ONE = "An account was made by this invitation already. Sign in with it, or ask for another invitation."


class InvitationRefused(Exception):
    """The invitation lets nobody in; the message says why and what to do."""


@dataclass(frozen=True)
class Made:
    """A new invitation with its secret, which is nowhere else."""

    invitation: Invitation
    secret: str

    @property
    def link(self) -> str:
        return f"{site_address()}{reverse('invitation')}#{self.secret}"

    def __repr__(self) -> str:
        return f"Made({self.invitation})"


def open_invitations(team: Team) -> QuerySet[Invitation]:
    """Those that let somebody in: not used, revoked or expired, and made by one who still may."""
    return _good().filter(team=team).select_related("invited_by")


def _good() -> QuerySet[Invitation]:
    may_still = Membership.objects.filter(
        team=OuterRef("team"),
        user=OuterRef("invited_by"),
        user__is_active=True,
        role__in=access.roles_with(MANAGE),
    )
    rows = Invitation.objects.filter(accepted_at=None, revoked_at=None, expires_at__gt=timezone.now())
    return rows.filter(Exists(may_still))


@transaction.atomic
def make_link(by: User, team: Team, role: Role, good_for: timedelta, email: str = "") -> Made:
    """An invitation; with `email` only an account of that address may accept it. Raises MembersRefused."""
    hold(team)
    access.require(by, team, MANAGE)
    _check_number(by, team)
    secret = START + secrets.token_urlsafe(32)
    made = Invitation.objects.create(
        team=team,
        role=role,
        email=email.strip().lower(),
        digest=digest_of(secret),
        invited_by=by,
        expires_at=timezone.now() + good_for,
    )
    record(team, by, "member-invited", _kind(made), role=made.role, until=f"{made.expires_at:%Y-%m-%d}")
    return Made(made, secret)


def forget_expired() -> int:
    """Blank the addresses of invitations that let nobody in any more; of how many."""
    expired = Invitation.objects.filter(expires_at__lte=timezone.now()).exclude(email="")
    return expired.update(email="") if expired.exists() else 0


def _kind(invitation: Invitation) -> str:
    """What the log calls it: an address is kept in no line that stays for good."""
    return "invitation by mail" if invitation.email else "invitation by link"


def _check_number(by: User, team: Team) -> None:
    if open_invitations(team).count() >= MOST_OPEN:
        raise MembersRefused(f"{team} has {MOST_OPEN} open invitations: revoke one that is not needed.")
    since = timezone.now() - timedelta(days=1)
    if Invitation.objects.filter(invited_by=by, created_at__gt=since).count() >= MOST_A_DAY:
        raise MembersRefused(f"You made {MOST_A_DAY} invitations within a day: wait until tomorrow.")


def send(by: User, team: Team, role: Role, good_for: timedelta, email: str) -> Invitation:
    """Make an invitation and mail its link. Raises MembersRefused; then nobody is invited."""
    made = make_link(by, team, role, good_for, email)
    if not _mailed(made):
        revoke(by, made.invitation)
        raise MembersRefused(NOT_SENT)
    return made.invitation


def _mailed(made: Made) -> bool:
    invitation = made.invitation
    sign_up = settings.SIGN_UP != "closed"
    context = {"made": made, "invitation": invitation, "site": site_address(), "sign_up": sign_up}
    text = render_to_string("teams/invitation_mail.txt", context)
    subject = " ".join(f"Join {invitation.team} on Probe Registry".split())
    try:
        return bool(send_mail(subject, text, None, [invitation.email]))
    except (OSError, SMTPException):
        return False


@transaction.atomic
def revoke(by: User, invitation: Invitation) -> None:
    """It lets nobody in any more. Raises MembersRefused when it has let somebody in already."""
    hold(invitation.team)
    access.require(by, invitation.team, MANAGE)
    stored = Invitation.objects.get(pk=invitation.pk)
    if stored.accepted_at:
        raise MembersRefused(USED.format(who=stored.accepted_by))
    if not stored.revoked_at:
        Invitation.objects.filter(pk=stored.pk).update(revoked_at=timezone.now(), email="")
        record(stored.team, by, "invitation-revoked", _kind(stored), role=stored.role)


def find(secret: str) -> Invitation:
    """The invitation that `secret` opens, with its team. Raises InvitationRefused."""
    rows = Invitation.objects.select_related("team", "invited_by")
    found = rows.filter(digest=digest_of(secret_in(secret))).first()
    if found is None:
        raise InvitationRefused(NOT_KNOWN)
    if problem := _problem(found):
        raise InvitationRefused(problem)
    return found


def secret_in(text: str) -> str:
    """The secret alone, of a whole link or of itself."""
    return text.strip().rpartition("#")[2]


def _problem(found: Invitation) -> str:
    if found.accepted_at:
        return f"This invitation was used on {found.accepted_at:%Y-%m-%d}: each lets one person in, once."
    if found.revoked_at:
        return f"This invitation was revoked on {found.revoked_at:%Y-%m-%d}. Ask for another."
    if found.expires_at <= timezone.now():
        return f"This invitation expired on {found.expires_at:%Y-%m-%d}. Ask for another."
    if not _good().filter(pk=found.pk).exists():
        return "Whoever made this invitation may not invite any more. Ask an owner of the team for another."
    return ""


def waiting(session: MutableMapping[str, Any]) -> Invitation | None:
    """The good invitation whose secret waits in `session`: who has one may also sign up by it."""
    try:
        return find(str(session.get(SESSION_KEY, "")))
    except InvitationRefused:
        return None


def use_for_sign_up(session: MutableMapping[str, Any], email: str) -> None:
    """Spend the right to make an account by the invitation that waits. Raises InvitationRefused."""
    found = find(str(session.get(SESSION_KEY, "")))
    if found.email and found.email != email.strip().lower():
        raise InvitationRefused(
            f"This invitation was sent to {found.email}: make the account of that address."
        )
    unused = Invitation.objects.filter(pk=found.pk, signed_up_at=None)
    if not unused.update(signed_up_at=timezone.now()):
        raise InvitationRefused(MADE_ONE)


def why_not(person: User, invitation: Invitation) -> str:
    """Why `person` may not accept it, or nothing. A role that one has is never changed by a link."""
    member = Membership.objects.filter(team_id=invitation.team_id, user=person).first()
    if member:
        return (
            f"You are in {invitation.team} already, as {member.role}. An invitation changes no role: "
            "an owner of the team can."
        )
    if invitation.email and invitation.email != person.email.lower():
        return f"This invitation was sent to {invitation.email}: sign in with the account of that address."
    return ""


@transaction.atomic
def accept(person: User, secret: str) -> Membership:
    """Let `person` in. Raises InvitationRefused; then the invitation stays as it was."""
    hold(find(secret).team)
    invitation = find(secret)  # of two who come at the same moment, the second finds it used
    if problem := why_not(person, invitation):
        raise InvitationRefused(problem)
    now = timezone.now()
    # an address is kept only for as long as it is needed
    Invitation.objects.filter(pk=invitation.pk).update(accepted_at=now, accepted_by=person, email="")
    host = invitation.invited_by
    said: dict[str, Any] = {"role": invitation.role, "invited_by": str(host)}
    record(invitation.team, person, "member-joined", _kind(invitation), whom=host, **said)
    return Membership.objects.create(team=invitation.team, user=person, role=invitation.role)
