"""`ENDPOINT:MODEL`, as an operator writes it: which team's endpoint is meant, and which model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ladder.domain.start import Lane
from registry.endpoints.models import Endpoint
from registry.teams.models import Team

LIKE = "write ENDPOINT:MODEL, such as practice-a:steady"


class LaneError(ValueError):
    """Lanes that cannot be found; the message says which, and what there is."""


def find_lanes(texts: Mapping[str, str], team: str = "") -> tuple[Team, list[Lane]]:
    """The team and its lanes for these texts, by the names of what they were given for.

    An endpoint is meant by its slug or by its name. `team` is a slug; without it the one team is
    meant that has all these endpoints. Raises LaneError.
    """
    endpoints = _endpoints(team)
    found = {option: _candidates(text, endpoints) for option, text in texts.items()}
    for option, candidates in found.items():
        if not candidates:
            raise LaneError(f"{option}: {_unknown(texts[option], endpoints)}")
    shared = [
        each
        for each in dict.fromkeys(endpoint.team for endpoint in endpoints)
        if all(any(endpoint.team_id == each.pk for endpoint, _ in own) for own in found.values())
    ]
    if len(shared) != 1:
        slugs = " or ".join(f"--team {each.slug}" for each in shared)
        more = f"Several teams have these endpoints: add {slugs}."
        raise LaneError(
            more if shared else f"These endpoints belong to different teams: {_known(endpoints)}."
        )
    return shared[0], [_of(shared[0], candidates) for candidates in found.values()]


def _endpoints(team: str) -> list[Endpoint]:
    rows = (
        Endpoint.objects.filter(closed_at=None).select_related("team").order_by("team", "-practice", "slug")
    )
    if team and not Team.objects.filter(slug=team).exists():
        known = ", ".join(
            Team.objects.filter(endpoints__isnull=False).distinct().values_list("slug", flat=True)
        )
        raise LaneError(f"There is no team {team}: those with endpoints are {known or 'none'}.")
    found = list(rows.filter(team__slug=team) if team else rows)
    if not found:
        raise LaneError("There is no endpoint yet: add one on the page Endpoints.")
    return found


def _candidates(text: str, endpoints: Iterable[Endpoint]) -> list[Lane]:
    """Every way to read the text, that with the longest name first: a model may hold colons, too."""
    named = [(name, each) for each in endpoints for name in (each.slug, each.name)]
    fitting = [(name, each) for name, each in named if text.lower().startswith(f"{name.lower()}:")]
    fitting.sort(key=lambda pair: -len(pair[0]))
    read = [(endpoint, text[len(name) + 1 :].strip()) for name, endpoint in fitting]
    return [(endpoint, model) for endpoint, model in read if model]


def _of(team: Team, candidates: Sequence[Lane]) -> Lane:
    return next(lane for lane in candidates if lane[0].team_id == team.pk)


def _unknown(text: str, endpoints: Sequence[Endpoint]) -> str:
    named = {name.lower() for each in endpoints for name in (each.slug, each.name)}
    name, colon, _ = text.partition(":")
    if not colon or (name.lower() in named):
        return f"{text!r} names no model: {LIKE}."
    return f"there is no endpoint {name!r}: known are {_known(endpoints)}."


def _known(endpoints: Sequence[Endpoint]) -> str:
    """`practice-a (Practice A)`, with the team where there are several."""
    several = len({endpoint.team_id for endpoint in endpoints}) > 1
    return ", ".join(
        f"{each.slug} ({each.name}{f' of team {each.team.slug}' if several else ''})" for each in endpoints
    )
