"""What is done with accounts, one verb a function: who may make one, how it is trusted, how it ends."""

from __future__ import annotations

import secrets
import time
from ipaddress import ip_address

from allauth.account.models import EmailAddress
from allauth.account.stages import EmailVerificationStage, LoginStageController
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from registry.accounts.models import AGENT_LENGTH, REFUSALS, FormerAddress, SignIn
from registry.accounts.traces import CLOSED, forget, team_of, traces_of
from registry.endpoints import vault
from registry.endpoints.domain import delete_endpoint
from registry.endpoints.models import Endpoint
from registry.teams import invitations, tokens
from registry.teams.invitations import waiting
from registry.teams.members import hold, is_last_owner, leave
from registry.teams.models import RESERVED_DOMAIN, Membership, Team, User
from registry.web.limits import address_of

BACKEND = "django.contrib.auth.backends.ModelBackend"
BY_LINK = "signed_in_by_link_at"
ENTERS = "account_as_it_began_to_sign_in"
SIGN_INS_KEPT = 50
"""Of a person; and as many refusals, so that a stranger's tries push no sign-in out."""
MOST_FORGOTTEN = 1000
SEALED = {"secret", "seed"}
"""What of a second factor is kept sealed."""


class CannotClose(Exception):
    """Why an account has to stay for now, and what to do first."""


# --- who comes in --------------------------------------------------------------------------------
def sign_up_allowed(request: HttpRequest) -> bool:
    """Whether whoever asks may make an account: SIGN_UP says who may."""
    if settings.SIGN_UP == "invitation":
        found = waiting(request.session)
        return found is not None and found.signed_up_at is None
    return bool(settings.SIGN_UP == "open")


def use_invitation(request: HttpRequest, email: str) -> None:
    """Where only the invited sign up: one account an invitation. Raises InvitationRefused.

    An address that has an account already uses it too, or a second try would tell of that account.
    """
    if settings.SIGN_UP == "invitation":
        invitations.use_for_sign_up(request.session, email)


def signed_up_here(request: HttpRequest, user: User) -> bool:
    """Whether this browser waits for `user`'s address to be verified, as it does after signing up."""
    stage = LoginStageController.enter(request, EmailVerificationStage.key)
    return bool(stage and stage.login.user and stage.login.user.pk == user.pk)


def vouch_for(user: User) -> None:
    """Take an address as verified that the site's own people gave to `user`.

    Who signs up has a row for their address from the first moment, and who changes it themselves
    has verified the new one: an address without a row was written by an administrator.
    """
    if EmailAddress.objects.filter(user=user, email__iexact=user.email).exists():
        return
    change_address(user, user.email)


@transaction.atomic
def change_address(person: User, email: str, before: str = "") -> None:
    """Give `person` an address that is known to be theirs; the one before lets nobody in any more.

    Every open link ends with it: those that reset a password and those that sign in are made from
    the address, and those that verify one belong to a row that is gone. What they had is kept for
    the day when their account closes: logs know them by it. `before` is one that no row tells of.
    """
    person.email = email.strip().lower()
    rows = EmailAddress.objects.filter(user=person).values_list("email", flat=True)
    stored = User.objects.filter(pk=person.pk).values_list("email", flat=True)
    former = {before.lower(), *rows, *stored} - {"", person.email}
    FormerAddress.objects.bulk_create(
        [FormerAddress(user=person, email=each) for each in sorted(former)], ignore_conflicts=True
    )
    person.save(update_fields=["email"])
    EmailAddress.objects.filter(Q(user=person) | Q(email__iexact=person.email)).delete()
    EmailAddress.objects.create(user=person, email=person.email, verified=True, primary=True)


def begin_to_enter(request: HttpRequest, user: User) -> None:
    """Note what the password was right for: what ends a session ends a sign-in that waits as well."""
    request.session[ENTERS] = user.get_session_auth_hash()


def may_still_enter(request: HttpRequest, user: User) -> bool:
    """Whether `user`, as they are now, is who began to sign in."""
    began = request.session.pop(ENTERS, "")
    return user.is_active and constant_time_compare(began, user.get_session_auth_hash())


def sign_in_by_link(request: HttpRequest, user: User) -> None:
    """Sign in who brought a good one-time code.

    It is all the proof there is: only who runs the site can print one, and it is their way back
    in when a password or a second factor is lost.
    """
    vouch_for(user)
    login(request, user, backend=BACKEND)
    request.session[BY_LINK] = time.time()


def end_other_sessions(request: HttpRequest, user: User) -> None:
    """Sign `user` out of every browser but the one that asks."""
    User.objects.filter(pk=user.pk).update(sessions_ended=F("sessions_ended") + 1)
    user.refresh_from_db(fields=["sessions_ended"])
    update_session_auth_hash(request, user)


def came_by_link(request: HttpRequest) -> bool:
    """Whether this session was opened by a link just now, which proves as much as a password would."""
    return time.time() - request.session.get(BY_LINK, 0) < settings.ACCOUNT_REAUTHENTICATION_TIMEOUT


