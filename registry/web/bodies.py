"""How much a request may carry. Django gathers a whole body on disk before any view or setting is asked."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from registry.api import problems

MOST_BYTES = 4_000_000
"""The longest output that is scored, in the form of a browser that escapes every byte of it, and more."""

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
App = Callable[[Any, Receive, Send], Awaitable[None]]


async def bounded(app: App, scope: Any, receive: Receive, send: Send) -> None:
    """Run an ASGI `app`, unless its request has more than MOST_BYTES: that is answered with 413."""
    if scope["type"] != "http":
        await app(scope, receive, send)
        return
    if _stated(scope) > MOST_BYTES:
        await _refuse(scope, send)
        return
    body = _Counted(receive, send)
    await app(scope, body.receive, body.send)
    if body.too_large and not body.answered:
        await _refuse(scope, send)


class _Counted:
    """Passes on what is received until it is too much: then, for the app, the browser has gone."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive, self._send = receive, send
        self._bytes = 0
        self.too_large = self.answered = False

    async def receive(self) -> Any:
        if self.too_large:
            return {"type": "http.disconnect"}
        message = await self._receive()
        self._bytes += len(message.get("body", b""))
        self.too_large = self._bytes > MOST_BYTES
        return {"type": "http.disconnect"} if self.too_large else message

    async def send(self, message: Any) -> None:
        self.answered = True
        await self._send(message)


def _stated(scope: Any) -> int:
    """The Content-Length; 0 where none is stated, or nothing that can be read."""
    said = dict(scope["headers"]).get(b"content-length", b"")
    return int(said) if said.isdigit() and len(said) < 20 else MOST_BYTES + 1 if said.isdigit() else 0


async def _refuse(scope: Any, send: Send) -> None:
    words = f"This is too large: send at most {MOST_BYTES:,} bytes."
    kind, text = "text/plain; charset=utf-8", words
    if scope["path"].startswith(problems.PREFIX):
        kind, text = problems.CONTENT_TYPE, json.dumps(problems.problem(413, words))
    headers = {"content-type": kind, "x-content-type-options": "nosniff", "connection": "close"}
    listed = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": 413, "headers": listed})
    await send({"type": "http.response.body", "body": text.encode()})
