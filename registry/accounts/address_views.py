"""The pages on which a person changes their own e-mail address."""

from __future__ import annotations

from typing import cast

from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.cache import never_cache

from registry.accounts import addresses
from registry.accounts.forms import AddressForm
from registry.accounts.views import too_many
from registry.teams.models import User


@method_decorator([login_required, never_cache, reauthentication_required], name="dispatch")
class ChangeAddress(View):
    """Asks for the new address, of who has just shown that the account is theirs."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page(request, AddressForm(cast("User", request.user)))

    def post(self, request: HttpRequest) -> HttpResponse:
        user = cast("User", request.user)
        form = AddressForm(user, request.POST)
        if not form.is_valid():
            return self._page(request, form, status=422)
        email = form.cleaned_data["email"]
        try:
            addresses.ask(request, user, email)
        except addresses.AskedTooOften:
            return too_many(request)
        return render(request, "account/email_change_sent.html", {"email": email})

    def _page(self, request: HttpRequest, form: AddressForm, status: int = 200) -> HttpResponse:
        return render(request, "account/email_change.html", {"form": form}, status=status)


@method_decorator([login_required, never_cache], name="dispatch")
class ConfirmAddress(View):
    """Where the mailed link leads: only a form changes anything, and only for whom it was made."""

    def get(self, request: HttpRequest, key: str) -> HttpResponse:
        try:
            email = addresses.asked_for(cast("User", request.user), key)
        except addresses.AddressRefused as refused:
            return self._page(request, problem=str(refused))
        return self._page(request, email=email)

    def post(self, request: HttpRequest, key: str) -> HttpResponse:
        try:
            email = addresses.confirm(request, cast("User", request.user), key)
        except addresses.AddressRefused as refused:
            return self._page(request, problem=str(refused), status=422)
        messages.success(request, f"The address of your account is {email} now.")
        return redirect("account")

    def _page(
        self, request: HttpRequest, email: str = "", problem: str = "", status: int = 200
    ) -> HttpResponse:
        context = {"email": email, "problem": problem}
        return render(request, "account/email_change_confirm.html", context, status=status)
