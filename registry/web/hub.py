"""The hub: one place that reads what changed and deals it to every browser that watches.

It knows topics (a kind and a key) and a replay callable for each kind; it knows no rows. However
many browsers watch a topic, it is read once per change and at most every 150 ms. Each viewer has a
place, the highest id it was dealt: a reading starts at the lowest of them, and each viewer gets
what lies beyond its own. So a new viewer, one who comes back and one who fell behind are the same
case, nothing is lost and nothing comes twice.

Everything starts with the first viewer and stops with the last one. Importing opens nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.db import connection, connections

from registry.web.sse import DONE, HEARTBEAT, REFUSED, Frame, encoded, joined
from registry.web.watch import CHANNEL, Wake, watch

__all__ = ["Frame", "Hub", "Replayed", "Subscription", "hub", "wake"]

logger = logging.getLogger(__name__)

Found = TypeVar("Found")

QUEUE_LIMIT = 32
"""Dealings one viewer may leave unread; then they are dropped and read again from the database."""
REPLAY_THREADS = 4


@dataclass(frozen=True)
class Replayed:
    """What a reading found: the frames beyond the asked id, and whether more can ever come.

    The reading must be of one moment: `done`, and the id that stands for the whole, are read
    before the rows, or all in one transaction; else a change in between is passed over.
    """

    frames: list[Frame]
    done: bool = False


Replay = Callable[[str, int], Replayed]
"""`replay(key, after)`: everything of the topic that lies beyond `after`. Runs in a thread."""


def wake(key: str) -> None:
    """Tell every hub that `key` changed, with the commit of the transaction this is called in."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_notify(%s, %s)", [CHANNEL, str(key)])
    # on SQLite the commit itself is noticed


May = Callable[[], bool]
"""Whether a viewer may still see the topic. Asked in a thread, every other second; of equals once."""

AskAll = Callable[[Collection[Any]], Mapping[Any, bool]]
"""The answers of all that are asked at once."""


def one_by_one(asked: Collection[May]) -> Mapping[May, bool]:
    return {may: may() for may in asked}


class Subscription(AsyncIterator[bytes]):
    """One viewer's place in a topic, and the bytes dealt to it and not yet taken."""

    def __init__(
        self,
        after: int,
        nudge: Callable[[], None],
        leave: Callable[[Subscription], None],
        may: May | None = None,
    ) -> None:
        self.may = may
        self.dealt = after
        """The highest id put into the queue."""
        self.behind = False
        """The queue ran over and was dropped; `taken` says where to go on."""
        self.taken = after
        self._queue: deque[tuple[int, bytes]] = deque()
        self._filled = asyncio.Event()
        self._ended = False
        self._nudge, self._leave = nudge, leave
        self._loop = asyncio.get_running_loop()

    def deal(self, upto: int, chunk: bytes) -> None:
        if len(self._queue) >= QUEUE_LIMIT:
            self._queue.clear()
            self.behind, self.dealt = True, self.taken
        else:
            self._queue.append((upto, chunk))
            self.dealt = max(self.dealt, upto)
        self._filled.set()

    def beat(self) -> None:
        """A sign of life, unless something else is on its way."""
        if not self._queue:
            self._queue.append((self.dealt, HEARTBEAT))
            self._filled.set()

    def refuse(self) -> None:
        """What is queued is no longer for this viewer, who is told so."""
        self._queue.clear()
        self.end(REFUSED)

    def end(self, chunk: bytes = b"") -> None:
        """No more will be dealt: what is queued is still read, then `chunk`."""
        if chunk:
            self._queue.append((self.dealt, chunk))
        self._ended = True
        self._filled.set()

    async def __anext__(self) -> bytes:
        while not self._queue:
            if self._ended:
                raise StopAsyncIteration
            if self.behind:
                self.behind = False
                self._nudge()
            self._filled.clear()
            await self._filled.wait()
        self.taken, chunk = self._queue.popleft()
        return chunk

    def close(self) -> None:
        """Free the place; may be called twice, and from any thread."""
        with suppress(RuntimeError):  # the loop is closed: so is everything in it
            self._loop.call_soon_threadsafe(self._leave, self)


@dataclass
class Topic:
    """A thing being watched: who watches it, and the task that reads it."""

    key: str
    replay: Replay
    viewers: set[Subscription] = field(default_factory=set)
    woken: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None
    failing: bool = False

    def deal(self, viewers: list[Subscription], replayed: Replayed) -> None:
        """Give each viewer what lies beyond its place; most stand at the same one."""
        frames = [(frame.id, encoded(frame)) for frame in joined(replayed.frames)]
        beyond: dict[int, bytes] = {}
        for viewer in viewers:
            if viewer.dealt not in beyond:
                beyond[viewer.dealt] = b"".join(chunk for number, chunk in frames if number > viewer.dealt)
            if chunk := beyond[viewer.dealt]:
                viewer.deal(frames[-1][0], chunk)
            if replayed.done and not viewer.behind:
                viewer.end(DONE)
                self.viewers.discard(viewer)


