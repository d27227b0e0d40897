"""allauth's forms, in the site's words: labels and hints instead of placeholders."""

from __future__ import annotations

from typing import Any

from allauth.account import forms as account
from allauth.core import context
from allauth.mfa.base import forms as second_factor
from allauth.mfa.totp import forms as totp
from django import forms
from django.contrib.auth.hashers import make_password
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse

from registry.accounts.domain import note, revoke_tokens, use_invitation
from registry.accounts.models import SignIn
from registry.endpoints.vault import Unreadable
from registry.teams.domain import NameRefused, clean_person_name
from registry.teams.models import User, check_address
from registry.teams.tokens import open_tokens

UNREADABLE = (
    "What your authenticator was set up with cannot be read any more. "
    "Ask whoever runs this site for a sign-in link."
)
RULES = "At least 8 characters, not a common password, and not like your name or address."
CODE_HINT = "Six digits from your authenticator app, or one of your recovery codes."
WORDS: dict[str, tuple[str, str]] = {
    "login": ("E-mail address", ""),
    "email": ("E-mail address", ""),
    "name": ("Your name", "Shown beside what you publish and start. Without one, your address is."),
    "password": ("Password", ""),
    "oldpassword": ("The password you have now", ""),
    "password1": ("New password", RULES),
    "password2": ("New password, once more", ""),
    "code": ("Code", CODE_HINT),
    "tokens": ("Your API tokens", "A program whose token is revoked needs another."),
}


class Worded(forms.Form):
    """Each field with the site's own label and hint."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.label, field.help_text = WORDS[name]
            field.widget.attrs.pop("placeholder", None)


class PasswordForm(Worded, account.LoginForm):
    pass


class SignUpForm(Worded, account.SignupForm):
    account_already_exists: bool
    name = forms.CharField(
        max_length=100, required=False, widget=forms.TextInput(attrs={"autocomplete": "name"})
    )
    field_order = ["email", "name", "password1"]

    def clean_name(self) -> str:
        try:
            return clean_person_name(self.cleaned_data["name"])
        except NameRefused as refused:
            raise forms.ValidationError(str(refused)) from None

    def try_save(self, request: HttpRequest) -> tuple[User | None, HttpResponse | None]:
        """As slow for an address that has an account as for one that has none."""
        if self.account_already_exists:
            use_invitation(request, self.cleaned_data["email"])
            make_password(self.cleaned_data["password1"])
        try:
            tried: tuple[User | None, HttpResponse | None] = super().try_save(request)
        except IntegrityError:  # of two at the same moment, the second finds the first's
            self.account_already_exists = True
            return self.try_save(request)
        return tried

    def save(self, request: HttpRequest) -> User:
        """The person and their address together: one without the other would count as vouched for."""
        with transaction.atomic():
            use_invitation(request, self.cleaned_data["email"])
            user: User = super().save(request)
        return user


class WithTokens(Worded):
    """A new password closes browsers, not programs: who fears that a token is known revokes all of them."""

    user: User | None

    tokens = forms.ChoiceField(choices=[("keep", "Keep them"), ("revoke", "Revoke them all")], required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.user is None or not open_tokens(self.user).exists():
            del self.fields["tokens"]

    def save(self) -> None:
        with transaction.atomic():
            super().save()  # type: ignore[misc]
            if self.user and self.cleaned_data.get("tokens") == "revoke":
                revoke_tokens(self.user)


class ChangePasswordForm(WithTokens, account.ChangePasswordForm):
    field_order = ["oldpassword", "password1", "password2", "tokens"]


class SetPasswordForm(Worded, account.SetPasswordForm):
    pass


class ResetPasswordForm(Worded, account.ResetPasswordForm):
    pass


class ResetPasswordKeyForm(WithTokens, account.ResetPasswordKeyForm):
    field_order = ["password1", "password2", "tokens"]


class ReauthenticateForm(Worded, account.ReauthenticateForm):
    pass


class WithCode(Worded):
    user: User

    def clean_code(self) -> str:
        try:
            code: str = super().clean_code()  # type: ignore[misc]
        except Unreadable:
            raise forms.ValidationError(UNREADABLE) from None
        except forms.ValidationError as refused:
            wrong = refused.code == "incorrect_code"
            note(context.request, self.user, SignIn.What.WRONG_CODE if wrong else SignIn.What.TOO_OFTEN)
            raise
        return code


class SecondFactorForm(WithCode, second_factor.AuthenticateForm):
    pass


class SecondFactorAgainForm(WithCode, second_factor.ReauthenticateForm):
    pass


class TurnOnForm(Worded, totp.ActivateTOTPForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["code"].help_text = "The six digits that the app shows now."

    @property
    def spelled(self) -> str:
        """The secret in fours, for typing it in."""
        secret: str = self.secret
        return " ".join(secret[at : at + 4] for at in range(0, len(secret), 4))


class AddressForm(forms.Form):
    """Another e-mail address for an account."""

    email = forms.EmailField(
        label="New e-mail address",
        max_length=254,
        validators=[check_address],
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"].lower()
        if email == self.user.email.lower():
            raise forms.ValidationError("This is the address of your account already.")
        return email


class CloseForm(forms.Form):
    """The address again, so that nothing ends by a slip."""

    email = forms.CharField(
        label="Your e-mail address",
        help_text="Type it to show that you mean it.",
        error_messages={"required": "Type your e-mail address."},
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"]
        if email.strip().lower() != self.user.email.lower():
            raise forms.ValidationError("This is not the address of this account.")
        return email
