"""Outputs with their marks: nothing a model writes becomes markup, and nothing it writes is lost."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import unescape
from typing import Any

import pytest
from django.template import Context, Template

from probes.core import check
from probes.core.finding import Finding, Span
from probes.core.segments import Drawn, numbered
from probes.domain.clusters import whole
from probes.domain.legend import cut_short, legend
from probes.templatetags import marks
from probes.templatetags.marks import finding_of, marked
from probes.templatetags.marks import told as told_of


@dataclass
class Stored:
    """As a stored verdict: its spans are lists."""

    ok: bool
    spans: list[list] = field(default_factory=list)
    actual: object = None
    expected: object = None
    unit: str = ""
    message: str = ""


@dataclass
class Judged:
    """As a verdict of the core."""

    finding: Finding

    @property
    def ok(self) -> bool:
        return self.finding.ok


def drawn_for(verdicts: Iterable[Any]) -> list[Drawn]:
    """The numbered spans of the verdicts that are told of."""
    return numbered(finding_of(verdict).spans for verdict in told_of(verdicts))


def rendered(text: str, verdicts=()) -> str:
    template = Template("{% load marks %}{% marked_output text verdicts %}")
    return template.render(Context({"text": text, "verdicts": verdicts}))


def output_of(html: str) -> str:
    """The text a browser would show in the output's element (it drops the first line break)."""
    (inner,) = re.findall(r"<pre[^>]*>\n(.*)</pre>", html, re.DOTALL)
    return unescape(re.sub(r"<[^>]+>", "", inner))


HOSTILE = [
    "<script>alert(1)</script>",
    "</pre><img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "&lt;b&gt; &amp;amp;",
    "{{ 7 }} {% load x %}",
    "\n\nstarts with line breaks",
    "\u202eright to left\u202c and \u200bzero width",
    "tab\there  two spaces\nnbsp\xa0there",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_an_output_is_text_and_stays_whole(text):
    spans = [[i, i + 1, "forbidden", '<i title="x">'] for i in range(0, len(text), 2)]
    html = rendered(text, [Stored(False, spans)])
    assert output_of(html) == text
    assert not re.search(r"<(script|img|svg|b)\b", html)
    assert '<i title="x">' not in html


def test_line_ends_are_shown_as_the_checks_saw_them():
    assert output_of(rendered("one\r\ntwo\rthree\u2028four")) == "one\ntwo\nthree\nfour"


def test_every_fifth_counted_word_wears_its_number():
    finding = check({"kind": "words", "op": "==", "n": 10, "token": "whitespace"}).run(
        "a b c d e f g h i j k"
    )
    html = str(marked("a b c d e f g h i j k", drawn_for([Judged(finding)])))
    numbers = re.findall(r'(\w)</mark><i class="m-number" data-n="(\d+)"></i>', html)
    assert numbers == [("e", "5"), ("j", "10")]
    assert html.count("<mark") == 11


def test_the_legend_counts_in_words():
    finding = check({"kind": "letters", "forbid": "e"}).run("Here we see")
    html = rendered("Here we see", [Judged(finding)])
    assert "5 forbidden characters" in html
    assert html.count("m m-forbidden") == 5 + 1  # and the sample in the legend


def test_a_look_alike_is_named():
    finding = check({"kind": "letters", "forbid": "e"}).run("hоw dоеs it")
    html = rendered("hоw dоеs it", [Judged(finding)])
    assert "1 look-alike: <bdi data-literal>‘е’ (U+0435)</bdi>" in html


def test_marks_of_failed_verdicts_stand_alone():
    passed = Stored(True, [[0, 3, "match", ""]])
    failed = Stored(False, [[4, 7, "after", ""]])
    assert [drawn.span.mark for drawn in drawn_for([passed, failed])] == ["after"]
    assert [drawn.span.mark for drawn in drawn_for([passed])] == ["match"]


def test_overlapping_marks_are_all_drawn():
    html = str(marked("abcdef", drawn_for([Stored(False, [[0, 4, "match", ""], [2, 6, "forbidden", ""]])])))
    assert html == (
        '<mark class="m m-match m-match-start">ab</mark>'
        '<mark class="m m-match m-forbidden m-forbidden-start m-match-end">cd</mark>'
        '<mark class="m m-forbidden m-forbidden-end">ef</mark>'
    )


def test_a_line_wears_its_label():
    spans = [Span(0, 3, "line", "4 syllables"), Span(4, 7, "line", "7 syllables")]
    stored = Stored(False, [[s.start, s.end, s.mark, s.label] for s in spans])
    html = str(marked("abc\ndef", drawn_for([stored])))
    assert 'data-n="4 syllables"' in html
    assert [(line.count, line.noun, line.details) for line in legend("abc\ndef", drawn_for([stored]))] == [
        (2, "lines", ("4 syllables", "7 syllables"))
    ]


def test_white_space_can_be_shown_without_script():
    html = rendered("a b\tc\xa0d\ne\u200bf")
    assert re.findall(r'data-ws="([^"]+)"', html) == ["·", "⇥", "⍽", "↵", "U+200B"]
    assert 'type="checkbox"' in html
    assert 'type="checkbox"' not in rendered("abc")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not a single character"),
        ("\n \t", "3 white-space characters"),
        (" ", "1 white-space character and"),
    ],
)
def test_an_empty_output_says_so(text, said):
    assert said in rendered(text, [Stored(False)])


