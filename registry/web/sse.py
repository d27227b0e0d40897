"""Server-sent events as bytes: the framing, and nothing about what is sent.

Every line of a text gets a `data:` of its own, by all three line endings that a browser knows, so
that no text can forge a field. Names come from this file and ids are whole numbers, never text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINE_ENDS = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class Frame:
    """What one event brings: markup, and the number that a browser comes back with."""

    id: int
    html: str

    def __post_init__(self) -> None:
        if type(self.id) is not int or self.id < 0:
            raise TypeError(f"A frame's id is a whole number from 0, not {self.id!r}.")


OPENING = b"retry: 2000\n: open\n\n"
"""Sent at once: the browser knows it is connected, and how soon to come back when it is not."""

HEARTBEAT = b": still here\n\n"

DONE = b"event: done\ndata: done\n\n"
"""Nothing more will come: `sse-close="done"` hangs up. Without data a browser drops an event."""

REFUSED = b"event: refused\ndata: refused\n\n"
"""Whoever watches may not any more: the page says so, and does not come back."""


def encoded(frame: Frame) -> bytes:
    """One unnamed event."""
    lines = "\n".join(f"data: {line}" for line in _LINE_ENDS.split(frame.html))
    return f"id: {frame.id}\n{lines}\n\n".encode(errors="replace")


def joined(frames: list[Frame]) -> list[Frame]:
    """`frames` in rising order, one for each id.

    A browser that is cut off comes back with the last id it saw: two events of one id could be
    parted by the cut, and the second would be lost.
    """
    markup: dict[int, list[str]] = {}
    for frame in sorted(frames, key=lambda frame: frame.id):
        markup.setdefault(frame.id, []).append(frame.html)
    return [Frame(number, "\n".join(parts)) for number, parts in markup.items()]
