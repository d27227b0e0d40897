"""Home, the ladders and the results: what anybody may read."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from ladder.domain.drawing import bare
from ladder.domain.latest import (
    current_ladders,
    latest_probes,
    latest_races,
    results,
    rungs_of,
    visible_races,
)
from ladder.forms import RaceForm, empty_form
from ladder.models import Ladder, Race, Rung
from probes.domain.visible import visible_batches
from probes.views.check_words import CheckWords, check_words
from registry.teams.access import get_or_404

LATEST = 6
A_PAGE = 20


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    ladder = current_ladders().first()
    rungs = rungs_of(ladder) if ladder else []
    context = {
        "ladder": ladder,
        "rungs": rungs,
        "drawing": bare(rungs),
        "probes": latest_probes(request.user, LATEST, without=rungs),
        "races": latest_races(request.user, LATEST),
    }
    return render(request, "ladder/home.html", context)


@require_safe
def ladders(request: HttpRequest) -> HttpResponse:
    shown = [(ladder, rungs := rungs_of(ladder), bare(rungs)) for ladder in current_ladders()]
    return render(request, "ladder/ladders.html", {"shown": shown})


@require_safe
def ladder(request: HttpRequest, team: str, slug: str) -> HttpResponse:
    """The newest edition; `?again=<race>` fills in the form as that race was started."""
    shown = ladder_or_404(team, slug)
    form = empty_form(request.user, _again(request))
    return render(request, "ladder/ladder.html", ladder_context(request, shown, form))


def ladder_or_404(team: str, slug: str) -> Ladder:
    return get_or_404(current_ladders(), team__slug=team, slug=slug)


def ladder_context(request: HttpRequest, shown: Ladder, form: RaceForm) -> dict[str, Any]:
    rungs = rungs_of(shown)
    return {
        "ladder": shown,
        "rungs": [(rung, check_rows(rung)) for rung in rungs],
        "drawing": bare(rungs),
        "form": form,
        "races": latest_races(request.user, LATEST, shown),
    }


def check_rows(rung: Rung) -> list[CheckWords]:
    """Each rule of a rung's rubric, in words."""
    return [check_words(rule.check) for rule in rung.version.parsed.rubric.rules]


def _again(request: HttpRequest) -> Race | None:
    wanted = request.GET.get("again")
    if wanted is None:
        return None
    try:
        pk = UUID(wanted)
    except ValueError:
        raise Http404 from None
    return get_or_404(visible_races(request.user).prefetch_related("climbs"), pk=pk)


@require_safe
def results_page(request: HttpRequest) -> HttpResponse:
    page = Paginator(visible_batches(request.user).order_by("-created_at", "-pk"), A_PAGE).get_page(
        request.GET.get("page")
    )
    context = {"page": page, "results": results(list(page.object_list))}
    return render(request, "ladder/results.html", context)
