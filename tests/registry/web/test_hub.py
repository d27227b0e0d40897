"""The hub against rows in memory: nothing lost, nothing twice, nothing left running."""

from __future__ import annotations

import asyncio
import logging
import random
import threading
from functools import partial
from itertools import pairwise

import pytest
from django.db import OperationalError

from registry.web import hub as hub_module
from registry.web.hub import Hub
from registry.web.sse import HEARTBEAT, REFUSED
from tests.registry.web.board import Board, hub_of, ids, never, to_the_end, until


def test_what_was_there_and_what_comes_are_one_sequence():
    async def scenario():
        board = Board()
        board.add(3)
        hub = hub_of(board)
        viewer = hub.subscribe("board", "a", 1)
        assert await ids(viewer, 2) == [2, 3]
        board.add(2)
        assert await ids(viewer, 2) == [4, 5]

    asyncio.run(scenario())


def test_a_finished_topic_with_nothing_new_says_done_at_once():
    async def scenario():
        board = Board()
        board.add(3)
        board.done = True
        hub = hub_of(board)
        assert await to_the_end(hub.subscribe("board", "a", 3)) == ([], True)
        assert await to_the_end(hub.subscribe("board", "a", 0)) == ([1, 2, 3], True)
        assert hub.viewers == 0

    asyncio.run(scenario())


def test_many_viewers_come_and_go_and_each_sees_every_row_once():
    async def scenario():
        board = Board()
        hub = hub_of(board)
        chance = random.Random(4)

        async def come_and_go() -> list[int]:
            """Reads, is cut off anywhere, and comes back with the last id it saw."""
            seen: list[int] = []
            while True:
                viewer = hub.subscribe("board", "a", seen[-1] if seen else 0)
                if chance.random() < 0.2:
                    return seen + (await to_the_end(viewer))[0]
                wanted = chance.randrange(1, 4)
                while wanted > 0 and len(seen) < 300:
                    got = await ids(viewer, 1)
                    seen += got
                    wanted -= len(got)
                viewer.close()

        async def write() -> None:
            while len(board.rows) < 400:
                board.add(chance.randrange(1, 6))
                await asyncio.sleep(0)
            board.done = True

        *seen, _ = await asyncio.gather(*(come_and_go() for _ in range(40)), write())
        assert all(numbers == list(range(1, len(board.rows) + 1)) for numbers in seen)
        await until(lambda: hub.viewers == 0)

    asyncio.run(scenario())


def test_one_reading_serves_all_and_readings_keep_their_distance():
    async def scenario():
        board = Board()
        hub = hub_of(board, least_gap=0.15)
        viewers = [hub.subscribe("board", "a", 0) for _ in range(200)]

        def woken_without_end() -> bool:
            board.add()
            hub._wake("a")
            return len(board.readings) == 5

        await until(woken_without_end)
        board.done = True
        rows = list(range(1, len(board.rows) + 1))
        assert await asyncio.gather(*(to_the_end(viewer) for viewer in viewers)) == [(rows, True)] * 200
        gaps = [later - earlier for earlier, later in pairwise(board.read_at)]
        assert min(gaps) >= 0.14

    asyncio.run(scenario())


def test_a_wake_is_for_its_key_and_none_is_for_all():
    async def scenario():
        one, other = Board(), Board()
        hub = hub_of(one, poll_every=3600)
        hub.register("other", other.replay)
        hub.subscribe("board", "a", 0)
        hub.subscribe("other", "b", 0)
        await until(lambda: len(one.readings) == len(other.readings) == 1)
        hub._wake("b")
        await until(lambda: len(other.readings) == 2)
        hub._wake(None)
        await until(lambda: len(one.readings) == 2 and len(other.readings) == 3)

    asyncio.run(scenario())


def test_who_falls_behind_is_brought_up_from_the_database(monkeypatch):
    monkeypatch.setattr(hub_module, "QUEUE_LIMIT", 3)

    async def scenario():
        board = Board()
        hub = hub_of(board, poll_every=3600)
        slow, quick = hub.subscribe("board", "a", 0), hub.subscribe("board", "a", 0)
        for number in range(1, 21):
            board.add()
            hub._wake("a")
            assert await ids(quick, 1) == [number]
        assert slow.behind
        board.done = True
        hub._wake("a")
        assert await to_the_end(quick) == ([], True)
        assert await to_the_end(slow) == (list(range(1, 21)), True)
        assert hub.viewers == 0

    asyncio.run(scenario())


def test_who_falls_behind_at_the_very_end_still_gets_it_all(monkeypatch):
    monkeypatch.setattr(hub_module, "QUEUE_LIMIT", 3)

    async def scenario():
        board = Board()
        hub = hub_of(board, poll_every=3600)
        slow, quick = hub.subscribe("board", "a", 0), hub.subscribe("board", "a", 0)
        for number in range(1, 5):
            board.done = number == 4  # the fourth dealing runs over, and is the last
            board.add()
            hub._wake("a")
            assert await ids(quick, 1) == [number]
        assert await to_the_end(slow) == ([1, 2, 3, 4], True)

    asyncio.run(scenario())


def test_one_reading_gives_each_what_lies_beyond_its_own_place():
    async def scenario():
        board = Board()
        board.add(4)
        board.done = True
        hub = hub_of(board)
        viewers = [hub.subscribe("board", "a", after) for after in (3, 0, 4, 1)]
        seen = [await to_the_end(viewer) for viewer in viewers]
        assert seen == [([4], True), ([1, 2, 3, 4], True), ([], True), ([2, 3, 4], True)]
        assert board.readings == [0]

    asyncio.run(scenario())


