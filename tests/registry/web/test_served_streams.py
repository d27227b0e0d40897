"""Streams through a real uvicorn with every middleware, its database a file or a server."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest

from registry.settings import STREAMS_ADDRESS
from registry.web.server import GRACE_SECONDS
from registry.web.watch import CHANNEL
from tests.registry.web.streaming_site import TABLE
from tests.served import ROOT, fresh_database
from tests.thorough import thorough


def next_event(answer: http.client.HTTPResponse) -> dict[str, str]:
    """The next event with data; {} at the end of the stream. Heartbeats are passed over."""
    fields: dict[str, str] = {}
    while line := answer.readline().decode():
        name, _, value = line.rstrip("\n").partition(": ")
        if name:
            fields[name] = value
        elif "data" in fields:
            return fields
        else:
            fields = {}
    return {}


@dataclass
class Postgres:
    url: str
    while_watched = 1
    """Connections while people watch: the one that listens. More come and go with each reading."""

    @property
    def environment(self) -> dict[str, str]:
        return {"DATABASE_URL": self.url}

    def run(self, sql: str) -> None:
        with psycopg.connect(self.url) as connection:
            connection.execute(sql)
            connection.execute(f"NOTIFY {CHANNEL}, 'all'")

    def connections(self, pid: int) -> int:
        """How many connections anyone else has to this database."""
        others = "SELECT count(*) - 1 FROM pg_stat_activity WHERE datname = current_database()"
        with psycopg.connect(self.url) as connection:
            (found,) = connection.execute(others).fetchall()
        return found[0]


@dataclass
class Sqlite:
    path: Path
    while_watched = 30
    """SQLite closes no descriptor of a file before the process drops its last lock on it: it keeps them
    and takes them again, so that they are as many as were open at once, and none when nobody watches."""

    @property
    def environment(self) -> dict[str, str]:
        return {"DATABASE_URL": f"sqlite:///{self.path}"}

    def run(self, sql: str) -> None:
        with closing(sqlite3.connect(self.path, timeout=20)) as connection, connection:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute(sql)

    def connections(self, pid: int) -> int:
        """How often process `pid` has the file open."""
        files = 0
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(FileNotFoundError):
                files += entry.readlink() == self.path
        return files


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Postgres | Sqlite]:
    """A database with the table, written to from outside the served process."""
    with fresh_database() as environment:
        url = environment.get("DATABASE_URL")
        database = Postgres(url) if url else Sqlite(tmp_path / "board.sqlite3")
        database.run(TABLE)
        yield database


@dataclass
class Served:
    process: subprocess.Popen[bytes]
    port: int
    board: Postgres | Sqlite
    open: dict[http.client.HTTPResponse, http.client.HTTPConnection] = field(default_factory=dict)

    def add(self, number: int, html: str) -> None:
        self.board.run(f"INSERT INTO board VALUES ({number}, '{html}')")

    def get(self, path: str, headers: dict[str, str]) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        self.open[answer] = connection
        return answer

    def watch(self, after: int = 0, **headers: str) -> http.client.HTTPResponse:
        return self.get(f"/watch?after={after}", {name.replace("_", "-"): headers[name] for name in headers})

    def viewers(self) -> int:
        answer = self.get("/viewers", {"Connection": "close"})
        count = int(answer.read())
        self.leave([answer])
        return count

    def threads(self) -> int:
        return len(list(Path(f"/proc/{self.process.pid}/task").iterdir()))

    def leave(self, answers: list[http.client.HTTPResponse]) -> None:
        """Hang up, as a browser does whose tab is closed."""
        for answer in answers:
            answer.close()
            self.open.pop(answer).close()

    def stop(self) -> float:
        """Seconds until SIGTERM has ended it."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)
        return time.monotonic() - began


