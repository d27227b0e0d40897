"""How we count: every check kind, described by the code that decides the verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from probes.core.checks import Check
from probes.core.checks.base import KINDS
from probes.core.scoring import scored_with
from probes.core.view import MAX_CHARACTERS


@dataclass(frozen=True)
class Parameter:
    name: str
    required: bool
    default: str
    description: str


@dataclass(frozen=True)
class Kind:
    """One check kind as the page shows it."""

    name: str
    summary: str
    heuristic: bool
    parameters: tuple[Parameter, ...]


@require_safe
def how_we_count(request: HttpRequest) -> HttpResponse:
    kinds = [
        Kind(name, kind.summary, kind.estimates, tuple(_parameters(kind)))
        for name, kind in sorted(KINDS.items())
    ]
    context = {"kinds": kinds, "scored_with": scored_with(), "most": MAX_CHARACTERS}
    return render(request, "probes/docs.html", context)


def _kind(kind: type[Check]) -> Kind:
    return Kind(kind.name, kind.summary, kind.estimates, tuple(_parameters(kind)))


def _parameters(kind: type[Check]) -> Iterator[Parameter]:
    for name, field in kind.model_fields.items():
        if name != "kind":
            yield Parameter(name, field.is_required(), _shown(field.default), field.description or "")


def _shown(default: Any) -> str:
    """The default as a probe file would have it; empty for none."""
    if isinstance(default, bool):
        return str(default).lower()
    return str(default) if isinstance(default, str | int) else ""
