"""Who may see and do what: the one place that decides it, for any model with a team.

A *right* is what a route asks for. A stranger is answered 404 for what they may not see.
"""

from __future__ import annotations

from typing import Any, TypeVar

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ObjectDoesNotExist, PermissionDenied
from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from django.http import Http404

from registry.teams.models import ApiToken, Role, Scope, Team, User

Person = User | AnonymousUser
Row = TypeVar("Row", bound=Model)

RIGHTS: dict[str, Role] = {
    "see team results": Role.VIEWER,
    "start and cancel runs": Role.RUNNER,
    "publish probes": Role.AUTHOR,
    "manage endpoints": Role.OWNER,
    "use endpoints kept for owners": Role.OWNER,
    "manage members": Role.OWNER,
    "see the audit log": Role.OWNER,
    "rename the team": Role.OWNER,
    "hide and redact": Role.OWNER,
}
"""Each right and the least role that has it."""

SCOPES: dict[str, Scope] = {
    "see team results": Scope.READ,
    "start and cancel runs": Scope.RUN,
    "publish probes": Scope.AUTHOR,
}
"""The scope that a token needs for a right. A right that is not here is never had by a token."""

_RANK = {role: rank for rank, role in enumerate(Role)}


def roles_with(right: str) -> list[Role]:
    """The roles that hold `right`; KeyError for a right that is not declared."""
    least = _RANK[RIGHTS[right]]
    return [role for role in Role if _RANK[role] >= least]


def teams_where(person: Person, right: str) -> QuerySet[Team]:
    """The teams in which `person` holds `right`; of who came with a token, those it reaches."""
    if not isinstance(person, User):
        return Team.objects.none()
    teams = Team.objects.filter(memberships__user=person, memberships__role__in=roles_with(right))
    return _reached(teams, person.came_with, right) if person.came_with else teams


def _reached(teams: QuerySet[Team], token: ApiToken, right: str) -> QuerySet[Team]:
    if SCOPES.get(right) not in token.scopes:
        return teams.none()
    return teams.filter(pk=token.team_id) if token.team_id else teams


def allowed(person: Person, team: Team, right: str) -> bool:
    return teams_where(person, right).filter(pk=team.pk).exists()


def visible(person: Person, rows: QuerySet[Row], team: str = "team") -> QuerySet[Row]:
    """Those of `rows` that `person` may see: public ones, and those of their teams.

    `team` is the path from a row to its team (`run__batch__team`); a row's visibility stands
    beside its team. Rows without a visibility are seen by members only (`of_members`).
    """
    beside = team.removesuffix("team") + "visibility"
    return rows.filter(
        Q(**{beside: "public"}) | Q(**{f"{team}__in": teams_where(person, "see team results")})
    )


def unhidden(person: Person, rows: QuerySet[Row], team: str = "team") -> QuerySet[Row]:
    """Those of `rows` that are not hidden, and of the hidden ones those of the person's teams."""
    beside = team.removesuffix("team") + "hidden_at"
    return rows.filter(Q(**{beside: None}) | Q(**{f"{team}__in": teams_where(person, "see team results")}))


def of_members(person: Person, rows: QuerySet[Row], right: str, team: str = "team") -> QuerySet[Row]:
    """Those of `rows` whose team gives `person` the right."""
    return rows.filter(**{f"{team}__in": teams_where(person, right)})


def staff_teams(person: Person, right: str) -> QuerySet[Team]:
    """The teams in which a member of staff holds `right` in the admin: all of them for a superuser."""
    if not isinstance(person, User) or not person.is_staff:
        return Team.objects.none()
    return Team.objects.all() if person.is_superuser else teams_where(person, right)


def is_site_staff(person: Person) -> bool:
    """Whether `person` runs this site, and came by themselves: a token of theirs does not."""
    if not isinstance(person, User) or person.came_with:
        return False
    return person.is_active and person.is_staff and person.is_superuser


def staff_rows(person: Person, rows: QuerySet[Row], right: str, team: str = "team") -> QuerySet[Row]:
    """Those of `rows` that the admin shows to a member of staff for holding `right`.

    Asked of each row in turn: as a join, the newest fifty of a million would all be sorted first.
    """
    if isinstance(person, User) and person.is_staff and person.is_superuser:
        return rows
    return rows.filter(Exists(staff_teams(person, right).filter(pk=OuterRef(team))))


def get_or_404(rows: QuerySet[Row], **lookup: Any) -> Row:
    try:
        return rows.get(**lookup)
    except (ObjectDoesNotExist, ValueError):
        raise Http404 from None


def require(person: Person, team: Team, right: str) -> None:
    """403 for a member whose role lacks `right`; 404 for a stranger, who may not know of the team at all."""
    if allowed(person, team, right):
        return
    if allowed(person, team, "see team results"):
        raise PermissionDenied(f"Your role in {team.name} does not let you {right}.")
    raise Http404


def require_of_staff(person: Person, team: Team, right: str) -> None:
    """What `require` is, for the admin: 403 unless the person is staff and may do it for the team."""
    if not staff_teams(person, right).filter(pk=team.pk).exists():
        raise PermissionDenied(f"You may not {right} of {team.name} in the admin.")
