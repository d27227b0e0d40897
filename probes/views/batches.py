"""A batch: what one person started at once, its verdicts as they land, and what was really sent."""

from __future__ import annotations

import uuid
from itertools import groupby
from typing import Any, cast
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from probes.domain.cancel import cancel_batch
from probes.domain.costs import costs_of, together
from probes.domain.moderate import hidden_by_staff, may_hide
from probes.domain.results import SHOWN, cells_of, tallies
from probes.domain.runs import messages_sent, run_results
from probes.domain.start import RunRequest, StartRefused, start_batch
from probes.domain.visible import visible_batches
from probes.models import Batch
from registry.teams import access
from registry.teams.access import Person
from registry.teams.models import User
from registry.web import errors, limits

START = "start and cancel runs"
SEE = "see team results"


@require_safe
def batch(request: HttpRequest, pk: UUID) -> HttpResponse:
    batch = batch_or_404(request.user, pk)
    return render(request, "probes/batch.html", batch_context(request, batch))


@login_required
@require_POST
def cancel(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Stop what has not been called yet; what is in flight may still arrive, and be billed."""
    batch = _mine(request, pk)
    cancel_batch(batch, by=cast("User", request.user))
    return redirect(batch)


@login_required
@require_POST
def again(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Start the same runs once more, as a batch of its own."""
    batch = _mine(request, pk)
    if wait := limits.seconds_to_wait(request):
        return errors.too_many(request, limits.too_many(wait), wait, batch.get_absolute_url())
    try:
        new = _start_again(request, batch)
    except StartRefused as refused:
        for said in dict.fromkeys(refused.problems.values()):
            messages.error(request, f"Nothing was started. {said}")
        return redirect(batch)
    return redirect(new)


def batch_or_404(person: Person, pk: UUID) -> Batch:
    return access.get_or_404(visible_batches(person), pk=pk)


def batch_context(request: HttpRequest, batch: Batch) -> dict[str, Any]:
    """`batch` was read before the cells are: the stream then begins early rather than late."""
    cells = cells_of(batch)
    results = {
        result.run.pk: result
        for result in run_results(batch.runs.select_related("version__probe__team", "endpoint"))
    }
    grouped = [(results[run], list(own)) for run, own in groupby(cells, key=lambda cell: cell.trial.run_id)]
    return {
        **status_context(batch),
        **cost_context(request.user, batch),
        "runs": grouped,
        "shown": SHOWN,
        "alone": len(cells) == 1,
        "hidden_by_staff": batch.hidden and hidden_by_staff(batch),
        "may_moderate": may_hide(request.user, batch),
        "may_run": access.allowed(request.user, batch.team, START),
        "key": str(uuid.uuid4()),
    }


def cost_context(person: Person, batch: Batch) -> dict[str, Any]:
    """What it took, for members: what a team pays is told to nobody else, and so in no stream."""
    if not access.allowed(person, batch.team, SEE):
        return {}
    costs = costs_of(batch)
    return {"costs": costs, "together": together(costs), "running": batch.finished_at is None}


def status_context(batch: Batch) -> dict[str, Any]:
    """What the page and every frame say of the batch as a whole."""
    return {"batch": batch, "tally": tallies([batch])[batch.pk], "sent": messages_sent(batch)}


def _mine(request: HttpRequest, pk: UUID) -> Batch:
    """The batch, for a member who may start and cancel; 404 for a stranger, 403 for a viewer."""
    batch = batch_or_404(request.user, pk)
    access.require(request.user, batch.team, START)
    return batch


def _start_again(request: HttpRequest, batch: Batch) -> Batch:
    runs = batch.runs.select_related("version__probe__team", "endpoint").order_by("position")
    return start_batch(
        team=batch.team,
        by=cast("User", request.user),
        runs=[RunRequest(run.version, run.endpoint, run.model, run.binding, run.repeats) for run in runs],
        title=batch.title,
        visibility=batch.visibility,
        idempotency_key=request.POST.get("key", "")[:100] or None,
    )
