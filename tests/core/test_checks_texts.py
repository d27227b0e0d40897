"""`contains`, `starts_with`, `ends_with`, `json`, `count`."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probes.core.checks import check

JSON = {"kind": "json"}


@pytest.mark.parametrize(
    ("data", "text", "ok", "message"),
    [
        ({"kind": "contains", "of": "sorry"}, "no", False, "0 / ≥1 'sorry'"),
        ({"kind": "contains", "of": "sorry"}, "so sorry", True, "1 / ≥1 'sorry'"),
        ({"kind": "contains", "of": "sorry"}, "Sorry", False, "0 / ≥1 'sorry'"),
        ({"kind": "contains", "of": "sorry", "ignore_case": True}, "SORRY", True, "1 / ≥1 'sorry'"),
        ({"kind": "contains", "of": "sorry", "at_most": 0}, "sorry sorry", False, "2 / 0 'sorry'"),
        ({"kind": "contains", "of": "aa", "exactly": 2}, "aaaaa", True, "2 / 2 'aa'"),
        ({"kind": "contains", "of": "a", "at_least": 1, "at_most": 2}, "aaa", False, "3 / ≤2 'a'"),
        ({"kind": "contains", "of": "a", "at_least": 1, "at_most": 2}, "b", False, "0 / ≥1 'a'"),
        ({"kind": "contains", "of": ["a", "b"]}, "ba", True, "2 / 2 texts"),
        ({"kind": "contains", "of": ["a", "b"]}, "a", False, "1 / 2 texts: 0 / ≥1 'b'"),
        (
            {"kind": "contains", "of": list("abcd")},
            "x",
            False,
            "0 / 4 texts: 0 / ≥1 'a'; 0 / ≥1 'b'; 0 / ≥1 'c' and 1 more",
        ),
        ({"kind": "starts_with", "of": "Dear"}, "\n Dear you", True, "starts with 'Dear'"),
        ({"kind": "starts_with", "of": "Dear"}, "Sure! Dear", False, "starts with 'Sure', not 'Dear'"),
        ({"kind": "starts_with", "of": ["Dear", "Hi"]}, "hi", False, "starts with 'hi', not one of 2 texts"),
        ({"kind": "starts_with", "of": ["Dear", "Hi"], "ignore_case": True}, "hi", True, "starts with 'Hi'"),
        ({"kind": "ends_with", "of": "<<END>>"}, "ok <<END>>\n", True, "ends with '<<END>>'"),
        (
            {"kind": "ends_with", "of": "<<END>>"},
            "<<END>> More.",
            False,
            "ends with '> More.', not '<<END>>'",
        ),
        ({"kind": "ends_with", "of": "end"}, "THE END", False, "ends with 'END', not 'end'"),
        ({"kind": "ends_with", "of": "end", "ignore_case": True}, "THE END", True, "ends with 'end'"),
        (JSON, ' {"a": [1, 2.5e3, null]}\n', True, "JSON: object"),
        (JSON, "[1,]", False, "not JSON: line 1, column 4: expected a value, found ']'"),
        (JSON, '{"a": 1,\n b: 2}', False, "not JSON: line 2, column 2: expected a key in quotes, found 'b'"),
        (JSON, "[1", False, "not JSON: line 1, column 3: expected a comma or ], the text ends"),
        (JSON, "{} {}", False, "not JSON: line 1, column 4: expected nothing more, found '{'"),
        (JSON, "```json\n{}\n```", False, "not JSON: line 1, column 1: expected a value, found '`'"),
        ({**JSON, "fence": True}, "```json\n{}\n```\n", True, "JSON: object"),
        (
            {**JSON, "fence": True},
            "Here:\n```json\n{}\n```",
            False,
            "not JSON: line 1, column 1: expected a value, found 'H'",
        ),
        ({**JSON, "top": "array"}, "{}", False, "JSON: object, not array"),
        ({**JSON, "top": "array"}, "[]", True, "JSON: array"),
        (
            {"kind": "count", "patterns": r"/\[[^\]]*\]/", "op": ">=", "n": 2},
            "[a] [b]",
            True,
            "2 / ≥2 matches",
        ),
        ({"kind": "count", "patterns": ["/a/", "/b/i"], "op": "==", "n": 2}, "aBb", False, "3 / 2 matches"),
    ],
)
def test_messages(data, text, ok, message):
    finding = check(data).run(text)
    assert (finding.ok, finding.message) == (ok, message)


def test_one_text_and_a_list_of_it_are_the_same_check():
    one, other = (
        check({"kind": "contains", "of": "a"}),
        check({"kind": "contains", "of": ["a"], "at_least": 1}),
    )
    assert one == other
    assert one.as_json() == {"kind": "contains", "of": ["a"], "ignore_case": False, "at_least": 1}


def test_what_was_found_or_must_not_be_there_is_marked():
    forbidden = check({"kind": "contains", "of": "b", "at_most": 0}).run("abcb").spans
    assert [(span.start, span.end, span.mark) for span in forbidden] == [
        (1, 2, "forbidden"),
        (3, 4, "forbidden"),
    ]
    after = check({"kind": "ends_with", "of": "END"}).run("x END more\n").spans
    assert [(span.start, span.end, span.mark) for span in after] == [(5, 10, "after")]


def _standard_library_accepts(text: str) -> bool:
    def refuse(constant: str) -> None:
        raise ValueError(constant)

    try:
        json.loads(text, parse_constant=refuse)
    except ValueError:
        return False
    return True


@given(st.text(alphabet='{}[],:"\\ue1.-+0 \n\ttrfalsn', max_size=25))
def test_json_agrees_with_the_standard_library(text):
    if text.strip(" \n\t"):
        assert check(JSON).run(text).ok is _standard_library_accepts(text)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.integers()
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@given(VALUES, st.sampled_from([None, 1]))
def test_json_that_was_written_is_read(value, indent):
    assert check(JSON).run(json.dumps(value, indent=indent)).ok


def test_nesting_has_no_depth_at_which_a_verdict_changes():
    assert check(JSON).run("[" * 50_000 + "]" * 50_000).ok
    assert not check(JSON).run("[" * 50_000 + "]" * 49_999).ok


def test_a_count_that_would_take_too_long_ends_and_says_so():
    text = "a" * 100_000
    counted = {"kind": "count", "patterns": "/a.*b|a/", "op": ">=", "n": 100_000}
    undecided = check(counted).run(text)
    assert not undecided.ok
    assert undecided.message.startswith("at least ")
    assert undecided.message.endswith(" / ≥100000 matches: too many to count in so long a text")
    decided = check({**counted, "n": 3}).run(text)
    assert decided.ok
    assert decided.message.endswith(" / ≥3 matches")


def test_an_empty_match_counts_and_marks_nothing():
    finding = check({"kind": "count", "patterns": "/^/m", "op": "==", "n": 3}).run("a\nb\nc")
    assert (finding.ok, finding.message, finding.spans) == (True, "3 / 3 matches", ())


@pytest.mark.parametrize(
    ("output", "ok"),
    [
        ('{"a": "x\u2028y\u2029"}', True),
        ('"a\u2028b"\r\n', True),
        ('{"a":\u20281}', False),
        ('"a\nb"', False),
        ('"a\r\nb"', False),
    ],
)
def test_in_json_only_some_line_ends_are_white_space(output, ok):
    assert check(JSON).run(output).ok is ok


@pytest.mark.parametrize("output", ['"\\u12"', '"\\x"', '["\\u00", 1]', '"a\\', '"\\"', '{"a\\u1": 2}'])
def test_a_string_with_half_an_escape_is_no_json(output):
    assert not check(JSON).run(output).ok
