"""The list of published probes."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.db.models import Count, Max, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from probes.domain.runs import counts_as_result
from probes.domain.visible import visible_probes
from probes.models import Probe, Run

PER_PAGE = 50


@require_safe
def probe_list(request: HttpRequest) -> HttpResponse:
    """Every published probe the reader may see, by category; `?category=` keeps one."""
    published = visible_probes(request.user).filter(versions__isnull=False)
    wanted = request.GET.get("category", "")
    shown = published.filter(category=wanted) if wanted else published
    context = {
        "page": Paginator(_with_counts(shown), PER_PAGE).get_page(request.GET.get("page")),
        "categories": published.order_by("category")
        .values_list("category")
        .annotate(n=Count("pk", distinct=True)),
        "wanted": wanted,
    }
    return render(request, "probes/list.html", context)


def _with_counts(probes: QuerySet[Probe]) -> QuerySet[Probe]:
    """Each probe with `current`, its newest version's number, and `results`, its public runs."""
    runs = Run.objects.filter(counts_as_result(), version__probe=OuterRef("pk")).order_by()
    count = Subquery(runs.values("version__probe").annotate(n=Count("pk")).values("n"))
    return probes.annotate(current=Max("versions__number"), results=count).order_by("category", "title", "pk")