@pytest.fixture
def served(board, tmp_path) -> Iterator[Served]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        fd = listening.fileno()
        command = [sys.executable, "-m", "tests.registry.web.streaming_site", str(fd)]
        home = {"PROBE_HOME": str(tmp_path / "home")}
        process = subprocess.Popen(
            command, cwd=ROOT, env=os.environ | board.environment | home, pass_fds=(fd,)
        )
        site = Served(process, listening.getsockname()[1], board)
    try:
        assert site.viewers() == 0
        yield site
    finally:
        site.leave(list(site.open))
        site.process.kill()
        site.process.wait(10)


def until(condition: Callable[[], bool], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came to be"


def test_a_frame_arrives_as_it_is_written_and_nothing_holds_it_back(served):
    served.add(1, "<p>there before</p>")
    answer = served.watch(Accept_Encoding="gzip, br")
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "text/event-stream"
    assert answer.headers["Cache-Control"] == "no-cache"
    assert answer.headers["X-Accel-Buffering"] == "no"
    assert answer.headers["Content-Encoding"] in (None, "identity")
    assert answer.headers["Content-Length"] is None
    assert next_event(answer) == {"id": "1", "data": "<p>there before</p>"}
    began = time.monotonic()
    served.add(2, "<p>now</p>")
    assert next_event(answer) == {"id": "2", "data": "<p>now</p>"}
    assert time.monotonic() - began < 1.5
    served.add(3, "done")
    assert next_event(answer) == {"event": "done", "data": "done"}
    assert next_event(answer) == {}
    assert answer.read() == b""


@thorough
def test_the_larger_of_page_and_browser_says_where_to_go_on(served):
    for number in range(1, 6):
        served.add(number, f"<p>{number}</p>")
    assert next_event(served.watch(3, Last_Event_ID="1"))["id"] == "4"
    assert next_event(served.watch(1, Last_Event_ID="4"))["id"] == "5"


@thorough
def test_a_gone_browser_frees_its_place(served):
    watching = [served.watch() for _ in range(10)]
    until(lambda: served.viewers() == 10)
    served.leave(watching[:5])
    until(lambda: served.viewers() == 5)
    served.add(1, "<p>for those who stayed</p>")
    assert {next_event(answer)["id"] for answer in watching[5:]} == {"1"}


@thorough
def test_it_stops_at_once_while_streams_are_open(served):
    watching = [served.watch() for _ in range(20)]
    until(lambda: served.viewers() == 20)
    assert served.stop() < GRACE_SECONDS  # it did not wait for them in vain
    assert served.process.returncode == -signal.SIGTERM
    # not told that all is done: browsers come back to the next process
    assert [next_event(answer) for answer in watching] == [{}] * 20


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="looks into /proc")
@thorough
def test_open_streams_hold_no_database_connections_and_no_threads(served):
    watching = [served.watch() for _ in range(25)]
    until(lambda: served.viewers() == 25)
    served.add(1, "<p>to all</p>")
    assert {next_event(answer)["id"] for answer in watching} == {"1"}
    until(lambda: served.board.connections(served.process.pid) <= served.board.while_watched)
    for _ in range(served.board.while_watched):
        served.leave([served.watch()])
    until(lambda: served.board.connections(served.process.pid) <= served.board.while_watched)
    until(lambda: served.threads() <= 12)
    served.leave(list(served.open))
    until(lambda: served.board.connections(served.process.pid) == 0)


@thorough
def test_an_address_has_so_many_streams_and_no_more(served):
    """By the default: one more waits until a browser hangs up."""
    watching = [served.watch(Accept="text/event-stream") for _ in range(STREAMS_ADDRESS)]
    until(lambda: served.viewers() == STREAMS_ADDRESS)
    refused = served.watch(Accept="text/event-stream")
    assert (refused.status, refused.headers["Retry-After"]) == (429, "30")
    served.leave(watching[:1])
    until(lambda: served.viewers() == STREAMS_ADDRESS - 1)
    until(lambda: served.watch(Accept="text/event-stream").status == 200)
