"""Servers that keep a race waiting, or answer with something that is no answer."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.served import Counterparty, _Handler, running

KEY = "sk-counterparty-1234567890"
WEB_PAGE = "<html><title>Welcome</title>"
"""An answer that is sent as this web page instead of JSON."""
NO_CHOICES = "no choices"
"""An answer that is sent as JSON without any choices."""
UNKNOWN = "nonesuch"
"""A model that the server does not know."""
ANSWERS = {
    "exactly one sentence.": "It is a function that calls itself.",
    "exactly 10 words": "one two three four five six seven eight nine ten eleven",
    "exactly 5 words": "one two three four five",
    "pirate": "A tale of the sea.",
    "0 and 1": "0101 2 x",
    "haiku": "too short\nby far\nno",
    "no letter e": "Three e's here.",
}


class Gated(Counterparty):
    """Answers nobody until `gate` is set; `waiting` counts the calls that stand before it."""

    def __init__(self, bearer: str, answers: dict[str, str]) -> None:
        super().__init__(bearer, answers)
        self.RequestHandlerClass = _OddHandler
        self.gate = threading.Event()
        self.waiting = 0
        self._counting = threading.Lock()

    def answer(self, prompt: str) -> str:
        with self._counting:
            self.waiting += 1
        self.gate.wait(60)
        with self._counting:
            self.waiting -= 1
        return super().answer(prompt)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Quiet: a caller that was killed is part of the play."""


class _OddHandler(_Handler):
    def reply(self, status: int, body: Any) -> None:
        if status == 200 and body.get("model") == UNKNOWN:
            problem = {"message": "The model does not exist", "code": "model_not_found", "param": "model"}
            super().reply(404, {"error": problem})
        elif status == 200 and NO_CHOICES in str(body):
            super().reply(200, {"id": "x", "object": "chat.completion", "model": "tester"})
        elif status == 200 and WEB_PAGE in str(body):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(WEB_PAGE)))
            self.end_headers()
            self.wfile.write(WEB_PAGE.encode())
        else:
            super().reply(status, body)


@contextmanager
def gated(bearer: str = KEY, answers: dict[str, str] | None = None, *, shut: bool = True) -> Iterator[Gated]:
    server = Gated(bearer, answers or ANSWERS)
    if not shut:
        server.gate.set()
    with running(server):
        try:
            yield server
        finally:
            server.gate.set()
