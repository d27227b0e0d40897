"""RFC 8259, read token by token without recursion: is a text JSON, and if not, where does it go wrong?

Not the standard library's reader: that one accepts NaN, words its errors differently in every Python, and
gives up on deep nesting at a depth that depends on who called it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Shape = Literal["object", "array", "string", "number", "true, false or null"]

_SPACE = re.compile("[ \t\n\r]*")
_PLAIN = r'[^"\\\x00-\x1f]*'
_TOKENS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("mark", re.compile("[{}\\[\\],:]")),
    ("string", re.compile(rf'"{_PLAIN}(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{{4}}){_PLAIN})*"')),
    ("number", re.compile("-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")),
    ("word", re.compile("true|false|null")),
)
_SHAPES: dict[str, Shape] = {"string": "string", "number": "number", "word": "true, false or null"}


@dataclass(frozen=True, slots=True)
class Fault:
    """Where a text stops being JSON, and what could have stood there."""

    at: int
    expected: str


@dataclass(frozen=True, slots=True)
class _Token:
    at: int
    kind: str
    text: str


def read(text: str, start: int, end: int) -> Shape | Fault:
    """The shape of the one value in `text[start:end]`, or the first fault."""
    reader = _Reader()
    for token in _tokens(text, start, end):
        expected = reader.take(token)
        if expected is not None:
            return Fault(token.at, expected)
    if reader.state != "done" or reader.shape is None:
        return Fault(end, reader.state)
    return reader.shape


def _tokens(text: str, start: int, end: int) -> Iterator[_Token]:
    """The tokens; a stretch that is none is given as one of kind `nothing`, and is the last."""
    at = start
    while True:
        space = _SPACE.match(text, at, end)
        at = space.end() if space else at
        if at >= end:
            return
        found = next(((k, m) for k, p in _TOKENS if (m := p.match(text, at, end))), None)
        if found is None:
            yield _Token(at, "nothing", "")
            return
        yield _Token(at, found[0], found[1][0])
        at = found[1].end()


class _Reader:
    """What may come next. `state` is that in words, so that it is the message too."""

    def __init__(self) -> None:
        self.state = "a value"
        self.shape: Shape | None = None
        self._open: list[str] = []

    def take(self, token: _Token) -> str | None:
        """Move on by one token; what was expected instead if it does not fit."""
        handler = {
            "a value": self._value,
            "a value or ]": self._value_or_close,
            "a key in quotes": self._key,
            "a key in quotes or }": self._key_or_close,
            "a colon": self._colon,
            "a comma or }": self._comma,
            "a comma or ]": self._comma,
            "done": self._nothing_more,
        }[self.state]
        return None if handler(token) else ("nothing more" if self.state == "done" else self.state)

    def _value(self, token: _Token) -> bool:
        if token.text in ("{", "["):
            self._open.append(token.text)
            self.shape = self.shape or ("object" if token.text == "{" else "array")
            self.state = "a key in quotes or }" if token.text == "{" else "a value or ]"
            return True
        if token.kind in _SHAPES:
            self.shape = self.shape or _SHAPES[token.kind]
            self._after_value()
            return True
        return False

    def _value_or_close(self, token: _Token) -> bool:
        return self._close() if token.text == "]" else self._value(token)

    def _key(self, token: _Token) -> bool:
        if token.kind == "string":
            self.state = "a colon"
        return token.kind == "string"

    def _key_or_close(self, token: _Token) -> bool:
        return self._close() if token.text == "}" else self._key(token)

    def _colon(self, token: _Token) -> bool:
        if token.text == ":":
            self.state = "a value"
        return token.text == ":"

    def _comma(self, token: _Token) -> bool:
        closing = self.state[-1]
        if token.text == ",":
            self.state = "a key in quotes" if closing == "}" else "a value"
            return True
        return token.text == closing and self._close()

    def _nothing_more(self, token: _Token) -> bool:
        return False

    def _close(self) -> bool:
        self._open.pop()
        self._after_value()
        return True

    def _after_value(self) -> None:
        if not self._open:
            self.state = "done"
        else:
            self.state = "a comma or }" if self._open[-1] == "{" else "a comma or ]"
