"""Counting sentences: an estimate, by rules that are published with the lists they read.

A run of `. ! ? …` plus closing quotes or brackets and marks of notes ([1]), then white space or the end,
ends a sentence. Not
- after a title or Latin abbreviation that never ends one, an abbreviation before its number (No. 7),
- after an initial, or an abbreviation that may end one, unless a listed opener word follows,
- for `! ? …` and `...`, and where a bracket or a quotation closes, before a lower-case letter; for `…` and
  `...` also before the word I.
Blank lines, rules (`---`), headings (`# …`) and list items end one too; `。！？` need no space. What holds no
letter or digit is no sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

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
# `. . .`, or stops without space between; it begins with a class, which is searched for fastest. Groups hold
# where the commonest kinds end, of which less need be asked: 1 a full stop after letters, 2 ! or ? before a
# capital that is not the word I.
_RUN = re.compile(
    f"{_STOP}(?:(?<=[A-Za-z]{{3}}\\.)(?=[ \n](?![.[]))()|(?<=[!?])(?=[ \n][A-HJ-Z])()|"
    f"(?<=\\.)(?: \\.)+|{_STOP}*)"
)
_CLOSING = re.compile(f"[{re.escape(CLOSERS)}]*")
# What refers to a note: [1], [2, 3], [4–6], [^a] or raised digits, also after a space.
_NOTES = re.compile(
    "(?: ?\\[(?:\\^?[0-9]{1,3}(?:[,\u2013-] ?[0-9]{1,3}){0,9}|\\^[0-9a-z]{1,8}|[a-z])\\]|"
    "[\u00b9\u00b2\u00b3\u2070\u2074-\u2079])*"
)
# What may close within a sentence, when this goes on: `He said "No." and left.`
_ENCLOSING = ")]}\uff09\u3011\"'\u201d\u201c\u2019\u2018\u00bb\u00ab\u203a\u2039\u300d\u300f"
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


@cache
def _meanings() -> dict[str, str]:
    """What a full stop means after each listed abbreviation, as it is listed."""
    return {name: meaning for meaning in (NEVER, NUMBERED, MAYBE) for name in abbreviations()[meaning]}


@cache
def _endings() -> frozenset[str]:
    """The last three characters of the listed abbreviations, in lower case."""
    return frozenset(lower(name.lstrip("="))[-3:] for name in _meanings())


_End = tuple[int, bool, bool]
"""A place where a sentence may end, whether it does, and whether a list of words had to decide."""


def sentences(text: str) -> Iterator[Span]:
    """The sentences; one whose end a word list had to decide is labelled `uncertain`."""
    endings = _endings()
    for block, stop in blocks(text):
        start, uncertain = block, False
        for run in _RUN.finditer(text, block, stop):
            at, common = run.end(), run.lastindex
            if common and (common == 2 or text[at - 4 : at - 1].lower() not in endings):
                ends = True
            else:
                at, ends, doubtful = _judge(text, block, run, stop)
                uncertain |= doubtful
            if ends:
                if found := _sentence(text, start, at, uncertain):
                    yield found
                start, uncertain = at, False
        if found := _sentence(text, start, stop, uncertain):
            yield found


def _sentence(text: str, start: int, stop: int, uncertain: bool) -> Span | None:
    """The stretch without white space around it, if it holds a letter or digit."""
    while start < stop and text[start] in WHITE_SPACE:
        start += 1
    if letter_or_digit().search(text, start, stop) is None:
        return None
    while text[stop - 1] in WHITE_SPACE:
        stop -= 1
    return Span(start, stop, "sentence", "uncertain" if uncertain else "")


def blocks(text: str) -> Iterator[tuple[int, int]]:
    """Stretches that no sentence crosses: cut at blank lines, rules, headings and list items.

    The marker of a heading or an item is left out. A heading is one line; a line of a list goes on in
    the next line only if that one is indented.
    """
    at, start, stop, in_item = 0, -1, 0, False
    for line in text.split("\n"):
        if start >= 0 and not in_item and line[:1].isalpha() and line[1:2] != ")":
            stop = at + len(line)  # most lines are such: text that goes on
            at = stop + 1
            continue
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


def _judge(text: str, block: int, run: re.Match[str], stop: int) -> _End:
    stops, at = run[0], run.end()
    # Mostly white space follows, and then no pattern need be asked.
    if at < stop and (text[at] not in WHITE_SPACE or text.startswith(" [", at)):
        at = _after_closers(text, at, stop)
    if at == stop or not (text[at] in WHITE_SPACE or _UNSPACED.search(stops)):
        return at, False, False
    if stops == ".":
        if text[at - 1] in _ENCLOSING and _goes_on(*_following(text, at)):
            return at, False, True
        return _after_full_stop(_token(text, block, run.start()), text, at)
    if _EXCLAIMS.search(stops):
        word, after = _following(text, at)
        if word[:1] == "I" and (word[1:2] or "'") in "'\u2019" and _PAUSES.search(stops):
            return at, False, True
        return at, not _goes_on(word, after), False
    return at, True, False


def _after_closers(text: str, at: int, stop: int) -> int:
    """Where closers and notes are over."""
    for pattern in (_CLOSING, _NOTES):
        if found := pattern.match(text, at, stop):
            at = found.end()
    return at


def _goes_on(word: str, after: str) -> bool:
    """Whether a lower-case letter comes next."""
    first = ord((word or after)[:1] or " ")
    return first in changed_by("upper") and first not in changed_by("lower")


def _following(text: str, at: int) -> tuple[str, str]:
    """The word that comes next, or nothing, and the character after it."""
    following = _NEXT.match(text, at)
    return (following[1], following[2]) if following else ("", "")


def _token(text: str, block: int, stop: int) -> str:
    """What stands before a full stop, read backwards to white space or a dash."""
    seen = text[stop - _LONGEST if stop - block > _LONGEST else block : stop]
    before = _BACKWARDS.match(seen[::-1])
    return before[0][::-1].lstrip(OPENERS) if before else ""


def _meaning(token: str) -> str | None:
    """What a full stop means after a token, by the lists."""
    known, name = _meanings(), lower(token)
    return known.get(token[:1] + name[1:]) or known.get(name) or known.get(f"={token}")


def _after_full_stop(token: str, text: str, at: int) -> _End:
    """Judge a single full stop by the token before it and by what follows."""
    meaning = _meaning(token)
    if meaning is None and len(token) > 1 and "." not in token:
        return at, True, False
    word, after = _following(text, at)
    if meaning == NEVER or (meaning == NUMBERED and not word and "0" <= after <= "9"):
        return at, False, False
    initial = len(token) == 1 and ord(token) in changed_by("lower")
    if meaning == MAYBE or initial or _DOTTED.fullmatch(token):
        return at, _opens(word, after), True
    return at, True, False


def _opens(word: str, after: str) -> bool:
    """Whether `word` begins a new sentence: capitalised, listed, and no initial itself (A. in J. A. Lee)."""
    if len(word) == 1 and after == ".":
        return False
    known = lower(word).replace("\u2019", "'") in abbreviations()[OPENER_WORDS]
    return known and "A" <= word[0] <= "Z"
