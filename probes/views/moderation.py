"""What may be taken from sight: hide a batch, show it again, redact an output. Each has a reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from probes.domain.moderate import (
    RIGHT,
    ModerationRefused,
    hide_batch,
    may_hide,
    redact_attempt,
    redactable,
    unhide_batch,
)
from probes.domain.visible import visible_batches
from probes.models import Attempt, Batch
from probes.views.batches import batch_or_404
from registry.teams import access
from registry.teams.models import User

PER_PAGE = 50


@login_required
@require_safe
def moderate(request: HttpRequest, pk: UUID) -> HttpResponse:
    """What can be done, and what was done, with why."""
    return _page(request, _moderated(request, pk))


@login_required
@require_POST
def hide(request: HttpRequest, pk: UUID) -> HttpResponse:
    return _changed(request, pk, hide_batch, "Hidden: only members of the team see it from now on.")


@login_required
@require_POST
def unhide(request: HttpRequest, pk: UUID) -> HttpResponse:
    return _changed(request, pk, unhide_batch, "Shown again, to those it was meant for when it was started.")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def redact(request: HttpRequest, pk: UUID, attempt: int) -> HttpResponse:
    """The text that would be erased, and the form that erases it for good."""
    batch = _owned(request, pk)
    rows = redactable(batch).select_related("batch__team", "trial__run__version__probe__team")
    found = access.get_or_404(rows, pk=attempt)
    if request.method == "POST":
        try:
            copies = redact_attempt(found, cast("User", request.user), request.POST.get("reason", ""))
        except ModerationRefused as refused:
            return _redact_page(request, found, str(refused), 422)
        messages.success(request, _redacted(copies))
        return redirect("batch-moderate", batch.pk)
    return _redact_page(request, found)


def _redacted(copies: int) -> str:
    too = f", and so {'is its copy' if copies == 1 else f'are its {copies} copies'}" if copies else ""
    return f"Redacted: the text is gone{too}. Verdicts stand as they were scored."


def _redact_page(
    request: HttpRequest, attempt: Attempt, problem: str = "", status: int = 200
) -> HttpResponse:
    context = {"attempt": attempt, "batch": attempt.batch, "problem": problem, **_typed(request)}
    return render(request, "probes/redact.html", context, status=status)


def _changed(
    request: HttpRequest, pk: UUID, change: Callable[[Batch, User, str], None], done: str
) -> HttpResponse:
    batch = _moderated(request, pk)
    try:
        change(batch, cast("User", request.user), request.POST.get("reason", ""))
    except ModerationRefused as refused:
        return _page(request, batch, problem=str(refused), status=422)
    messages.success(request, done)
    return redirect("batch-moderate", batch.pk)


def _page(request: HttpRequest, batch: Batch, problem: str = "", status: int = 200) -> HttpResponse:
    rows = redactable(batch).select_related("trial__run__version__probe__team")
    owner = access.allowed(request.user, batch.team, RIGHT)
    context = {
        "batch": batch,
        "seen": visible_batches(request.user).filter(pk=batch.pk).exists(),
        "may_redact": owner,
        "as_staff": not owner,
        "page": Paginator(rows, PER_PAGE).get_page(request.GET.get("page")),
        "done": batch.moderations.select_related("by", "attempt__trial__run"),
        "problem": problem,
        **_typed(request),
    }
    return render(request, "probes/moderate.html", context, status=status)


def _typed(request: HttpRequest) -> dict[str, Any]:
    return {"reason": request.POST.get("reason", "")}


def _moderated(request: HttpRequest, pk: UUID) -> Batch:
    """The batch, for who may hide it: site staff do not see what they hid, but may show it again."""
    batch = visible_batches(request.user).filter(pk=pk).first()
    if batch is None and access.is_site_staff(request.user):
        batch = Batch.objects.select_related("team").filter(pk=pk).exclude(hidden_at=None).first()
    return batch if batch and may_hide(request.user, batch) else _owned(request, pk)


def _owned(request: HttpRequest, pk: UUID) -> Batch:
    """The batch, for an owner of its team; 404 for a stranger, 403 for other members."""
    batch = batch_or_404(request.user, pk)
    access.require(request.user, batch.team, RIGHT)
    return batch
