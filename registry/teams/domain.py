"""What is done with people and teams, one verb a function."""

from __future__ import annotations

from django.db import transaction
from django.urls import reverse
from django.utils.text import slugify

from registry.endpoints.practice import ensure_practice_endpoints
from registry.teams import signin
from registry.teams.models import Membership, Role, Team, User
from registry.web.address import site_address

ADMINISTRATOR = "admin@localhost"


def sign_in_link(user: User) -> str:
    """An address that signs `user` in once, within the hour. The code is in the part no server sees."""
    fresh = User.objects.get(pk=user.pk)
    return f"{site_address()}{reverse('sign-in')}#{signin.make_code(fresh)}"


@transaction.atomic
def ensure_administrator() -> User:
    """The first active superuser, made when there is none, with a team and its practice endpoints."""
    user = User.objects.filter(is_superuser=True, is_active=True).order_by("pk").first()
    if user is None:
        user = User.objects.create_superuser(ADMINISTRATOR, name="Administrator")
    ensure_personal_team(user)
    return user


@transaction.atomic
def ensure_personal_team(user: User) -> Team:
    """The first team that `user` owns, made when there is none; it can race at once on practice endpoints."""
    owned = (
        Membership.objects.filter(user=user, role=Role.OWNER).select_related("team").order_by("pk").first()
    )
    team = owned.team if owned else _found_team(user)
    ensure_practice_endpoints(team)
    return team


def _found_team(user: User) -> Team:
    name = str(user).partition("@")[0]
    team = Team.objects.create(slug=_free_slug(slugify(name)[:50] or "team"), name=name)
    Membership.objects.create(team=team, user=user, role=Role.OWNER)
    return team


def _free_slug(wanted: str) -> str:
    taken = set(Team.objects.filter(slug__startswith=wanted).values_list("slug", flat=True))
    numbered = (f"{wanted}-{number}" for number in range(2, len(taken) + 3))
    return next(slug for slug in (wanted, *numbered) if slug not in taken)
