"""What is told of a person all over the site, and how it is forgotten when their account closes.

Logs of teams say by a column whom they name. What the admin's own log says is text: by an address a
person is known everywhere in it; by a name only where they have been, since others may have the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.admin.models import LogEntry
from django.contrib.auth import SESSION_KEY
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.db.models import Model, Q, QuerySet
from django.utils import timezone

from registry.accounts.models import FormerAddress, SignIn
from registry.audit.domain import WITH_TOKEN
from registry.audit.models import Entry
from registry.immutability import erasure
from registry.teams.models import Invitation, Membership, Team, User

CLOSED = "Closed account"
CLOSED_TOKEN = "token of a closed account"  # noqa: S105 - words of a log


@dataclass(frozen=True)
class Traces:
    """How a person was called, the address they have now and those before, and the teams they were in."""

    user: User
    teams: frozenset[int]
    addresses: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        return [name for name in (*self.addresses, self.user.name) if name]


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
    _forget_sessions(traces)
    user.tokens.update(name=CLOSED_TOKEN)
    Team.objects.filter(pk__in=traces.teams, name=user.name).exclude(name="").update(name=team_of(user))
    with erasure(f"the account {user.pk} is closed"):
        _forget_in_logs(traces)
    for told in _told_in_admin(traces):
        kept = _of(told, Team) and told.object_repr not in traces.names
        told.object_repr = told.object_repr if kept else CLOSED
        told.change_message = ""
        told.save(update_fields=["object_repr", "change_message"])


def team_of(user: User) -> str:
    """What a team is called that was called as they were."""
    return f"Team of a closed account ({user.pk})"


def _forget_in_logs(traces: Traces) -> None:
    user = traces.user
    Entry.objects.filter(by=user).update(by_name=CLOSED)
    told, by_token = Entry.objects.filter(whom=user), Q(action__startswith="token-")
    told.filter(by_token).update(about=CLOSED_TOKEN)
    told.exclude(by_token).exclude(action="member-joined").update(about=CLOSED)
    _reword(told.filter(action="member-joined"), "invited_by", CLOSED)
    _reword(Entry.objects.filter(by=user, details__has_key=WITH_TOKEN), WITH_TOKEN, CLOSED_TOKEN)
    renamed = Entry.objects.filter(team__in=traces.teams, action="team-renamed")
    renamed.filter(about__in=traces.names).update(about=CLOSED)
    _reword(renamed.filter(details__before__in=traces.names), "before", CLOSED)


def _reword(entries: QuerySet[Entry], name: str, words: str) -> None:
    """Say `words` for the detail `name`."""
    changed = list(entries)
    for entry in changed:
        entry.details |= {name: words}
    Entry.objects.bulk_update(changed, ["details"], batch_size=500)


def _forget_sessions(traces: Traces) -> None:
    """Of every browser: those that are signed in, and those that got as far as naming the address."""
    mine, addresses = str(traces.user.pk), {each.lower() for each in traces.addresses}
    theirs = []
    for row in Session.objects.iterator(chunk_size=500):
        held = row.get_decoded()
        if held.get(SESSION_KEY) == mine or addresses & set(_texts(held)):
            theirs.append(row.pk)
    Session.objects.filter(pk__in=theirs).delete()


def _texts(data: Any) -> Iterator[str]:
    """Every text in a session, in small letters."""
    if isinstance(data, str):
        yield data.lower()
    elif isinstance(data, (list, dict)):
        for each in data.values() if isinstance(data, dict) else data:
            yield from _texts(each)


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
        texts = (told.object_repr, told.get_change_message())
        if any(name in text for name in traces.names for text in texts):
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
