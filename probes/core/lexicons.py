"""Published word lists: which of their entries a text holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import re2

from probes.core.finding import Span
from probes.core.patterns.alphabets import Points
from probes.core.tables import load_lines
from probes.core.text import WS, lower

LEXICONS = {"pirate": "lexicon_pirate.txt"}
"""The lists by name, and the table that holds each."""


@dataclass(frozen=True)
class Lexicon:
    """A list of entries; the forms of one count once. `arr+` may be stretched, a space is any white space."""

    name: str
    entries: tuple[tuple[str, ...], ...]

    def find(self, text: str) -> Iterator[Span]:
        """Every entry found, labelled by its first form: whole tokens only, the longest form first.

        The text is lower-cased and ’ becomes ' first; a token's neighbours are not a-z or 0-9.
        """
        plain = lower(text).replace("\u2019", "'")
        # RE2's \b takes _ for a letter; no form holds a full stop.
        data = plain.replace("_", ".").encode("utf-8", "surrogatepass")
        narrow = len(data) == len(plain)
        place = count = 0
        for found in self._regex.finditer(data):
            start, end = found.span()
            if not narrow:
                count += _characters(data[place:start])
                place = end
                start, end = count, count + _characters(data[start:end])
                count = end
            token = plain[start:end]
            yield Span(start, end, "entry", self._labels.get(token) or self._label(token))

    def _label(self, token: str) -> str:
        number = next(number for pattern, number in self._forms if pattern.fullmatch(token))
        return self.entries[number][0].replace("+", "")

    @cached_property
    def _labels(self) -> dict[str, str]:
        """The forms that can be written in one way only, with the labels of their entries."""
        written = (form for entry in self.entries for form in entry if not {"+", " "} & set(form))
        return {form: self._label(form) for form in written}

    @cached_property
    def _forms(self) -> list[tuple[re.Pattern[str], int]]:
        """Every form as a pattern, with the number of its entry; the longest form first."""
        return [(re.compile(_as_pattern(form)), number) for form, number in self._by_length()]

    def _by_length(self) -> list[tuple[str, int]]:
        forms = [(form, number) for number, entry in enumerate(self.entries) for form in entry]
        return sorted(forms, key=lambda each: (-len(each[0]), each[0]))

    @cached_property
    def _regex(self) -> Any:
        """Searched by RE2: a hundred forms cost it no more than one."""
        branches = "|".join(f"{_as_pattern(form)}{_edge(form[-1])}" for form, _ in self._by_length())
        return re2.compile(rf"\b(?:{branches})".encode(), Points.options)


def _edge(last: str) -> str:
    """What asks that no a-z or 0-9 stand after a form: after an apostrophe that is no edge of a word."""
    return r"\B" if last == "'" else r"\b"


def _characters(data: bytes) -> int:
    return len(data.decode("utf-8", "surrogatepass"))


def _as_pattern(form: str) -> str:
    """A form as a pattern, of the same meaning for RE2 and for `re`."""
    return re.escape(form).replace(r"\+", "+").replace(r"\ ", f"[{WS}]+")


@cache
def lexicon(name: str) -> Lexicon:
    """The published list called `name`, one of LEXICONS."""
    rows = load_lines(LEXICONS[name])
    return Lexicon(name, tuple(tuple(form.strip(" ") for form in row.split("|")) for row in rows))
