"""Where a large pattern first matches, read backwards: the same matches as without."""

from __future__ import annotations

from dataclasses import replace

import pytest
import re2

from probes.core.patterns import Pattern
from probes.core.patterns.alphabets import Points
from probes.core.patterns.kinds import Kinds
from probes.core.patterns.literal import read_flags
from probes.core.patterns.matcher import ENDING
from probes.core.patterns.parser import parse
from probes.core.patterns.starts import NEAR, least, starts
from probes.core.patterns.syntax import Chars, Repeat
from probes.core.patterns.translate import to_re2
from probes.core.view import View

ALL = "a", "b", "x", "y", "z", "\n", " ", "!", "é", "😀"


def texts() -> list[str]:
    """Short ones of every letter, and some long enough for all rounds."""
    pairs = [one + other for one in ALL for other in ALL]
    units = ["ab!", "axyz", "a😀z\n", "b a\n!", "aé", "xz\ny "]
    joined = ["".join(pairs[i::7]) for i in range(7)]
    return ["", *pairs, *joined, *(unit * 120 for unit in units), *(f"{unit * 40}z!c" for unit in units)]


@pytest.mark.parametrize("flags", ["", "u", "im"])
@pytest.mark.parametrize(
    "source",
    [
        r"(?:[^x]{0,10}y?){90}z", r"(.{1,31}){31}!", r"(?:a|x)(?:[^y]?){0,999}?b!", r"a[^]{7}[^x]{0,900}?z",
        r"^(?:[^y]{0,30}a){1,30}$", r"\b(?:\w{1,9} ?){50}\b", r"(?:(?:a|é|[xy])*?b|\n){90}|z(?:a?){300}",
        r"(?:\S+){3,}\s(?:.?){600}", r"(?:x|^)(?:[^b]{2,4}){200}|[!z]{1,2}", r"(?:\ud83d|a){2}[^]{0,800}$",
        r"(?:a{0,9}b|){80}y", r"(?:[^]a?){2,3}[ab]{3}[ab]{0,700}",
    ],
)  # fmt: skip
@pytest.mark.parametrize("near", [NEAR, 50])
def test_the_matches_are_those_of_a_plain_search(source, flags, near, monkeypatch):
    monkeypatch.setattr("probes.core.patterns.starts.NEAR", near)
    pattern = Pattern.parse(f"/{source}/{flags}")
    plain = replace(pattern, _search=pattern._regex.search)
    assert plain._search != pattern._search
    views = [View(text) for text in texts()]
    assert [pattern.spans(view, 20) for view in views] == [plain.spans(view, 20) for view in views]


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("ab?c?", "a"),
        ("a(?:bc?){0,5}", "a"),
        ("(?:a{1,3}){2,5}b", "a{2}(?:a?){13}b"),
        ("(?:a{2,4}){4}b", "(?:a{2}(?:a?){2}){4}b"),
        ("(?:a?){9}b", "(?:a?){9}b"),
        ("(?:a{0,9}?){3,}b", "a*b"),
        ("a?a{2}b", "a{2,3}b"),
        ("(?:a|b|c?)d", "([ab]|c?)d"),
        ("(?:a?b?){2,4}c", "(a?b?){4}c"),
        (r"(?:\ba?){1,3}", r"\b"),
        ("(?:a|b?)+", ""),
    ],
)
def test_what_does_not_matter_is_left_out(source, wanted):
    flags = read_flags("u", 0)
    found, expected = (to_re2(each, Points()) for each in (least(parse(source, flags)), parse(wanted, flags)))
    assert found == expected


def test_what_re2_refuses_is_searched_plainly():
    letter = Chars(((0x61, 0x61),))
    kinds, regex = Kinds(letter, unicode=True), re2.compile("a")
    assert starts(Repeat(letter, 1, 1000), kinds, regex, NEAR) is not None
    assert starts(Repeat(Repeat(letter, 2, 1000), 2, 1000), kinds, regex, NEAR) is None


def test_a_search_begins_where_it_is_told():
    pattern = Pattern.parse("/\\b(?:a[^x]{0,20}?){1,40}b\\b/")
    assert pattern._search != pattern._regex.search
    assert pattern.spans(View("ab aab b xab")) == ((0, 2), (3, 6))


LARGE = r"b(?:[^x]{0,9}?a){99}"


@pytest.mark.parametrize(
    ("ending", "tail", "is_followed"),
    [
        ("", "", True),
        ("(?:[^]*y)?", "y", True),
        ("[^]*", "", False),
        ("[^]*?$", "", False),
        ("[^]*y", "y", False),
    ],
    ids=["ends soon", "ends soon or late", "ends anywhere", "reads on", "must read on"],
)
def test_of_a_large_pattern_in_a_long_text_a_match_is_not_followed_for_ever(ending, tail, is_followed):
    pattern = Pattern.parse(f"/{LARGE}{ending}/")
    ((start, end),) = pattern.spans(View(f"{'c' * 5000}b{'ca' * 60_000}{tail}"), 1)
    assert (start, end - start) == (5000, 199 if is_followed else ENDING // pattern.steps)
    ((start, end),) = pattern.spans(View(f"{'c' * 5000}b{'ca' * 1_000}{tail}"), 1)
    assert (start, end) == (5000, 5199 if ending == "" else 7001 + len(tail))


def test_no_other_is_looked_for_after_a_match_that_may_not_be_followed():
    pattern = Pattern.parse(f"/{LARGE}/")
    long, short = (View(f"{'ca' * size}b{'ca' * 99}" * 9) for size in (1_400, 1_250))
    assert (len(pattern.spans(long)), len(pattern.spans(short))) == (1, 4)
