"""The form of an endpoint. Its key is write-only: shown never, kept unless a new one is entered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.forms.fields import InvalidJSONInput
from django.utils.html import format_html

from registry.endpoints import domain, egress
from registry.endpoints.models import Endpoint
from registry.endpoints.request import LONG_NUMBER, check_extra_body
from registry.teams.domain import one_line
from registry.teams.models import Team, User

if TYPE_CHECKING:
    Base = forms.ModelForm[Endpoint]
else:
    Base = forms.ModelForm

_NO_JSON = 'Write a JSON object, such as {"top_k": 40}: this is no JSON.'


class Counts(str):
    """A validator's message that writes its numbers as `3,000`."""

    def __mod__(self, params: Any) -> str:
        return self.format(**params)


WORDS = {
    "required": "Fill this in.",
    "max_length": Counts("At most {limit_value:,} characters; this has {show_value:,}."),
    "min_value": Counts("At least {limit_value:,}; this is {show_value:,}."),
    "max_value": Counts("At most {limit_value:,}; this is {show_value:,}."),
    "invalid_choice": "Choose one of those listed.",
    "null_characters_not_allowed": "Take the NUL character out.",
}
_AN_AMOUNT = "Write an amount such as 0.15, or nothing."
PRICE = {
    "invalid": _AN_AMOUNT,
    "min_value": _AN_AMOUNT,
    "max_digits": _AN_AMOUNT,
    "max_whole_digits": "At most 999,999 for a million tokens.",
    "max_decimal_places": "At most 6 places after the point.",
}
WORDS_OF = {
    "name": {"required": "Write a name."},
    "base_url": {"required": "Write the base URL, such as https://api.example.com/v1."},
    "concurrency": {"invalid": "Write a whole number, or nothing."},
    "requests_per_minute": {"invalid": "Write a whole number, or nothing."},
    "price_prompt": PRICE,
    "price_completion": PRICE,
    "deadline_seconds": {
        "required": "Write a whole number of seconds.",
        "invalid": "Write a whole number of seconds.",
    },
}
"""What is said of a value that cannot be, instead of Django's words: of every field, and of one."""


def _with_literal(text: str, literal: str) -> str:
    """Help that names something exactly as a server spells it."""
    return format_html(text, format_html("<code data-literal>{}</code>", literal))


class ExtraBodyField(forms.JSONField):
    """A JSON object; empty means none."""

    def prepare_value(self, value: Any) -> Any:
        return super().prepare_value(value) if value else ""

    def bound_data(self, data: Any, initial: Any) -> Any:
        """What was sent comes back as it was written: it is not read, which it may be too deep for."""
        return initial if self.disabled or data is None else InvalidJSONInput(data)

    def clean(self, value: Any) -> dict[str, Any]:
        try:
            found = super().clean(value)
        except RecursionError:
            raise forms.ValidationError(_NO_JSON) from None
        except ValueError:  # it is JSON, and Python reads no number as long
            raise forms.ValidationError(LONG_NUMBER) from None
        try:
            return check_extra_body({} if found is None else found)
        except ValueError as problem:
            raise forms.ValidationError(str(problem)) from None


