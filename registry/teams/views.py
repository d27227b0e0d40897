"""Signing in and out, and what a person is to the site."""

from __future__ import annotations

from typing import cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils.decorators import method_decorator
from django.utils.http import url_has_allowed_host_and_scheme
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from registry.teams import access, signin, tokens
from registry.teams.forms import CODE_REFUSED, CodeForm, PasswordForm, TokenForm
from registry.teams.models import Membership, Role, User

BACKEND = "django.contrib.auth.backends.ModelBackend"


@method_decorator([never_cache, sensitive_post_parameters("code", "password")], name="dispatch")
class SignIn(View):
    """Two ways in: a one-time code, or an e-mail address with its password."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page(request, CodeForm(), PasswordForm(request))

    def post(self, request: HttpRequest) -> HttpResponse:
        return self._by_code(request) if "code" in request.POST else self._by_password(request)

    def _by_code(self, request: HttpRequest) -> HttpResponse:
        form = CodeForm(request.POST)
        if form.is_valid():
            if user := signin.redeem(form.cleaned_data["code"]):
                return self._enter(request, user)
            form.add_error("code", CODE_REFUSED)
        return self._page(request, form, PasswordForm(request), status=422)

    def _by_password(self, request: HttpRequest) -> HttpResponse:
        form = PasswordForm(request, request.POST)
        if form.is_valid():
            return self._enter(request, form.get_user())
        return self._page(request, CodeForm(), form, status=422)

    def _enter(self, request: HttpRequest, user: User) -> HttpResponse:
        login(request, user, backend=BACKEND)
        return redirect(self._next(request))

    def _page(
        self, request: HttpRequest, code: CodeForm, password: PasswordForm, status: int = 200
    ) -> HttpResponse:
        context = {"code_form": code, "password_form": password, "next": self._next(request)}
        return render(request, "teams/sign_in.html", context, status=status)

    def _next(self, request: HttpRequest) -> str:
        """Where to go on: an address on this site, or the home page."""
        wanted = request.POST.get("next") or request.GET.get("next", "")
        own = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, request.is_secure())
        return wanted if own else resolve_url(settings.LOGIN_REDIRECT_URL)


@login_required
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    """Who the reader is, and what they are in each of their teams."""
    memberships = (
        Membership.objects.filter(user=cast("User", request.user))
        .select_related("team")
        .order_by("team__slug")
    )
    return render(request, "teams/account.html", {"memberships": memberships})


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
