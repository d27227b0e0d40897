"""Query parameters, taken at their word: a misspelt one is refused, as ignoring it would answer too much."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, TypeVar

from django import forms
from django.db.models import Model, QuerySet
from django_filters import CharFilter, ChoiceFilter, Filter, TypedChoiceFilter
from django_filters.rest_framework import DjangoFilterBackend
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

Row = TypeVar("Row", bound=Model)

PAGING = ("cursor", "page_size")
MOST_VERSIONS = 2**31 - 1


class StatedFilters(DjangoFilterBackend):
    """The filters that a view states in its `filterset_class`."""


def check_parameters(request: Request, known: Iterable[str]) -> None:
    """Refuse what is unknown, empty or given twice; 400 names each."""
    known = sorted(known)
    found = {name: _problem(name, given, known) for name, given in request.query_params.lists()}
    if problems := {name: [said] for name, said in found.items() if said}:
        raise ValidationError(problems)


def _problem(name: str, given: list[str], known: list[str]) -> str:
    if name not in known:
        return f"Not a parameter of this route. It takes {', '.join(known) or 'none'}."
    if len(given) > 1:
        return "Give it once: which of the values is meant cannot be told."
    return "" if given[0] else "Write a value, or leave the parameter out."


@extend_schema_field(OpenApiTypes.BOOL)
class YesNo(TypedChoiceFilter):
    """`true` or `false`, and nothing else."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        said = {"invalid_choice": "Write true or false."}
        choices = [("true", "true"), ("false", "false")]
        super().__init__(
            *args, choices=choices, coerce=lambda text: text == "true", error_messages=said, **kwargs
        )


class WholeField(forms.IntegerField):
    """Digits of ASCII and nothing beside them: ` 1` and `١` are no numbers in an address."""

    def to_python(self, value: Any) -> int | None:
        if value and not re.fullmatch("[0-9]+", str(value)):
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid")
        return super().to_python(value)


@extend_schema_field(OpenApiTypes.INT)
class Whole(Filter):
    """A whole number from 1."""

    field_class = WholeField

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        said = dict.fromkeys(("invalid", "min_value", "max_value"), "Write a whole number from 1.")
        bounds = {"min_value": 1, "max_value": kwargs.pop("most", MOST_VERSIONS)}
        super().__init__(*args, error_messages=said, **bounds, **kwargs)


class OneOf(ChoiceFilter):
    """One of the values that a column can hold."""

    def __init__(self, choices: Iterable[tuple[str, str]], **kwargs: Any) -> None:
        choices = list(choices)
        said = {"invalid_choice": f"Write one of {', '.join(str(value) for value, _ in choices)}."}
        super().__init__(choices=choices, error_messages=said, **kwargs)


class Named(CharFilter):
    """`team/slug`: how probes and ladders are named. `field_name` is the path to the row so named, or ""."""

    _SHAPE = re.compile(r"[-a-zA-Z0-9_]+/[-a-zA-Z0-9_]+\Z")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(validators=[self._check], **kwargs)

    def _check(self, value: str) -> None:
        if not self._SHAPE.match(value):
            raise forms.ValidationError("Write team/slug, such as acme/three-words.")

    def filter(self, qs: QuerySet[Row], value: str | None) -> QuerySet[Row]:
        if not value:
            return qs
        team, _, slug = value.partition("/")
        path = f"{self.field_name}__" if self.field_name else ""
        return qs.filter(**{f"{path}team__slug": team, f"{path}slug": slug})
