"""A version's permanent page, the probe's page (its current version), and the form that runs it."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from probes.domain.start import StartRefused
from probes.domain.visible import visible_versions
from probes.models import ProbeVersion
from probes.views.run_form import RunForm
from probes.views.version_page import version_context


@require_safe
def current_version(request: HttpRequest, team: str, slug: str) -> HttpResponse:
    """The probe's page: its current version, read from top to bottom."""
    found = visible_versions(request.user).filter(probe__team__slug=team, probe__slug=slug)
    newest = found.order_by("-number").first()
    if newest is None:
        raise Http404
    return _page(request, newest)


@require_safe
def version(request: HttpRequest, team: str, slug: str, number: int) -> HttpResponse:
    """The permanent page of one version."""
    return _page(request, _version(request, team, slug, number))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_version(request: HttpRequest, team: str, slug: str, number: int) -> HttpResponse:
    """Start runs of a version; what was wrong is said at its field, and nothing typed is lost."""
    version = _version(request, team, slug, number)
    if request.method != "POST":  # someone who had to sign in first comes back by GET
        return redirect(f"{version.get_absolute_url()}#run")
    form = RunForm.posted(request.user, version, request.POST)
    try:
        batch = form.start()
    except StartRefused as refused:
        form.refuse(refused.problems)
        batch = None
    return redirect(batch) if batch else _page(request, version, form, status=422)


def _version(request: HttpRequest, team: str, slug: str, number: int) -> ProbeVersion:
    found = visible_versions(request.user).filter(probe__team__slug=team, probe__slug=slug, number=number)
    if (version := found.first()) is None:
        raise Http404
    return version


def _page(
    request: HttpRequest, version: ProbeVersion, form: RunForm | None = None, status: int = 200
) -> HttpResponse:
    context = version_context(request, version)
    context["form"] = form or RunForm.blank(request.user, version)
    return render(request, "probes/version.html", context, status=status)
