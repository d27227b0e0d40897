"""What tells the hub that rows have changed: NOTIFY on PostgreSQL, `data_version` on SQLite.

Both are doorbells: they may ring without need, and the hub polls as well in case one is not heard.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import psycopg
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections

logger = logging.getLogger(__name__)

CHANNEL = "registry_wake"
LOOK_EVERY = 0.05
"""Seconds between two looks at SQLite's data version; one look takes about 8 microseconds."""
RETRY_AFTER = 1.0

Wake = Callable[[str | None], None]
"""Called with the key that changed, or None when anything may have."""


async def watch(wake: Wake) -> None:
    """Call `wake` whenever rows may have changed, until cancelled; a lost connection is made again."""
    told = False
    while True:
        try:
            await _watching()(wake)
        except Exception as error:  # noqa: BLE001 - the hub's poll goes on, and this is tried again
            log = logger.debug if told else logger.warning
            log("The live pages hear of no change (%s): they look every few seconds instead.", error)
            told = True
        wake(None)
        await asyncio.sleep(RETRY_AFTER)


def _watching() -> Callable[[Wake], Awaitable[None]]:
    return listen if connections[DEFAULT_DB_ALIAS].vendor == "postgresql" else look


async def listen(wake: Wake) -> None:
    """One direct connection on LISTEN (through a pooler in transaction mode nothing would arrive)."""
    connect = psycopg.AsyncConnection.connect
    async with await connect(settings.LISTEN_URL, autocommit=True, application_name="registry hub") as heard:
        await heard.execute(f"LISTEN {CHANNEL}")
        wake(None)  # what was said while nobody listened
        async for note in heard.notifies():
            wake(note.payload)


async def look(wake: Wake) -> None:
    """One connection that never writes, asking whether any other has committed."""
    with closing(_onlooker(connections[DEFAULT_DB_ALIAS].settings_dict["NAME"])) as connection:
        seen = None
        while True:
            version = connection.execute("PRAGMA data_version").fetchone()[0]
            if version != seen:
                seen = version
                wake(None)
            await asyncio.sleep(LOOK_EVERY)


def _onlooker(name: str | Path) -> sqlite3.Connection:
    # not mode=ro: a reader of a WAL database may have to make its -shm file
    connection = sqlite3.connect(f"{Path(name).absolute().as_uri()}?mode=rw", uri=True, timeout=0)
    connection.execute("PRAGMA query_only = ON")
    return connection
