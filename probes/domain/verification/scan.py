"""Look for what must be nowhere: reasoning text, and the practice canary that stands for it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.apps import apps
from django.db import connection, models

from probes.models import Attempt
from registry.endpoints.practice import PRACTICE_CANARY

NAMES = "reasoning_content|reasoning_text|reasoning_details|thinking_content|thinking_blocks|thinking_text"
WORDS = "reasoning|thinking"
"""By these, too, but also what is asked for: `{"reasoning": {"effort": "low"}}`. Only a text is reasoning."""

MEMBER = re.compile(rf'"(?:{NAMES})"\s*:|"(?:{WORDS})"\s*:\s*"[^"]{{16}}')
"""A JSON member by which providers send reasoning; inside a JSON string its quotes would be escaped."""

SPOKEN = re.compile(rf"""['"](?:{NAMES})\\?['"]\s*[:=]|['"](?:{WORDS})\\?['"]\s*[:=]\s*\\?['"][^'"]{{16}}""")
"""The same in a text that may quote a reply, as JSON or as Python prints it."""

PIECE = 1024 * 1024


@dataclass
class Finds:
    """Where something was found, how often; and how much was looked at."""

    places: Counter[str] = field(default_factory=Counter)

    def add(self, what: str, place: str) -> None:
        self.places[f"{what} in {place}"] += 1

    @property
    def seen(self) -> list[str]:
        return [f"{place} ({count:,} times)" for place, count in self.places.most_common()]


@dataclass
class Scanned:
    """The tables of the database, every row and every value of them."""

    tables: int = 0
    rows: int = 0
    values: int = 0
    finds: Finds = field(default_factory=Finds)


def scan_text(place: str, text: str, finds: Finds) -> None:
    if PRACTICE_CANARY in text:
        finds.add("the canary", place)


def scan_json(place: str, text: str, finds: Finds, field: re.Pattern[str] = MEMBER) -> None:
    """A JSON text; with `SPOKEN`, one that may quote a reply."""
    scan_text(place, text, finds)
    if field.search(text):
        finds.add("a reasoning field", place)


def scan_database() -> Scanned:
    """Every value of every table: text as it is, bytes as characters, numbers left aside."""
    found = Scanned()
    fields = _fields_sought()
    for table in sorted(connection.introspection.table_names()):
        found.tables += 1
        with connection.chunked_cursor() as cursor:
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")  # noqa: S608 - a table's own name
            names = None
            while rows := cursor.fetchmany(200):
                names = names or [f"{table}.{column[0]}" for column in cursor.description]
                for row in rows:
                    found.rows += 1
                    _scan_row(names, row, fields, found)
    return found


def _scan_row(
    names: list[str], row: Iterable[Any], fields: dict[str, re.Pattern[str]], found: Scanned
) -> None:
    for name, value in zip(names, row, strict=True):
        if value is None:
            continue
        found.values += 1
        text = bytes(value).decode("latin-1") if isinstance(value, bytes | memoryview) else value
        if not isinstance(text, str):
            continue
        if name in fields:
            scan_json(name, text, found.finds, fields[name])
        else:
            scan_text(name, text, found.finds)


def _fields_sought() -> dict[str, re.Pattern[str]]:
    """By column, how a reasoning field would stand in it. A model's own output may speak of anything."""
    json = {
        f"{model._meta.db_table}.{column.column}": MEMBER
        for model in apps.get_models(include_auto_created=True)
        for column in model._meta.concrete_fields
        if isinstance(column, models.JSONField)
    }
    said = ("detail", "finish", "served_model", "error")
    return json | {f"{Attempt._meta.db_table}.{name}": SPOKEN for name in said}


def scan_file(path: Path, finds: Finds) -> int:
    """Look for the canary in a file's raw bytes; how many there were."""
    wanted = PRACTICE_CANARY.encode()
    size, before = 0, b""
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            size += len(piece)
            if wanted in before + piece:
                finds.add("the canary", path.name)
            before = (before + piece)[-len(wanted) + 1 :]
    return size


def scan_log(path: Path, finds: Finds) -> int:
    """Look for the canary and for reasoning fields in a log, line by line; how many lines there were."""
    count = 0
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            count += 1
            scan_json(path.name, line, finds, SPOKEN)
    return count
