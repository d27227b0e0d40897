"""Fields that every floor's serializers use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.reverse import reverse

from registry.teams.models import User

Path = str | Callable[[Any], Any]
"""Where a value is found from a row: `version.probe.slug`, or a callable for what is no attribute."""


def follow(row: Any, path: Path) -> Any:
    if callable(path):
        return path(row)
    for part in path.split("."):
        row = getattr(row, part)
    return row


@extend_schema_field(OpenApiTypes.URI)
class Link(serializers.Field):
    """The whole address of a route with its arguments: `Link("api-run", pk="run.pk")`."""

    def __init__(self, route: str, **arguments: Path) -> None:
        super().__init__(read_only=True, source="*")
        self.route, self.arguments = route, arguments

    def to_representation(self, value: Any) -> str:
        found = {name: follow(value, path) for name, path in self.arguments.items()}
        return reverse(self.route, kwargs=found, request=self.context.get("request"))


@extend_schema_field(OpenApiTypes.URI)
class ListLink(serializers.Field):
    """The whole address of a list with filters: `ListLink("api-runs", batch="pk")`."""

    def __init__(self, route: str, **filters: Path) -> None:
        super().__init__(read_only=True, source="*")
        self.route, self.filters = route, filters

    def to_representation(self, value: Any) -> str:
        said = urlencode({name: follow(value, path) for name, path in self.filters.items()})
        return f"{reverse(self.route, request=self.context.get('request'))}?{said}"


@extend_schema_field(OpenApiTypes.URI)
class PageLink(serializers.Field):
    """The page that people read of the row."""

    def __init__(self, source: str = "*") -> None:
        super().__init__(read_only=True, source=source)

    def to_representation(self, value: Any) -> str:
        address: str = value.get_absolute_url()
        request = self.context.get("request")
        return request.build_absolute_uri(address) if request else address


@extend_schema_field({"type": "string"})
class PersonName(serializers.Field):
    """The name a person chose; never the e-mail address they sign in with."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(read_only=True, **kwargs)

    def to_representation(self, value: User) -> str:
        return value.name
