"""What a race's stream sends: the fragments of its page that changed, each with its element id."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from ladder.domain.drawing import drawing
from ladder.domain.latest import visible_races
from ladder.domain.standing import Standing, race_standing
from ladder.models import Race
from registry.teams.access import Person, get_or_404
from registry.web.hub import Frame, Replayed
from registry.web.streams import stream

KIND = "race"


def replay(key: str, after: int) -> Replayed:
    """All that changed beyond event `after`, as one frame."""
    race = Race.objects.select_related("batch", "ladder").get(pk=UUID(key))
    if race.batch.hidden:  # who may see it was asked before it was hidden
        return Replayed([], done=True)
    standing = race_standing(race)
    frames = [Frame(standing.seq, changes(standing, after))] if standing.seq > after else []
    return Replayed(frames, done=not standing.running)


def changes(standing: Standing, after: int) -> str:
    changed = {(cell.rung.index, cell.letter) for cell in standing.cells if cell.seq > after}
    picture = drawing(standing)
    context = {
        "standing": standing,
        "drawing": picture,
        "cells": [cell for cell in standing.cells if (cell.rung.index, cell.letter) in changed],
        "parts": [part for part in picture.parts if (part.index, part.letter) in changed],
        "oob": True,
    }
    return render_to_string("ladder/_changes.html", context)


@require_safe
async def race_stream(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    return await stream(request, KIND, str(pk), partial(_check, pk=pk))


def _check(person: Person, pk: UUID) -> None:
    get_or_404(visible_races(person), pk=pk)