def note(request: HttpRequest, user: User | None, what: SignIn.What) -> None:
    """Note what a request did at the door of `user`'s account."""
    record_sign_in(user, address_of(request), request.headers.get("User-Agent", ""), what)


def note_refusal(request: HttpRequest, email: str, what: SignIn.What) -> None:
    """Note that whoever named `email` was not let in. Nobody's address costs what somebody's does."""
    named = User.objects.filter(email=email.strip().lower(), is_active=True).first()
    note(request, named, what)


def record_sign_in(
    user: User | None, address: str, agent: str, what: SignIn.What = SignIn.What.ENTERED
) -> None:
    """Note a sign-in, or `what` it was, and forget all but the latest of its kind."""
    SignIn.objects.create(user=user, what=what, address=_valid(address), agent=agent[:AGENT_LENGTH])
    refusals = Q(what__in=REFUSALS)
    mine = SignIn.objects.filter(refusals if what in REFUSALS else ~refusals, user=user)
    mine.exclude(pk__in=list(mine.values_list("pk", flat=True)[:SIGN_INS_KEPT])).delete()


def _valid(address: str) -> str | None:
    try:
        return str(ip_address(address))
    except ValueError:
        return None


def revoke_tokens(user: User) -> None:
    for token in tokens.open_tokens(user):
        tokens.revoke(token)


def forget_sessions() -> int:
    """Drop sessions that expired, some at a time so that nobody waits for it; of how many."""
    expired = Session.objects.filter(expire_date__lt=timezone.now())
    some = list(expired.values_list("pk", flat=True)[:MOST_FORGOTTEN])
    return expired.filter(pk__in=some).delete()[0] if some else 0


# --- how an account ends -------------------------------------------------------------------------
@transaction.atomic
def close_account(user: User) -> None:
    """Anonymise `user` in place: what they published and started stays, and nobody can sign in as them.

    Raises CannotClose while somebody depends on them. Teams in which nobody is left forget their keys.
    """
    if why := why_not_close(user):
        raise CannotClose(why)
    revoke_tokens(user)
    traces = traces_of(user)
    memberships = list(user.memberships.select_related("team").order_by("team_id"))
    deserted = set(_alone_in(user).values_list("pk", flat=True))
    for membership in memberships:
        if membership.team_id not in deserted:
            leave(user, membership.team)
    _desert(user, Team.objects.filter(pk__in=deserted))
    forget(traces)  # last: what was done above is noted under their name
    user.name, user.email = CLOSED, f"closed-{secrets.token_hex(8)}@account.{RESERVED_DOMAIN}"
    user.is_active = user.is_staff = user.is_superuser = False
    user.set_unusable_password()  # ends every session
    user.save()


@transaction.atomic
def why_not_close(user: User) -> str:
    """What has to be done before `user` can leave; "" when nothing has."""
    if is_only_administrator(user):
        return "You are the only administrator of this site. Make somebody else one first."
    if names := ", ".join(teams_needing(user)):
        return f"You are the last owner of {names}. Make another member an owner first, or remove the others."
    return ""


def is_only_administrator(user: User) -> bool:
    """Whether the site would be left without one; who they are stays until the transaction ends."""
    administrators = User.objects.filter(is_superuser=True, is_staff=True, is_active=True).order_by("pk")
    held = administrators.select_for_update(no_key=True).values_list("pk", flat=True)
    return list(held) == [user.pk]


def teams_needing(user: User) -> list[str]:
    """The teams that would go on without an owner; nobody else changes who is in them meanwhile."""
    mine = user.memberships.select_related("team").order_by("team_id")
    for membership in mine:
        hold(membership.team)
    alone = set(_alone_in(user).values_list("pk", flat=True))
    return [each.team.name for each in mine.all() if each.team_id not in alone and is_last_owner(each)]


def _alone_in(user: User) -> QuerySet[Team]:
    shared = Membership.objects.exclude(user=user).values("team")
    return Team.objects.filter(memberships__user=user).exclude(pk__in=shared)


def _desert(user: User, teams: QuerySet[Team]) -> None:
    """Leave teams in which nobody is left. What they published stays; they call nobody any more."""
    for endpoint in Endpoint.objects.filter(team__in=teams, practice=False):
        delete_endpoint(endpoint, user)
    Membership.objects.filter(user=user).delete()
    teams.update(name=team_of(user))


# --- secrets at rest -----------------------------------------------------------------------------
def reseal_second_factors() -> int:
    """Seal what second factors are made from with the first of ENDPOINT_KEYS; how many could not be read."""
    rows = list(Authenticator.objects.order_by("pk").values_list("pk", flat=True))
    return sum(not _resealed(pk) for pk in rows)


@transaction.atomic
def _resealed(pk: int) -> bool:
    """One a transaction: a recovery code that is used at the same time stays used."""
    row = Authenticator.objects.select_for_update().filter(pk=pk).first()
    if row is None:
        return True
    try:
        row.data |= {name: vault.resealed(row.data[name]) for name in SEALED & row.data.keys()}
    except vault.Unreadable:
        return False
    row.save(update_fields=["data"])
    return True
