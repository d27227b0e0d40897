"""A registry of its own in a subprocess, as `make run` starts it, and a counterparty it may call."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeVar

import psycopg

ROOT = Path(__file__).resolve().parent.parent


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclass
class Site:
    """A running registry: its address, the administrator's one-time link, and all it printed."""

    url: str
    process: subprocess.Popen[str]
    home: Path
    environment: dict[str, str]
    printed: list[str] = field(default_factory=list)
    told: threading.Event = field(default_factory=threading.Event)
    """Set once the sign-in link is printed, or nothing more will be."""

    @property
    def log(self) -> str:
        return "".join(self.printed)

    def manage(self, *arguments: str) -> str:
        """The output of one manage.py command against this registry."""
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    @property
    def first_link(self) -> str:
        """The link that was printed at the start; it signs in once."""
        return _link(self.log)

    def sign_in_link(self) -> str:
        return _link(self.manage("signin_link"))


def _link(printed: str) -> str:
    found = re.search(r"http://\S+/sign-in/#\S+", printed)
    assert found, "no sign-in link was printed"
    return found[0]


@contextmanager
def fresh_database() -> Iterator[dict[str, str]]:
    """The environment of an empty database of the kind this test run uses; dropped afterwards."""
    url = os.environ.get("DATABASE_URL", "")
    if not url.startswith("postgres"):
        yield {}
        return
    name = f"served_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        try:
            yield {"DATABASE_URL": f"{url.rsplit('/', 1)[0]}/{name}"}
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@contextmanager
def running_site(home: Path, **extra: str) -> Iterator[Site]:
    """A registry as `make run` starts it, on an empty database, until the block ends."""
    with fresh_database() as database, serving(home, **database, **extra) as site:
        yield site


@contextmanager
def serving(home: Path, **extra: str) -> Iterator[Site]:
    """`manage.py serve --prepare` on a free port; it must stop within 10 s."""
    port = free_port()
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("DJANGO", "DATABASE", "BROKER"))}
    environment = kept | {"PROBE_HOME": str(home), "PORT": str(port), "PRACTICE_DELAY_MS": "30"} | extra
    environment["PYTHONUNBUFFERED"] = "1"
    process = subprocess.Popen(
        [sys.executable, "manage.py", "serve", "--prepare"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    site = Site(f"http://127.0.0.1:{port}", process, home, environment)
    drain = threading.Thread(target=_drain_output, args=(site,), daemon=True)
    drain.start()
    try:
        _await_link(site)
        yield site
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        finally:
            drain.join(10)
            if process.stdout:
                process.stdout.close()


def _await_link(site: Site, seconds: float = 60) -> None:
    site.told.wait(seconds)
    assert "/sign-in/#" in site.log, f"The registry did not start:\n{site.log}"


def _drain_output(site: Site) -> None:
    assert site.process.stdout
    for line in site.process.stdout:
        site.printed.append(line)
        if "/sign-in/#" in line:
            site.told.set()
    site.told.set()


Running = TypeVar("Running", bound=ThreadingHTTPServer)


class Counterparty(ThreadingHTTPServer):
    """An OpenAI-compatible server that refuses any bearer but its own and notes what it received."""

    daemon_threads = True

    def __init__(self, bearer: str, answers: dict[str, str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bearer, self.answers = bearer, answers
        self.received: list[dict[str, Any]] = []

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def answer(self, prompt: str) -> str:
        return next((text for part, text in self.answers.items() if part in prompt), "I would rather not.")


class _Handler(BaseHTTPRequestHandler):
    server: Counterparty

    def log_message(self, *_: Any) -> None:
        """Quiet: the test reads `received`."""

    def reply(self, status: int, body: Any) -> None:
        payload = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def _note(self, body: Any) -> bool:
        bearer = self.headers.get("Authorization", "")
        self.server.received.append({"path": self.path, "bearer": bearer, "body": body})
        if bearer == f"Bearer {self.server.bearer}":
            return True
        self.reply(401, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}})
        return False

    def do_GET(self) -> None:
        if self._note(None):
            self.reply(200, {"object": "list", "data": [{"id": "tester", "object": "model"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self._note(body):
            return
        text = self.server.answer(body["messages"][-1]["content"])
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 20, "completion_tokens": 12, "total_tokens": 32}
        self.reply(200, {"id": "x", "model": body["model"], "choices": [choice], "usage": usage})


@contextmanager
def running(server: Running) -> Iterator[Running]:
    """The server, in a thread of its own, until the block ends."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


@contextmanager
def counterparty(bearer: str, answers: dict[str, str]) -> Iterator[Counterparty]:
    with running(Counterparty(bearer, answers)) as server:
        yield server


def answers_http(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as reply:
            return reply.status == 200
    except OSError:
        return False