class Hub:
    """See the module's docstring. All times in seconds."""

    def __init__(
        self,
        *,
        least_gap: float = 0.15,
        poll_every: float = 2.5,
        beat_every: float = 15.0,
        ask_every: float = 1.5,
        watch: Callable[[Wake], Awaitable[None]] = watch,
    ) -> None:
        self._replays: dict[str, Replay] = {}
        self._topics: dict[tuple[str, str], Topic] = {}
        self._least_gap, self._poll_every = least_gap, poll_every
        self._beat_every, self._ask_every = beat_every, ask_every
        self._ask_all: AskAll = one_by_one
        self._unanswered = False
        self._watch = watch
        self._tasks: list[asyncio.Task[None]] = []
        self._pool: ThreadPoolExecutor | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False

    def register(self, kind: str, replay: Replay) -> None:
        """Say how topics of `kind` are read."""
        self._replays[kind] = replay

    def ask_by(self, ask_all: AskAll) -> None:
        """Say how it is asked who may go on watching."""
        self._ask_all = ask_all

    @property
    def viewers(self) -> int:
        """How many are watching now."""
        return sum(len(topic.viewers) for topic in self._topics.values())

    def subscribe(self, kind: str, key: str, after: int, may: May | None = None) -> Subscription:
        """A place in a topic, beyond `after`, for as long as `may` says so.

        Call it inside the loop; KeyError for an unknown kind.
        """
        replay = self._replays[kind]
        if self._closed:
            return self._ended(after)
        topic = self._topics.get((kind, key))
        if topic is None:
            topic = self._topics[kind, key] = Topic(key, replay)
            topic.task = asyncio.create_task(self._follow(topic), name=f"topic {kind}")
        viewer = Subscription(after, topic.woken.set, lambda gone: self._leave((kind, key), gone), may)
        topic.viewers.add(viewer)
        topic.woken.set()
        self._start()
        return viewer

    def close(self) -> None:
        """End every stream and take no more; from any thread, or from a signal handler."""
        self._closed = True
        if self._loop and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._end_all)

    @staticmethod
    def _ended(after: int) -> Subscription:
        viewer = Subscription(after, lambda: None, lambda gone: None)
        viewer.end()
        return viewer

    def _start(self) -> None:
        if self._tasks:
            return
        self._loop = asyncio.get_running_loop()
        jobs: list[Awaitable[None]] = [self._watch(self._wake), self._poll(), self._beat(), self._ask()]
        self._tasks = [asyncio.ensure_future(job) for job in jobs]

    def _leave(self, place: tuple[str, str], viewer: Subscription) -> None:
        topic = self._topics.get(place)
        if topic:
            topic.viewers.discard(viewer)
            self._sweep()

    def _end_all(self) -> None:
        for topic in self._topics.values():
            for viewer in topic.viewers:
                viewer.end()
            topic.viewers.clear()
        self._sweep()

    def _sweep(self) -> None:
        """Drop what nobody watches; with the last viewer everything stops."""
        for place, topic in list(self._topics.items()):
            if not topic.viewers:
                del self._topics[place]
                if topic.task:
                    topic.task.cancel()
        if not self._topics:
            for task in self._tasks:
                task.cancel()
            self._tasks = []
            if self._pool:
                self._pool.shutdown(wait=False)
                self._pool = None

    def _wake(self, key: str | None) -> None:
        for topic in self._topics.values():
            if key is None or key == topic.key:
                topic.woken.set()

    async def _poll(self) -> None:
        while True:
            await asyncio.sleep(self._poll_every)
            self._wake(None)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self._beat_every)
            for topic in self._topics.values():
                for viewer in topic.viewers:
                    viewer.beat()

    async def _ask(self) -> None:
        while True:
            await asyncio.sleep(self._ask_every)
            await self._ask_again()

    async def _ask_again(self) -> None:
        """End the streams of those who may not see them any more, such as people who left a team."""
        asked = [(topic, viewer) for topic in self._topics.values() for viewer in topic.viewers if viewer.may]
        if not asked:
            return
        answers = await self._answers({viewer.may for _, viewer in asked})
        for topic, viewer in asked:
            if not answers.get(viewer.may, True) and viewer in topic.viewers:
                viewer.refuse()
                topic.viewers.discard(viewer)
        self._sweep()

    async def _answers(self, asked: Collection[Any]) -> Mapping[Any, bool]:
        """None while the database is away: everybody stays, and is asked about again."""
        try:
            answers = await self._in_a_thread(_asking, self._ask_all, asked)
        except Exception:  # noqa: BLE001 - whatever it is, the streams go on
            if not self._unanswered:
                logger.warning("Whether viewers may still watch cannot be asked now: it is asked again.")
            self._unanswered = True
            return {}
        self._unanswered = False
        return answers

    async def _follow(self, topic: Topic) -> None:
        while True:
            await topic.woken.wait()
            topic.woken.clear()
            viewers = [viewer for viewer in topic.viewers if not viewer.behind]
            replayed = await self._read(topic, viewers) if viewers else None
            if replayed:
                topic.deal([viewer for viewer in viewers if viewer in topic.viewers], replayed)
                self._sweep()
            await asyncio.sleep(self._least_gap)

    async def _read(self, topic: Topic, viewers: list[Subscription]) -> Replayed | None:
        """One reading for all; a failed one is tried again by the poll, and logged the first time."""
        after = min(viewer.dealt for viewer in viewers)
        try:
            replayed = await self._in_a_thread(_reading, topic.replay, topic.key, after)
        except Exception:  # whatever it is, the other topics go on
            if not topic.failing:
                logger.exception("Reading the topic %s failed; it is tried again.", topic.key)
            topic.failing = True
            return None
        topic.failing = False
        return replayed

    async def _in_a_thread(self, work: Callable[..., Found], *arguments: object) -> Found:
        self._pool = self._pool or ThreadPoolExecutor(REPLAY_THREADS, thread_name_prefix="replay")
        return await asyncio.get_running_loop().run_in_executor(self._pool, work, *arguments)


def _asking(ask_all: AskAll, asked: Collection[Any]) -> Mapping[Any, bool]:
    try:
        return ask_all(asked)
    finally:
        connections.close_all()


def _reading(replay: Replay, key: str, after: int) -> Replayed:
    try:
        return replay(key, after)
    finally:
        connections.close_all()  # a thread that waits holds no connection


hub = Hub()
"""The one that this process's streams use."""
