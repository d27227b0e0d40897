"""The alphabet of a large pattern: one byte for each kind of character that the pattern tells apart.

RE2 takes a step for every byte and every active instruction, and a class in UTF-8 is up to thirty
instructions. Here a character is one byte and a class one or two ranges, so that the largest accepted
pattern stays fast on any text. Made for one pattern, and each text is translated for it anew.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property

import re2

from probes.core.patterns.alphabets import SHIFT, Alphabet, char_class, options_for
from probes.core.patterns.characters import LAST_POINT, LAST_UNIT, WORD, Ranges, ranges
from probes.core.patterns.errors import PatternError
from probes.core.patterns.syntax import At, Chars, Choice, Node, Place, Repeat, Sequence
from probes.core.view import View

_NEWLINE: Ranges = ((0x0A, 0x0A),)
_LOOKED_AT: dict[Place, Ranges] = {"word_edge": WORD, "line_start": _NEWLINE, "line_end": _NEWLINE}
# RE2's \b and (?m:^) look at bytes, so kinds of word characters keep to theirs, and \n is itself.
_WORD_BYTES = [each for low, high in reversed(WORD) for each in range(low, high + 1)]
_OTHER_BYTES = [*range(0x7B, 0x100), *(each for each in range(0x7B) if each not in (*_WORD_BYTES, 0x0A))]


class Kinds(Alphabet):
    """One byte a character."""

    options = options_for(re2.Options.Encoding.LATIN1)

    def __init__(self, node: Node, *, unicode: bool) -> None:
        self.unicode = unicode
        self._sets = list(dict.fromkeys(_sets(node)))
        ends = (end for each in self._sets for low, high in each for end in (low, high + 1))
        last = LAST_POINT if unicode else LAST_UNIT
        self._starts = sorted({0, *(end for end in ends if end <= last)})
        kinds = [tuple(_holds(each, start) for each in self._sets) for start in self._starts]
        given = self._give_bytes(sorted(set(kinds)))
        self._bytes = [given[kind] for kind in kinds]

    def _give_bytes(self, kinds: list[tuple[bool, ...]]) -> dict[tuple[bool, ...], int]:
        """A byte for each kind, where a kind says for every set whether it holds these characters."""
        pools = {_NEWLINE: iter([0x0A]), WORD: iter(_WORD_BYTES)}
        special = [(i, pools[each]) for i, each in enumerate(self._sets) if each in pools]
        other = iter(_OTHER_BYTES)
        given = {kind: next(next((pool for i, pool in special if kind[i]), other), -1) for kind in kinds}
        if -1 in given.values():
            raise PatternError("too-varied", 0, limit=len(_OTHER_BYTES))
        return given

    def write(self, of: Ranges) -> str:
        held = {each for start, each in zip(self._starts, self._bytes, strict=True) if _holds(of, start)}
        return char_class(ranges((each, each) for each in held), last=0xFF)

    def encode(self, character: int) -> bytes:
        return bytes([self.byte(character)])

    def text(self, view: View) -> bytes:
        if view.text.isascii():
            return view.code_points.translate(self._ascii)
        text = view.text if self.unicode else view.code_units.decode()
        return text.translate(_Translation(self)).encode("latin-1")

    def length(self, view: View) -> int:
        return len(view.text) + (0 if self.unicode else len(view.pairs))

    @cached_property
    def _ascii(self) -> bytes:
        return bytes(map(self.byte, range(0x100)))

    def byte(self, character: int) -> int:
        """The byte for a character, a shifted surrogate included."""
        if not self.unicode and character > LAST_UNIT:
            character -= SHIFT
        return self._bytes[bisect_right(self._starts, character) - 1]

    def count(self, piece: bytes) -> int:
        return len(piece)

    def width(self, first: int) -> int:
        return 1


class _Translation(dict[int, int]):
    """For `str.translate`, filled as characters are met; made for one text, so that it cannot grow on."""

    def __init__(self, kinds: Kinds) -> None:
        self._kinds = kinds

    def __missing__(self, character: int) -> int:
        self[character] = byte = self._kinds.byte(character)
        return byte


def _sets(node: Node) -> Iterator[Ranges]:
    """Every set that a byte must tell apart."""
    match node:
        case Chars(of):
            yield of
        case At(place) if place in _LOOKED_AT:
            yield _LOOKED_AT[place]
        case Sequence(parts) | Choice(parts):
            for part in parts:
                yield from _sets(part)
        case Repeat(body):
            yield from _sets(body)


def _holds(of: Ranges, character: int) -> bool:
    i = bisect_right(of, (character, LAST_POINT)) - 1
    return i >= 0 and character <= of[i][1]
