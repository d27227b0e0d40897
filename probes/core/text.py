"""The published counting rules for words, lines, paragraphs and letters, each giving spans.

Every rule is one a reader can apply by hand; sentences have a module of their own. White space is
JavaScript's `\\s`; letters, digits and case come from frozen Unicode 17 tables, never from the running
Python. Every function takes the text of a View and runs in time linear in its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Literal

from probes.core.finding import Mark, Span
from probes.core.tables import changed_by, forms_of, letters_or_digits, lower_case
from probes.core.view import WHITE_SPACE

Token = Literal["whitespace", "word"]
Case = Literal["upper", "lower"]

WS = re.escape(WHITE_SPACE)
"""White space as the inside of a character class."""

EM_DASH = "\u2014"
LOOKALIKES_OF_E = "\u0415\u0435\u0401\u0451\u0395"
"""Cyrillic Ie and Io in both cases and Greek capital Epsilon: drawn as e, but another letter."""

_PIECE = re.compile(f"[^{WS}]+")
_WORD = re.compile(f"(?:[^{WS}{EM_DASH}-]|(?<!-)-(?!-))+")
_LINE = re.compile(f"[^{WS}](?:[^\n]*[^{WS}])?")
_LOOKALIKE = re.compile(f"[{LOOKALIKES_OF_E}]")
# What has no shape of its own on a page is named by its number: controls, joiners, marks that combine, tags.
_INVISIBLE = re.compile(
    f"[{WS}\x00-\x1f\x7f-\x9f\xad\u0300-\u036f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u20d0-\u20ff\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufffc\U000e0000-\U000e0fff]"
)


@cache
def letter_or_digit() -> re.Pattern[str]:
    """One letter or digit by the frozen list of Unicode 17; compiled when first needed."""
    return re.compile(f"[{letters_or_digits()}]")


def words(text: str, by: Token) -> Iterator[Span]:
    """`whitespace`: the non-empty pieces between white space. `word`: see `_real_words`."""
    if by == "whitespace":
        return (Span(piece.start(), piece.end(), "word") for piece in _PIECE.finditer(text))
    return _real_words(text)


def _real_words(text: str) -> Iterator[Span]:
    """Pieces between white space, em dashes and `--` that hold a letter or digit."""
    holds = letter_or_digit().search
    for piece in _WORD.finditer(text):
        if holds(text, piece.start(), piece.end()):
            yield Span(piece.start(), piece.end(), "word")


def is_in_case(word: str, case: Case) -> bool:
    """Whether putting `word` in `case` changes nothing, and putting it in the other case would."""
    other = "lower" if case == "upper" else "upper"
    points = set(map(ord, word))
    return points.isdisjoint(changed_by(case)) and not points.isdisjoint(changed_by(other))


def out_of_case(text: str, case: Case) -> Iterator[Span]:
    """Every character that putting the text in `case` would change."""
    return _characters(text, _class_of_points(case), "forbidden")


def has_case(text: str) -> bool:
    """Whether any character has an upper and a lower form."""
    points = set(map(ord, text))
    return not (points.isdisjoint(changed_by("upper")) and points.isdisjoint(changed_by("lower")))


def lines(text: str) -> Iterator[Span]:
    """Lines that hold more than white space, from the first to the last character that is not."""
    return (Span(line.start(), line.end(), "line") for line in _LINE.finditer(text))


def paragraphs(text: str) -> Iterator[Span]:
    """Runs of such lines with no blank line between them."""
    start = end = -1
    for line in lines(text):
        if start >= 0 and text.count("\n", end, line.start) > 1:
            yield Span(start, end, "line", "paragraph")
            start = -1
        start, end = line.start if start < 0 else start, line.end
    if start >= 0:
        yield Span(start, end, "line", "paragraph")


def letters(text: str, letter: str, mark: Mark = "match") -> Iterator[Span]:
    """Every character that holds `letter` (a to z) after NFKD, in either case: é, ⒠ and 𝐞 hold an e."""
    return _characters(text, _class_of_letter(letter), mark)


def lookalikes(text: str) -> Iterator[Span]:
    """Letters of other alphabets that are drawn as e."""
    return (Span(f.start(), f.end(), "lookalike", "look-alike of e") for f in _LOOKALIKE.finditer(text))


def outside(text: str, allowed: str) -> Iterator[Span]:
    """Runs of characters that are neither in `allowed` nor white space."""
    expected = (allowed + WHITE_SPACE).encode("ascii", "ignore")
    if text.isascii() and not text.encode().translate(None, expected):
        return iter(())
    pattern = re.compile(f"[^{WS}{re.escape(allowed)}]+")
    return (Span(run.start(), run.end(), "forbidden") for run in pattern.finditer(text))


def lower(text: str) -> str:
    """`text` in lower case, character by character, so that every offset stays."""
    return text.lower() if text.isascii() else text.translate(lower_case())


def show(character: str) -> str:
    """A character as a message names it: 'x', 'е' (U+0435), or U+200B where nothing would be seen."""
    number = f"U+{ord(character):04X}"
    if _INVISIBLE.match(character):
        return number
    return f"'{character}'" if character.isascii() else f"'{character}' ({number})"


def show_all(characters: Iterable[str], most: int = 3) -> str:
    """The first `most` distinct characters, in order of appearance, and how many more there are."""
    distinct = list(dict.fromkeys(characters))
    named = ", ".join(map(show, distinct[:most]))
    return named if len(distinct) <= most else f"{named} and {len(distinct) - most} more"


def show_text(text: str, most: int = 40) -> str:
    """A text as a message quotes it: one line, at most `most` characters, nothing that would not be seen."""
    shown = _INVISIBLE.sub(_escaped, text[:most])
    return f"'{shown}{'…' * (len(text) > most)}'"


def _escaped(found: re.Match[str]) -> str:
    plain = {" ": " ", "\n": "\\n", "\t": "\\t"}
    return plain.get(found[0], f"\\u{{{ord(found[0]):X}}}")


def _characters(text: str, pattern: re.Pattern[str], mark: Mark) -> Iterator[Span]:
    return (Span(found.start(), found.end(), mark) for found in pattern.finditer(text))


@cache
def _class_of_letter(letter: str) -> re.Pattern[str]:
    return re.compile(f"[{re.escape(''.join(sorted(forms_of(letter))))}]")


@cache
def _class_of_points(case: Case) -> re.Pattern[str]:
    return re.compile(f"[{re.escape(''.join(map(chr, sorted(changed_by(case)))))}]")
