"""Which characters an output may and must hold where a check of single characters or of texts passes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal, cast

from probes.core.tables import changed_by, forms_of, lower_case
from probes.core.text import LOOKALIKES_OF_E, Case, lower
from probes.core.view import WHITE_SPACE

Characters = frozenset[str]

MOST_DISTINCT = 100
"""So many different characters of one text are looked at."""


@dataclass(frozen=True, slots=True)
class Only:
    """A check of single characters: `of` is what `charset` lists, the case, or the forbidden letter."""

    kind: Literal["charset", "case", "letters"]
    of: str

    def bars(self, character: str) -> bool:
        """Whether an output that passes is without it."""
        if self.kind == "charset":
            return character not in self.of and character not in WHITE_SPACE
        if self.kind == "case":
            return ord(character) in changed_by(self.of)
        return character in forms_of(self.of) or (self.of == "e" and character in LOOKALIKES_OF_E)

    @property
    def needs(self) -> Characters | None:
        """Of these, an output that passes holds at least one; None where it need not hold any."""
        if self.kind == "charset":
            return frozenset(self.of)
        return cased(cast("Case", self.of)) if self.kind == "case" else None

    def excludes(self, needs: Iterable[Characters]) -> bool:
        """Whether it bars all of one of these sets."""
        return any(all(map(self.bars, each)) for each in needs)

    def implies(self, other: Only) -> bool:
        """Whether `other` passes wherever this does: decided of a list of characters."""
        if self == other:
            return True
        if self.kind != "charset" or any(map(other.bars, self.of)):
            return False
        return other.needs is None or frozenset(self.of) <= other.needs


@cache
def cased(case: Case) -> Characters:
    """The characters that are in `case` and have another one."""
    other = changed_by("lower" if case == "upper" else "upper")
    return frozenset(map(chr, other - changed_by(case)))


@lru_cache(maxsize=1024)
def needs_of(text: str, ignore_case: bool) -> tuple[Characters, ...]:
    """For each character of `text` those that can stand for it."""
    distinct = list(dict.fromkeys(text))[:MOST_DISTINCT]
    return tuple(_equals()[lower(each)] | {each} if ignore_case else frozenset(each) for each in distinct)


@cache
def _equals() -> defaultdict[str, Characters]:
    """By a character in lower case all that are it in lower case."""
    found: defaultdict[str, Characters] = defaultdict(frozenset)
    for point, small in lower_case().items():
        found[chr(small)] |= {chr(point), chr(small)}
    return found


@dataclass(frozen=True, slots=True)
class Written:
    """A text that is looked for, with or without regard to case."""

    text: str
    ignore_case: bool

    @property
    def needs(self) -> tuple[Characters, ...]:
        return needs_of(self.text, self.ignore_case)

    def holds(self, other: Written) -> bool:
        """Whether `other` occurs wherever this does."""
        one, wanted = self._beside(other)
        return bool(wanted) and wanted in one

    def begins_with(self, other: Written) -> bool:
        """Whether what begins with this begins with `other` too."""
        one, wanted = self._beside(other)
        return bool(wanted) and one.startswith(wanted)

    def ends_with(self, other: Written) -> bool:
        """Whether what ends with this ends with `other` too."""
        one, wanted = self._beside(other)
        return bool(wanted) and one.endswith(wanted)

    def _beside(self, other: Written) -> tuple[str, str]:
        """Both texts as `other` reads them; it cannot be found where only this one lets case go."""
        if other.ignore_case:
            return lower(self.text), lower(other.text)
        return self.text, "" if self.ignore_case else other.text

    def folded(self) -> Written:
        """Without regard to case."""
        return Written(self.text, True)
