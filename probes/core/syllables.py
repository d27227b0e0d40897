"""Counting syllables of English: a dictionary first, then a stated estimate.

A word counts from its smallest to its largest number of syllables. Looked up, in this order: the reviewed
overrides, the CMU Pronouncing Dictionary, the same without a possessive or with a dropped g put back, its
parts around an apostrophe (shouldn't've), and at last the 17 rules below, which are right for about 94 of
100 words of that dictionary. Of signs only & is spoken: $5 is five, 100% is a hundred.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from probes.core.tables import base_letters, load_lines
from probes.core.text import lower


class Syllables(NamedTuple):
    """The smallest and largest count."""

    low: int
    high: int

    def __add__(self, other: object) -> Syllables:
        if not isinstance(other, Syllables):
            return NotImplemented
        return Syllables(self.low + other.low, self.high + other.high)


DIGITS = "0123456789"
_TOKEN = re.compile("'?[a-z]+(?:'[a-z]+)*'?|[0-9]+(?:,[0-9]{3}(?![0-9]))*(?:st|nd|rd|th)?|&")
_VOWELS = re.compile("[aeiouy]+")
_SECOND_HALVES = (
    "ly|less|ness|ful|ment|man|men|way|wood|land|ville|side|time|line|work|town|well|boat|lock|place|back|span|"
    "yard|house|hood|some|bird|fish|fly|stone|bury|ton|ford|field|berg|burg|horn|craft|keeper|maker|thing|one|where"
)
_LONE = "(?<!l[lt])(?<!rr)(?<!tt)(?<!nn)"
# A consonant before a silent e, unless l or r needs that e to be heard (table, acre).
_MUTE = "(?<![^aeiouyl]l)(?<![^aeiouylr]r)"
_RULES = tuple(
    (change, re.compile(pattern))
    for change, pattern in (
        (-1, f"(?<=[^aeiouy]){_MUTE}e$"),  # stone, home; not table
        (-1, f"(?<=[^aeiouysxzcg])(?<![cs]h){_MUTE}es$"),  # stones; not horses, wishes
        (-1, f"(?<=[^aeiouydt]){_MUTE}ed$"),  # jumped; not wanted
        (-1, f"(?<=[aeiouy])[^aeiouy]{{1,2}}{_LONE}e(?=(?:{_SECOND_HALVES})s?$)"),  # lonely, sidewalk
        (-1, "[gq]ues?$"),  # league, opaque
        (-1, "ically$"),  # basically
        (1, "(?:is|th)ms?$"),  # prism, rhythm
        (1, "^mc"),  # mcallister
        (1, "(?<![cstgxlnh])io(?!u)"),  # violin; not nation, onion
        (1, "(?<=[^aeiouycstgx])ia|(?<=[ctsgx])ia(?!n|l|$)"),  # piano; not social
        (1, "(?<=[^aeioucstgx])iou"),  # various; not precious
        (1, "i(?:er|et|ers|um|us)$|iest$"),  # happier, quiet, radium
        (1, "(?<!g)eo(?!u)|^geo(?!r)"),  # video, geology; not pigeon
        (1, "(?<![gq])ua|(?<![gq])ue[rtln]"),  # usual, fluent; not quaint
        (1, "[aeou]ing|[aeou]y(?=[aiou]|e[rn])|ying"),  # seeing, royal, flying
        (1, "^(?:re|pre)(?=e|i)|^co(?=o[pr]|e|i[nm])|^crea(?=t)|^rea(?=ct|li|ll|ss|pp)"),  # reenter, create
        (1, "oe[mtr]|uity$|uou"),  # poem, annuity, sensuous
    )
)


@cache
def _dictionary() -> dict[str, Syllables]:
    known: dict[str, Syllables] = {}
    for line in load_lines("syllables.txt.gz"):
        low, high, *words = line.split(" ")
        known.update(dict.fromkeys(words, Syllables(int(low), int(high))))
    for line in load_lines("syllable_overrides.txt"):
        word, low, high = line.split(" ")
        known[word] = Syllables(int(low), int(high))
        # Also of more than one (flowers'), and of one (flower's): looked up by the word itself.
        known.pop(f"{word}'", None)
        known.pop(f"{word}'s", None)
    return known


def of_line(line: str) -> Syllables:
    """The syllables of a line: words and numbers as spoken; other signs but & are silent."""
    plain = lower(line).replace("\u2019", "'").translate(base_letters())
    return sum((_of_piece(piece) for piece in _TOKEN.findall(plain)), Syllables(0, 0))


def _of_piece(piece: str) -> Syllables:
    if piece == "&":
        return Syllables(1, 1)
    if piece[0] in DIGITS:
        return of_number(piece)
    return of_word(piece)


def of_word(word: str) -> Syllables:
    """The syllables of one lower-case word of a-z and apostrophes."""
    known = _dictionary()
    bare = word.strip("'")
    for candidate in (word, bare, f"{bare}g" if word.endswith("in'") else bare):
        if candidate in known:
            return known[candidate]
    if bare.endswith("'s") and bare[:-2] in known:
        extra = _hisses(bare[:-2])
        return known[bare[:-2]] + Syllables(extra, extra)
    return _joined(bare) if 0 < bare.count("'") <= MOST_JOINED else _guessed(bare)


def _guessed(word: str) -> Syllables:
    guess = estimate(word)
    return Syllables(guess, guess)


MOST_JOINED = 4
"""A word with more apostrophes is none: it is guessed as a whole."""

# What is said of an ending after a vowel that is heard, after r or a mute e, and after another consonant.
_ENDINGS = {
    "n't": ((0, 0), (0, 1), (1, 1)),
    "'ve": ((0, 0), (0, 1), (1, 1)),
    "'ll": ((0, 0), (0, 1), (1, 1)),
    "'re": ((0, 0), (0, 1), (1, 1)),
    "'d": ((0, 0), (0, 1), (0, 1)),
    "'m": ((0, 0), (0, 1), (1, 1)),
    "'n": ((0, 1), (0, 1), (0, 1)),
    "'em": ((1, 1), (1, 1), (1, 1)),
}
_OPEN = re.compile("[aiouyw]$|^[^aeiouy]*e$|ee$")


def _joined(word: str) -> Syllables:
    """A word that no list has, by what stands around its last apostrophe: she'd've is she'd and 've."""
    for ending, (open_, mute, closed) in _ENDINGS.items():
        if word.endswith(ending) and len(word) > len(ending):
            before = word.removesuffix(ending)
            extra = open_ if _OPEN.search(before) else mute if before[-1] in "er" else closed
            if ending == "'d" and before[-1] in "td":
                extra = (1, 1)
            return of_word(before) + Syllables(*extra)
    first, _, last = word.rpartition("'")
    if last == "s" and "'" in first:
        hiss = _hisses(first)
        return of_word(first) + Syllables(hiss, hiss)
    if first in _dictionary() or "'" in first:
        return of_word(first) + (of_word(last) if last in _dictionary() else _guessed(last))
    return _guessed(word)


def _hisses(word: str) -> int:
    """1 if a possessive s after `word` is a syllable of its own: fox's, horse's."""
    return int(re.search("(?:[sxz]|[cs]h|[cgsz]e)$", word) is not None)


def estimate(word: str) -> int:
    """A guess for a word that no list has: groups of vowels, corrected by rules; at least 1."""
    extra = 0
    if word.endswith("'s"):
        word = word[:-2]
        extra = _hisses(word)
    count = len(_VOWELS.findall(word)) + extra
    return max(1, count + sum(change * len(rule.findall(word)) for change, rule in _RULES))


# zero to nineteen, then the tens: how many syllables each name has.
_ONES = (2, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 3, 1, 2, 2, 2, 2, 3, 2, 2)
_TENS = (0, 1, 2, 2, 2, 2, 2, 3, 2, 2)
_SCALES = ((1_000_000, 2), (1_000, 2))


def of_number(token: str) -> Syllables:
    """A whole number as it is spoken: 105 with or without "and", 1984 also as a year, 20th as twentieth.

    More than nine digits are read one by one.
    """
    digits = token.rstrip("stndrh")
    plain = digits.replace(",", "")
    if len(plain) > 9:
        each = sum(_ONES[int(digit)] for digit in plain)
        return Syllables(each, each)
    value = int(plain)
    ending = int(digits != token and value % 10 == 0 and value % 100 > 10)
    readings = [_cardinal(value)]
    if len(digits) == 4 and 1100 <= value < 2100 and value % 1000 > 9:
        readings.append(_year(value))
    return Syllables(min(r.low for r in readings) + ending, max(r.high for r in readings) + ending)


def _cardinal(value: int) -> Syllables:
    if value < 1000:
        return _below_thousand(value)
    total = Syllables(0, 0)
    for scale, name in _SCALES:
        if value >= scale:
            total = total + _below_thousand(value // scale) + Syllables(name, name)
            value %= scale
    return total + _below_thousand(value) if value else total


def _below_thousand(value: int) -> Syllables:
    hundreds, rest = divmod(value, 100)
    if not hundreds:
        return Syllables(_below_hundred(rest), _below_hundred(rest))
    count = _ONES[hundreds] + 2 + (_below_hundred(rest) if rest else 0)
    return Syllables(count, count + int(rest > 0))


def _below_hundred(value: int) -> int:
    if value < 20:
        return _ONES[value]
    return _TENS[value // 10] + (_ONES[value % 10] if value % 10 else 0)


def _year(value: int) -> Syllables:
    """Nineteen eighty-four; nineteen oh five; nineteen hundred."""
    century, rest = divmod(value, 100)
    tail = 2 if rest == 0 else _below_hundred(rest) + int(rest < 10)
    return Syllables(_below_hundred(century) + tail, _below_hundred(century) + tail)
