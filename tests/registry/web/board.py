"""A thing to watch: rows with rising ids, read as a topic; and the means to watch it in a test."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

from registry.web.hub import Hub, Replayed
from registry.web.sse import DONE, Frame
from registry.web.watch import Wake
from tests.registry.web.test_sse import as_a_browser

SECONDS = 10.0


class Board:
    """Rows in memory, as a database would hold them; counts how often and from where it is read."""

    def __init__(self) -> None:
        self.rows: list[Frame] = []
        self.done = False
        self.readings: list[int] = []
        self.read_at: list[float] = []
        self.failing = False
        self._lock = threading.Lock()
        self.hold = threading.Event()
        self.hold.set()

    def add(self, count: int = 1) -> None:
        with self._lock:
            for _ in range(count):
                number = len(self.rows) + 1
                self.rows.append(Frame(number, f"<p>{number}</p>"))

    def replay(self, key: str, after: int) -> Replayed:
        with self._lock:
            self.readings.append(after)
            self.read_at.append(time.monotonic())
            if self.failing:
                raise RuntimeError("the database does not answer")
            found = Replayed([frame for frame in self.rows if frame.id > after], self.done)
        self.hold.wait(SECONDS)
        return found


async def never(wake: Wake) -> None:
    await asyncio.Event().wait()


def hub_of(board: Board, **options: Any) -> Hub:
    quick: dict[str, Any] = {"least_gap": 0.001, "poll_every": 0.01, "watch": never}
    hub = Hub(**quick | options)
    hub.register("board", board.replay)
    return hub


async def until(condition: Callable[[], bool]) -> None:
    """Wait for what will be so; a condition that never holds fails the test."""
    async with asyncio.timeout(SECONDS):
        while not condition():  # noqa: ASYNC110 - what is waited for knows no event
            await asyncio.sleep(0.002)


async def ids(viewer: AsyncIterator[bytes], count: int) -> list[int]:
    """The ids of the next events, `count` of them."""
    seen: list[int] = []
    async with asyncio.timeout(SECONDS):
        while len(seen) < count:
            seen += [int(event["id"]) for event in as_a_browser(await anext(viewer)) if event["id"]]
    return seen


async def to_the_end(viewer: AsyncIterator[bytes]) -> tuple[list[int], bool]:
    """All ids until the stream ends, and whether it said that it was done."""
    stream = b""
    async with asyncio.timeout(SECONDS):
        async for chunk in viewer:
            stream += chunk
    events = as_a_browser(stream)
    numbers = [int(event["id"]) for event in events if event["name"] == "message"]
    return numbers, stream.endswith(DONE)