class EndpointForm(Base):
    """Adds an endpoint to `team`, or changes `instance`. Errors stand at their fields."""

    key = forms.CharField(
        required=False,
        max_length=500,
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text="Sent to this endpoint only, stored encrypted and never shown again.",
    )
    forget_key = forms.BooleanField(required=False, label="Forget the stored key")
    extra_body = ExtraBodyField(
        required=False,
        error_messages={"invalid": _NO_JSON},
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        help_text=_with_literal(
            "Further fields for every request to this server: a JSON object such as {}.", '{"top_k": 40}'
        ),
    )

    class Meta:
        model = Endpoint
        fields: ClassVar[list[str]] = [
            "name", "base_url", "reasoning", "inline_thinking", "token_limit", "send_temperature",
            "system_role", "extra_body", "concurrency", "requests_per_minute", "deadline_seconds",
            "owners_only", "price_prompt", "price_completion", "currency",
        ]  # fmt: skip
        labels: ClassVar[dict[str, str]] = {
            "inline_thinking": "Remove inline thinking",
            "token_limit": "Name of the token limit",
            "send_temperature": "Send the temperature",
            "system_role": "System message",
            "concurrency": "Calls at once",
            "deadline_seconds": "Deadline in seconds",
            "owners_only": "Only owners may use it",
            "price_prompt": "Price of a million prompt tokens",
            "price_completion": "Price of a million completion tokens",
            "currency": "Currency of the prices",
        }
        help_texts: ClassVar[dict[str, str]] = {
            "base_url": "Up to and with the version, such as https://api.example.com/v1.",
            "reasoning": _with_literal(
                "Leave alone, unless the server knows {} or an effort: others refuse them, and runs say so.",
                "chat_template_kwargs",
            ),
            "inline_thinking": "For servers that put <think>…</think> into the answer: it is taken out.",
            "send_temperature": "Off for models that take only their own: the runs then say so.",
            "concurrency": "Empty means 1 for a model on this machine, else 8.",
            "requests_per_minute": "Empty means no limit.",
            "deadline_seconds": "For a whole call. Slow generations need more.",
            "owners_only": "Else whoever may start runs in the team.",
            "price_prompt": "As the provider states it. Empty where it is not known: nothing is guessed.",
        }
        widgets: ClassVar[dict[str, forms.Widget]] = {
            "price_prompt": forms.TextInput(attrs={"inputmode": "decimal"}),
            "price_completion": forms.TextInput(attrs={"inputmode": "decimal"}),
            "currency": forms.TextInput(attrs={"size": 3, "autocapitalize": "characters"}),
        }

    def __init__(self, *args: Any, team: Team, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.team = team
        self.fixed = self.instance.practice
        for name in ("concurrency", "currency"):
            self.fields[name].required = False
        for name, field in self.fields.items():
            field.error_messages |= WORDS | WORDS_OF.get(name, {})
        self._begin_with()
        for name in ("reasoning", "token_limit"):  # what servers call these is among the choices
            self.fields[name].widget.attrs["data-literal"] = True
        if self.fixed:
            for name in ("base_url", "key", "forget_key"):
                self.fields[name].disabled = True
        if self.instance.key_cipher:
            key = self.fields["key"]
            key.label = "New key"
            key.help_text = f"{self._held()} Leave this empty to keep it; a new one replaces it at once."
        else:
            del self.fields["forget_key"]

    def _begin_with(self) -> None:
        """What stands in the fields before anything is entered, where it is not what the row says."""
        if not self.instance.pk:
            self.initial["concurrency"] = None
        for name in ("price_prompt", "price_completion"):
            if (price := self.initial.get(name)) is not None:
                self.initial[name] = f"{price.normalize():f}"

    def _held(self) -> str:
        if self.instance.unreadable:
            return "The stored key cannot be read: enter it again."
        last4 = self.instance.key_last4
        return f"A key ending in {last4} is stored." if last4 else "A key is stored."

    def clean_name(self) -> str:
        name = one_line(self.cleaned_data["name"])
        if not name:
            raise forms.ValidationError(WORDS_OF["name"]["required"])
        try:
            domain.check_name(self.team, name, self.instance)
        except domain.EndpointError as problem:
            raise forms.ValidationError(str(problem)) from None
        return name

    def clean_base_url(self) -> str:
        url: str = self.cleaned_data["base_url"]
        if self.fixed:
            return url
        try:
            return egress.check_base_url(url, look_up=True)
        except egress.BaseUrlError as problem:
            raise forms.ValidationError(str(problem)) from None

    def clean_concurrency(self) -> int | None:
        calls: int | None = self.cleaned_data["concurrency"]
        if calls is None and (url := self.cleaned_data.get("base_url")):
            return domain.usual_concurrency(url)
        return calls

    def clean_currency(self) -> str:
        return self.cleaned_data["currency"] or "USD"

    def clean_key(self) -> str:
        try:
            return domain.check_key(self.cleaned_data["key"])
        except domain.EndpointError as problem:
            raise forms.ValidationError(str(problem)) from None

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("key") and cleaned.get("forget_key"):
            self.add_error("forget_key", "Either enter a new key or forget the stored one.")
        elif self.instance.pk and not self.errors:
            self._check_change()
        for name, other in (("price_prompt", "price_completion"), ("price_completion", "price_prompt")):
            if name in cleaned and cleaned[name] is None and cleaned.get(other) is not None:
                self.add_error(name, "State both prices, or neither.")
        return cleaned

    def _check_change(self) -> None:
        stored = Endpoint.objects.get(pk=self.instance.pk)
        try:
            domain.check_change(stored, {"base_url": self.cleaned_data["base_url"]}, self._new_key())
        except domain.EndpointError as problem:
            self.add_error(problem.field, str(problem))

    def _new_key(self) -> str | None:
        """What the form says about the key: a new one, "" to forget it, None to keep it."""
        if self.cleaned_data.get("forget_key"):
            return ""
        return self.cleaned_data["key"] or None

    def saved(self, by: User) -> Endpoint | None:
        """What the valid form describes; None when it was refused meanwhile, which its errors then say."""
        try:
            return self.save(by=by)
        except domain.EndpointError as problem:
            self.add_error(problem.field, str(problem))
            return None

    def save(self, commit: bool = True, *, by: User | None = None) -> Endpoint:
        values = {name: self.cleaned_data[name] for name in self.Meta.fields}
        if not self.instance.pk:
            return domain.add_endpoint(self.team, by=by, key=self._new_key() or "", **values)
        if self.fixed:
            del values["base_url"]
        return domain.change_endpoint(self.instance, by=by, key=self._new_key(), **values)
