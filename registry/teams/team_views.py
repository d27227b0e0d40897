"""A team: found it, rename it, and who is in it as what. Members only: a stranger is told there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from registry.teams import access, domain, invitations, members
from registry.teams.access import get_or_404
from registry.teams.members import MANAGE, MembersRefused
from registry.teams.models import Membership, Role, Team, User
from registry.teams.team_forms import InviteForm, NameForm, TeamForm
from registry.web.numbers import row_number

SEE = "see team results"
RENAME = "rename the team"
PRINTED = "No mail server is named: the invitation is printed in the terminal where this registry runs."
NO_ROLE = "Choose one of the roles listed."


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def team_new(request: HttpRequest) -> HttpResponse:
    form = TeamForm(request.POST if request.method == "POST" else None)
    made = form.found(_user(request)) if form.is_bound and form.is_valid() else None
    if made:
        messages.success(request, f"{made.name} is created, and you own it. Invite others below.")
        return redirect("team", made.slug)
    return render(request, "teams/new.html", {"form": form}, status=422 if form.is_bound else 200)


@login_required
@require_safe
def team(request: HttpRequest, team: str) -> HttpResponse:
    """Who is in the team; for an owner also what can be done about it."""
    return _page(request, _team(request, team, SEE))


@login_required
@require_POST
def team_rename(request: HttpRequest, team: str) -> HttpResponse:
    shown = _team(request, team, RENAME)
    form = NameForm(request.POST)
    if not form.is_valid():
        return _page(request, shown, status=422, name_form=form)
    domain.rename_team(_user(request), shown, form.cleaned_data["name"])
    messages.success(request, f"The team is named {form.cleaned_data['name']} now.")
    return redirect("team", shown.slug)


@never_cache
@login_required
@require_POST
def team_invite(request: HttpRequest, team: str) -> HttpResponse:
    """Invite by mail, or make a link: its secret is in this one answer, never again."""
    shown = _team(request, team, MANAGE)
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _page(request, shown, status=422, invite_form=form)
    role, email = Role(form.cleaned_data["role"]), form.cleaned_data.get("email", "")
    try:
        if email:
            invitations.send(_user(request), shown, role, form.good_for, email)
            messages.success(
                request, PRINTED if settings.MAIL == "printed" else f"An invitation is on its way to {email}."
            )
            return redirect("team", shown.slug)
        made = invitations.make_link(_user(request), shown, role, form.good_for)
    except MembersRefused as refused:
        form.add_error(None, str(refused))
        return _page(request, shown, status=409, invite_form=form)
    return _page(request, shown, made=made)


@login_required
@require_POST
def invitation_revoke(request: HttpRequest, team: str, pk: int) -> HttpResponse:
    shown = _team(request, team, MANAGE)
    invitation = get_or_404(shown.invitations.filter(revoked_at=None).select_related("team"), pk=pk)
    return _done(
        request,
        shown,
        lambda: invitations.revoke(_user(request), invitation),
        "Revoked: the invitation lets nobody in any more.",
    )


@login_required
@require_POST
def member_role(request: HttpRequest, team: str, pk: int) -> HttpResponse:
    shown, member = _member(request, team, pk)
    role = request.POST.get("role", "")
    if role not in Role.values:
        return _page(request, shown, status=422, problem=NO_ROLE)
    return _done(
        request,
        shown,
        lambda: members.change_role(_user(request), member, Role(role)),
        f"{member.user} is {role} of {shown} now.",
    )


@login_required
@require_POST
def member_remove(request: HttpRequest, team: str, pk: int) -> HttpResponse:
    shown, member = _member(request, team, pk)
    return _done(
        request,
        shown,
        lambda: members.remove(_user(request), member),
        f"{member.user} is no longer in {shown}.",
    )


@login_required
@require_POST
def team_transfer(request: HttpRequest, team: str) -> HttpResponse:
    shown, heir = _member(request, team, row_number(request.POST.get("to", "")))
    return _done(
        request,
        shown,
        lambda: members.transfer(_user(request), heir),
        f"{heir.user} owns {shown} now, and you are an author.",
    )


@login_required
@require_POST
def team_leave(request: HttpRequest, team: str) -> HttpResponse:
    shown = _team(request, team, SEE)
    return _done(
        request,
        shown,
        lambda: members.leave(_user(request), shown),
        f"You are no longer in {shown}.",
        to=redirect("account"),
    )


def _done(
    request: HttpRequest, shown: Team, verb: Callable[[], None], said: str, to: HttpResponse | None = None
) -> HttpResponse:
    """Do it and say so; where it cannot be, the team's page says why."""
    try:
        verb()
    except MembersRefused as refused:
        return _page(request, shown, status=409, problem=str(refused))
    messages.success(request, said)
    return to or redirect("team", shown.slug)


def _page(request: HttpRequest, shown: Team, status: int = 200, **more: Any) -> HttpResponse:
    everybody = _sorted(shown)
    mine = next((member for member in everybody if member.user_id == request.user.pk), None)
    may_manage = access.allowed(request.user, shown, MANAGE)
    context: dict[str, Any] = {
        "team": shown,
        "members": everybody,
        "mine": mine,
        "last_owner": mine and members.is_last_owner(mine),
        "may_manage": may_manage,
        "may_rename": access.allowed(request.user, shown, RENAME),
        "may_audit": access.allowed(request.user, shown, "see the audit log"),
        "may_run": access.allowed(request.user, shown, "start and cancel runs"),
        "roles": list(Role),
    }
    if may_manage:
        context |= {"invitations": invitations.open_invitations(shown), "invite_form": InviteForm()}
    if context["may_rename"]:
        context["name_form"] = NameForm(initial={"name": shown.name})
    return render(request, "teams/team.html", context | more, status=status)


def _sorted(shown: Team) -> list[Membership]:
    """The members, owners first, then by name."""

    def place(member: Membership) -> tuple[int, str, int]:
        return -Role.values.index(member.role), str(member.user).casefold(), member.pk

    return sorted(shown.memberships.select_related("user"), key=place)


def _member(request: HttpRequest, slug: str, pk: int) -> tuple[Team, Membership]:
    """One of the team's members, for somebody who may manage them."""
    shown = _team(request, slug, MANAGE)
    return shown, get_or_404(shown.memberships.select_related("user", "team"), pk=pk)


def _team(request: HttpRequest, slug: str, right: str) -> Team:
    shown = get_or_404(Team.objects.all(), slug=slug)
    access.require(request.user, shown, right)
    return shown


def _user(request: HttpRequest) -> User:
    return cast("User", request.user)
