"""Published word lists: which of their entries a text holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from probes.core.finding import Span
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
        for found in self._pattern.finditer(lower(text).replace("\u2019", "'")):
            yield Span(found.start(), found.end(), "entry", self._entry_of(found[0]))

    def _entry_of(self, token: str) -> str:
        number = next(number for pattern, number in self._forms if pattern.fullmatch(token))
        return self.entries[number][0].replace("+", "")

    @cached_property
    def _forms(self) -> list[tuple[re.Pattern[str], int]]:
        """Every form as a pattern, with the number of its entry; the longest form first."""
        forms = [(form, number) for number, entry in enumerate(self.entries) for form in entry]
        forms.sort(key=lambda each: (-len(each[0]), each[0]))
        return [(re.compile(_as_pattern(form)), number) for form, number in forms]

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        # The first letters stand in front once more so that most places are passed over in one step.
        first = "".join(sorted({form[0] for entry in self.entries for form in entry}))
        branches = "|".join(pattern.pattern for pattern, _ in self._forms)
        return re.compile(f"(?<![a-z0-9])(?=[{re.escape(first)}])(?:{branches})(?![a-z0-9])")


def _as_pattern(form: str) -> str:
    """A form as a pattern; repeats give nothing back, so that no text makes the search slow."""
    return re.escape(form).replace(r"\+", "++").replace(r"\ ", f"[{WS}]++")


@cache
def lexicon(name: str) -> Lexicon:
    """The published list called `name`, one of LEXICONS."""
    rows = load_lines(LEXICONS[name])
    return Lexicon(name, tuple(tuple(form.strip(" ") for form in row.split("|")) for row in rows))
