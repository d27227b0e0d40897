"""The slug an endpoint is addressed by: made once from its name, and kept when it is renamed."""

from __future__ import annotations

from django.utils.text import slugify

from registry.endpoints.models import Endpoint
from registry.teams.models import Team

_LONGEST = 50
_TAKEN_BY_ROUTES = frozenset({"new"})


def free_slug(team: Team, name: str) -> str:
    """A slug for `name` that no endpoint of the team has; `endpoint` where the name has no ASCII letters."""
    wanted = slugify(name)[:_LONGEST].strip("-") or "endpoint"
    taken = {*Endpoint.objects.filter(team=team).values_list("slug", flat=True), *_TAKEN_BY_ROUTES}
    number = 1
    while (slug := wanted if number == 1 else f"{wanted}-{number}") in taken:
        number += 1
    return slug
