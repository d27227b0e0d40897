"""`{% marked_output text verdicts %}`: an output, escaped, with what the rules counted or found marked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from html import escape  # Django's does the same, and costs ten times as much a call
from itertools import groupby
from typing import Any, cast

from django import template
from django.utils.safestring import SafeString, mark_safe

from probes.core.finding import Finding
from probes.core.segments import Drawn, Family, Segment, family, numbered, segments
from probes.core.view import WHITE_SPACE, View
from probes.domain.clusters import has_no_width, parted, whole
from probes.domain.direction import direction, runs_left
from probes.domain.legend import NOUNS, cut_short, legend

register = template.Library()

COLLAPSED = 100_000
"""Characters above which an output is shown closed, with its count."""
DRAWABLE = 4_000
"""Spans that are drawn; more would bury the text. The counts are of all."""
CODES = 8
"""So many different characters in a row show their number; more would bury the text."""
PARTED = 1_000
"""Characters of a forbidden stretch up to which what has no width in it shows its number."""
SPACED = 20_000
"""Characters up to which white space can be shown."""

EVERY: dict[Family, int] = {"word": 5, "sentence": 1, "line": 1, "paragraph": 1, "entry": 1}
"""Counted things that wear their number: every fifth word, each of the others."""

VISIBLE = {" ": "·", "\t": "⇥", "\n": "↵", "\xa0": "⍽"}
UNSEEN = "\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\U000e0000-\U000e007f"
"""Characters without a shape of their own that are no white space: joiners, directions, tags."""

_BLANKS = re.compile(f" +|[{re.escape(WHITE_SPACE)}{UNSEEN}]")


@register.inclusion_tag("probes/_output.html")
def marked_output(text: str, verdicts: Iterable[Any] = ()) -> dict[str, object]:
    """The output with its marks. `verdicts` are stored ones or the core's.

    When some of them fail only those are drawn: the marks then are the evidence against the output.
    """
    shown = View(text).text
    found = [finding_of(verdict) for verdict in told(verdicts)]
    drawn = numbered(finding.spans for finding in found)
    lines = legend(shown, drawn, cut_short(found))
    return {
        "html": marked(shown, drawn[:DRAWABLE]),
        "legend": lines,
        "undrawn": sum(line.count for line in lines) - len(drawn[:DRAWABLE]),
        "capped": any(line.capped for line in lines),
        "characters": len(shown),
        "collapsed": len(shown) > COLLAPSED,
        "blank": View(text).blank,
        "spaced": len(shown) <= SPACED and bool(_BLANKS.search(shown)),
    }


def told(verdicts: Iterable[Any]) -> list[Any]:
    """The failed verdicts, else all."""
    listed = list(verdicts)
    return [verdict for verdict in listed if not verdict.ok] or listed


def finding_of(verdict: Any) -> Finding:
    """The finding of a core verdict, or the one that a stored verdict holds in its fields."""
    if hasattr(verdict, "finding"):
        return cast("Finding", verdict.finding)
    return Finding.from_json({name: getattr(verdict, name) for name in Finding._fields})


def marked(text: str, drawn: Sequence[Drawn]) -> SafeString:
    """`text` as HTML with every segment of `drawn` in its mark."""
    shown = sorted((_whole(text, each) for each in drawn), key=lambda each: each.span[:2])
    several = len({of for each in drawn if (of := family(each.span)) in EVERY}) > 1
    directed = runs_left(text)
    cut = segments(len(text), shown)
    html = "".join(_segment(text, segment, several=several, directed=directed) for segment in cut)
    return mark_safe(html)  # noqa: S308 - all parts escaped


def _whole(text: str, drawn: Drawn) -> Drawn:
    return Drawn(whole(text, drawn.span), drawn.number)


def _segment(text: str, segment: Segment, *, several: bool, directed: bool) -> str:
    own = text[segment.start : segment.end]
    shown = _visible if len(text) <= SPACED else escape
    if not segment.over:
        return shown(own)
    codes = _codes(text, segment)
    inner = shown(own) if codes else _inner(own, segment, shown)
    classes = " ".join(_classes(segment, unseen=bool(codes)))
    if directed and (way := direction(own)):
        classes += f" m-{way}"
    mark = f'<mark class="{classes}"{_labels(segment, codes)}>{inner}</mark>'
    return mark + _number(segment, several=several)


def _inner(own: str, segment: Segment, shown: Callable[[str], str]) -> str:
    """What a mark stands around; in what is forbidden each run without a width shows its number too."""
    if len(own) > PARTED or all(each.span.mark != "forbidden" for each in segment.over):
        return shown(own)
    return "".join(
        f'<i class="m-unseen" data-code="{_by_number(run)}">{escape(run)}</i>' if unseen else shown(run)
        for unseen, run in parted(own)
    )


def _codes(text: str, segment: Segment) -> str:
    """What a segment is by number, where something is marked that has no width at all, else nothing.

    A line break inside a sentence is none of that: the mark is seen before and after it.
    """
    own = text[segment.start : segment.end]
    if not own or not has_no_width(own):
        return ""
    wholly = any(has_no_width(text[each.span.start : each.span.end]) for each in segment.over)
    return _by_number(own) if wholly else ""


def _by_number(text: str) -> str:
    """`U+200B × 3 U+00AD`; of very many different ones the first."""
    runs = [(character, len(list(same))) for character, same in groupby(text)]
    named = [f"U+{ord(c):04X}" + (f" × {n:,}" if n > 1 else "") for c, n in runs[:CODES]]
    return " ".join(named) + (" …" if len(runs) > CODES else "")


def _classes(segment: Segment, *, unseen: bool) -> Iterator[str]:
    yield "m"
    yield from dict.fromkeys(f"m-{drawn.span.mark}" for drawn in segment.over)
    yield from dict.fromkeys(f"m-{drawn.span.mark}-start" for drawn in segment.starting)
    yield from dict.fromkeys(f"m-{drawn.span.mark}-end" for drawn in segment.ending)
    if [drawn.span.mark for drawn in segment.starting].count("match") > 1:
        yield "m-match-starts"
    if [drawn.span.mark for drawn in segment.ending].count("match") > 1:
        yield "m-match-ends"
    if segment.start == segment.end:
        yield "m-point"
    elif unseen:
        yield "m-unseen"


def _labels(segment: Segment, codes: str) -> str:
    """The code of what has no width, and what is to say of the spans over a segment."""
    titles = dict.fromkeys(drawn.span.label for drawn in segment.over if drawn.span.label)
    code = f' data-code="{codes}"' if codes else ""
    return code + (f' title="{escape("; ".join(titles))}"' if titles else "")


def _number(segment: Segment, *, several: bool) -> str:
    """What the counted things that end here wear: behind their mark, so that none is drawn on its fill."""
    worn = dict.fromkeys(word for drawn in segment.ending if (word := _worn(drawn, several=several)))
    return f'<i class="m-number" data-n="{escape(", ".join(worn))}"></i>' if worn else ""


def _worn(drawn: Drawn, *, several: bool) -> str:
    """`5`; beside numbers of other families `word 5`; of a line its syllables."""
    of = family(drawn.span)
    every = EVERY.get(of)
    if every is None:
        return ""
    if of == "line" and drawn.span.label:
        return drawn.span.label
    number = str(drawn.number) if drawn.number and drawn.number % every == 0 else ""
    return f"{NOUNS[of][0]} {number}" if several and number else number


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
