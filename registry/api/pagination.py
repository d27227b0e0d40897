"""Pages by keyset: a cursor names the last row seen, so that each row comes once, both ways.

An offset moves when rows are inserted, and REST framework's own cursor loops when many rows share
a time. Here the order ends in a unique column, and the cursor holds all of its columns.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from django.core.exceptions import ValidationError as Invalid
from django.db.models import Field, Model, Q, QuerySet
from rest_framework.exceptions import ValidationError
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import remove_query_param, replace_query_param

Row = TypeVar("Row", bound=Model)

LONGEST_CURSOR = 2000
UNREADABLE = (
    "This cursor cannot be read. Follow the `next` or `previous` address of an answer as it is, "
    "or leave the cursor out to begin at the first page."
)


@dataclass(frozen=True)
class Cursor:
    """Where a page begins: beyond the row with these values of the order's columns, either way."""

    values: tuple[Any, ...]
    backwards: bool

    def encoded(self) -> str:
        values = [str(value) if not isinstance(value, str | int) else value for value in self.values]
        text = json.dumps([int(self.backwards), *values], separators=(",", ":"))
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


@dataclass(frozen=True)
class Order:
    """Columns to sort by, `-` for descending; together they are unique, and none is ever null."""

    names: tuple[str, ...]

    def sort(self, rows: QuerySet[Row], *, backwards: bool) -> QuerySet[Row]:
        return rows.order_by(*(_flipped(name) if backwards else name for name in self.names))

    def beyond(self, cursor: Cursor) -> Q:
        """The rows that come after the cursor's in its direction."""
        found, equal = Q(), Q()
        for name, value in zip(self.names, cursor.values, strict=True):
            column = name.removeprefix("-")
            less = name.startswith("-") != cursor.backwards
            found |= equal & Q(**{f"{column}__{'lt' if less else 'gt'}": value})
            equal &= Q(**{column: value})
        return found & self._from_the_first(cursor)

    def _from_the_first(self, cursor: Cursor) -> Q:
        """Says again of the first column alone what an index can use."""
        first = self.names[0]
        less = first.startswith("-") != cursor.backwards
        return Q(**{f"{first.removeprefix('-')}__{'lte' if less else 'gte'}": cursor.values[0]})

    def cursor(self, row: Model | Mapping[str, Any], *, backwards: bool) -> Cursor:
        return Cursor(tuple(_value(row, name.removeprefix("-")) for name in self.names), backwards)

    def decoded(self, text: str, model: type[Model]) -> Cursor:
        """The cursor that `text` stands for. Raises ValueError for whatever never was one of ours."""
        if len(text) > LONGEST_CURSOR:
            raise ValueError("too long")
        padded = text.encode("ascii") + b"=" * (-len(text) % 4)
        data = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        if not isinstance(data, list) or len(data) != len(self.names) + 1 or data[0] not in (0, 1):
            raise ValueError("of another shape")
        columns = (_column(model, name.removeprefix("-")) for name in self.names)
        values = (_read(column, value) for column, value in zip(columns, data[1:], strict=True))
        return Cursor(tuple(values), bool(data[0]))


def _flipped(name: str) -> str:
    return name[1:] if name.startswith("-") else f"-{name}"


def _value(row: Any, path: str) -> Any:
    if isinstance(row, Mapping):
        return row[path]
    for part in path.split("__"):
        row = getattr(row, part)
    return row


def _column(model: type[Model], path: str) -> Field[Any, Any]:
    *relations, last = path.split("__")
    for name in relations:
        model = model._meta.get_field(name).related_model  # type: ignore[assignment]
    return model._meta.pk if last == "pk" else model._meta.get_field(last)  # type: ignore[return-value]


def _read(column: Field[Any, Any], value: object) -> Any:
    """`value` as the column holds it; ValueError for what the column never holds."""
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise ValueError("of another type")
    if isinstance(value, str) and b"\x00" in value.encode():  # a lone surrogate is a ValueError too
        raise ValueError("of unstorable text")
    read = column.to_python(value)
    if isinstance(read, datetime):
        if read.tzinfo is None:
            raise ValueError("without a zone")
        return read.astimezone(UTC)
    return read


class KeysetPagination(BasePagination):
    """`next` and `previous` are whole addresses, null at the ends. The view states its `order`."""

    page_size = 25
    most = 100

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        self.request = request
        self.order = Order(view.order)
        self.cursor = self._cursor(queryset.model)
        size = self._size()
        backwards = bool(self.cursor and self.cursor.backwards)
        rows = self.order.sort(queryset, backwards=backwards)
        if self.cursor:
            rows = rows.filter(self.order.beyond(self.cursor))
        found = list(rows[: size + 1])
        self.more = len(found) > size
        self.page: list[Any] = found[:size][::-1] if backwards else found[:size]
        return self.page

    def _cursor(self, model: type[Model]) -> Cursor | None:
        if (text := self.request.query_params.get("cursor")) is None:
            return None
        try:
            return self.order.decoded(text, model)
        except (ValueError, TypeError, OverflowError, RecursionError, Invalid):
            raise ValidationError({"cursor": [UNREADABLE]}) from None

    def _size(self) -> int:
        text = self.request.query_params.get("page_size", str(self.page_size))
        if not (text.isascii() and text.isdecimal() and len(text) < 6 and 1 <= int(text) <= self.most):
            raise ValidationError({"page_size": [f"Write a whole number from 1 to {self.most}."]})
        return int(text)

    def get_paginated_response(self, data: Any) -> Response:
        return Response({"next": self._next(), "previous": self._previous(), "results": data})

    def _next(self) -> str | None:
        """There is a next page if more was found, or if we came back from one."""
        backwards = self.cursor is not None and self.cursor.backwards
        if not self.page or not (backwards or self.more):
            return None
        return self._address(self.order.cursor(self.page[-1], backwards=False))

    def _previous(self) -> str | None:
        forwards = self.cursor is not None and not self.cursor.backwards
        came_on = self.more if self.cursor and self.cursor.backwards else forwards
        if not self.page or not came_on:
            return None
        return self._address(self.order.cursor(self.page[0], backwards=True))

    def _address(self, cursor: Cursor) -> str:
        here = remove_query_param(self.request.build_absolute_uri(), "cursor")
        return replace_query_param(here, "cursor", cursor.encoded())

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        link = {"type": "string", "format": "uri", "nullable": True}
        properties = {"next": link, "previous": link, "results": schema}
        return {"type": "object", "required": list(properties), "properties": properties}

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        size = {"type": "integer", "minimum": 1, "maximum": self.most, "default": self.page_size}
        return [
            _parameter("cursor", "Where the page begins, from `next` or `previous`.", {"type": "string"}),
            _parameter("page_size", "Rows on a page.", size),
        ]


def _parameter(name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": False, "description": description, "schema": schema}
