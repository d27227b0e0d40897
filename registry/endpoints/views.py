"""A team's endpoints: list, add, change, try. Keys go in and never come out."""

from __future__ import annotations

from copy import copy
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.forms import BoundField
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from registry.endpoints.chat import Answer, ModelsUnavailable
from registry.endpoints.domain import (
    PRACTICE_STAYS,
    delete_endpoint,
    list_models,
    pause_endpoint,
    resume_endpoint,
    test_call,
)
from registry.endpoints.forms import EndpointForm
from registry.endpoints.models import Endpoint
from registry.endpoints.picker import KEPT, START, Picker, picker, usable
from registry.endpoints.prices import cost_said
from registry.teams import access
from registry.teams.access import get_or_404
from registry.teams.models import Team, User
from registry.web import limits
from registry.web.numbers import row_number

MANAGE = "manage endpoints"
FIRST = ("name", "base_url", "key", "forget_key", "reasoning")


@login_required
@require_safe
def endpoints(request: HttpRequest, team: str) -> HttpResponse:
    owner = _team(request, team, START)
    context = {
        "team": owner,
        "endpoints": usable(request.user).filter(team=owner).order_by("-practice", "slug"),
        "may_manage": access.allowed(request.user, owner, MANAGE),
        "may_see_log": access.allowed(request.user, owner, "see the audit log"),
    }
    return render(request, "endpoints/list.html", context)


@login_required
@sensitive_post_parameters("key")
@require_http_methods(["GET", "HEAD", "POST"])
def endpoint_new(request: HttpRequest, team: str) -> HttpResponse:
    owner = _team(request, team, MANAGE)
    form = EndpointForm(request.POST if request.method == "POST" else None, team=owner)
    made = form.saved(cast("User", request.user)) if form.is_bound and form.is_valid() else None
    if made:
        messages.success(request, f"{made.name} is added. Try it with a test call.")
        return redirect("endpoint", owner.slug, made.slug)
    context = {"team": owner, **in_two_parts(form)}
    return render(request, "endpoints/new.html", context, status=422 if form.is_bound else 200)


@login_required
@sensitive_post_parameters("key")
@require_http_methods(["GET", "HEAD", "POST"])
def endpoint(request: HttpRequest, team: str, slug: str) -> HttpResponse:
    """One endpoint: what it is, the test call, its models; and for an owner the form that changes it."""
    if request.method != "POST":
        shown = _endpoint(request, team, slug)
        return _page(request, shown.team, shown)
    owner, shown = _changeable(request, team, slug)
    # what is filled in is a copy: the page shows the endpoint as it is
    form = EndpointForm(request.POST, instance=copy(shown), team=owner)
    if form.is_valid() and (kept := form.saved(cast("User", request.user))):
        messages.success(request, f"{kept.name} is saved.")
        return redirect("endpoint", owner.slug, shown.slug)
    return _page(request, owner, shown, status=422, **in_two_parts(form))


def _page(request: HttpRequest, team: Team, shown: Endpoint, status: int = 200, **more: Any) -> HttpResponse:
    """The endpoint's page; the form is there for those who may change it."""
    changeable = not shown.practice and access.allowed(request.user, team, MANAGE)
    context = {"team": team, "endpoint": shown, "model": next(iter(shown.models_offered), "")}
    if changeable and "form" not in more:
        more |= in_two_parts(EndpointForm(instance=shown, team=team))
    return render(request, "endpoints/endpoint.html", context | more, status=status)


def in_two_parts(form: EndpointForm) -> dict[str, Any]:
    """The form, the fields that everybody fills in, and the rest, which opens when it matters."""
    first = [form[name] for name in FIRST if name in form.fields]
    rest = [bound for bound in form if bound.name not in FIRST]
    return {"form": form, "first": first, "rest": rest, "rest_open": any(map(_matters, rest))}


def _matters(bound: BoundField) -> bool:
    """Whether a field has an error, or was set to something else than what it starts out as."""
    usual = getattr(Endpoint(), bound.name)
    said = bound.initial not in (None, "")
    return bool(bound.errors) or (said and (bound.initial or None) != (usual or None))


@login_required
@require_POST
def endpoint_pause(request: HttpRequest, team: str, slug: str) -> HttpResponse:
    owner, shown = _changeable(request, team, slug)
    pause_endpoint(shown, cast("User", request.user))
    messages.success(request, f"{shown.name} is paused: nothing more is sent to it until it is resumed.")
    return redirect("endpoint", owner.slug, shown.slug)


