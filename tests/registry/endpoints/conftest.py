"""A hostile OpenAI-compatible server on a loopback port: what it does is chosen by the first path segment."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from registry.endpoints.chat import Answer, Caller, Target
from registry.endpoints.egress import Policy

CASES = Path(__file__).parents[2] / "cases" / "endpoints"
KEY = "sk-demo-1234567890"
MESSAGES = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Say “é”."}]
ANSWER = {
    "model": "served",
    "choices": [{"message": {"role": "assistant", "content": "é"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 1},
}
HUGE = 200 * 1024 * 1024


def cases(name: str) -> Any:
    return json.loads((CASES / name).read_text())


class Hostile:
    """The server's state: replies by name, and every request it got."""

    def __init__(self) -> None:
        self.port = 0
        self.replies: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self.requests: list[dict[str, Any]] = []
        self.bytes_sent = 0
        self.asked = threading.Event()
        self.closed = threading.Event()

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.port}/{name}/v1"

    def says(self, name: str, status: int, body: object, headers: dict[str, str] | None = None) -> str:
        """Answer `name` with this from now on; the base URL of it."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.replies[name] = (status, headers or {}, raw)
        return self.url(name)

    async def app(self, scope, receive, send) -> None:
        body = b""
        while (message := await receive())["type"] == "http.request":
            body += message["body"]
            if not message["more_body"]:
                break
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        self.requests.append({"path": scope["path"], "headers": headers, "body": body})
        self.asked.set()
        name = scope["path"].split("/")[1]
        await getattr(self, f"do_{name}", self.do_reply)(name, headers, receive, send)

    async def do_reply(self, name, headers, receive, send) -> None:
        status, extra, body = self.replies.get(name, (200, {}, json.dumps(ANSWER).encode()))
        await _start(send, status, {"content-type": "application/json", **extra})
        await send({"type": "http.response.body", "body": body})

    async def do_strict(self, name, headers, receive, send) -> None:
        """Refuses every key but its own, and echoes the one it got."""
        given = headers.get("authorization", "")
        if given == f"Bearer {KEY}":
            return await self.do_reply(name, headers, receive, send)
        error = {
            "error": {"message": f"Incorrect key {given.removeprefix('Bearer ')}", "code": "invalid_api_key"}
        }
        self.says("refusal", 401, error)
        return await self.do_reply("refusal", headers, receive, send)

    async def do_drip(self, name, headers, receive, send) -> None:
        await _start(send, 200, {"content-type": "application/json"})
        gone = asyncio.create_task(_gone(receive))
        while not gone.done():
            await send({"type": "http.response.body", "body": b" ", "more_body": True})
            await asyncio.wait([gone], timeout=0.02)
        self.closed.set()

    async def do_silent(self, name, headers, receive, send) -> None:
        await _gone(receive)
        self.closed.set()

    async def do_huge(self, name, headers, receive, send) -> None:
        await _start(send, 200, {"content-type": "application/json"})
        gone = asyncio.create_task(_gone(receive))
        while not gone.done() and self.bytes_sent < HUGE:
            await send({"type": "http.response.body", "body": b" " * 65536, "more_body": True})
            self.bytes_sent += 65536
            await asyncio.sleep(0)
        await gone
        self.closed.set()

    async def do_cut(self, name, headers, receive, send) -> None:
        await _start(send, 200, {"content-type": "application/json", "content-length": "1000"})
        await send({"type": "http.response.body", "body": b'{"choices"', "more_body": True})
        raise ConnectionAbortedError


async def _start(send, status: int, headers: dict[str, str]) -> None:
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})


async def _gone(receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def served(app: Any, started: Callable[[int], None]) -> Iterator[None]:
    """Serve `app` on a free loopback port in a thread until the generator is closed."""
    config = uvicorn.Config(
        app, port=0, log_level="critical", log_config=None, ws="none", lifespan="off", interface="asgi3"
    )
    server = uvicorn.Server(config)
    ready = threading.Event()
    startup = server.startup

    async def noted(*args, **kwargs):
        await startup(*args, **kwargs)
        started(server.servers[0].sockets[0].getsockname()[1])
        ready.set()

    server.startup = noted  # type: ignore[method-assign]
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    assert ready.wait(10)
    yield
    server.should_exit = True
    thread.join(10)


@pytest.fixture(scope="session")
def _hostile() -> Iterator[Hostile]:
    state = Hostile()
    running = served(state.app, lambda port: setattr(state, "port", port))
    next(running)
    yield state
    next(running, None)


@pytest.fixture
def hostile(_hostile) -> Hostile:
    _hostile.replies.clear()
    _hostile.requests.clear()
    _hostile.bytes_sent = 0
    _hostile.asked.clear()
    _hostile.closed.clear()
    return _hostile


EMBEDDED = Policy(embedded=True)


def called(target: Target, *, model: str = "m", parameters: Any = None, policy: Policy = EMBEDDED) -> Answer:
    """One call by a Caller of its own."""

    async def once() -> Answer:
        async with Caller(policy) as caller:
            given = {"max_tokens": 64, "temperature": 0} if parameters is None else parameters
            return await caller.complete(target, model, MESSAGES, given)

    return asyncio.run(once())


def target(base_url: str, **changes: Any) -> Target:
    return Target(**{"name": "Local", "base_url": base_url, "key": KEY, "deadline": 10.0, **changes})
