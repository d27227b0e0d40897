"""A bounded pool of calls: what is handed in comes back as it lands, whatever becomes of its neighbours.

One pool belongs to one event loop. Nothing runs on after `close`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

Work = TypeVar("Work")
Result = TypeVar("Result")

LAST_WORDS = 0.5
"""Seconds a cancelled call has to end; one that does not is given up."""


@dataclass(frozen=True)
class Landed(Generic[Work, Result]):
    """What became of one piece of work: exactly one of `result`, `crash` and `interrupted` is set."""

    work: Work
    result: Result | None = None
    crash: Exception | None = None
    interrupted: bool = False
    seconds: float = 0.0


class Pool(Generic[Work, Result]):
    """At most `size` calls of `call` at once.

    `start` hands in work while there is `room`; `landed` gives back what has come in since; `close`
    ends it. A call that raises comes back as a crash and touches no other.
    """

    def __init__(self, call: Callable[[Work], Awaitable[Result]], size: int) -> None:
        self._call = call
        self._size = size
        self._tasks: dict[asyncio.Task[None], tuple[Work, float]] = {}
        self._back: list[Landed[Work, Result]] = []
        self._came = asyncio.Event()
        self._closed = False

    @property
    def room(self) -> int:
        """How many more calls may be started now."""
        return 0 if self._closed else self._size - len(self._tasks)

    @property
    def in_flight(self) -> list[Work]:
        return [work for work, _ in self._tasks.values()]

    def start(self, work: Work) -> None:
        """Begin a call. Raises RuntimeError when there is no room."""
        if self.room < 1:
            raise RuntimeError(
                "The pool is closed." if self._closed else f"All {self._size} places are taken."
            )
        begun = time.monotonic()
        task = asyncio.create_task(self._run(work, begun))
        self._tasks[task] = (work, begun)
        task.add_done_callback(self._forget)

    async def landed(self, wait: float, gather: float = 0.0, most: int = 0) -> list[Landed[Work, Result]]:
        """What has landed: at once if something has, else after at most `wait` seconds, maybe nothing.

        With the first there, it goes on collecting for `gather` seconds or until there are `most`.
        """
        await self._until(1, wait)
        if self._back and gather:
            await self._until(most, gather)
        back, self._back = self._back, []
        return back

    async def close(self, grace: float) -> list[Landed[Work, Result]]:
        """Take no more; after `grace` seconds cancel what is in flight. All that landed comes back."""
        self._closed = True
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=grace)
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=LAST_WORDS)
        stubborn = list(self._tasks.values())
        self._tasks.clear()
        back, self._back = self._back, []
        return back + [self._interrupted(work, begun) for work, begun in stubborn]

    async def _until(self, count: int, seconds: float) -> None:
        """Wait until `count` have landed, or for `seconds`."""
        end = time.monotonic() + seconds
        while len(self._back) < count and (left := end - time.monotonic()) > 0:
            self._came.clear()
            try:
                await asyncio.wait_for(self._came.wait(), left)
            except TimeoutError:
                return

    async def _run(self, work: Work, begun: float) -> None:
        try:
            result = await self._call(work)
        except asyncio.CancelledError:
            self._land(self._interrupted(work, begun))
        except Exception as crash:  # noqa: BLE001 - whatever it is, the other calls go on
            self._land(Landed(work, crash=crash, seconds=time.monotonic() - begun))
        else:
            self._land(Landed(work, result, seconds=time.monotonic() - begun))

    def _land(self, landed: Landed[Work, Result]) -> None:
        self._back.append(landed)
        self._came.set()

    def _forget(self, task: asyncio.Task[None]) -> None:
        work, begun = self._tasks.pop(task, (None, 0.0))
        if task.cancelled() and work is not None:  # before its first step, so it could not say so itself
            self._land(self._interrupted(work, begun))

    @staticmethod
    def _interrupted(work: Work, begun: float) -> Landed[Work, Result]:
        return Landed(work, interrupted=True, seconds=time.monotonic() - begun)
