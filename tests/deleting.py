"""Nobody deletes frozen rows; tests empty their tables, and take away what verification should miss."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

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


def _on_postgresql(sql: str) -> None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(sql)
