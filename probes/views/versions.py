"""A version's permanent page, the probe's page (its current version), and the form that runs it."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from probes.domain.start import StartRefused
from probes.domain.visible import visible_versions
from probes.models import ProbeVersion
from probes.views.run_form import RunForm
from probes.views.version_page import version_context
from registry.teams.access import Person
from registry.web import limits


@require_safe
def current_version(request: HttpRequest, team: str, slug: str) -> HttpResponse:
    """The probe's page: its current version, read from top to bottom."""
    found = visible_versions(request.user).filter(probe__team__slug=team, probe__slug=slug)
    newest = found.order_by("-number").first()
    if newest is None:
        raise Http404
    return version_page(request, newest)


@require_safe
def version(request: HttpRequest, team: str, slug: str, number: int) -> HttpResponse:
    """The permanent page of one version."""
    return version_page(request, version_or_404(request.user, team, slug, number))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_version(request: HttpRequest, team: str, slug: str, number: int) -> HttpResponse:
    """Start runs of a version; what was wrong is said at its field, and nothing typed is lost."""
    version = version_or_404(request.user, team, slug, number)
    if request.method != "POST":  # someone who had to sign in first comes back by GET
        return redirect(f"{version.get_absolute_url()}#run")
    form = RunForm.posted(request.user, version, request.POST)
    if wait := limits.seconds_to_wait(request):
        form.refuse({"": limits.too_many(wait)})
        answer = version_page(request, version, status=429, form=form)
        answer["Retry-After"] = str(wait)
        return answer
    try:
        batch = form.start()
    except StartRefused as refused:
        form.refuse(refused.problems)
        batch = None
    return redirect(batch) if batch else version_page(request, version, status=422, form=form)


def version_or_404(person: Person, team: str, slug: str, number: int) -> ProbeVersion:
    found = visible_versions(person).filter(probe__team__slug=team, probe__slug=slug, number=number)
    if (version := found.first()) is None:
        raise Http404
    return version


def version_page(
    request: HttpRequest, version: ProbeVersion, status: int = 200, **filled_in: Any
) -> HttpResponse:
    """The page of a version; `filled_in` is what was typed into it: a run `form`, or an output `tried`."""
    context = version_context(request, version) | filled_in
    if "form" not in context:
        context["form"] = RunForm.blank(request.user, version)
    return render(request, "probes/version.html", context, status=status)
