"""What is marked in an output, in words: for readers who do not see the marks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from probes.core.checks.base import MOST_SPANS
from probes.core.checks.matches import AT_LEAST
from probes.core.checks.pattern import MAX_SPANS
from probes.core.finding import Finding, Mark, Span
from probes.core.segments import Drawn, Family, family
from probes.core.text import show, show_text
from probes.domain.clusters import is_accent

NOUNS: dict[Family, tuple[str, str]] = {
    "word": ("word", "words"),
    "sentence": ("sentence", "sentences"),
    "line": ("line", "lines"),
    "paragraph": ("paragraph", "paragraphs"),
    "entry": ("listed word", "listed words"),
    "match": ("match", "matches"),
    "forbidden": ("forbidden passage", "forbidden passages"),
    "lookalike": ("look-alike", "look-alikes"),
    "after": ("stretch after the end", "stretches after the end"),
}
"""What the legend calls each; also the order in which it lists them."""

_CHARACTERS = ("forbidden character", "forbidden characters")

LISTED = 8
"""So many different things are named; of others it is said how many there are."""

LONGEST = 20
"""Characters of a forbidden passage by which it is named."""


@dataclass(frozen=True)
class Legend:
    """One line: `11 words`, and which characters, each of `details` for itself."""

    mark: Mark
    family: Family
    count: int
    details: tuple[str, ...]
    single: bool
    capped: bool = False

    @property
    def counted(self) -> str:
        """The count in digits, and whether there may be more than the findings carry."""
        return f"{self.count:,}" + (" or more" if self.capped else "")

    @property
    def noun(self) -> str:
        """For the count; what is forbidden and one character long is called that."""
        singular, plural = _CHARACTERS if self.single and self.mark == "forbidden" else NOUNS[self.family]
        return singular if self.count == 1 else plural


Cut = Mapping[Family, int | None]
"""Of what there may be more than is marked, and how many there are, or None where nobody counted them."""


def cut_short(findings: Iterable[Finding]) -> Cut:
    """Of what the findings carry the first only."""
    listed = list(findings)
    marking = Counter(of for finding in listed for of in set(map(family, finding.spans)))
    return {
        of: _counted(finding) if marking[of] == 1 else None
        for finding in listed
        for of in _cut_short(finding)
    }


def _counted(finding: Finding) -> int | None:
    """How many there are, where the finding is the count of one thing and marks nothing else."""
    told = rf"{finding.actual} / [≠≤≥<>]?{finding.expected} {re.escape(finding.unit)}"
    alone = len(set(map(family, finding.spans))) == 1 and re.fullmatch(told, finding.message)
    counted = type(finding.actual) is int and finding.actual >= len(finding.spans)
    return finding.actual if alone and counted else None


def _cut_short(finding: Finding) -> Iterator[Family]:
    """A finding carries only so many spans, whatever they mark; one that does not count needs still fewer."""
    full = len(finding.spans) >= MOST_SPANS
    for of, marked in Counter(map(family, finding.spans)).items():
        if full or (of in ("match", "forbidden") and not _counts(finding, marked)):
            yield of


def _counts(finding: Finding, marked: int) -> bool:
    """Whether what a finding marks as found is all there is of it."""
    if finding.message.startswith(AT_LEAST):
        return False
    if marked < MAX_SPANS:
        return True
    counted = type(finding.actual) is int and finding.actual >= marked  # True counts nothing
    return counted or finding.unit == "characters"  # all that are none of those allowed


def legend(text: str, drawn: Sequence[Drawn], cut: Cut | None = None) -> list[Legend]:
    """What is marked, by family and with counts; of the families `cut` there may be more."""
    found: dict[Family, list[Span]] = {}
    for span in dict.fromkeys(one.span for one in drawn):
        found.setdefault(family(span), []).append(span)
    return [_line(text, each, found[each], cut or {}) for each in NOUNS if each in found]


def _line(text: str, of: Family, spans: Sequence[Span], cut: Cut) -> Legend:
    single = all(span.end - span.start == 1 for span in spans)
    details = _details(text, of, spans, of in cut)
    total = cut.get(of)
    return Legend(spans[0].mark, of, total or len(spans), details, single, of in cut and total is None)


def _details(text: str, of: Family, spans: Sequence[Span], capped: bool) -> tuple[str, ...]:
    """The labels of the spans; of what must not be there, what it is and how often, if all are marked."""
    counts = Counter(_named(text, of, spans))
    first = list(counts.items())[:LISTED]
    words = [name if n == 1 or capped else f"{name} × {n:,}" for name, n in first]
    if len(counts) <= LISTED:
        return tuple(words)
    return (*words, "and more" if capped else f"and {len(counts) - LISTED:,} more")


def _named(text: str, of: Family, spans: Sequence[Span]) -> list[str]:
    if of == "paragraph":
        return []
    if of == "lookalike":
        return [f"‘{c}’ (U+{ord(c):04X})" for span in spans for c in text[span.start : span.end]]
    labels = [span.label for span in spans if span.label]
    if labels or of != "forbidden":
        return labels
    return [_quoted(text[span.start : span.end]) for span in spans]


def _quoted(passage: str) -> str:
    """A passage, or how it begins, in quotation marks.

    What has no shape of its own is there by its number, as messages name it. An accent with no letter
    before it would be drawn on the quotation mark.
    """
    if len(passage) == 1 and (is_accent(passage) or show(passage).startswith("U+")):
        return f"U+{ord(passage):04X}"
    first = passage[:LONGEST]
    rest = first.lstrip("".join(filter(is_accent, first)))
    alone = "".join(f"\\u{{{ord(accent):X}}}" for accent in first[: len(first) - len(rest)])
    if any(show(c).startswith("U+") for c in rest if not is_accent(c)):
        rest = show_text(rest)[1:-1]
    return f"‘{alone}{rest}{'…' * (len(passage) > LONGEST)}’"
