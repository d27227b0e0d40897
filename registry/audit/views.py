"""A team's audit log, for its owners."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from registry.audit.domain import Page
from registry.audit.forms import LogForm
from registry.teams import access
from registry.teams.models import Team

SEE = "see the audit log"


@login_required
@require_safe
def audit_log(request: HttpRequest, team: str) -> HttpResponse:
    """Who did what, the newest first; `?action=`, `?person=`, `?since=` and `?until=` narrow it."""
    owner = access.get_or_404(Team.objects.all(), slug=team)
    access.require(request.user, owner, SEE)
    form = LogForm(request.GET, team=owner)
    valid = form.is_valid()
    context = {
        "team": owner,
        "form": form,
        "page": form.page(owner) if valid else Page([]),
        "narrowed": any(request.GET.get(name) for name in ("action", "person", "since", "until")),
    }
    return render(request, "audit/log.html", context, status=200 if valid else 422)
