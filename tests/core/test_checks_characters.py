"""`letters`, `charset` and `case`."""

from __future__ import annotations

import pytest

from probes.core.checks import check

NO_E = {"kind": "letters", "forbid": "e"}
BINARY = {"kind": "charset", "only": "01"}


@pytest.mark.parametrize(
    ("data", "text", "ok", "message"),
    [
        (NO_E, "three", False, "2 / 0 'e' characters"),
        (NO_E, "Eve ate", False, "3 / 0 'e' characters"),
        (NO_E, "A dog ran.", True, "0 / 0 'e' characters"),
        (NO_E, "bеd", False, "look-alike of e: 'е' (U+0435)"),
        (NO_E, "ЕеЁёΕ", False, "look-alike of e: 'Е' (U+0415), 'е' (U+0435), 'Ё' (U+0401) and 2 more"),
        (NO_E, "bеde", False, "1 / 0 'e' characters; look-alike of e: 'е' (U+0435)"),
        ({"kind": "letters", "forbid": "o"}, "о is Cyrillic", True, "0 / 0 'o' characters"),
        ({"kind": "letters", "forbid": "z"}, "Ž", False, "1 / 0 'z' characters"),
        ({"kind": "letters", "letter": "e", "op": ">=", "n": 3}, "bеd she", False, "1 / ≥3 'e' characters"),
        ({"kind": "letters", "letter": "e", "op": "==", "n": 1}, "she", True, "1 / 1 'e' characters"),
        (BINARY, "01 10\n", True, "only 0/1"),
        (BINARY, "0x2", False, "charset violation: 'x', '2'"),
        (BINARY, "01 2 x 2", False, "charset violation: '2', 'x'"),
        (BINARY, "abcde", False, "charset violation: 'a', 'b', 'c' and 2 more"),
        (BINARY, "0\u200b1", False, "charset violation: U+200B"),
        (BINARY, "０", False, "charset violation: '０' (U+FF10)"),
        (BINARY, "-", False, "charset violation: '-'"),
        (BINARY, " \n\t", False, "empty output"),
        ({"kind": "charset", "only": "]^-\\"}, "^]-\\", True, "only ]/^/-/\\"),
        ({"kind": "charset", "only": "]^-\\"}, "a", False, "charset violation: 'a'"),
        ({"kind": "case", "case": "upper"}, "HI, É 5!", True, "0 / 0 lower-case letters"),
        ({"kind": "case", "case": "upper"}, "Hi ß", False, "2 / 0 lower-case letters"),
        ({"kind": "case", "case": "lower"}, "hi ß", True, "0 / 0 upper-case letters"),
        ({"kind": "case", "case": "lower"}, "hI", False, "1 / 0 upper-case letters"),
        ({"kind": "case", "case": "upper"}, "12 你", False, "0 / ≥1 upper-case letters"),
    ],
)
def test_messages(data, text, ok, message):
    finding = check(data).run(text)
    assert (finding.ok, finding.message) == (ok, message)


def test_forbidden_letters_and_look_alikes_are_marked_apart():
    spans = check(NO_E).run("bеde").spans
    assert [(span.start, span.end, span.mark) for span in spans] == [(1, 2, "lookalike"), (3, 4, "forbidden")]


def test_offenders_are_marked_as_runs():
    spans = check(BINARY).run("01ab 1c").spans
    assert [(span.start, span.end, span.mark) for span in spans] == [(2, 4, "forbidden"), (6, 7, "forbidden")]
