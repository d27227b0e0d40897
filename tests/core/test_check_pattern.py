"""The kind `pattern`: what it reports, and what it says about a pattern it cannot take."""

from __future__ import annotations

import pytest

from probes.core import CheckError, Span, check
from probes.core.checks.pattern import quote
from probes.core.patterns import Pattern


def pattern_check(must: str, pattern: str):
    return check({"kind": "pattern", "must": must, "pattern": pattern})


@pytest.mark.parametrize(
    ("must", "pattern", "output", "ok", "message"),
    [
        ("match", "/<<END>>/", "Done.\n<<END>>", True, 'matched "<<END>>"'),
        ("match", "/<<END>>/", "Done.", False, "nothing matched"),
        ("not_match", r"/^\s*(sure|ok)\b/i", "Sure, here", False, 'matched "Sure", which must not appear'),
        ("not_match", r"/^\s*(sure|ok)\b/i", "surely", True, "nothing matched"),
        ("match", "/x*/", "abc", True, "matched the empty text"),
        ("not_match", "/x*/", "abc", False, "matched the empty text, and must not match"),
        ("match", r"/a\nb/", "a\r\nb", True, 'matched "a↵b"'),
        ("match", r"/<<END>>\s*$/", "x <<END>>\ufeff\u00a0", True, 'matched "<<END>>\\u{FEFF}\\u{A0}"'),
    ],
)
def test_the_finding_says_what_matched(must, pattern, output, ok, message):
    finding = pattern_check(must, pattern).run(output)
    assert (finding.ok, finding.message) == (ok, message)
    assert finding.expected == must
    assert (finding.actual == finding.expected) is ok


def test_blank_output_fails_either_way():
    for must in ("match", "not_match"):
        finding = pattern_check(must, "/a/").run(" \n")
        assert (finding.ok, finding.message) == (False, "empty output")


def test_what_matched_is_marked():
    assert pattern_check("match", "/a+/").run("😀aab a").spans == (Span(1, 3, "match"), Span(5, 6, "match"))
    assert pattern_check("not_match", "/a+/").run("ba").spans == (Span(1, 2, "forbidden"),)
    assert pattern_check("match", "/x*/").run("abc").spans == ()
    assert len(pattern_check("match", "/a/").run("a" * 1000).spans) == 100


@pytest.mark.parametrize(
    ("pattern", "output", "after"),
    [
        (r"/<<END>>\s*$/", "A.\n<<END>>\n\nLet me know.\n", "\n\nLet me know."),
        (r"/<<END>>\s*$/i", "<<end>> a <<END>> b", " b"),
        (r"/<<END>>$/", "A. <<END>> \n", " \n"),
        (r"/(?:<<END>>(?:\s*?$))/", "<<END>>!", "!"),
        (r"/<<END>>\n?[ \t]*$/", "<<END>>\nb", "\nb"),
        (r"/^\d+$/", "12 apples", " apples"),
        ("/^$/", "all of it", "all of it"),
        ("/a+?$/", "aab", "b"),
        ("/😀$/", "é😀b😀c", "c"),
        (r"/[😀]\s*$/u", "é😀b😀c", "c"),
        (r"/\ud83d$/", "😀c", "c"),
        (r"/^(?:\S?){900}!$/", "a!c", "c"),
    ],
)
def test_what_follows_the_last_match_of_what_must_stand_last_is_marked(pattern, output, after):
    finding = pattern_check("match", pattern).run(output)
    assert (finding.ok, finding.message) == (False, "nothing matched")
    (span,) = finding.spans
    assert (span.mark, output[span.start : span.end]) == ("after", after)


@pytest.mark.parametrize(
    ("must", "pattern", "output"),
    [
        ("match", r"/<<END>>\s*$/", "no end"),
        ("match", r"/<<END>>\s*$/m", "<<END>> a\nb"),
        ("match", r"/<<END>>/", "END"),
        ("match", "/x$|y$/", "xz"),
        ("match", r"/<<END>>\s+$/", "<<END>>"),
        ("match", r"/\ud83d$/", "😀"),
        ("not_match", r"/<<END>>\s*$/", "<<END>> b"),
    ],
)
def test_nothing_is_marked_where_nothing_had_to_stand_last(must, pattern, output):
    assert pattern_check(must, pattern).run(output).spans == ()


def test_a_burden_is_not_searched_again_for_a_mark():
    rule = pattern_check("match", "/a[ab]{0,900}c$/")
    assert rule.run("acd").spans == (Span(2, 3, "after"),)
    assert rule.run("ac" + "d" * 150_000).spans == ()


@pytest.mark.parametrize(
    ("matched", "shown"),
    [
        ("", "the empty text"),
        ("a" * 40, '"' + "a" * 40 + '"'),
        ("a" * 30 + "b" * 30, '"' + "a" * 24 + "…" + "b" * 15 + '"'),
        ("a\n\tb", '"a↵⇥b"'),
        ("a\u202eb", '"a\\u{202E}b"'),
    ],
)
def test_a_quote_is_short_and_shows_what_cannot_be_seen(matched, shown):
    assert quote(matched) == shown


def test_a_refused_pattern_is_an_error_at_its_key_in_its_own_words():
    with pytest.raises(CheckError) as caught:
        pattern_check("match", "/foo(?=bar)/")
    assert caught.value.path == ("pattern",)
    assert str(caught.value) == (
        "lookahead `(?=` is not supported (character 5 of the pattern): "
        "use a second rule, or a must-not-match rule"
    )


@pytest.mark.parametrize(
    ("data", "path"),
    [
        ({"must": "match"}, ("pattern",)),
        ({"pattern": "/a/"}, ("must",)),
        ({"must": "maybe", "pattern": "/a/"}, ("must",)),
        ({"must": "match", "pattern": 5}, ("pattern",)),
        ({"must": "match", "pattern": "/a/", "flags": "i"}, ("flags",)),
    ],
)
def test_wrong_parameters_are_named(data, path):
    with pytest.raises(CheckError) as caught:
        check({"kind": "pattern", **data})
    assert caught.value.path == path


def test_it_says_everything_it_means_as_json():
    data = {"kind": "pattern", "must": "match", "pattern": "/a/i"}
    assert check(data).as_json() == data
    assert not check(data).heuristic


def test_a_pattern_is_compiled_once_a_rule(monkeypatch):
    rule = pattern_check("match", "/once/")
    assert rule.run("once").ok
    monkeypatch.setattr(Pattern, "parse", lambda *_: pytest.fail("compiled again"))
    assert rule.run("once more").ok
