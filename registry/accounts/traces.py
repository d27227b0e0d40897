"""What is told of a person all over the site, and how it is forgotten when their account closes.

By an address a person is known everywhere; by a name only where they have been, since others may
have the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import Model, Q
from django.utils import timezone

from registry.accounts.models import FormerAddress, SignIn
from registry.audit.models import Entry
from registry.immutability import erasure
from registry.teams.models import Invitation, Membership, Team, User

CLOSED = "Closed account"


@dataclass(frozen=True)
class Traces:
    """How a person was called, the address they have now and those before, and the teams they were in."""

    user: User
    teams: frozenset[int]
    addresses: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        return [name for name in (*self.addresses, self.user.name) if name]

    def told_in(self, path: str) -> Q:
        """Lines of a team's log in which `path` calls them by a name or an address."""
        by_address, by_name = Q(**{f"{path}__in": self.addresses}), Q(**{path: self.user.name})
        return by_address | by_name & Q(team__in=self.teams) if self.user.name else by_address


def traces_of(user: User) -> Traces:
    """To be asked before anything of `user` is taken away."""
    invitations = Invitation.objects.filter(Q(invited_by=user) | Q(accepted_by=user))
    places = (
        user.memberships.values_list("team", flat=True),
        Entry.objects.filter(by=user).order_by().values_list("team", flat=True).distinct(),
        invitations.order_by().values_list("team", flat=True).distinct(),
    )
    return Traces(user, frozenset(pk for teams in places for pk in teams), (user.email, *_former(user)))


def _former(user: User) -> list[str]:
    """Addresses they had before, and that nobody else has now."""
    mine = user.former_addresses.order_by("pk").values_list("email", flat=True)
    return list(mine.exclude(email__in=User.objects.values("email")))


def forget(traces: Traces) -> None:
    """Their name and address in logs and invitations, and whatever let them in."""
    user = traces.user
    EmailAddress.objects.filter(user=user).delete()
    Authenticator.objects.filter(user=user).delete()
    SignIn.objects.filter(user=user).delete()
    FormerAddress.objects.filter(user=user).delete()
    _forget_invitations(traces.addresses)
    about_them = Q(action__startswith="member-") | Q(action="ownership-transferred")
    with erasure(f"the account {user.pk} is closed"):
        Entry.objects.filter(by=user).update(by_name=CLOSED)
        Entry.objects.filter(about_them, traces.told_in("about")).update(about=CLOSED)
        for entry in Entry.objects.filter(traces.told_in("details__invited_by"), action="member-joined"):
            details = entry.details | {"invited_by": CLOSED}
            Entry.objects.filter(pk=entry.pk).update(details=details)
    for told in _told_in_admin(traces):
        told.object_repr = told.object_repr if _of(told, Team) else CLOSED
        told.change_message = ""
        told.save(update_fields=["object_repr", "change_message"])


def _forget_invitations(addresses: tuple[str, ...]) -> None:
    """Those that wait for an address: without it they would let in whoever holds the link."""
    waiting = Invitation.objects.filter(email__in=[each.lower() for each in addresses])
    waiting.filter(revoked_at=None).update(revoked_at=timezone.now(), email="")


def _told_in_admin(traces: Traces) -> Iterator[LogEntry]:
    """What the admin's own log says of their row, and what it says of others while it names them."""
    rows = LogEntry.objects.select_related("content_type")
    yield from rows.filter(content_type=_kind(User), object_id=str(traces.user.pk))
    teams = Team.objects.in_bulk(traces.teams)
    for told in rows.filter(content_type=_kind(Membership)):
        if any(_names_them(told.object_repr, name, traces, teams) for name in traces.names):
            yield told
    for told in rows.filter(content_type=_kind(Team), object_id__in=[str(pk) for pk in teams]):
        if any(name in told.get_change_message() for name in traces.names):
            yield told


def _names_them(text: str, name: str, traces: Traces, teams: dict[int, Team]) -> bool:
    """Whether `text` is how a membership of theirs was called."""
    if not text.startswith(f"{name} is "):
        return False
    return name in traces.addresses or text.endswith(tuple(f" of {team}" for team in teams.values()))


def _of(told: LogEntry, model: type[Model]) -> bool:
    return told.content_type_id == _kind(model).pk


def _kind(model: type[Model]) -> ContentType:
    return ContentType.objects.get_for_model(model)
