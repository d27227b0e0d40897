"""SQLite's log of writes: what was erased still stands in it until it is emptied into the main file."""

from __future__ import annotations

from django.db import OperationalError, connections

PATIENCE = 1.0
"""Seconds that readers are waited for; nobody else writes meanwhile."""


def empty_log(using: str = "default", *, patience: float | None = None) -> bool:
    """Move all into the main file, where what is deleted is overwritten, and cut the log to nothing.

    False where that cannot be now, as somebody reads an earlier state: the sweep tries again. Does
    nothing within a transaction, and with PostgreSQL, whose own log and vacuum its operator rules.
    """
    connection = connections[using]
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        return False
    usual = float(connection.settings_dict["OPTIONS"].get("timeout", 5))
    with connection.cursor() as cursor:
        try:
            cursor.execute(
                f"PRAGMA busy_timeout = {round((PATIENCE if patience is None else patience) * 1000)}"
            )
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            busy, *_ = cursor.fetchone()
            return not busy
        except OperationalError:  # somebody writes, or does the same
            return False
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {round(usual * 1000)}")
