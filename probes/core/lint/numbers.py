"""The whole numbers that an English text names, in digits or in words."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_VALUES = {
    **{word: n for n, word in enumerate(_SMALL.split())},
    **{word: 10 * n for n, word in enumerate(_TENS.split(), 2)},
}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
_NAMED = {
    "single": (1,),
    "once": (1,),
    "twice": (2,),
    "double": (2,),
    "both": (2,),
    "pair": (2,),
    "couple": (2,),
    "couplet": (2,),
    "thrice": (3,),
    "triple": (3,),
    "quatrain": (4,),
    "limerick": (5,),
    "haiku": (3, 5, 7),
    "sonnet": (14,),
}
"""Words that stand for a number without counting, verse forms with their lines or syllables."""

_TOKEN = re.compile(r"\d{1,3}(?:[,.'’_\u00a0\u202f]\d{3})+(?!\d)|\d+|[a-z]+|[^\sa-z-]", re.ASCII)
_DIGITS = re.compile(r"\D", re.ASCII)


def numbers_in(text: str) -> frozenset[int]:
    """`Ten words on 2 lines, a hundred and five letters`: 10, 2 and 105."""
    return frozenset(_numbers(_TOKEN.findall(text.lower())))


def _numbers(words: list[str]) -> Iterator[int]:
    phrase = _Phrase()
    for before, word in zip(["", *words], words, strict=False):
        if word[0] in "0123456789":
            yield int(_DIGITS.sub("", word)[:18])
        yield from _NAMED.get(word.removesuffix("s"), _NAMED.get(word, ()))
        if word == "dozen":
            yield 12 * (phrase.value or 1)
            if before == "a":
                yield 6  # half a dozen
        if not phrase.takes(word):
            yield from phrase.read
            phrase = _Phrase()
            phrase.takes(word)
    yield from phrase.read


class _Phrase:
    """One number in words, as far as it has been read; `room` is what may still be added to it."""

    def __init__(self) -> None:
        self.value: int | None = None
        self._done = self._group = self._room = 0

    def takes(self, word: str) -> bool:
        """Whether the phrase goes on with `word`."""
        if word == "and":
            return self.value is not None and self._room >= 99
        if word in _SCALES:
            return self._scale(_SCALES[word])
        value = _VALUES.get(word)
        if value is None or (self.value is not None and not 0 < value <= self._room):
            return False
        self._group += value
        self._room = 9 if value >= 20 else 0
        return self._counted()

    def _scale(self, scale: int) -> bool:
        if self.value is not None and (self._group == 0 or self._group >= scale):
            return False
        if scale == 100:
            self._group = 100 * (self._group or 1)
            self._room = 99
        else:
            self._done += scale * (self._group or 1)
            self._group, self._room = 0, 999
        return self._counted()

    def _counted(self) -> bool:
        self.value = self._done + self._group
        return True

    @property
    def read(self) -> list[int]:
        """What was read, if anything."""
        return [] if self.value is None else [self.value]
