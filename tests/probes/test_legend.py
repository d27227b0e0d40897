"""What is marked in an output, told in words: what it is, and how much of it there is."""

from __future__ import annotations

import pytest

from probes.domain.legend import legend
from probes.templatetags import marks
from tests.probes.test_marks import Stored, drawn_for, judged, rendered, said_of, told


@pytest.mark.parametrize(
    ("passage", "said"),
    [
        ("end", "‘end’"), ("e\u0301", "‘e\u0301’"), ("a\u200bb", "‘a\\u{200B}b’"), ("a b", "‘a b’"),
        ("\u0301a", "‘\\u{301}a’"), ("\n", "U+000A"), ("a\nb", "‘a\\nb’"), ("é", "‘é’"), ("\u0301", "U+0301"),
        ("x" * 20, f"‘{'x' * 20}’"), ("x" * 21, f"‘{'x' * 20}…’"),
        ("\u064b", "U+064B"), ("\u064b\u0651ab", "‘\\u{64B}\\u{651}ab’"), ("ab\u064b", "‘ab\u064b’"),
        ("\u0301\u200b", "‘\\u{301}\\u{200B}’"), ("\u0301\u0301", "‘\\u{301}\\u{301}’"), ("ा", "U+093E"),
    ],
)  # fmt: skip
def test_a_forbidden_passage_is_named_as_it_can_be_seen(passage, said):
    (line,) = legend(passage, drawn_for([Stored(False, [[0, len(passage), "forbidden", ""]])]))
    assert line.details == (said,)


def no(letter: str) -> dict[str, object]:
    return {"kind": "letters", "forbid": letter}


def only(characters: str) -> dict[str, object]:
    return {"kind": "charset", "only": characters}


TEN_WORDS = {"kind": "words", "op": "==", "n": 10}
EACH = {"kind": "count", "patterns": ["/e/", "/b/"], "op": "==", "n": 1}
UPPER = {"kind": "case", "case": "upper"}
FORBIDDEN = "forbidden characters"
TOTALS = [
    ("a " * 38_000, [TEN_WORDS], "38,000 words: ", "34,000 further ones"),
    ("a " * 10_000, [TEN_WORDS], "10,000 words: ", "6,000 further ones"),
    ("e" * 190_000, [no("e")], f"190,000 {FORBIDDEN}: ‘e’", "186,000 further ones"),
    ("a\n" * 12_000, [{"kind": "lines", "op": "<=", "n": 9}], "12,000 lines: ", "8,000 further ones"),
    ("x " * 20_000, [{"kind": "contains", "of": "x", "at_most": 0}], f"20,000 {FORBIDDEN}: ‘x’", "16,000 f"),
    ("x1" * 12_000, [only("1")], f"10,000 or more {FORBIDDEN}: ‘x’", "all of them"),
    ("eb" * 6_000, [EACH], "12,000 matches: ", "8,000 further ones"),
    ("ab" * 8_000, [UPPER, no("b")], f"13,000 or more {FORBIDDEN}: ‘a’; ‘b’", "all of them"),
    (
        "ab" * 8_000,
        [{"kind": "all", "of": [UPPER, no("b")]}],
        f"10,000 or more {FORBIDDEN}: ‘a’; ‘b’",
        "all of",
    ),
    ("e " * 6_000, [no("e"), only("x")], f"6,000 {FORBIDDEN}: ‘e’ × 6,000", "2,000 further ones"),
]


@pytest.mark.parametrize(("text", "checks", "said", "undrawn"), TOTALS, ids=range(len(TOTALS)))
def test_a_total_is_what_was_counted_or_said_to_be_less(text, checks, said, undrawn):
    verdicts = [verdict for data in checks for verdict in judged(text, **data)]
    assert said_of(text, verdicts)[0] == said
    told_below = rendered(text, verdicts).split("</ul>")[-1]
    assert undrawn in told_below
    assert ("further" in told_below) != ("or more" in said)


@pytest.mark.parametrize(
    ("text", "data", "said"),
    [
        (
            "e" * 7_000 + "\u0435" * 7_000,
            {"kind": "letters", "forbid": "e"},
            ["7,000 or more forbidden characters: ‘e’", "3,000 or more look-alikes: ‘\u0435’ (U+0435)"],
        ),
        (
            "a b. " * 7_000,
            {
                "kind": "all",
                "of": [
                    {"kind": "words", "op": "==", "n": 3},
                    {"kind": "sentences", "op": "==", "n": 3},
                ],
            },
            ["6,667 or more words: ", "3,333 or more sentences: "],
        ),
        (
            "0".join(map(chr, range(0x4E00, 0x4E00 + 20_000))),
            {"kind": "charset", "only": "01"},
            ["10,000 or more forbidden characters: ‘一’; ‘丁’; ‘丂’; ‘七’; ‘丄’; ‘丅’; ‘丆’; ‘万’; and more"],
        ),
    ],
    ids=["characters and look-alikes", "words and sentences", "many different ones"],
)
def test_families_that_share_a_full_finding_may_each_have_more(text, data, said):
    assert told(text, **data) == said
    assert "further" not in rendered(text, judged(text, **data))


NO_B = {"kind": "pattern", "must": "not_match", "pattern": "/b/"}


@pytest.mark.parametrize(
    ("text", "data", "said"),
    [
        ("bxa " * 900, NO_B, ["100 or more forbidden characters: ‘b’"]),
        ("bxa " * 99, NO_B, ["99 forbidden characters: ‘b’ × 99"]),
        ("b " * 900, {"kind": "pattern", "must": "match", "pattern": "/b/"}, ["100 or more matches: "]),
        (
            "b " * 900,
            {"kind": "not", "of": {**NO_B, "must": "match"}},
            ["100 or more forbidden characters: ‘b’"],
        ),
        ("b " * 900, {"kind": "all", "of": [NO_B]}, ["100 or more forbidden characters: ‘b’"]),
        ("b " * 900, {"kind": "count", "patterns": ["/b/"], "op": "==", "n": 9}, ["900 matches: "]),
        ("b " * 900, {"kind": "charset", "only": "a"}, ["900 forbidden characters: ‘b’ × 900"]),
        ("e " * 900, {"kind": "letters", "forbid": "e"}, ["900 forbidden characters: ‘e’ × 900"]),
        ("a b " * 900, {"kind": "words", "op": "==", "n": 9}, ["1,800 words: "]),
        (
            "a " * 6_000,
            {"kind": "count", "patterns": ["/\\w/"], "op": "==", "n": 9},
            ["4,166 or more matches: "],
        ),
    ],
    ids=range(10),
)
def test_of_what_a_finding_does_not_count_no_total_is_told(text, data, said):
    assert told(text, **data) == said
    assert ("there may be more" in rendered(text, judged(text, **data))) is (
        "or more" in said[0] and not said[0].startswith("4,")
    )


def test_totals_of_findings_that_are_whole_are_exact_however_many():
    text = "ab " * 6_000
    verdicts = [
        Stored(False, [[3 * i + at, 3 * i + at + 1, "word", ""] for i in range(6_000)]) for at in (0, 1)
    ]
    html = rendered(text, verdicts)
    assert "12,000 words" in html
    assert "8,000 further ones" in html


def test_what_two_findings_number_differently_is_counted_once():
    spans = [[2 * i, 2 * i + 1, "word", ""] for i in range(marks.DRAWABLE)]
    html = rendered("a " * marks.DRAWABLE, [Stored(False, spans), Stored(False, spans[1:])])
    assert f"{marks.DRAWABLE:,} words" in html
    assert "further" not in html
