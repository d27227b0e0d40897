"""Pick a model: an endpoint of a team of mine, and a slug there. Used by every form that starts runs.

A form shows `endpoints/_model_picker.html` with one Picker as `picker`; the fields it posts are
`<prefix>endpoint` (the endpoint's id) and `<prefix>model`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby

from django.db.models import QuerySet

from registry.endpoints.models import Endpoint
from registry.teams import access
from registry.teams.access import Person
from registry.teams.models import Team

START = "start and cancel runs"
KEPT = "use endpoints kept for owners"
SHOWN = 12
"""How many models are named beside the field; its list of suggestions holds all."""


def usable(person: Person) -> QuerySet[Endpoint]:
    """The endpoints of every team in which `person` may start runs; those kept for owners, of their own."""
    rows = Endpoint.objects.filter(closed_at=None).select_related("team")
    for_all = access.of_members(person, rows.filter(owners_only=False), START)
    kept = access.of_members(person, rows.filter(owners_only=True), KEPT)
    return (for_all | kept).order_by("team__slug", "practice", "slug")


def may_use(person: Person, endpoint: Endpoint) -> bool:
    return access.allowed(person, endpoint.team, KEPT if endpoint.owners_only else START)


@dataclass
class Picker:
    """One pair of fields: what can be chosen, what is chosen, and what is wrong with it."""

    endpoints: list[Endpoint]
    prefix: str = ""
    label: str = "Model"
    endpoint: Endpoint | None = None
    model: str = ""
    errors: dict[str, str] = field(default_factory=dict)

    @property
    def endpoint_field(self) -> str:
        return f"{self.prefix}endpoint"

    @property
    def model_field(self) -> str:
        return f"{self.prefix}model"

    @property
    def groups(self) -> list[tuple[Team, list[Endpoint]]]:
        """The endpoints by team."""
        return [(team, list(own)) for team, own in groupby(self.endpoints, lambda endpoint: endpoint.team)]

    @property
    def offered(self) -> list[str]:
        return list(self.endpoint.models_offered) if self.endpoint else []

    @property
    def shown(self) -> list[str]:
        return self.offered[:SHOWN]

    @property
    def more(self) -> int:
        return len(self.offered) - len(self.shown)

    @property
    def chosen(self) -> tuple[Endpoint, str] | None:
        """Endpoint and model, once both are there."""
        return (self.endpoint, self.model) if self.endpoint and self.model else None


def picker(
    endpoints: list[Endpoint], prefix: str = "", label: str = "Model", endpoint_id: int = 0, model: str = ""
) -> Picker:
    """A picker with that endpoint and model chosen; one that is not among `endpoints` is left out."""
    chosen = next((one for one in endpoints if one.pk == endpoint_id), None)
    return Picker(endpoints, prefix, label, chosen, model if chosen else "")


def suggested(endpoints: list[Endpoint], prefix: str = "", label: str = "Model", place: int = 0) -> Picker:
    """A picker that starts out with something to run: the `place`th endpoint and model of what is there.

    Of one team, and of endpoints whose models are known; practice only where there is nothing else.
    """
    own = [one for one in endpoints if one.team_id == endpoints[0].team_id and not one.paused_at]
    known = [one for one in own if one.models_offered] or own
    pool = [one for one in known if not one.practice] or known
    if not pool:
        return Picker(endpoints, prefix, label)
    endpoint = pool[min(place, len(pool) - 1)]
    models = endpoint.models_offered
    return Picker(endpoints, prefix, label, endpoint, models[min(place, len(models) - 1)] if models else "")


def posted(
    endpoints: list[Endpoint], data: Mapping[str, str], prefix: str = "", label: str = "Model"
) -> Picker:
    """What a person chose; `errors` name what is missing, by field: `endpoint`, `model`."""
    chosen = data.get(f"{prefix}endpoint", "")
    model = data.get(f"{prefix}model", "").strip()
    endpoint = next((one for one in endpoints if str(one.pk) == chosen), None)
    made = Picker(endpoints, prefix, label, endpoint, model)
    if endpoint is None:
        made.errors["endpoint"] = "Choose an endpoint of a team in which you may start runs."
    elif not model:
        made.errors["model"] = f"Write the model to call at {endpoint.name}."
    return made
