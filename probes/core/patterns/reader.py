"""A place in the source, which moves on as the parser reads."""

from __future__ import annotations

import re
from typing import NoReturn

from probes.core.patterns.errors import PatternError
from probes.core.patterns.literal import Flags


class Reader:
    """The source as JavaScript reads it: code points with the flag `u`, UTF-16 units without."""

    def __init__(self, source: str, flags: Flags) -> None:
        self.flags = flags
        self.place = 0
        pieces = [each if flags.unicode else _units(each) for each in source]
        self.text = "".join(pieces)
        # Offsets in the literal, where the source begins after the slash.
        self._offsets = [i for i, piece in enumerate(pieces, 1) for _ in piece]
        self._offsets.append(len(source) + 1)

    @property
    def next(self) -> str:
        """The character at this place, or the empty text at the end."""
        return self.text[self.place : self.place + 1]

    def take(self) -> str:
        taken = self.next
        self.place += 1
        return taken

    def skip(self, text: str) -> bool:
        """Step over `text` if it stands here."""
        if not self.text.startswith(text, self.place):
            return False
        self.place += len(text)
        return True

    def match(self, what: re.Pattern[str]) -> re.Match[str] | None:
        """What `what` finds at this place, which then moves behind it."""
        found = what.match(self.text, self.place)
        if found:
            self.place = found.end()
        return found

    def fail(self, code: str, start: int, **details: object) -> NoReturn:
        """Refuse the pattern for what stands from `start` to this place."""
        shown = {"found": printable(self.text[start : self.place]), **details}
        raise PatternError(code, self._offsets[min(start, len(self.text))], **shown)


def _units(character: str) -> str:
    if character <= "\uffff":
        return character
    offset = ord(character) - 0x10000
    return chr(0xD800 + (offset >> 10)) + chr(0xDC00 + (offset & 0x3FF))


def printable(text: str) -> str:
    """`text` with its surrogate pairs joined, as an author wrote it."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
