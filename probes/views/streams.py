"""The stream of a batch: the same fragments the page is made of, as their rows change."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.http import HttpRequest, HttpResponseBase
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from probes.domain.results import cells_of
from probes.domain.runs import run_results
from probes.models import Batch
from probes.views.batches import batch_or_404, status_context
from registry.web.hub import Frame, Replayed, hub
from registry.web.streams import stream

KIND = "batch"


@require_safe
async def batch_stream(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    return await stream(request, KIND, str(pk), partial(batch_or_404, pk=pk))


def replay(key: str, after: int) -> Replayed:
    """One frame of all that changed beyond event `after`; every fragment replaces by its id.

    The batch is read first: what lands while the rest is read is shown now and once more later.
    """
    batch = Batch.objects.select_related("team").filter(pk=key).first()
    if batch is None or batch.hidden:  # who may see it was asked before it was hidden
        return Replayed([], done=True)
    frames = [Frame(batch.seq, _frame(batch, after))] if batch.seq > after else []
    return Replayed(frames, done=batch.finished_at is not None)


def _frame(batch: Batch, after: int) -> str:
    cells = cells_of(batch, after)
    changed = batch.runs.filter(pk__in={cell.trial.run_id for cell in cells})
    context = {
        **status_context(batch),
        "cells": cells,
        "results": run_results(changed),
        "places": batch.runs.select_related("endpoint"),
        "oob": True,
    }
    return render_to_string("probes/_frame.html", context)


hub.register(KIND, replay)
