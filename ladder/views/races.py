"""A race: start it, watch it, cancel it, run it again."""

from __future__ import annotations

from typing import cast
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from ladder.domain.drawing import drawing
from ladder.domain.latest import visible_races
from ladder.domain.standing import race_standing
from ladder.domain.start import start_race
from ladder.forms import RaceForm, posted_form
from ladder.models import Ladder, Race
from ladder.views.pages import ladder_context, ladder_or_404
from probes.domain.cancel import cancel_batch
from probes.domain.moderate import hidden_by_staff, may_hide
from probes.domain.start import StartRefused, key_of
from probes.views.batches import cost_context
from registry.teams import access
from registry.teams.access import get_or_404
from registry.teams.models import User
from registry.web import limits

START = "start and cancel runs"


@require_http_methods(["GET", "HEAD", "POST"])
def race_new(request: HttpRequest, team: str, slug: str) -> HttpResponse:
    """Start a race from the form on the ladder's page; what is wrong is said at its field."""
    ladder = ladder_or_404(team, slug)
    if request.method != "POST":  # a refused form leaves this address behind, to be asked for again
        return redirect(f"{ladder.get_absolute_url()}#race")
    if not request.user.is_authenticated:
        return redirect(f"{reverse('sign-in')}?next={ladder.get_absolute_url()}")
    form = posted_form(request.user, request.POST.dict())
    if wait := limits.seconds_to_wait(request):
        form.fields.add_error(None, limits.too_many(wait))
        answer = render(request, "ladder/ladder.html", ladder_context(request, ladder, form), status=429)
        answer["Retry-After"] = str(wait)
        return answer
    race = _started(request, ladder, form)
    if race:
        return redirect(race)
    return render(request, "ladder/ladder.html", ladder_context(request, ladder, form), status=422)


def _started(request: HttpRequest, ladder: Ladder, form: RaceForm) -> Race | None:
    if not form.ready:
        form.check_concept()
        return None
    given = form.fields.cleaned_data
    concept = given["concept"] or ""
    lanes = [(endpoint.pk, model) for endpoint, model in form.lanes]
    asked = (ladder.pk, concept, lanes, given["repeats"], given["visibility"])
    try:
        return start_race(
            team=form.lanes[0][0].team,
            by=request.user if request.user.is_authenticated else None,
            ladder=ladder,
            concept=concept,
            lanes=form.lanes,
            repeats=given["repeats"],
            visibility=given["visibility"],
            idempotency_key=key_of(given["key"] or "", *asked),
        )
    except StartRefused as refused:
        form.add(refused)
        return None


@require_safe
def race(request: HttpRequest, pk: UUID) -> HttpResponse:
    shown = get_or_404(visible_races(request.user), pk=pk)
    standing = race_standing(shown)
    context = {
        **cost_context(request.user, shown.batch),
        "race": shown,
        "standing": standing,
        "drawing": drawing(standing),
        "hidden_by_staff": shown.batch.hidden and hidden_by_staff(shown.batch),
        "may_moderate": may_hide(request.user, shown.batch),
        "may_run": access.allowed(request.user, shown.batch.team, START),
    }
    return render(request, "ladder/race.html", context)


@login_required
@require_POST
def race_cancel(request: HttpRequest, pk: UUID) -> HttpResponse:
    shown = get_or_404(visible_races(request.user), pk=pk)
    access.require(request.user, shown.batch.team, START)
    if cancel_batch(shown.batch, cast("User", request.user)):
        messages.success(request, "Cancelled: calls already under way are recorded as they land.")
    else:
        messages.info(request, "There was nothing left to cancel.")
    return redirect(shown)


@login_required
@require_safe
def race_again(request: HttpRequest, pk: UUID) -> HttpResponse:
    """To the ladder's form, filled in as this race was started."""
    shown = get_or_404(visible_races(request.user), pk=pk)
    return redirect(f"{shown.ladder.get_absolute_url()}?again={shown.pk}#race")