def test_a_very_long_output_is_closed_and_counted():
    html = rendered("word " * 20_001, [])
    assert "100,005 characters: open the output" in html
    assert output_of(html) == "word " * 20_001
    assert "<details" not in rendered("word " * 20_000, [])


def test_too_many_marks_are_counted_and_not_drawn():
    text = "a " * (marks.DRAWABLE + 3)
    spans = [[2 * i, 2 * i + 1, "word", ""] for i in range(marks.DRAWABLE + 3)]
    html = rendered(text, [Stored(False, spans)])
    assert f"{marks.DRAWABLE + 3} words" in html.replace(",", "")
    assert "3 further ones" in html


def judged(output: str, **data: object) -> list[Judged]:
    return [Judged(check(data).run(output))]


def told(output: str, **data: object) -> list[str]:
    return said_of(output, judged(output, **data))


def said_of(output: str, verdicts: list[Judged]) -> list[str]:
    """The lines of the legend, in words."""
    lines = legend(output, drawn_for(verdicts), cut_short(each.finding for each in verdicts))
    return [f"{line.counted} {line.noun}: {'; '.join(line.details)}" for line in lines]


def test_what_is_not_seen_is_named_and_shows_its_number():
    text = "0\u200b1\u00ad0 \u202e1\t\u0007"
    data = {"kind": "charset", "only": "01"}
    assert told(text, **data) == ["4 forbidden characters: U+200B; U+00AD; U+202E; U+0007"]
    html = rendered(text, judged(text, **data))
    assert re.findall(r'm-unseen" data-code="([^"]*)"', html) == ["U+200B", "U+00AD", "U+202E", "U+0007"]
    assert "<bdi data-literal>U+202E</bdi>" in html
    assert output_of(html) == text


@pytest.mark.parametrize(
    ("text", "spans", "codes"),
    [
        ("a\nb.", [[0, 4, "sentence", ""], [0, 1, "word", ""], [2, 3, "word", ""]], []),
        ("a\u200bb", [[0, 3, "match", ""], [0, 1, "forbidden", ""]], []),
        ("a \u200b b", [[0, 1, "word", ""], [2, 3, "word", ""], [4, 5, "word", ""]], ["U+200B"]),
        ("a\nb", [[0, 3, "match", ""], [1, 2, "forbidden", ""]], ["U+000A"]),
        ("end\n\n\u200b", [[3, 6, "after", ""]], ["U+000A × 2 U+200B"]),
        ("a" + "\u200b" * 5_000, [[1, 5_001, "forbidden", ""]], ["U+200B × 5,000"]),
        (
            "a" + "\u200b\u200c" * 900,
            [[1, 1_801, "forbidden", ""]],
            ["U+200B U+200C U+200B U+200C U+200B U+200C U+200B U+200C …"],
        ),
        ("a \u064bb", [[2, 3, "forbidden", ""]], ["U+064B"]),
        ("\ufff9\u3164\U000e0100", [[0, 3, "forbidden", ""]], ["U+FFF9 U+3164 U+E0100"]),
        ("a b\tc\u3000d", [[1, 2, "forbidden", ""], [3, 4, "after", ""], [5, 6, "match", ""]], []),
    ],
)
def test_only_what_is_wholly_without_width_shows_its_number(text, spans, codes):
    html = rendered(text, [Stored(False, spans)])
    assert re.findall(r'data-code="([^"]*)"', html) == codes
    assert html.count("m-unseen") == len(codes)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("0 a\u200b\u202ebc", ["U+200B U+202E"]),
        ("0 a\u200bb\u202ec", ["U+200B", "U+202E"]),
        ("0 x\u05b0", []),
        ("0 \U0001f469\u200d\U0001f466", []),
        ("0 abc", []),
        ("0 " + "x\u200b" * 500, ["U+200B"] * 500),
        ("0 " + "x\u200b" * 501, []),
    ],
    ids=range(7),
)
def test_in_what_is_forbidden_nothing_stays_unseen(text, codes):
    html = rendered(text, judged(text, kind="charset", only="01"))
    assert re.findall(r'<i class="m-unseen" data-code="([^"]*)"', html) == codes
    assert output_of(html) == text


