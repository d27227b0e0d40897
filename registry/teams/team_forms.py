"""The forms of a team: found it, rename it, invite into it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django import forms
from django.conf import settings

from registry.teams import domain
from registry.teams.models import Role, Team, User, check_address

NUL = {"null_characters_not_allowed": "Take the NUL character out."}
PERIODS = [(1, "a day"), (7, "7 days"), (30, "30 days")]


def _checked(check: Callable[[str], str], value: str) -> str:
    try:
        return check(value)
    except domain.TeamRefused as refused:
        raise forms.ValidationError(str(refused)) from None


class NameForm(forms.Form):
    name = forms.CharField(
        max_length=domain.NAME_LENGTH,
        error_messages={
            "required": "Write a name.",
            "max_length": f"Shorten the name to {domain.NAME_LENGTH} characters.",
            **NUL,
        },
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def clean_name(self) -> str:
        return _checked(domain.clean_name, self.cleaned_data["name"])


class TeamForm(NameForm):
    """A new team: its name, and the slug that will stand in its addresses for good."""

    slug = forms.CharField(
        label="Address",
        required=False,
        max_length=domain.SLUG_LENGTH,
        help_text="How the team is named in links, such as “acme-lab”. It can never be changed. "
        "Leave it empty to make one from the name.",
        error_messages={"max_length": domain.BAD_SLUG, **NUL},
        widget=forms.TextInput(
            attrs={"class": "mono", "autocomplete": "off", "autocapitalize": "off", "spellcheck": "false"}
        ),
    )

    def clean_slug(self) -> str:
        slug: str = self.cleaned_data["slug"]
        return _checked(domain.check_slug, slug) if slug else ""

    def found(self, by: User) -> Team | None:
        """The team that the valid form describes; None when it was refused, which its errors then say."""
        try:
            return domain.create_team(by, self.cleaned_data["name"], self.cleaned_data["slug"])
        except domain.TeamRefused as refused:
            self.add_error(refused.field, str(refused))
            return None


class InviteForm(forms.Form):
    """Whom to invite, as what. Without an address a link is made."""

    role = forms.ChoiceField(
        choices=Role.choices,
        initial=Role.VIEWER,
        error_messages={"required": "Choose a role.", "invalid_choice": "Choose one of the roles listed."},
    )
    email = forms.EmailField(
        label="E-mail address",
        required=False,
        validators=[check_address],
        help_text="The link is sent there, and only an account of this address can accept it. "
        "Leave it empty for a link that you pass on yourself.",
        error_messages={"invalid": "Write an address such as name@example.org, or nothing.", **NUL},
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )
    days = forms.TypedChoiceField(
        label="Good for",
        choices=PERIODS,
        coerce=int,
        initial=7,
        error_messages={
            "required": "Choose one of the periods listed.",
            "invalid_choice": "Choose one of the periods listed.",
        },
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if settings.MAIL == "none":
            del self.fields["email"]

    @property
    def good_for(self) -> timedelta:
        return timedelta(days=self.cleaned_data["days"])
