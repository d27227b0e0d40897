"""Which part of an audit log is asked for."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from registry.api.pagination import Cursor
from registry.audit import domain
from registry.audit.actions import ACTIONS
from registry.audit.models import Entry
from registry.teams.models import Team

DAY = {"invalid": "Write a day such as 2026-03-31."}
LISTED = {"invalid_choice": "Choose one of those listed."}
LOST = "This page of the log cannot be found: begin again at its newest lines."


def _day(label: str) -> forms.DateField:
    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    return forms.DateField(
        label=label, required=False, input_formats=["%Y-%m-%d"], widget=widget, error_messages=DAY
    )


class LogForm(forms.Form):
    """Sent by GET. The hidden `cursor` is where a page of lines begins."""

    action = forms.ChoiceField(label="What was done", required=False, error_messages=LISTED)
    person = forms.ChoiceField(label="By whom", required=False, error_messages=LISTED)
    since = _day("From")
    until = _day("To")
    cursor = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, team: Team, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._choose("action", "Everything", list(ACTIONS.items()))
        self._choose("person", "Everybody", domain.people(team))

    def _choose(self, name: str, all_of_them: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - declared above; for the types
        field.choices = [("", all_of_them), *choices]

    def clean_cursor(self) -> Cursor | None:
        text = self.cleaned_data["cursor"]
        try:
            return domain.ORDER.decoded(text, Entry) if text else None
        except (ValueError, TypeError, OverflowError, RecursionError, ValidationError):
            raise forms.ValidationError(LOST) from None

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        since, until = cleaned.get("since"), cleaned.get("until")
        if since and until and since > until:
            self.add_error("until", "This is before the first day: exchange the two.")
        return cleaned

    def page(self, team: Team) -> domain.Page:
        """The lines that the valid form asks for."""
        given = dict(self.cleaned_data)
        cursor = given.pop("cursor")
        return domain.page_of(team, domain.Wanted(**given), cursor)
