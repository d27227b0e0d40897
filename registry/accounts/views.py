"""Signing in and up, passwords, second factors, and how an account ends. The flows are allauth's."""

from __future__ import annotations

from typing import Any, cast

from allauth.account import views as account
from allauth.account.decorators import reauthentication_required
from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from allauth.decorators import rate_limit
from allauth.mfa.base import views as second_factor
from allauth.mfa.recovery_codes import views as recovery
from allauth.mfa.totp import views as totp
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils.decorators import method_decorator
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import SafeString
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from registry.accounts import domain, forms
from registry.teams import signin
from registry.teams.forms import CODE_REFUSED, CodeForm
from registry.teams.invitations import InvitationRefused
from registry.teams.models import User

private = method_decorator(
    [never_cache, require_http_methods(["GET", "HEAD", "POST"]), sensitive_post_parameters()], name="dispatch"
)
"""allauth's views answer PUT as they do POST, and some any method at all."""


@method_decorator([rate_limit(action="login"), never_cache, sensitive_post_parameters()], name="dispatch")
class SignIn(View):
    """Two ways in: a one-time code, or an e-mail address with its password."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page(request, CodeForm(), forms.PasswordForm(request=request))

    def post(self, request: HttpRequest) -> HttpResponse:
        return self._by_code(request) if "code" in request.POST else self._by_password(request)

    def _by_code(self, request: HttpRequest) -> HttpResponse:
        form = CodeForm(request.POST)
        if form.is_valid():
            if user := signin.redeem(form.cleaned_data["code"]):
                domain.sign_in_by_link(request, user)
                return redirect(self._next(request))
            form.add_error("code", CODE_REFUSED)
        return self._page(request, form, forms.PasswordForm(request=request), status=422)

    def _by_password(self, request: HttpRequest) -> HttpResponse:
        form = forms.PasswordForm(request.POST, request=request)
        if form.is_valid():
            entered: HttpResponse = form.login(request, redirect_url=self._next(request))
            return entered
        return self._page(request, CodeForm(), form, status=422)

    def _page(
        self, request: HttpRequest, code: CodeForm, password: forms.PasswordForm, status: int = 200
    ) -> HttpResponse:
        context = {
            "code_form": code,
            "password_form": password,
            "next": self._next(request),
            "may_sign_up": domain.sign_up_allowed(request),
        }
        return render(request, "account/sign_in.html", context, status=status)

    def _next(self, request: HttpRequest) -> str:
        """Where to go on: an address on this site, or the home page."""
        wanted = request.POST.get("next") or request.GET.get("next", "")
        own = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, request.is_secure())
        return wanted if own else resolve_url(settings.LOGIN_REDIRECT_URL)


def too_many(request: HttpRequest) -> HttpResponse:
    """429: from one address, or for one account, this was asked too often."""
    return render(request, "errors/429.html", status=429)


class Refusing:
    """A form that is refused is answered 422, as everywhere on this site."""

    def form_invalid(self, form: Any) -> HttpResponse:
        answer: HttpResponse = super().form_invalid(form)  # type: ignore[misc]
        answer.status_code = 422
        return answer


@private
class SignUp(Refusing, account.SignupView):
    form_class = forms.SignUpForm

    def form_valid(self, form: forms.SignUpForm) -> HttpResponse:
        try:
            answer: HttpResponse = super().form_valid(form)
        except InvitationRefused as refused:
            form.add_error(None, str(refused))
            return self.form_invalid(form)
        return answer


@private
class ConfirmEmail(account.ConfirmEmailView):
    """Who signed up knows the password and need not own the address: another browser chooses its own.

    Who is signed in as somebody else stays so until they press the button, which says so.
    """

    def logout_other_user(self, confirmation: Any) -> None:
        if self.request.method == "POST":
            super().logout_other_user(confirmation)

    def post(self, *args: Any, **kwargs: Any) -> HttpResponse:
        user = self.get_object().email_address.user
        here = domain.signed_up_here(self.request, user)
        with transaction.atomic():
            answer: HttpResponse = super().post(*args, **kwargs)
            if here or not self.object.email_address.verified:
                return answer
            user.set_unusable_password()
            user.save(update_fields=["password"])
        messages.info(self.request, "The account was made in another browser, so choose its password now.")
        named = {"uidb36": user_pk_to_url_str(user), "key": default_token_generator.make_token(user)}
        return redirect("account_reset_password_from_key", **named)


@private
class PasswordChange(Refusing, account.PasswordChangeView):
    form_class = forms.ChangePasswordForm


@private
class PasswordSet(Refusing, account.PasswordSetView):
    form_class = forms.SetPasswordForm


@private
class PasswordReset(Refusing, account.PasswordResetView):
    form_class = forms.ResetPasswordForm


@private
class PasswordResetFromKey(Refusing, account.PasswordResetFromKeyView):
    form_class = forms.ResetPasswordKeyForm


@private
class Reauthenticate(Refusing, account.ReauthenticateView):
    form_class = forms.ReauthenticateForm


@private
class SecondFactor(Refusing, second_factor.AuthenticateView):
    form_class = forms.SecondFactorForm


@private
class SecondFactorAgain(Refusing, second_factor.ReauthenticateView):
    form_class = forms.SecondFactorAgainForm


@method_decorator(login_required, name="dispatch")  # else what a visitor posts would wait in a session
@private
class TurnOn(Refusing, totp.ActivateTOTPView):
    form_class = forms.TurnOnForm

    def form_valid(self, form: forms.TurnOnForm) -> HttpResponse:
        """Who came in without a code before does not stay in."""
        answer: HttpResponse = super().form_valid(form)
        domain.end_other_sessions(self.request, cast("User", self.request.user))
        return answer

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """The picture as it stands in a page: the policy lets no `data:` in."""
        context: dict[str, Any] = super().get_context_data(**kwargs)
        drawn = context["totp_svg"]
        return context | {"picture": SafeString(drawn[drawn.index("<svg") :])}


@private
class TurnOff(totp.DeactivateTOTPView):
    pass


@method_decorator(login_required, name="dispatch")
@private
class NewRecoveryCodes(recovery.GenerateRecoveryCodesView):
    pass


@private
class RecoveryCodes(recovery.ViewRecoveryCodesView):
    pass


@private
class SecondFactors(second_factor.IndexView):
    pass


@login_required
@require_safe
def sign_ins(request: HttpRequest) -> HttpResponse:
    """When and from where the reader signed in, and who was refused in their name."""
    user = cast("User", request.user)
    context = {"sign_ins": user.sign_ins.all(), "kept": domain.SIGN_INS_KEPT}
    return render(request, "account/sign_ins.html", context)


@method_decorator([login_required, never_cache, reauthentication_required], name="dispatch")
class Close(View):
    """The end of an account, for who has just shown that it is theirs."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page(request, forms.CloseForm(cast("User", request.user)))

    def post(self, request: HttpRequest) -> HttpResponse:
        user = cast("User", request.user)
        form = forms.CloseForm(user, request.POST)
        if not form.is_valid():
            return self._page(request, form, status=422)
        try:
            domain.close_account(user)
        except domain.CannotClose as why:
            form.add_error(None, str(why))
            return self._page(request, form, status=422)
        logout(request)
        messages.success(request, "Your account is closed. What you published stays, without your name.")
        return redirect("home")

    def _page(self, request: HttpRequest, form: forms.CloseForm, status: int = 200) -> HttpResponse:
        why_not = domain.why_not_close(cast("User", request.user))
        return render(request, "account/close.html", {"form": form, "why_not": why_not}, status=status)
