"""How characters are written for RE2: the sets of a pattern, and the text it searches.

`Points` is UTF-8 of code points (flag `u`), `Units` UTF-8 of UTF-16 code units, where a surrogate unit c
stands as U+100000 + c. Large patterns have an alphabet of their own, in `kinds`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import re2

from probes.core.patterns.characters import LAST_POINT, LAST_UNIT, Ranges, ranges
from probes.core.view import View

SHIFT = 0x100000


def options_for(encoding: Any) -> Any:
    """RE2's options for a text in `encoding`."""
    options = re2.Options()
    options.log_errors = False  # the default prints the author's pattern to stderr
    options.encoding = encoding
    return options


class Alphabet(ABC):
    """Writes sets in RE2's syntax, and texts so that RE2 finds them."""

    options = options_for(re2.Options.Encoding.UTF8)
    unicode = False

    @abstractmethod
    def write(self, of: Ranges) -> str:
        """The set in RE2's syntax."""

    @abstractmethod
    def encode(self, character: int) -> bytes:
        """A character as it stands in the text that RE2 searches."""

    @abstractmethod
    def text(self, view: View) -> bytes:
        """What RE2 searches."""

    def length(self, view: View) -> int:
        """How many bytes RE2 searches."""
        return len(self.text(view))

    def count(self, piece: bytes) -> int:
        """How many characters a piece of a text holds."""
        return len(piece.decode("utf-8", "surrogatepass"))

    def width(self, first: int) -> int:
        """How many bytes a character has that begins with the byte `first`."""
        return 1 if first < 0x80 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4


class Points(Alphabet):
    """UTF-8 of code points."""

    unicode = True

    def write(self, of: Ranges) -> str:
        # U+10FFFF, which Units adds to such a class, can stand in a text here.
        return "(?:{}|{})".format(*_BOTH_CASES[of]) if of in _BOTH_CASES else char_class(of)

    def encode(self, character: int) -> bytes:
        return chr(character).encode("utf-8", "surrogatepass")

    def text(self, view: View) -> bytes:
        return view.code_points


class Units(Alphabet):
    """UTF-8 of UTF-16 code units."""

    def write(self, of: Ranges) -> str:
        if of in _BOTH_CASES:
            return char_class((*of, (LAST_POINT, LAST_POINT)))
        return char_class(ranges(piece for low, high in of for piece in _moved(low, high)))

    def encode(self, character: int) -> bytes:
        is_surrogate = 0xD800 <= character <= 0xDFFF
        return chr(character + SHIFT * is_surrogate).encode()

    def text(self, view: View) -> bytes:
        return view.code_units


def _moved(low: int, high: int) -> Iterable[tuple[int, int]]:
    """A range of units as code points, surrogates shifted to where no character of a text stands."""
    if low <= 0xD800 and high == LAST_UNIT:
        # Everything up from here: one range is smaller, and what it adds never stands in a text.
        return [(low, LAST_POINT)]
    pieces = [
        (low, min(high, 0xD7FF)),
        (SHIFT + max(low, 0xD800), SHIFT + min(high, 0xDFFF)),
        (max(low, 0xE000), high),
    ]
    return [(first, last) for first, last in pieces if first <= last]


def char_class(of: Ranges, last: int = LAST_POINT) -> str:
    """A set in RE2's syntax; `last` is the largest character there is."""
    members = "".join(
        _escaped(low) if low == high else f"{_escaped(low)}-{_escaped(high)}" for low, high in of
    )
    return f"[{members}]" if members else f"[^{_escaped(0)}-{_escaped(last)}]"


def _escaped(character: int) -> str:
    return f"\\x{{{character:x}}}"


_BOTH_CASES: dict[Ranges, tuple[str, str]] = {
    ((ord(upper), ord(upper)), (ord(lower), ord(lower))): (upper, lower) for upper, lower in ("Kk", "Ss")
}
"""RE2 folds a class of both cases of a letter, and then k also matches the Kelvin sign, s the long s."""
