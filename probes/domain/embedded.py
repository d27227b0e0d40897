"""The embedded worker: a loop around the turn of work, woken by what others commit."""

from __future__ import annotations

import logging
import time
from threading import Event

from django.conf import settings
from django.db import connection

from probes.domain.claim import due
from probes.domain.drain import GRACE, drain
from probes.domain.sweep import sweep

logger = logging.getLogger(__name__)

LOOK_EVERY = 0.05
"""Seconds between two looks at SQLite's data version; one takes some microseconds."""
POLL_EVERY = 0.5
"""Seconds between two looks for due trials on PostgreSQL."""
AFTER_TROUBLE = 2.0


def work(stop: Event, grace_seconds: float = GRACE) -> None:
    """Sweep, work and wait, until `stop` is set. A turn that fails is logged, and the next one begins."""
    while not stop.is_set():
        try:
            sweep()
            drain(stop=stop, grace_seconds=grace_seconds)
            wait_for_work(stop, settings.SWEEP_SECONDS)
        except Exception:
            logger.exception("A turn of work failed; the next one begins in %s seconds.", AFTER_TROUBLE)
            connection.close()
            stop.wait(AFTER_TROUBLE)
    connection.close()


def wait_for_work(stop: Event, seconds: float) -> bool:
    """Wait until a trial is due, for `seconds` at most; whether one is."""
    end = time.monotonic() + seconds
    while not stop.is_set() and time.monotonic() < end:
        version = data_version()
        if due().exists():
            return True
        _wait_for_commit(stop, version, min(end, time.monotonic() + POLL_EVERY))
    return False


def data_version() -> int | None:
    """SQLite's count of what others committed, as this connection sees it; None elsewhere."""
    if connection.vendor != "sqlite":
        return None
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA data_version")
        return int(cursor.fetchone()[0])


def _wait_for_commit(stop: Event, version: int | None, end: float) -> None:
    """Wait until somebody else commits, or until `end` where that cannot be seen."""
    while (left := end - time.monotonic()) > 0 and not stop.wait(min(LOOK_EVERY, left)):
        if version is not None and data_version() != version:
            return
