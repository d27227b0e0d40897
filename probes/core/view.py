"""The published view of an output: what every check sees, applied once per output.

Lone surrogates and NUL become U+FFFD; then CRLF, CR, U+2028 and U+2029 become LF.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import Any, TypeVar

WHITE_SPACE = (
    "\t\n\x0b\x0c\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""JavaScript's `\\s`, character by character; never Python's `str.split()` or `str.strip()`."""

MAX_CHARACTERS = 200_000
"""A longer output is not scored: scoring a part of it would be wrong."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


def repair(text: str) -> str:
    """`text` with NUL and lone surrogates replaced by U+FFFD, as every reply is when it arrives."""
    text = text.replace("\x00", "\ufffd")
    if text.isascii():
        return text
    try:
        text.encode()  # far faster than searching for what is hardly ever there
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def is_blank(text: str) -> bool:
    """Whether nothing but white space is there."""
    return not text or (text[0] in WHITE_SPACE and not text.strip(WHITE_SPACE))


Made = TypeVar("Made")


class Shared(Iterable[Made]):
    """What an iterator gives, for several readers, each of whom takes as much of it as it needs."""

    def __init__(self, source: Iterator[Made]) -> None:
        self._source = source
        self._taken: list[Made] = []

    def __iter__(self) -> Iterator[Made]:
        at = 0
        while at < len(self._taken) or self._take():
            known = self._taken[at:]
            yield from known
            at += len(known)

    def _take(self) -> bool:
        """Whether there was more: some, as one by one takes its time, and few at first."""
        more = list(islice(self._source, max(16, len(self._taken))))
        self._taken += more
        return bool(more)


class View:
    """One output, prepared once and shared by all checks of a rubric."""

    parted: str
    """The text with its U+2028 and U+2029, at the same places: in JSON they are characters like others."""

    def __init__(self, raw: str) -> None:
        text = repair(raw)
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.parted = text
        if not text.isascii():
            text = text.replace("\u2028", "\n").replace("\u2029", "\n")
        self.text = text
        self.blank = is_blank(text)
        if text.isascii():
            self.code_points = self.code_units = text.encode()
            self.pairs = ()

    @classmethod
    def of(cls, output: str | View) -> View:
        return output if isinstance(output, View) else cls(output)

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What `make` gives: made for the first check that asks for `key`, and kept for the others."""
        if key not in self._made:
            self._made[key] = make()
        made: Made = self._made[key]
        return made

    @cached_property
    def _made(self) -> dict[Hashable, Any]:
        return {}

    @cached_property
    def code_points(self) -> bytes:
        """UTF-8, the text RE2 searches for patterns with the flag `u`."""
        return self.text.encode("utf-8", "surrogatepass")

    @cached_property
    def code_units(self) -> bytes:
        """UTF-8 of the UTF-16 code units: a surrogate unit c stands as U+100000 + c.

        This is what RE2 searches for patterns without `u`, as JavaScript matches code units.
        """
        return _ASTRAL.sub(_as_units, self.text).encode() if self.pairs else self.code_points

    @cached_property
    def pairs(self) -> tuple[int, ...]:
        """Where, counted in UTF-16 units, the characters begin that are surrogate pairs there."""
        if not any(first in self.code_points for first in _FIRST_OF_FOUR):
            return ()
        return tuple(found.start() + i for i, found in enumerate(_ASTRAL.finditer(self.text)))


_FIRST_OF_FOUR = (b"\xf0", b"\xf1", b"\xf2", b"\xf3", b"\xf4")
"""How characters beyond U+FFFF begin in UTF-8, and nothing else in it."""


def _as_units(found: re.Match[str]) -> str:
    offset = ord(found[0]) - 0x10000
    return chr(0x100000 + 0xD800 + (offset >> 10)) + chr(0x100000 + 0xDC00 + (offset & 0x3FF))