@pytest.mark.parametrize(
    ("text", "torn"),
    [
        ("e\u0301te\u0301 Z", ["e\u0301", "e\u0301"]),
        ("e\u0301\u0323x", ["e\u0301\u0323"]),
        ("\u0301e", ["e"]),
        ("\ne\u0301", ["e\u0301"]),
        ("e\u200dx", ["e"]),
    ],
)
def test_no_mark_tears_a_letter_from_its_accents(text, torn):
    html = rendered(text, judged(text, kind="letters", forbid="e"))
    inner = re.findall(r"<mark[^>]*>(.*?)</mark>", html.split("<figcaption")[0], re.DOTALL)
    assert [unescape(re.sub(r"<[^>]+>", "", each)) for each in inner] == torn
    assert output_of(html) == text


SCOTLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"


@pytest.mark.parametrize(
    ("text", "at", "drawn"),
    [
        ("\u1112\u1161\u11ab \u1112\u1161", 0, "\u1112\u1161\u11ab"),
        ("\u1112\u1161\u11ab \u1112\u1161", 2, "\u1112\u1161\u11ab"),
        ("\u1112\u1161\u1112\u1161", 1, "\u1112\u1161"),
        ("한국", 0, "한"),
        ("하\u11ab국", 0, "하\u11ab"),
        ("\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7", 0, "\U0001f1e9\U0001f1ea"),
        ("\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7", 1, "\U0001f1e9\U0001f1ea"),
        ("a\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7", 3, "\U0001f1eb\U0001f1f7"),
        ("1\ufe0f\u20e3x", 0, "1\ufe0f\u20e3"),
        (f"a{SCOTLAND}b", 1, SCOTLAND),
        (f"a{SCOTLAND}b", 3, SCOTLAND),
        ("\u4e2d\U000e0067", 0, "\u4e2d"),
    ],
)
def test_syllables_and_flags_are_marked_whole(text, at, drawn):
    start, end, *_ = whole(text, Span(at, at + 1, "forbidden"))
    assert text[start:end] == drawn


@pytest.mark.parametrize(("at", "start", "end"), [(0, 0, 33), (20, 0, 53), (50, 18, 83), (99, 67, 101)])
def test_of_accents_without_end_only_some_are_looked_at(at, start, end):
    assert whole("e" + "\u0301" * 100, Span(at, at + 1, "forbidden"))[:2] == (start, end)


def test_an_emoji_is_marked_with_what_joins_it():
    family, waving = "\U0001f469\u200d\U0001f466", "\U0001f44b\U0001f3fd"
    text = f"a {family} {waving}"
    html = rendered(text, judged(text, kind="pattern", must="not_match", pattern="/[\U0001f469\U0001f44b]/u"))
    inner = re.findall(r'm-forbidden-end">(.*?)</mark>', html.split("<figcaption")[0])
    assert [re.sub("<[^>]+>", "", each) for each in inner] == [family, waving]


def test_paragraphs_are_called_so_and_numbered():
    text = "a\nb\nc\n\nd"
    assert told(text, kind="paragraphs", op="==", n=1) == ["2 paragraphs: "]
    html = rendered(text, judged(text, kind="paragraphs", op="==", n=1))
    assert re.findall(r'data-n="([^"]*)"', html) == ["1", "2"]


def test_numbers_of_several_families_say_of_what():
    text = "a b c d e. f"
    words, sentences = (judged(text, kind=kind, op="==", n=9) for kind in ("words", "sentences"))
    alone, beside = (rendered(text, verdicts) for verdicts in (words, words + sentences))
    assert re.findall(r'data-n="([^"]*)"', alone) == ["5"]
    assert re.findall(r'data-n="([^"]*)"', beside) == ["sentence 1, word 5", "sentence 2"]


def test_only_one_counting_of_a_family_is_numbered():
    text = "a - b c d e f"
    by = [judged(text, kind="words", op="==", n=1, token=token)[0] for token in ("word", "whitespace")]
    for verdicts, fifth in ((by, "e"), (by[::-1], "d")):
        assert re.findall(r'(\w)</mark><i class="m-number" data-n="5">', rendered(text, verdicts)) == [fifth]


def test_matches_that_begin_together_have_a_bracket_of_their_own():
    text = "ab a"
    html = rendered(text, judged(text, kind="count", patterns=["/a/", "/ab/"], op="==", n=9))
    assert html.count("m-match-starts") == 1
    assert "m-match-ends" not in html


@pytest.mark.parametrize(
    ("text", "ways"),
    [
        ("one two, (three) 4 five", [None] * 5),
        ("été 漢字 дом", [None] * 3),
        ("one שלום", ["ltr", "rtl"]),
        ("שלום, (abc) 4 !?", ["rtl", "ltr", None]),
        ("مرحبا \u200fx abcשלום שלוםabc", ["rtl", "ltr", "rtl", "ltr"]),
    ],
)
def test_beside_words_that_run_left_each_says_its_direction(text, ways):
    html = str(marked(text, drawn_for(judged(text, kind="words", op="==", n=99))))
    told_ways = [re.search(r"m-(ltr|rtl)", each) for each in re.findall(r'<mark class="([^"]*)"', html)]
    assert [found and found[1] for found in told_ways] == ways
    assert output_of(f"<pre>\n{html}</pre>") == text
