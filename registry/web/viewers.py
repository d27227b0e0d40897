"""Who may go on watching: asked of all viewers together, so that it can be asked often.

Three queries tell who signed out, changed the password, was shut out or left a team, however many
watch. Only whom that concerns is asked about in full at once; the others now and then, since what
they watch may have changed as well.
"""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.models import Session
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.utils import timezone

from registry.teams.access import Person
from registry.teams.models import Membership, User

logger = logging.getLogger(__name__)

SURE_FOR = 15.0
"""Seconds for which an answer stands about whom nothing changed."""

Check = Callable[[Person], object]
"""Raises Http404 or PermissionDenied for who may not see the topic."""


@dataclass(frozen=True)
class Visit:
    """As whom a request came: nobody, or an account by a session that is open while its password stands."""

    account: int | None = None
    session: str | None = None
    bound: str = ""

    @classmethod
    def of(cls, request: HttpRequest) -> Visit:
        user = request.user
        if not isinstance(user, User):
            return cls()
        session = getattr(request, "session", None)
        return cls(user.pk, session.session_key if session else None, user.get_session_auth_hash())


@dataclass(frozen=True)
class StillMay:
    """One visit and one topic: all its windows, and all visitors, are answered at once."""

    kind: str
    key: str
    visit: Visit
    person: Person = field(compare=False)
    check: Check = field(compare=False)

    def __call__(self) -> bool:
        return Doorkeeper()([self])[self]


@dataclass(frozen=True)
class Standing:
    """What the rights of a visit depend on; the default is a visitor's."""

    account: int | None = None
    site: tuple[bool, bool] = (False, False)
    roles: frozenset[tuple[int, str]] = frozenset()


class Doorkeeper:
    """Remembers of those who were asked about last how they stood, and when they were asked about in full."""

    def __init__(self) -> None:
        self._known: dict[StillMay, tuple[Standing, float]] = {}

    def __call__(self, asked: Collection[StillMay]) -> dict[StillMay, bool]:
        """Whether each may still see its topic, as a request by the same browser now might."""
        standings = _standings({may.visit for may in asked})
        known, now = self._known, time.monotonic()
        self._known = {}
        answers = {}
        for may in asked:
            standing = standings[may.visit]
            before, at = known.get(may, (None, 0.0))
            sure = standing == before and now - at < SURE_FOR
            answers[may] = sure or _let_in(may, standing)
            self._known[may] = (standing, at if sure else now)
        return answers


def _let_in(may: StillMay, standing: Standing) -> bool:
    person = may.person if standing.account else AnonymousUser()
    try:
        may.check(person)
    except (Http404, PermissionDenied):
        return False
    except Exception:
        logger.exception("Whether a viewer may still watch could not be told; the others are asked.")
    return True


def _standings(visits: Collection[Visit]) -> dict[Visit, Standing]:
    """How each visit stands now; one that is over stands as a visitor's."""
    accounts = {visit.account for visit in visits if visit.account}
    if not accounts:
        return dict.fromkeys(visits, Standing())
    users = User.objects.filter(pk__in=accounts, is_active=True)
    people = {user.pk: user for user in users.only("password", "sessions_ended", "is_staff", "is_superuser")}
    named = {visit.session for visit in visits if visit.session}
    rows = Session.objects.filter(pk__in=named, expire_date__gt=timezone.now())
    sessions = {None, *rows.values_list("pk", flat=True)}
    roles: dict[int, set[tuple[int, str]]] = defaultdict(set)
    for account, team, role in Membership.objects.filter(user__in=people).values_list("user", "team", "role"):
        roles[account].add((team, role))

    def standing(visit: Visit) -> Standing:
        user = people.get(visit.account) if visit.account else None
        if user is None or visit.session not in sessions or user.get_session_auth_hash() != visit.bound:
            return Standing()
        return Standing(user.pk, (user.is_staff, user.is_superuser), frozenset(roles[user.pk]))

    return {visit: standing(visit) for visit in visits}
