from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probes.core.finding import Span
from probes.core.segments import Drawn, numbered, segments

TEXT = "one two three"
CASES = json.loads((Path(__file__).parents[1] / "cases/segments.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_every_edge_cuts_and_nothing_is_left_out(case):
    drawn = numbered([Span(*span) for span in spans] for spans in case["findings"])
    cut = [
        [TEXT[part.start : part.end], [f"{d.span.mark}{d.number}" for d in part.over]]
        for part in segments(len(TEXT), drawn)
    ]
    assert cut == case["cut"]


def test_edges_know_what_starts_and_ends_there():
    first, second = segments(6, numbered([[Span(0, 6, "match"), Span(0, 2, "word")]]))
    assert [d.span.mark for d in first.starting] == ["word", "match"]
    assert [d.span.mark for d in first.ending] == ["word"]
    assert second.starting == ()
    assert [d.span.mark for d in second.ending] == ["match"]


def test_an_empty_text_has_no_segments_but_points():
    assert list(segments(0, [])) == []
    (point,) = segments(0, [Drawn(Span(0, 0, "match"), 1)])
    assert point.starting == point.ending == (Drawn(Span(0, 0, "match"), 1),)


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)).map(sorted), max_size=12))
def test_the_segments_make_up_the_text(edges):
    spans = [Span(start, end, "word") for start, end in edges]
    parts = list(segments(30, numbered([spans])))
    assert (parts[0].start, parts[-1].end) == (0, 30)
    assert all(one.end == two.start for one, two in pairwise(parts))
    lasting = [span for span in spans if span.start < span.end]
    for part in (part for part in parts if part.start < part.end):
        over = {(d.span.start, d.span.end) for d in part.over}
        assert over == {(s.start, s.end) for s in lasting if s.start <= part.start and part.end <= s.end}
