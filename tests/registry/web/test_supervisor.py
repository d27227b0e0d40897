"""Processes kept running: small ones that behave as badly as a test needs, and one real web process."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sqlite3
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import dataclass, field

import pytest

from registry.web import supervisor as supervisor_module
from registry.web.supervisor import Child, Supervisor
from tests.registry.web.board import until
from tests.registry.web.processes import ended
from tests.registry.web.streaming_site import TABLE
from tests.served import ROOT
from tests.thorough import thorough

STEADY = ["sleep", "1000"]
DEAF = ["sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"]


async def at_once() -> None:
    """The first process answers as soon as it is asked."""


async def never() -> None:
    await asyncio.Event().wait()


@dataclass
class Kept:
    """A supervisor at work, what it said, and whether it announced that all is up."""

    supervisor: Supervisor
    said: list[str] = field(default_factory=list)
    announced: list[bool] = field(default_factory=list)

    def run(self, answered: Callable[[], Awaitable[None]]) -> Awaitable[int]:
        return asyncio.ensure_future(self.supervisor.run(answered, lambda: self.announced.append(True)))


def keeping(web: list[str], worker: list[str], **options) -> Kept:
    said: list[str] = []
    first = Child("web", web, ROOT, **options)
    return Kept(Supervisor(first, [Child("worker", worker, ROOT)], said.append), said)


def pid(kept: Kept, index: int) -> int:
    process = kept.supervisor.children[index].process
    assert process
    return process.pid


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch):
    monkeypatch.setattr(supervisor_module, "FIRST_PAUSE", 0.01)


def test_a_killed_worker_is_started_again_and_that_is_said_once():
    async def scenario():
        kept = keeping(STEADY, STEADY)
        running = kept.run(at_once)
        await until(lambda: kept.announced == [True])
        before = pid(kept, 1)
        os.kill(before, signal.SIGKILL)
        await until(lambda: pid(kept, 1) != before)
        assert kept.said == ["The worker process was ended by SIGKILL; it is started again in 0.01 s."]
        kept.supervisor.stop()
        assert await running == 0

    asyncio.run(scenario())


def test_a_killed_web_process_is_started_again_too():
    async def scenario():
        kept = keeping(STEADY, STEADY)
        running = kept.run(at_once)
        await until(lambda: kept.announced == [True])
        before = pid(kept, 0)
        os.kill(before, signal.SIGKILL)
        await until(lambda: pid(kept, 0) != before)
        kept.supervisor.stop()
        assert await running == 0
        assert kept.announced == [True]

    asyncio.run(scenario())


def test_one_that_fails_in_a_loop_is_started_ever_more_slowly():
    async def scenario():
        kept = keeping(STEADY, ["sh", "-c", "exit 3"])
        running = kept.run(at_once)
        await until(lambda: len(kept.said) >= 4)
        kept.supervisor.stop()
        await running
        pauses = [line.rpartition("again in ")[2] for line in kept.said[:4]]
        assert pauses == ["0.01 s.", "0.02 s.", "0.04 s.", "0.08 s."]
        assert kept.said[0].startswith("The worker process ended with code 3;")

    asyncio.run(scenario())


def test_after_a_steady_run_the_pause_is_short_again(monkeypatch):
    monkeypatch.setattr(supervisor_module, "STEADY_SECONDS", 0.0)

    async def scenario():
        kept = keeping(STEADY, ["true"])
        running = kept.run(at_once)
        await until(lambda: len(kept.said) >= 3)
        kept.supervisor.stop()
        await running
        assert {line.rpartition("again in ")[2] for line in kept.said[:3]} == {"0.01 s."}

    asyncio.run(scenario())


def test_a_web_process_that_never_came_up_ends_it_all():
    async def scenario():
        kept = keeping(["sh", "-c", "exit 3"], STEADY)
        assert await kept.run(never) == 1
        assert kept.said == ["The web process ended with code 3 before it answered: see above."]
        assert kept.announced == []
        assert ended(pid(kept, 1))

    asyncio.run(scenario())


def test_stopping_before_it_came_up_is_no_failure():
    async def scenario():
        kept = keeping(STEADY, STEADY)
        running = kept.run(never)
        await until(lambda: kept.supervisor.children[1].process is not None)
        kept.supervisor.stop()
        assert await running == 0
        assert kept.announced == []
        assert ended(pid(kept, 0))
        assert ended(pid(kept, 1))

    asyncio.run(scenario())


def test_one_that_does_not_listen_is_killed(monkeypatch):
    monkeypatch.setattr(supervisor_module, "STOP_SECONDS", 0.2)

    async def scenario():
        kept = keeping(STEADY, DEAF)
        running = kept.run(at_once)
        await until(lambda: kept.announced == [True])
        began = time.monotonic()
        kept.supervisor.stop()
        assert await running == 0
        assert time.monotonic() - began < 3
        assert ended(pid(kept, 1))

    asyncio.run(scenario())


@thorough
def test_open_streams_do_not_hold_it_up(tmp_path, monkeypatch):
    monkeypatch.setenv("PROBE_HOME", str(tmp_path))
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path / 'board.sqlite3'}")
    with closing(sqlite3.connect(tmp_path / "board.sqlite3")) as connection:
        connection.execute(TABLE)

    async def open_stream(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /watch HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        await reader.readuntil(b": open")
        return reader, writer

    async def scenario(listening: socket.socket):
        descriptor, port = listening.fileno(), listening.getsockname()[1]
        web = [sys.executable, "-m", "tests.registry.web.streaming_site", str(descriptor)]
        kept = keeping(web, STEADY, pass_fds=(descriptor,))
        running = kept.run(at_once)
        streams = [await open_stream(port) for _ in range(10)]
        began = time.monotonic()
        kept.supervisor.stop()
        assert await running == 0
        assert time.monotonic() - began < 5
        async with asyncio.timeout(5):
            for reader, writer in streams:
                assert b"event: done" not in await reader.read()
                writer.close()
                await writer.wait_closed()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        asyncio.run(scenario(listening))
