"""Signing in and out, and what a person is to the site."""

from __future__ import annotations

from typing import cast

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils.decorators import method_decorator
from django.utils.http import url_has_allowed_host_and_scheme
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from registry.teams import access, signin
from registry.teams.forms import CODE_REFUSED, CodeForm, PasswordForm
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
def account(request: HttpRequest) -> HttpResponse:
    """Who the reader is, and what they are in each of their teams."""
    memberships = (
        Membership.objects.filter(user=cast("User", request.user))
        .select_related("team")
        .order_by("team__slug")
    )
    return render(request, "teams/account.html", {"memberships": memberships})


def roles(request: HttpRequest) -> HttpResponse:
    """What each role may do, from the table that decides it."""
    rights = [(right, [role in access.roles_with(right) for role in Role]) for right in access.RIGHTS]
    return render(request, "teams/roles.html", {"roles": list(Role), "rights": rights})
