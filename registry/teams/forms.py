"""The forms for signing in."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm

CODE_REFUSED = (
    "This sign-in code does not work: each one signs in once, within an hour, and must be copied whole. "
    "Ask whoever runs this site for another; “manage.py signin_link” prints one."
)
LOGIN_REFUSED = "No account has this e-mail address and password. Check both; capitals in the password count."


class CodeForm(forms.Form):
    """A one-time code, or the whole link it came in."""

    code = forms.CharField(
        label="Sign-in code",
        max_length=500,
        help_text="The part of the link after the # sign. The whole link will do.",
        error_messages={"required": "Paste the code: the part of the sign-in link after the # sign."},
        widget=forms.TextInput(attrs={"class": "mono", "autocomplete": "off", "spellcheck": "false"}),
    )


class PasswordForm(AuthenticationForm):
    error_messages = {"invalid_login": LOGIN_REFUSED, "inactive": "This account is closed."}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = "E-mail address"
        del self.fields["username"].widget.attrs["autofocus"]  # it is the second form of the page