def test_a_forged_place_harms_nobody():
    async def scenario():
        board = Board()
        board.add(2)
        hub = hub_of(board)
        forged = hub.subscribe("board", "a", 10**17)
        honest = hub.subscribe("board", "a", 0)
        assert await ids(honest, 2) == [1, 2]
        board.add()
        board.done = True
        assert await to_the_end(honest) == ([3], True)
        assert await to_the_end(forged) == ([], True)

    asyncio.run(scenario())


def test_a_reading_that_fails_is_tried_again_and_logged_once(caplog):
    async def scenario():
        board = Board()
        board.failing = True
        board.add()
        hub = hub_of(board)
        viewer = hub.subscribe("board", "a", 0)
        await until(lambda: len(board.readings) > 3)
        board.failing = False
        assert await ids(viewer, 1) == [1]

    with caplog.at_level(logging.ERROR, "registry.web.hub"):
        asyncio.run(scenario())
    assert [record.message for record in caplog.records] == ["Reading the topic a failed; it is tried again."]


def test_heartbeats_come_from_the_hub_when_nothing_else_does():
    async def scenario():
        hub = hub_of(Board(), beat_every=0.01)
        viewers = [hub.subscribe("board", "a", 0) for _ in range(3)]
        async with asyncio.timeout(5):
            assert [await anext(viewer) for viewer in viewers for _ in range(2)] == [HEARTBEAT] * 6

    asyncio.run(scenario())


def test_who_may_not_watch_any_more_is_told_and_the_others_go_on():
    async def scenario():
        board, allowed = Board(), {"gone": True, "there": True}
        hub = hub_of(board, ask_every=0.01)
        gone, there = (hub.subscribe("board", "a", 0, partial(allowed.__getitem__, who)) for who in allowed)
        board.add()
        assert [await ids(viewer, 1) for viewer in (gone, there)] == [[1], [1]]
        allowed["gone"] = False
        await until(lambda: hub.viewers == 1)
        board.add()
        assert await ids(there, 1) == [2]
        async with asyncio.timeout(5):
            assert [chunk async for chunk in gone] == [REFUSED]

    asyncio.run(scenario())


def test_who_cannot_be_asked_about_stays(caplog):
    async def scenario():
        asked: list[int] = []

        def may() -> bool:
            asked.append(1)
            raise OperationalError("away")

        hub = hub_of(Board(), ask_every=0.01)
        hub.subscribe("board", "a", 0, may)
        await until(lambda: len(asked) > 1)
        assert hub.viewers == 1

    asyncio.run(scenario())
    assert caplog.text.count("it is asked again") == 1


def test_nobody_reads_heartbeats_that_nobody_took():
    async def scenario():
        hub = hub_of(Board(), beat_every=0.001)
        idle, busy = hub.subscribe("board", "a", 0), hub.subscribe("board", "a", 0)
        async with asyncio.timeout(5):
            for _ in range(20):
                await anext(busy)
        assert len(idle._queue) == 1

    asyncio.run(scenario())


def test_nothing_runs_while_nobody_watches():
    async def scenario():
        watching = []

        async def watch(wake) -> None:
            watching.append(True)
            try:
                await never(wake)
            finally:
                watching.pop()

        board = Board()
        hub = hub_of(board, watch=watch)
        before, threads = asyncio.all_tasks(), set(threading.enumerate())
        assert not watching
        for _ in range(2):  # and it starts again
            viewers = [hub.subscribe("board", key, 0) for key in "aab"]
            await until(lambda: bool(watching) and len(board.readings) > 2)
            for viewer in viewers:
                viewer.close()
                viewer.close()
            await until(lambda: not watching and asyncio.all_tasks() == before)
            assert hub.viewers == 0
            await until(lambda: set(threading.enumerate()) <= threads)

    asyncio.run(scenario())


def test_a_viewer_may_leave_while_its_topic_is_read():
    async def scenario():
        board = Board()
        board.add()
        board.hold.clear()
        hub = hub_of(board)
        leaving, staying = hub.subscribe("board", "a", 0), hub.subscribe("board", "a", 0)
        await until(lambda: len(board.readings) == 1)
        leaving.close()
        await until(lambda: hub.viewers == 1)
        board.hold.set()
        assert await ids(staying, 1) == [1]

    asyncio.run(scenario())


@pytest.mark.parametrize("thread", [True, False])
def test_close_ends_every_stream_without_saying_done(thread):
    async def scenario():
        board = Board()
        hub = hub_of(board)
        viewers = [hub.subscribe("board", key, 0) for key in "ab" for _ in range(5)]
        board.add()
        assert await ids(viewers[0], 1) == [1]
        if thread:
            await asyncio.to_thread(hub.close)
        else:
            hub.close()
        ends = [await to_the_end(viewer) for viewer in viewers]
        assert not any(done for _, done in ends)
        assert hub.viewers == 0
        assert await to_the_end(hub.subscribe("board", "a", 0)) == ([], False)

    asyncio.run(scenario())


def test_a_hub_that_never_ran_can_be_closed():
    Hub().close()


def test_an_unknown_kind_is_an_error():
    async def scenario():
        with pytest.raises(KeyError):
            hub_of(Board()).subscribe("cake", "a", 0)

    asyncio.run(scenario())