@login_required
@require_POST
def endpoint_resume(request: HttpRequest, team: str, slug: str) -> HttpResponse:
    owner, shown = _changeable(request, team, slug)
    resume_endpoint(shown, cast("User", request.user))
    messages.success(request, f"{shown.name} is resumed: what waited for it goes on within seconds.")
    return redirect("endpoint", owner.slug, shown.slug)


@login_required
@require_POST
def endpoint_delete(request: HttpRequest, team: str, slug: str) -> HttpResponse:
    owner, shown = _changeable(request, team, slug)
    delete_endpoint(shown, cast("User", request.user))
    messages.success(request, f"{shown.name} is deleted, and its key destroyed. Results keep its name.")
    return redirect("endpoints", owner.slug)


@login_required
@require_POST
def endpoint_test(request: HttpRequest, team: str, slug: str) -> HttpResponse:
    """One tiny real call, which counts as a start; what came back, in words."""
    shown = _endpoint(request, team, slug)
    model = request.POST.get("model", "").strip()
    answer = _tried(request, shown, model) if model else None
    cost = cost_said(shown, answer.prompt_tokens, answer.completion_tokens) if answer else ""
    return _fragment(
        request, "endpoints/_test.html", shown, model=model, answer=answer, cost=cost, tested=True
    )


def _tried(request: HttpRequest, shown: Endpoint, model: str) -> Answer:
    wait = 0 if shown.paused_at else limits.seconds_to_wait(request)
    if wait:
        return Answer(error="too_many_starts", detail=limits.too_many(wait))
    return test_call(shown, model, cast("User", request.user))


@login_required
@require_POST
def endpoint_list_models(request: HttpRequest, team: str, slug: str) -> HttpResponse:
    """Ask the server for its models and keep the list."""
    shown = _endpoint(request, team, slug)
    return _fragment(request, "endpoints/_models.html", shown, problem=_listed(request, shown))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def endpoint_models(request: HttpRequest) -> HttpResponse:
    """What the endpoint chosen in a picker offers; by POST its server is asked when nobody did before."""
    asked = request.POST if request.method == "POST" else request.GET
    prefix = request.GET.get("prefix", "")
    prefix = prefix if prefix in {"", "a-", "b-"} else ""
    chosen = row_number(asked.get(f"{prefix}endpoint", ""))
    made = picker(list(usable(request.user)), prefix, endpoint_id=chosen)
    problem = _unlisted(request, made) if request.method == "POST" else ""
    return render(request, "endpoints/_offered.html", {"picker": made, "problem": problem})


def _unlisted(request: HttpRequest, made: Picker) -> str:
    if made.endpoint is None or made.endpoint.models_listed_at or made.endpoint.models_offered:
        return ""
    return _listed(request, made.endpoint)


def _listed(request: HttpRequest, shown: Endpoint) -> str:
    """List the models of `shown`, which counts as a start; why that cannot be, else nothing."""
    if not shown.paused_at and (wait := limits.seconds_to_wait(request)):
        return limits.too_many(wait)
    try:
        list_models(shown, cast("User", request.user))
    except ModelsUnavailable as unavailable:
        return str(unavailable)
    return ""


def _team(request: HttpRequest, slug: str, right: str) -> Team:
    team = get_or_404(Team.objects.all(), slug=slug)
    access.require(request.user, team, right)
    return team


def _endpoint(request: HttpRequest, team: str, slug: str) -> Endpoint:
    """The endpoint, for whoever may use it; one kept for owners is there for them alone."""
    owner = _team(request, team, START)
    shown = _open_endpoint(owner, slug)
    if shown.owners_only:
        access.require(request.user, owner, KEPT)
    return shown


def _changeable(request: HttpRequest, team: str, slug: str) -> tuple[Team, Endpoint]:
    """The team and its endpoint, for whoever may change it."""
    owner = _team(request, team, MANAGE)
    shown = _open_endpoint(owner, slug)
    if shown.practice:
        raise PermissionDenied(PRACTICE_STAYS)
    return owner, shown


def _open_endpoint(team: Team, slug: str) -> Endpoint:
    return get_or_404(Endpoint.objects.filter(team=team, closed_at=None).select_related("team"), slug=slug)


def _fragment(request: HttpRequest, template: str, shown: Endpoint, **context: Any) -> HttpResponse:
    """The fragment that htmx swaps in; without script the endpoint's page, with it in place."""
    if getattr(request, "htmx", None):
        return render(request, template, {"endpoint": shown, "team": shown.team, **context})
    return _page(request, shown.team, shown, **context)
