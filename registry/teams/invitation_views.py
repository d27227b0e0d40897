"""What a person sees who was invited: the team and the role, then a button that accepts."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from registry.teams import invitations
from registry.teams.forms import CodeForm
from registry.teams.invitations import SESSION_KEY, InvitationRefused
from registry.teams.models import User

GONE = "No invitation is waiting in this browser. Open the link again."


class InvitationForm(CodeForm):
    """The secret of an invitation, or the whole link it came in."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["code"].label = "Invitation"
        self.fields["code"].error_messages["required"] = "Paste the link that you were given."


@never_cache
@sensitive_post_parameters("code")
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest) -> HttpResponse:
    """Takes the secret of a link into the session, and shows the invitation that waits there."""
    if request.method != "POST":
        return _page(request)
    form = InvitationForm(request.POST)
    if form.is_valid():
        secret = invitations.secret_in(form.cleaned_data["code"])
        try:
            invitations.find(secret)
        except InvitationRefused as refused:
            form.add_error("code", str(refused))
        else:
            request.session[SESSION_KEY] = secret
            return redirect("invitation")
    return _page(request, form, status=422)


@never_cache
@login_required
@require_POST
def invitation_accept(request: HttpRequest) -> HttpResponse:
    secret = request.session.get(SESSION_KEY)
    try:
        member = invitations.accept(cast("User", request.user), secret or "")
    except InvitationRefused as refused:
        return _page(request, problem=str(refused) if secret else GONE, status=409)
    del request.session[SESSION_KEY]
    messages.success(request, f"You are in {member.team} now, as {member.role}.")
    return redirect("team", member.team.slug)


def _page(
    request: HttpRequest, form: InvitationForm | None = None, problem: str = "", status: int = 200
) -> HttpResponse:
    found = None
    if secret := request.session.get(SESSION_KEY):
        try:
            found = invitations.find(secret)
        except InvitationRefused as refused:
            del request.session[SESSION_KEY]  # said once
            problem = str(refused)
    if found and isinstance(request.user, User):
        problem = invitations.why_not(request.user, found)
    context = {"invitation": found, "problem": problem, "form": form or InvitationForm()}
    return render(request, "teams/invitation.html", context, status=status)
