"""The one thread of a turn of work that talks to the database. The event loop never does."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import TypeVar

from django.db import InterfaceError, OperationalError, connections

logger = logging.getLogger(__name__)

Result = TypeVar("Result")

PAUSES = (0.05, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 8.0)
"""Seconds before each new try while the database is busy or away."""


class Writer:
    """`async with Writer() as writer: await writer.do(record, …)`: one call after the other.

    Its connections are closed at the end, so that a turn of work leaves none behind.
    """

    async def __aenter__(self) -> Writer:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="writer")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._run(connections.close_all)
        self._thread.shutdown()

    async def do(self, work: Callable[..., Result], *arguments: object) -> Result:
        """What `work` returns; tried again while the database is busy or away, for about 24 seconds."""
        return await self._run(_patiently, work, *arguments)

    async def _run(self, work: Callable[..., Result], *arguments: object) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)


def _patiently(work: Callable[..., Result], *arguments: object) -> Result:
    for pause in PAUSES:
        try:
            return work(*arguments)
        except (OperationalError, InterfaceError) as error:
            logger.warning("The database did not take it (%s): trying again.", type(error).__name__)
            connections.close_all()
            time.sleep(pause)
    return work(*arguments)
