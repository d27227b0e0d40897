"""Note what was done, and look it up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from django.db import connection
from django.db.models import Q, QuerySet

from registry.api.pagination import Cursor, Order
from registry.audit.actions import ACTIONS
from registry.audit.models import Entry
from registry.teams.models import Team, User

ORDER = Order(("-at", "-id"))
A_PAGE = 50
OPERATOR = "operator"
"""Stands for nobody's id where a person is asked for."""
SITE_STAFF = "site staff"
"""What whoever runs the site is called in the log of a team that is not theirs."""
WITH_TOKEN = "with the token"  # noqa: S105 - the name of a detail
LONGEST = 300
MOST_LISTED = 50
_SECRET = frozenset({"key", "secret", "password", "token", "cipher", "digest", "code"})

Detail = str | int | bool | None | list[str]


def record(
    team: Team,
    by: User | None,
    action: str,
    about: object,
    *,
    whom: User | None = None,
    as_staff: bool = False,
    **details: Detail,
) -> Entry:
    """Add a line to the team's log, in the transaction of what is done: neither stands without the other.

    `about` and `details` are shown to owners as they are: names and plain words, never a secret.
    `by` None is the operator; `as_staff` names no person; `whom` is who is named although `about` is
    no person. Raises ValueError for an unknown action and for
    a detail that no log may hold.
    """
    if action not in ACTIONS:
        raise ValueError(f"{action} is no action of the audit log.")
    if refused := sorted(_SECRET & details.keys()):
        raise ValueError(f"An audit log holds no {refused[0]}.")
    if not connection.in_atomic_block:
        raise ValueError("What is noted is noted in the transaction that does it.")
    if by and by.came_with:
        details[WITH_TOKEN] = by.came_with.name
    return Entry.objects.create(
        team=team,
        by=by,
        whom=about if isinstance(about, User) else whom,
        by_name=SITE_STAFF if as_staff else str(by)[:LONGEST] if by else "",
        action=action,
        about=str(about)[:LONGEST],
        details=_bounded(details),
    )


def _bounded(details: Mapping[str, Detail]) -> dict[str, Detail]:
    return {name: _cut(value) for name, value in details.items() if value not in (None, "", [])}


def _cut(value: Detail) -> Detail:
    if isinstance(value, list):
        return [item[:LONGEST] for item in value[:MOST_LISTED]]
    return value[:LONGEST] if isinstance(value, str) else value


@dataclass(frozen=True)
class Wanted:
    """Which lines of a log: of one action, of one person (an id, or OPERATOR), of days in UTC."""

    action: str = ""
    person: str = ""
    since: date | None = None
    until: date | None = None

    def condition(self) -> Q:
        found = Q()
        if self.action:
            found &= Q(action=self.action)
        if self.person:
            found &= Q(by=None) if self.person == OPERATOR else Q(by=int(self.person))
        if self.since:
            found &= Q(at__gte=datetime.combine(self.since, time.min, UTC))
        if self.until:
            found &= Q(at__lte=datetime.combine(self.until, time.max, UTC))
        return found


@dataclass(frozen=True)
class Page:
    """Some lines of a log, the newest first, and the cursors of the pages beside it; "" for none."""

    entries: list[Entry]
    newer: str = ""
    older: str = ""


def page_of(team: Team, wanted: Wanted, cursor: Cursor | None) -> Page:
    """The page that begins beyond `cursor`; the newest without one."""
    backwards = bool(cursor and cursor.backwards)
    rows = ORDER.sort(_log(team).filter(wanted.condition()), backwards=backwards)
    if cursor:
        rows = rows.filter(ORDER.beyond(cursor))
    found = list(rows[: A_PAGE + 1])
    more, entries = len(found) > A_PAGE, found[:A_PAGE]
    if backwards:
        entries.reverse()
    if not entries:
        return Page([])
    newer = more if backwards else cursor is not None
    older = backwards or more
    return Page(
        entries,
        ORDER.cursor(entries[0], backwards=True).encoded() if newer else "",
        ORDER.cursor(entries[-1], backwards=False).encoded() if older else "",
    )


def people(team: Team) -> list[tuple[str, str]]:
    """Whoever did something in the team: what asks for them, and their name."""
    rows = _log(team).order_by("by_name").values_list("by", "by_name").distinct()
    named = {str(pk or OPERATOR): name or "the operator" for pk, name in rows}
    return list(named.items())


def _log(team: Team) -> QuerySet[Entry]:
    return Entry.objects.filter(team=team)
