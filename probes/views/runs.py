"""A run: every trial of one model on one version, a page at a time."""

from __future__ import annotations

from uuid import UUID

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from probes.domain.results import PER_PAGE, cells
from probes.domain.runs import run_results
from probes.views.batches import batch_or_404
from registry.teams.access import get_or_404


@require_safe
def run(request: HttpRequest, pk: UUID, position: int) -> HttpResponse:
    batch = batch_or_404(request.user, pk)
    runs = batch.runs.select_related("version__probe__team", "endpoint")
    shown = get_or_404(runs, position=position)
    marks = cells(shown.trials.all())
    context = {
        "batch": batch,
        "result": run_results([shown])[0],
        "run": shown,
        "marks": marks,
        "page": Paginator(marks, PER_PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "probes/run.html", context)
