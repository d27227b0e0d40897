"""The forms for a one-time code, and for making a token."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import forms
from django.db import IntegrityError

from registry.teams import tokens
from registry.teams.access import teams_where
from registry.teams.domain import one_line
from registry.teams.models import Scope, Team, User

CODE_REFUSED = (
    "This sign-in code does not work: each one signs in once, within an hour, and must be copied whole. "
    "Ask whoever runs this site for another; “manage.py signin_link” prints one."
)

NAME_TAKEN = "You have a token of this name. Revoke it, or choose another name."
NAME_TOO_LONG = "Shorten the name to 100 characters."
SCOPES_SAID = [
    (Scope.READ, "read what I may read"),
    (Scope.RUN, "start and cancel runs, where my role allows it"),
    (Scope.AUTHOR, "publish probes, where my role allows it"),
]


class CodeForm(forms.Form):
    """A one-time code, or the whole link it came in."""

    code = forms.CharField(
        label="Sign-in code",
        max_length=500,
        help_text="The part of the link after the # sign. The whole link will do.",
        error_messages={"required": "Paste the code: the part of the sign-in link after the # sign."},
        widget=forms.TextInput(attrs={"class": "mono", "autocomplete": "off", "spellcheck": "false"}),
    )


class TokenForm(forms.Form):
    """A token for a program: its name, what it may do, in which team, and for how long."""

    name = forms.CharField(
        max_length=100,
        help_text="What will use it, such as “nightly report”.",
        error_messages={"required": "Name what will use the token.", "max_length": NAME_TOO_LONG},
    )
    scopes = forms.MultipleChoiceField(
        label="It may",
        choices=SCOPES_SAID,
        initial=[Scope.READ],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Tick at least one thing that the token may do."},
    )
    team = forms.ModelChoiceField(
        Team.objects.none(),
        required=False,
        empty_label="All my teams",
        help_text="Public things can be read with any token.",
        error_messages={"invalid_choice": "Choose one of your teams, or all of them."},
    )
    days = forms.TypedChoiceField(
        label="Good for",
        choices=[(30, "30 days"), (90, "90 days"), (365, "a year")],
        coerce=int,
        initial=90,
        error_messages={"invalid_choice": "Choose one of the periods listed."},
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        choice = self.fields["team"]
        assert isinstance(choice, forms.ModelChoiceField)  # noqa: S101 - declared above; for the types
        choice.queryset = teams_where(user, "see team results")

    def clean_name(self) -> str:
        name = one_line(self.cleaned_data["name"])
        if not name:
            raise forms.ValidationError("Name what will use the token.")
        if tokens.open_tokens(self.user).filter(name=name).exists():
            raise forms.ValidationError(NAME_TAKEN)
        return name

    def clean(self) -> None:
        super().clean()
        if tokens.open_tokens(self.user).count() >= tokens.MOST_OPEN:
            raise forms.ValidationError(f"You have {tokens.MOST_OPEN} tokens. Revoke one that is not in use.")

    def make(self) -> tokens.Made | None:
        """The token that the valid form describes; None when the name was taken meanwhile."""
        given = self.cleaned_data
        good_for = timedelta(days=given["days"])
        try:
            return tokens.make_token(self.user, given["name"], given["scopes"], given["team"], good_for)
        except IntegrityError:
            self.add_error("name", NAME_TAKEN)
            return None
