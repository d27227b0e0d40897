"""`{% marked_output text verdicts %}`: an output, escaped, with what the rules counted or found marked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape  # Django's does the same, and costs ten times as much a call
from typing import Any, cast

from django import template
from django.utils.safestring import SafeString, mark_safe

from probes.core.checks.base import MOST_SPANS
from probes.core.finding import Mark, Span
from probes.core.segments import Drawn, Segment, numbered, segments
from probes.core.view import WHITE_SPACE, View

register = template.Library()

COLLAPSED = 100_000
"""Characters above which an output is shown closed, with its count."""
DRAWABLE = 4_000
"""Spans that are drawn; more would bury the text. The counts are of all."""
SPACED = 20_000
"""Characters up to which white space can be shown."""

NOUNS: dict[Mark, tuple[str, str]] = {
    "word": ("word", "words"),
    "sentence": ("sentence", "sentences"),
    "line": ("line", "lines"),
    "entry": ("listed word", "listed words"),
    "match": ("match", "matches"),
    "forbidden": ("forbidden passage", "forbidden passages"),
    "lookalike": ("look-alike", "look-alikes"),
    "after": ("stretch after the end", "stretches after the end"),
}
"""What the legend calls each mark; also the order in which it lists them."""

_CHARACTERS = ("forbidden character", "forbidden characters")

EVERY: dict[Mark, int] = {"word": 5, "sentence": 1, "line": 1, "entry": 1}
"""Counted things that wear their number: every fifth word, each of the others."""

VISIBLE = {" ": "·", "\t": "⇥", "\n": "↵", "\xa0": "⍽"}
UNSEEN = "\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\U000e0000-\U000e007f"
"""Characters without a shape of their own that are no white space: joiners, directions, tags."""

_BLANKS = re.compile(f" +|[{re.escape(WHITE_SPACE)}{UNSEEN}]")


@dataclass(frozen=True)
class Legend:
    """One line of what is marked: `11 words`, and which characters, for readers who do not see the marks."""

    mark: Mark
    count: int
    detail: str
    single: bool

    @property
    def counted(self) -> str:
        """The count in digits; a finding carries only so many spans."""
        return f"{self.count:,}" + (" or more" if self.count >= MOST_SPANS else "")

    @property
    def noun(self) -> str:
        """For the count; what is forbidden and one character long is called that."""
        singular, plural = _CHARACTERS if self.single and self.mark == "forbidden" else NOUNS[self.mark]
        return singular if self.count == 1 else plural


@register.inclusion_tag("probes/_output.html")
def marked_output(text: str, verdicts: Iterable[Any] = ()) -> dict[str, object]:
    """The output with its marks. `verdicts` are stored ones or the core's.

    When some of them fail only those are drawn: the marks then are the evidence against the output.
    """
    shown = View(text).text
    drawn = drawn_for(verdicts)
    return {
        "html": marked(shown, drawn[:DRAWABLE]),
        "legend": legend(shown, drawn),
        "undrawn": max(0, len(drawn) - DRAWABLE),
        "characters": len(shown),
        "collapsed": len(shown) > COLLAPSED,
        "blank": View(text).blank,
        "spaced": len(shown) <= SPACED and bool(_BLANKS.search(shown)),
    }


def drawn_for(verdicts: Iterable[Any]) -> list[Drawn]:
    """The numbered spans of the failed verdicts, else of all."""
    listed = list(verdicts)
    against = [verdict for verdict in listed if not verdict.ok]
    return numbered(spans_of(verdict) for verdict in against or listed)


def spans_of(verdict: Any) -> Iterable[Span]:
    """The spans of a core verdict, or those a stored verdict holds as lists."""
    if hasattr(verdict, "finding"):
        return cast("Iterable[Span]", verdict.finding.spans)
    return [Span(int(start), int(end), mark, label) for start, end, mark, label in verdict.spans]


def legend(text: str, drawn: Sequence[Drawn]) -> list[Legend]:
    """What is marked, by mark and with counts."""
    found: dict[Mark, list[Span]] = {}
    for span in dict.fromkeys(one.span for one in drawn):
        found.setdefault(span.mark, []).append(span)
    return [_line(text, mark, found[mark]) for mark in NOUNS if mark in found]


def _line(text: str, mark: Mark, spans: Sequence[Span]) -> Legend:
    single = all(span.end - span.start == 1 for span in spans)
    return Legend(mark, len(spans), _detail(text, spans), single)


def _detail(text: str, spans: Sequence[Span]) -> str:
    """The labels of the spans; of what must not be there, what it is and how often."""
    if spans[0].mark == "lookalike":
        labels = [f"‘{c}’ (U+{ord(c):04X})" for span in spans for c in text[span.start : span.end]]
    else:
        labels = [span.label for span in spans if span.label]
    if not labels and spans[0].mark == "forbidden":
        labels = [f"‘{text[span.start : span.end]}’" for span in spans if span.end - span.start <= 20]
    counts = Counter(labels)
    words = [label if n == 1 else f"{label} × {n}" for label, n in list(counts.items())[:8]]
    return "; ".join([*words, f"and {len(counts) - 8} more"] if len(counts) > 8 else words)


def marked(text: str, drawn: Sequence[Drawn]) -> SafeString:
    """`text` as HTML with every segment of `drawn` in its mark."""
    cut = segments(len(text), drawn)
    return mark_safe("".join(_segment(text, segment) for segment in cut))  # noqa: S308 - all parts escaped


def _segment(text: str, segment: Segment) -> str:
    own = text[segment.start : segment.end]
    inner = _visible(own) if len(text) <= SPACED else escape(own)
    if not segment.over:
        return inner
    return f'<mark class="{" ".join(_classes(segment))}"{_labels(segment)}>{inner}</mark>'


def _classes(segment: Segment) -> Iterator[str]:
    yield "m"
    yield from dict.fromkeys(f"m-{drawn.span.mark}" for drawn in segment.over)
    yield from dict.fromkeys(f"m-{drawn.span.mark}-start" for drawn in segment.starting)
    yield from dict.fromkeys(f"m-{drawn.span.mark}-end" for drawn in segment.ending)
    if segment.start == segment.end:
        yield "m-point"


def _labels(segment: Segment) -> str:
    """The number or the label that a counted thing wears at its end."""
    worn = [word for drawn in segment.ending if (word := _worn(drawn))]
    titles = dict.fromkeys(drawn.span.label for drawn in segment.over if drawn.span.label)
    number = f' data-n="{escape(" ".join(dict.fromkeys(worn)))}"' if worn else ""
    return number + (f' title="{escape("; ".join(titles))}"' if titles else "")


def _worn(drawn: Drawn) -> str:
    every = EVERY.get(drawn.span.mark)
    if every is None:
        return ""
    if drawn.span.mark == "line" and drawn.span.label:
        return drawn.span.label
    return "" if drawn.number % every else str(drawn.number)


def _visible(text: str) -> str:
    """`text` escaped, each blank in an element that can show what it is; copied text stays the same."""
    parts, at = [], 0
    for found in _BLANKS.finditer(text):
        parts += [escape(text[at : found.start()]), _blank(found[0])]
        at = found.end()
    return "".join([*parts, escape(text[at:])])


@lru_cache(maxsize=256)
def _blank(text: str) -> str:
    if text in VISIBLE or text[0] == " ":
        kind = "nl" if text == "\n" else "over"
        return f'<i class="ws ws-{kind}" data-ws="{VISIBLE[text[0]] * len(text)}">{text}</i>'
    return f'<i class="ws ws-code" data-ws="U+{ord(text):04X}">{text}</i>'
