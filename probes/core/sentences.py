"""Counting sentences: an estimate, by rules that are published with the lists they read.

A run of `. ! ? …` plus closing quotes or brackets and marks of notes ([1]), then white space or the end,
ends a sentence. Not
- after a title or Latin abbreviation that never ends one, an abbreviation before its number (No. 7),
- after an initial, or an abbreviation that may end one, unless a listed opener word follows,
- for `! ? …` and `...`, and where a bracket closes, before a lower-case letter; for `…` and `...` also
  before the word I.
Blank lines, rules (`---`), headings (`# …`) and list items end one too; `。！？` need no space. What holds no
letter or digit is no sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from probes.core.finding import Span
from probes.core.tables import changed_by, load_lines
from probes.core.text import WS, letter_or_digit, lower
from probes.core.view import WHITE_SPACE

STOPS = ".!?\u2026\u203d\u203c\u2047\u2048\u2049\u061f\u06d4\u0589\u0964\u0965\u1362\u104b\u17d4"
UNSPACED_STOPS = "\u3002\uff01\uff1f\uff61"
# Marks of emphasis close and open with the words they hold: `**Stop.** Then go.` is two sentences.
CLOSERS = "\"'\u201d\u201c\u2019\u2018\u00bb\u00ab\u203a\u2039)]}*_`~\u300d\u300f\uff09\u3011\u300b\u3009"
OPENERS = (
    "\"'\u2019\u201c\u201e\u2018\u201a\u00ab\u00bb\u2039\u203a([{*_`~\u00bf\u00a1\u2014\u2013"
    "\u300c\u300e\uff08\u3010"
)

_STOP = f"[{re.escape(STOPS + UNSPACED_STOPS)}]"
# `. . .`, or stops without space between; it begins with a class, which is searched for fastest.
_RUN = re.compile(f"{_STOP}(?:(?<=\\.)(?: \\.)+|{_STOP}*)")
_CLOSING = re.compile(f"[{re.escape(CLOSERS)}]*")
# What refers to a note: [1], [2, 3], [4–6], [^a] or raised digits, also after a space.
_NOTES = re.compile(
    "(?: ?\\[(?:\\^?[0-9]{1,3}(?:[,\u2013-] ?[0-9]{1,3}){0,9}|\\^[0-9a-z]{1,8}|[a-z])\\]|"
    "[\u00b9\u00b2\u00b3\u2070\u2074-\u2079])*"
)
_BRACKETS = ")]}\uff09\u3011"
_UNSPACED = re.compile(f"[{UNSPACED_STOPS}]")
_EXCLAIMS = re.compile(f"[^.{UNSPACED_STOPS}\u06d4\u0589\u0964\u0965\u1362\u104b\u17d4]|\\.[. ]")
_PAUSES = re.compile("\u2026|\\.[. ]")
_BULLET = "[-*+\u2022\u2023\u25e6\u25aa\u00b7]|[0-9]{1,3}[.)]|[A-Za-z]\\)|\\([0-9A-Za-z]\\)"
_LIST_ITEM = re.compile(f"[{WS}]*(?:{_BULLET})[{WS}]")
_HEADING = re.compile(f"[{WS}]{{0,3}}#{{1,6}}(?=[{WS}])")
# A line that parts or underlines: --- or ===, also with spaces between.
_RULE = re.compile(f"[{WS}]*([-=*_])(?:[{WS}]*\\1){{2,}}[{WS}]*")
_BACKWARDS = re.compile(f"[^{WS}\u2014\u2013/]*")
_NEXT = re.compile(f"[{WS}{re.escape(OPENERS)}]*([A-Za-z'\u2019]{{0,16}})(.?)", re.DOTALL)
_DOTTED = re.compile("(?:[A-Za-z]\\.)+[A-Za-z]")
_LONGEST = 24
"""No abbreviation is longer, so no more of the text before a full stop is looked at."""

NEVER, NUMBERED, MAYBE, OPENER_WORDS = "never", "before a digit", "only before", "opener words"


@cache
def abbreviations() -> dict[str, frozenset[str]]:
    """The lists of abbreviations.txt by the words that begin their headings."""
    lists: dict[str, set[str]] = {}
    heading = ""
    for line in load_lines("abbreviations.txt"):
        if line.startswith("["):
            heading = next(name for name in (NEVER, NUMBERED, MAYBE, OPENER_WORDS) if name in line)
        else:
            lists.setdefault(heading, set()).update(line.split(" "))
    return {name: frozenset(entries) for name, entries in lists.items()}


class _End(NamedTuple):
    """Where a sentence may end, whether it does, and whether a list of words had to decide."""

    at: int
    ends: bool
    doubtful: bool


def sentences(text: str) -> Iterator[Span]:
    """The sentences; one whose end a word list had to decide is labelled `uncertain`."""
    for start, stop in blocks(text):
        doubtful = False
        for end in _ends(text, start, stop):
            doubtful |= end.doubtful
            if end.ends:
                yield from _sentence(text, start, end.at, doubtful)
                start, doubtful = end.at, False
        yield from _sentence(text, start, stop, doubtful)


def _sentence(text: str, start: int, stop: int, doubtful: bool) -> Iterator[Span]:
    if letter_or_digit().search(text, start, stop):
        inner = text[start:stop]
        left = len(inner) - len(inner.lstrip(WHITE_SPACE))
        yield Span(start + left, start + len(inner.rstrip(WHITE_SPACE)), "sentence", "uncertain" * doubtful)


def blocks(text: str) -> Iterator[tuple[int, int]]:
    """Stretches that no sentence crosses: cut at blank lines, rules, headings and list items.

    The marker of a heading or an item is left out. A heading is one line; a line of a list goes on in
    the next line only if that one is indented.
    """
    at, start, stop, in_item = 0, -1, 0, False
    for line in text.split("\n"):
        first = line.lstrip(WHITE_SPACE)[:1]
        heading = _HEADING.match(line) if first == "#" else None
        item = heading or _LIST_ITEM.match(line)
        blank = not first or (first in "-=*_" and _RULE.fullmatch(line) is not None)
        if start >= 0 and (item or blank or (in_item and line[0] not in WHITE_SPACE)):
            yield start, stop
            start = -1
        if not blank:
            if start < 0:
                start, in_item = at + (item.end() if item else 0), item is not None
            stop = at + len(line)
            if heading:
                yield start, stop
                start = -1
        at += len(line) + 1
    if start >= 0:
        yield start, stop


def _ends(text: str, start: int, stop: int) -> Iterator[_End]:
    """The places before the end of a block where a sentence may end."""
    for run in _RUN.finditer(text, start, stop):
        at = run.end()
        if at < stop and text[at] in CLOSERS and (closing := _CLOSING.match(text, at, stop)):
            at = closing.end()
        # Mostly white space follows, and then no pattern need be asked.
        if at < stop and (text[at] not in WHITE_SPACE or text.startswith(" [", at)):
            at = _after_notes(text, at, stop)
        if at < stop and (text[at] in WHITE_SPACE or _UNSPACED.search(run[0])):
            yield _judge(text, start, run, at)


def _after_notes(text: str, at: int, stop: int) -> int:
    notes = _NOTES.match(text, at, stop)
    return notes.end() if notes else at


def _judge(text: str, start: int, run: re.Match[str], at: int) -> _End:
    if run[0] == ".":
        if text[at - 1] in _BRACKETS and _goes_on(*_following(text, at)):
            return _End(at, False, True)
        return _after_full_stop(_token(text, start, run.start()), text, at)
    if _EXCLAIMS.search(run[0]):
        word, after = _following(text, at)
        goes_on = _goes_on(word, after)
        pronoun = word[:1] == "I" and (word[1:2] or "'") in "'\u2019" and _PAUSES.search(run[0])
        return _End(at, not (goes_on or pronoun), bool(pronoun))
    return _End(at, True, False)


def _goes_on(word: str, after: str) -> bool:
    """Whether a lower-case letter comes next."""
    first = ord((word or after)[:1] or " ")
    return first in changed_by("upper") and first not in changed_by("lower")


def _token(text: str, start: int, stop: int) -> str:
    """What stands before a full stop, read backwards to white space or a dash."""
    before = _BACKWARDS.match(text[max(start, stop - _LONGEST) : stop][::-1])
    return before[0][::-1].lstrip(OPENERS) if before else ""


def _following(text: str, at: int) -> tuple[str, str]:
    """The word that comes next, or nothing, and the character after it."""
    following = _NEXT.match(text, at)
    return (following[1], following[2]) if following else ("", "")


def _after_full_stop(token: str, text: str, at: int) -> _End:
    """Judge a single full stop by the token before it and by what follows."""
    lists, name = abbreviations(), lower(token)
    if name in lists[NEVER]:
        return _End(at, False, False)
    if name in lists[NUMBERED]:
        word, after = _following(text, at)
        if not word and after and after in "0123456789":
            return _End(at, False, False)
    initial = len(token) == 1 and ord(token) in changed_by("lower")
    if name in lists[MAYBE] or initial or ("." in token and _DOTTED.fullmatch(token)):
        return _End(at, _opens(*_following(text, at)), True)
    return _End(at, True, False)


def _opens(word: str, after: str) -> bool:
    """Whether `word` begins a new sentence: capitalised, listed, and no initial itself (A. in J. A. Lee)."""
    if len(word) == 1 and after == ".":
        return False
    known = lower(word).replace("\u2019", "'") in abbreviations()[OPENER_WORDS]
    return known and "A" <= word[0] <= "Z"
