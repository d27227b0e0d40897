"""Which characters are drawn as one: a letter with its accents, an emoji with what joins and colours it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import groupby

from probes.core.finding import Span
from probes.core.text import show

_JOINER = "\u200d"
_FIRST_SYMBOL = "\u2190"
"""From here on a joiner joins: below are scripts, where it only shapes letters."""
_FLAG_LETTERS = "".join(map(chr, range(0x1F1E6, 0x1F200)))
"""Two of them are one flag."""
_TAGS = "".join(map(chr, range(0xE0020, 0xE0080)))
"""Behind a black flag they say of what region it is."""
_ONE_SYLLABLE = re.compile(
    "[\u1100-\u115f\ua960-\ua97c][\u1100-\u11a7\ua960-\ua97c\ud7b0-\ud7c6\uac00-\ud7a3]"
    "|[\u1160-\u11a7\ud7b0-\ud7c6\uac00-\ud7a3][\u1160-\u11ff\ud7b0-\ud7fb]|[\u11a8-\u11ff\ud7cb-\ud7fb]{2}"
)
"""Two letters of Hangul that are written as one block."""

LONGEST = 32
"""Characters that are looked at on either side; texts in use stack at most 30 (UAX #15, stream-safe)."""


def whole(text: str, span: Span) -> Span:
    """`span`, widened so that no mark tears apart what is drawn as one."""
    if text.isascii() or span.start == span.end:
        return span
    start, end = span.start, span.end
    while span.start - start < LONGEST and _goes_on(text, start):
        start -= 1
    while end - span.end < LONGEST and _goes_on(text, end):
        end += 1
    return span._replace(start=start, end=end)


def is_accent(character: str) -> bool:
    """Whether it is drawn on the character before it."""
    return unicodedata.category(character) in ("Mn", "Mc", "Me")


def has_no_width(text: str) -> bool:
    """Whether a mark around it would not be seen: line breaks, controls, joiners, accents on nothing."""
    return all(_is_thin(character) for character in text)


def parted(text: str) -> Iterator[tuple[bool, str]]:
    """`text` in runs with a width and without; line breaks are seen, and accents on a letter."""
    at = 0
    for thin, run in groupby(_thin(text)):
        start, at = at, at + len(list(run))
        yield thin, text[start:at]


def _thin(text: str) -> Iterator[bool]:
    thin = False
    for at, character in enumerate(text):
        if not _goes_on(text, at):
            thin = character != "\n" and _is_thin(character)
        yield thin


def _is_thin(character: str) -> bool:
    if character.isspace():
        return character != "\t" and unicodedata.category(character) != "Zs"
    return is_accent(character) or show(character).startswith("U+")


def _goes_on(text: str, at: int) -> bool:
    """Whether the character at this place is drawn as a part of the one before it."""
    if not 0 < at < len(text) or text[at] == "\n" or text[at - 1].isspace():
        return False
    here, before = text[at], text[at - 1]
    if is_accent(here) or _ONE_SYLLABLE.fullmatch(before + here):
        return True
    if here in _FLAG_LETTERS and before in _FLAG_LETTERS:
        around = text[max(0, at - LONGEST) : at]
        return (len(around) - len(around.rstrip(_FLAG_LETTERS))) % 2 == 1
    if here in _TAGS:
        return text[max(0, at - LONGEST) : at].rstrip(_TAGS).endswith("\U0001f3f4")
    if before == _JOINER:
        return here >= _FIRST_SYMBOL
    return before >= _FIRST_SYMBOL and (here == _JOINER or "\U0001f3fb" <= here <= "\U0001f3ff")
