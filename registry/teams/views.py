"""What a person is to the site, and the tokens of their programs."""

from __future__ import annotations

from typing import cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from registry.teams import access, tokens
from registry.teams.forms import TokenForm
from registry.teams.models import Membership, Role, User


@login_required
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    """Who the reader is, and what they are in each of their teams."""
    mine = Membership.objects.filter(user=cast("User", request.user))
    may_run = access.teams_where(request.user, "start and cancel runs").values_list("pk", flat=True)
    context = {
        "memberships": mine.select_related("team").order_by("team__slug"),
        "may_run": set(may_run),
    }
    return render(request, "teams/account.html", context)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def token_list(request: HttpRequest) -> HttpResponse:
    """The reader's tokens, and the form that makes one: its secret is in this one answer, never again."""
    user = cast("User", request.user)
    form = TokenForm(user, request.POST if request.method == "POST" else None)
    made = form.make() if form.is_bound and form.is_valid() else None
    context = {
        "form": TokenForm(user) if made else form,
        "made": made,
        "tokens": tokens.open_tokens(user),
        "site": settings.SITE_ADDRESS,
    }
    return render(request, "teams/tokens.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def token_revoke(request: HttpRequest, pk: int) -> HttpResponse:
    """End a token at once, and for good."""
    token = access.get_or_404(tokens.open_tokens(cast("User", request.user)), pk=pk)
    tokens.revoke(token)
    messages.success(request, f"Revoked: “{token.name}” opens nothing any more.")
    return redirect("tokens")


@require_safe
def roles(request: HttpRequest) -> HttpResponse:
    """What each role may do, from the table that decides it."""
    rights = [(right, [role in access.roles_with(right) for role in Role]) for right in access.RIGHTS]
    return render(request, "teams/roles.html", {"roles": list(Role), "rights": rights})
