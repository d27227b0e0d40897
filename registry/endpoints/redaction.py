"""The endpoint's key, hidden in all that its server says: a server is shown the key, and may repeat it."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from html.entities import html5

REDACTED = "[redacted]"
SHORTEST_KEY = 8
"""Characters of a key; a shorter one stands in too many texts to be told from them."""
SHORTEST_ECHO = 10
"""Characters of a key in a row that are hidden in an answer: less may well be words of its own."""
SHORTEST_PIECE = 8
"""The same of what a failed call leaves: sk-demo-1234567890 leaves at most seven characters."""

_ESCAPED = re.compile(
    r"\\{1,8}(?:u00([0-9a-f]{2})|u\{0{0,4}([0-9a-f]{2})\}|x([0-9a-f]{2})|([\"'/])|)"
    r"|%(?:25){0,8}([0-9a-f]{2})"
    r"|&(?:amp;){0,4}(?:#x0{0,6}([0-9a-f]{2});?|#0{0,6}([0-9]{2,3});?|(lt|gt|quot|apos|amp);)",
    re.IGNORECASE,
)
"""Characters as JSON, URLs and HTML write them, also when they do so more than once."""
_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}

Hide = Callable[[object], object]
"""Takes a string, or parsed JSON, and gives it back without the key."""


class Redaction:
    """Hides one key, and every piece of it that is long enough, in whatever one reply held.

    Also found: the key backwards, in hexadecimal, in base64 wherever it begins in what was encoded,
    with its characters escaped, and in another case. `found` tells whether anything was hidden.
    """

    def __init__(self, secret: str) -> None:
        self.found = False
        self._secret = secret
        self._pieces: dict[int, _Pieces] = {}

    def within(self, value: object) -> object:
        """For an answer."""
        return self._hidden(value, SHORTEST_ECHO)

    def strictly(self, value: object) -> object:
        """For what a failed call leaves, which nobody scores."""
        return self._hidden(value, SHORTEST_PIECE)

    def _hidden(self, value: object, shortest: int) -> object:
        if not self._secret:
            return value
        if isinstance(value, str):
            return self._text(value, shortest)
        if isinstance(value, dict):
            return {name: self._hidden(member, shortest) for name, member in value.items()}
        if isinstance(value, list):
            return [self._hidden(item, shortest) for item in value]
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value if self._text(written := repr(value), shortest) == written else None
        return value

    def _text(self, text: str, shortest: int) -> str:
        if shortest not in self._pieces:
            self._pieces[shortest] = _Pieces(self._secret, shortest)
        hidden = self._pieces[shortest].places(text)
        if hidden is None:
            return text
        self.found = True
        return "".join(_shown(text, hidden))


class _Pieces:
    """The pieces of one key in all its spellings, by their lengths."""

    def __init__(self, secret: str, shortest: int) -> None:
        self._alone = secret if len(secret) < SHORTEST_KEY and shortest == SHORTEST_ECHO else ""
        size = min(shortest, len(secret))
        spellings = [(_ascii_lower(each), length) for each, length in _spellings(secret, size)]
        self._least = min(length for _, length in spellings)
        self._gram = (self._least + 1) // 2
        self._step = self._least - self._gram + 1
        self._grams: set[str] = set()
        self._by_size: dict[int, set[str]] = {}
        for spelling, length in spellings:
            self._by_size.setdefault(length, set()).update(_runs(spelling, length))
            self._grams |= _runs(spelling, self._gram)

    def places(self, text: str) -> bytearray | None:
        """One byte a character of `text`, not 0 where it is to be hidden; None where nothing is."""
        if len(text) < self._least:
            return None
        if self._alone:
            return _as_a_word(self._alone, text)
        hidden = self._marked(text)
        if not any(sign in text for sign in "\\%&"):
            return hidden
        if _ESCAPED.search(text) and (found := self._marked(_ESCAPED.sub(_plain, text))):
            wide = _widened(found, text)
            hidden = bytearray(map(max, hidden, wide)) if hidden else wide
        return hidden

    def _marked(self, text: str) -> bytearray | None:
        lowered, hidden = _ascii_lower(text), None
        read = dict.fromkeys(self._by_size, 0)  # up to where, for pieces of each size
        for gram in self._found(lowered):
            for size, pieces in self._by_size.items():
                first, read[size] = max(gram + self._gram - size, read[size]), gram + 1
                for start in range(first, gram + 1):
                    if lowered[start : start + size] in pieces:
                        hidden = hidden or bytearray(len(text))
                        hidden[start : start + size] = b"\x01" * size
        return hidden

    def _found(self, text: str) -> list[int]:
        """Where `text` need be read closely: in each piece stands a gram that begins at such a step."""
        size, grams = self._gram, self._grams
        starts = range(0, len(text) - size + 1, self._step)
        return [start for start in starts if text[start : start + size] in grams]


def _spellings(secret: str, size: int) -> Iterator[tuple[str, int]]:
    """Each with how many of its characters in a row say as much as `size` of the key's."""
    yield secret, size
    if len(secret) < SHORTEST_KEY:
        return
    yield secret[::-1], size
    raw = secret.encode()
    yield raw.hex(), 2 * size
    for before in range(3):
        whole = base64.b64encode(bytes(before) + raw).decode()
        # what the bytes before and behind it have a part in is left out
        inner = whole[(8 * before + 5) // 6 : 8 * (before + len(raw)) // 6]
        for spelling in {inner, inner.translate(str.maketrans("+/", "-_"))}:
            yield spelling, min(len(inner), 4 * size // 3)


def _runs(text: str, size: int) -> set[str]:
    return {text[start : start + size] for start in range(len(text) - size + 1)}


def _as_a_word(secret: str, text: str) -> bytearray | None:
    """Where a key that is too short stands by itself: within words it is taken for a part of them."""
    hidden = bytearray(len(text))
    for found in re.finditer(rf"(?<![^\W_]){re.escape(secret)}(?![^\W_])", text, re.IGNORECASE):
        hidden[found.start() : found.end()] = b"\x01" * len(found[0])
    return hidden if any(hidden) else None


def _plain(escaped: re.Match[str]) -> str:
    """The one character that was written so."""
    if code := escaped[1] or escaped[2] or escaped[3] or escaped[5] or escaped[6]:
        return chr(int(code, 16))
    if escaped[7]:
        return chr(int(escaped[7]))
    return html5[f"{escaped[8].lower()};"] if escaped[8] else escaped[4] or "\\"


def _widened(found: bytearray, text: str) -> bytearray:
    """What was `found` in `text` as it reads once each escape is one character, by the places of `text`."""
    wide, at, end = bytearray(), 0, 0
    for escaped in _ESCAPED.finditer(text):
        before = at + escaped.start() - end
        wide += found[at:before] + found[before : before + 1] * len(escaped[0])
        at, end = before + 1, escaped.end()
    return wide + found[at:]


def _shown(text: str, hidden: bytearray) -> Iterator[str]:
    for run in re.finditer(rb"\x00+|\x01+", bytes(hidden)):
        yield REDACTED if run[0][0] else text[run.start() : run.end()]


def _ascii_lower(text: str) -> str:
    """Lower case that keeps every character's place, as `str.lower` does not."""
    return text.lower() if text.isascii() else text.translate(_LOWER)
