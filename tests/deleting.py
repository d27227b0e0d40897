"""Nobody deletes frozen rows; tests empty their tables, and take away what verification should miss."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from django.db import connection

from registry import immutability

_LETS_ALL_THROUGH = """
CREATE OR REPLACE FUNCTION registry_refuse_always() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN RETURN OLD; END $$
"""


@contextmanager
def deleting() -> Iterator[None]:
    """While it lasts, the triggers refuse no deletion."""
    token = immutability._deleting.set(True)
    _on_postgresql(_LETS_ALL_THROUGH)
    try:
        yield
    finally:
        immutability._deleting.reset(token)
        _on_postgresql(immutability.POSTGRESQL_REFUSAL)


@contextmanager
def emptying() -> Iterator[None]:
    """While it lasts, PostgreSQL empties tables row by row: TRUNCATE makes new files for each of them."""
    if connection.vendor != "postgresql":
        yield
        return
    with mock.patch.object(connection.ops, "sql_flush", _deletions):
        yield


def _deletions(style: Any, tables: list[str], **options: Any) -> list[str]:
    """In one transaction, so in any order: foreign keys are checked at its end."""
    return [f"DELETE FROM {connection.ops.quote_name(table)}" for table in tables]


def _on_postgresql(sql: str) -> None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(sql)
