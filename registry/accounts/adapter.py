"""What allauth asks this site: in which words, by which links, for whom, and how secrets are kept."""

from __future__ import annotations

import logging
from smtplib import SMTPException
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.adapter import DefaultMFAAdapter
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from registry.accounts import domain
from registry.accounts.models import SignIn
from registry.endpoints import vault
from registry.teams.models import User, check_address
from registry.web.address import site_address
from registry.web.limits import address_of

logger = logging.getLogger(__name__)
LOGIN_REFUSED = "No account has this e-mail address and password. Check both; capitals in the password count."
TOO_MANY = "That was tried too often. Wait five minutes, then try again."
CHANGED_MEANWHILE = "Your account was changed while you were signing in: begin again."
WRONG_CODE = "This code does not fit. The app shows another every 30 seconds; a recovery code works once."


class Accounts(DefaultAccountAdapter):
    error_messages = DefaultAccountAdapter.error_messages | {
        "email_password_mismatch": LOGIN_REFUSED,
        "enter_current_password": "This is not the password you have now. Capitals count.",
        "incorrect_password": "This is not your password. Capitals count.",
        "too_many_login_attempts": TOO_MANY,
        "rate_limited": TOO_MANY,
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return domain.sign_up_allowed(request)

    def is_ajax(self, request: HttpRequest) -> bool:
        """Every answer is a page, to whoever asks."""
        return False

    def get_client_ip(self, request: HttpRequest) -> str:
        return address_of(request)

    def clean_email(self, email: str) -> str:
        check_address(email)
        cleaned: str = super().clean_email(email)
        return cleaned

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        user.name = form.cleaned_data["name"]
        saved: User = super().save_user(request, user, form, commit)
        return saved

    def pre_login(self, request: HttpRequest, user: User, **hooks: Any) -> HttpResponse | None:
        domain.vouch_for(user)
        domain.begin_to_enter(request, user)
        refused: HttpResponse | None = super().pre_login(request, user, **hooks)
        return refused

    def login(self, request: HttpRequest, user: User) -> None:
        """The last step, which a code or a mailed link may have come before: minutes, or an hour."""
        if not domain.may_still_enter(request, user):
            messages.error(request, CHANGED_MEANWHILE)
            raise ImmediateHttpResponse(redirect("sign-in"))
        super().login(request, user)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        try:
            super().pre_authenticate(request, **credentials)
        except ValidationError:
            domain.note_refusal(request, credentials.get("email", ""), SignIn.What.TOO_OFTEN)
            raise

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        domain.note_refusal(request, credentials.get("email", ""), SignIn.What.WRONG_PASSWORD)

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        return redirect("sign-in")

    def reauthenticate(self, user: User, password: str) -> bool:
        domain.vouch_for(user)
        return bool(super().reauthenticate(user, password))

    def is_reauthentication_required(self, *, app: str, **more: Any) -> bool:
        return not domain.came_by_link(context.request)

    def get_reauthentication_methods(self, user: User) -> list[dict[str, Any]]:
        """Who has neither password nor second factor shows who they are by another link."""
        by_link = {"id": "link", "description": "Use a sign-in link", "url": reverse("sign-in")}
        return super().get_reauthentication_methods(user) or [by_link]

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("account")

    def get_reset_password_from_key_url(self, key: str) -> str:
        """By the site's own address, whatever name the request gave for it."""
        named = {"uidb36": "UID", "key": "KEY"}
        path = reverse("account_reset_password_from_key", kwargs=named)
        return site_address() + path.replace("UID-KEY", key)

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        return site_address() + reverse("account_confirm_email", args=[emailconfirmation.key])

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """To whoever asked, a mail that could not be sent looks like one that was: it tells of no account."""
        try:
            super().send_mail(template_prefix, email, context)
        except (OSError, SMTPException) as error:
            logger.error("A mail could not be sent (%s). Check EMAIL_URL.", type(error).__name__)

    def send_account_already_exists_mail(self, email: str) -> None:
        links = {"password_reset_url": site_address() + reverse("account_reset_password")}
        self.send_mail("account/email/account_already_exists", email, links)


class SecondFactors(DefaultMFAAdapter):
    """Secrets lie in the database as endpoints' keys do: sealed."""

    error_messages = DefaultMFAAdapter.error_messages | {"incorrect_code": WRONG_CODE}

    def encrypt(self, text: str) -> str:
        return vault.seal(text)

    def decrypt(self, encrypted_text: str) -> str:
        return vault.open_sealed(encrypted_text)
