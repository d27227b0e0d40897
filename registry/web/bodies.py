"""How much a request may carry. Django gathers a whole body on disk before any view or setting is asked."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from registry.api import problems
from registry.web import errors

MOST_BYTES = 4_000_000
"""The longest output that is scored, in the form of a browser that escapes every byte of it, and more."""
MOST_DROPPED = 4 * MOST_BYTES
"""What is read beyond that, and dropped: a browser that is cut off while it sends sees no answer."""

POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'"

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
App = Callable[[Any, Receive, Send], Awaitable[None]]


async def bounded(app: App, scope: Any, receive: Receive, send: Send) -> None:
    """Run an ASGI `app`, unless its request has more than MOST_BYTES: that is answered with 413."""
    if scope["type"] != "http":
        await app(scope, receive, send)
        return
    if _stated(scope) > MOST_BYTES:
        await _refuse(scope, receive, send)
        return
    body = _Counted(receive, send)
    await app(scope, body.receive, body.send)
    if body.too_large and not body.answered:
        await _refuse(scope, receive, send, more=body.more)


class _Counted:
    """Passes on what is received until it is too much: then, for the app, the browser has gone."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive, self._send = receive, send
        self._bytes = 0
        self.too_large = self.answered = False
        self.more = True

    async def receive(self) -> Any:
        if self.too_large:
            return {"type": "http.disconnect"}
        message = await self._receive()
        self.more = message.get("more_body", False)
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


async def _refuse(scope: Any, receive: Receive, send: Send, *, more: bool = True) -> None:
    """Answer with 413 in the form that was asked for, once the rest has come or is too much to wait for."""
    dropped = 0
    while more and dropped <= MOST_DROPPED:
        message = await receive()
        dropped += len(message.get("body", b""))
        more = message.get("more_body", False)
    kind, text = _words(scope)
    headers = {"content-type": kind, "x-content-type-options": "nosniff", "connection": "close"}
    headers["content-security-policy"] = POLICY
    listed = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": 413, "headers": listed})
    await send({"type": "http.response.body", "body": text.encode()})


def _words(scope: Any) -> tuple[str, str]:
    """Content type and body: a problem for a program of the API, a page for a browser, else one line."""
    words = f"This is too large: send at most {MOST_BYTES:,} bytes."
    if scope["path"].startswith(problems.PREFIX):
        return problems.CONTENT_TYPE, json.dumps(problems.problem(413, words))
    if b"text/html" in dict(scope["headers"]).get(b"accept", b""):
        return "text/html; charset=utf-8", errors.too_large(scope["path"], MOST_BYTES)
    return "text/plain; charset=utf-8", words
