"""The library as loading it leaves it; loaded once, and from then on put in place row by row."""

from __future__ import annotations

import copy
from typing import Any

from django.db.models import Field, Model

from ladder.domain import load_everything
from ladder.models import Ladder, Rung
from probes.domain.library import TEAM_SLUG
from probes.models import Fixture, Probe, ProbeVersion, Rubric, Rule
from registry.teams.models import Team

OWNED: dict[type[Model], str] = {
    Team: "slug",
    Probe: "team__slug",
    Rubric: "versions__probe__team__slug",
    Rule: "rubric__versions__probe__team__slug",
    ProbeVersion: "probe__team__slug",
    Fixture: "version__probe__team__slug",
    Ladder: "team__slug",
    Rung: "ladder__team__slug",
}
"""What loading writes, each after what it refers to, and how it leads to the team that owns it."""
FAR = 1_000_000
"""How far the keys are moved: what a test made before may have theirs."""

_loaded: list[tuple[type[Model], list[Model]]] = []


def put_library() -> None:
    """`load_everything`, in a sixth of its time."""
    if not _loaded:
        load_everything()
        _loaded.extend((model, _rows(model, way)) for model, way in OWNED.items())
        return
    for model, rows in _loaded:
        model._default_manager.bulk_create(copy.copy(row) for row in rows)


def _rows(model: type[Model], way: str) -> list[Model]:
    rows = list(model._default_manager.filter(**{way: TEAM_SLUG}).order_by("pk").distinct())
    for row in rows:
        for field in model._meta.concrete_fields:
            _move(row, field)
    return rows


def _move(row: Model, field: Field[Any, Any]) -> None:
    key = getattr(row, field.attname)
    if isinstance(key, int) and (field.primary_key or field.related_model in OWNED):
        setattr(row, field.attname, key + FAR)
