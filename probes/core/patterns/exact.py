"""A pattern that is nothing but characters, such as `/<<END>>/`: its bytes are looked for as they are."""

from __future__ import annotations

from typing import NamedTuple

from probes.core.patterns.alphabets import Alphabet
from probes.core.patterns.syntax import Chars, Node, Sequence


class Found(NamedTuple):
    """A match in a text, told as RE2 tells one."""

    string: bytes
    start: int
    end: int

    def span(self) -> tuple[int, int]:
        return self.start, self.end


class Exact:
    """Finds bytes in a text."""

    def __init__(self, wanted: bytes) -> None:
        self._wanted = wanted

    def search(self, text: bytes, place: int = 0) -> Found | None:
        """The first match from `place` on."""
        start = text.find(self._wanted, place)
        return None if start < 0 else Found(text, start, start + len(self._wanted))


def exact(node: Node, alphabet: Alphabet) -> Exact | None:
    """What finds `node`; None if it is more than characters."""
    characters = _characters(node)
    return Exact(b"".join(map(alphabet.encode, characters))) if characters else None


def _characters(node: Node) -> list[int]:
    """The characters that `node` is, or none."""
    match node:
        case Chars(((low, high),)) if low == high:
            return [low]
        case Sequence(parts):
            each = [_characters(part) for part in parts]
            return [character for part in each for character in part] if all(each) else []
    return []
