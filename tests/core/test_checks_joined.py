"""`all`, `any`, `not`."""

from __future__ import annotations

import pytest

from probes.core.checks import check

ONE_SENTENCE = {"kind": "sentences", "op": "==", "n": 1}
NO_E = {"kind": "letters", "forbid": "e"}
BINARY = {"kind": "charset", "only": "01"}
RUNG_7 = {"kind": "all", "of": [ONE_SENTENCE, NO_E]}


@pytest.mark.parametrize(
    ("data", "text", "ok", "message"),
    [
        (RUNG_7, "A dog ran.", True, "1 / 1 sentences; 0 / 0 'e' characters"),
        (RUNG_7, "A dog. It ran.", False, "2 / 1 sentences"),
        (RUNG_7, "The eel.", False, "3 / 0 'e' characters"),
        (RUNG_7, "The dog. It ran.", False, "2 / 1 sentences; 1 / 0 'e' characters"),
        (RUNG_7, "  ", False, "empty output"),
        ({"kind": "any", "of": [BINARY, NO_E]}, "01", True, "only 0/1; 0 / 0 'e' characters"),
        ({"kind": "any", "of": [BINARY, NO_E]}, "dog", True, "0 / 0 'e' characters"),
        ({"kind": "any", "of": [BINARY, NO_E]}, "e", False, "charset violation: 'e'; 1 / 0 'e' characters"),
        (
            {"kind": "not", "of": BINARY},
            "dog",
            True,
            "does not pass, as wanted: charset violation: 'd', 'o', 'g'",
        ),
        ({"kind": "not", "of": BINARY}, "01", False, "must not pass: only 0/1"),
        ({"kind": "not", "of": BINARY}, "", False, "empty output"),
    ],
)
def test_messages(data, text, ok, message):
    finding = check(data).run(text)
    assert (finding.ok, finding.message) == (ok, message)


def test_a_failed_part_gives_the_numbers():
    finding = check(RUNG_7).run("The eel.")
    assert (finding.actual, finding.expected, finding.unit) == (3, 0, "'e' characters")
    assert {span.mark for span in finding.spans} == {"forbidden"}
    both = check(RUNG_7).run("The dog. It ran.")
    assert (both.actual, both.expected, both.unit) == (2, 1, "sentences")
    assert list(both.spans) == sorted(both.spans, key=lambda span: (span.start, span.end))


def test_heuristic_if_any_part_is():
    assert check(RUNG_7).heuristic
    assert check({"kind": "not", "of": RUNG_7}).heuristic
    assert not check({"kind": "any", "of": [NO_E, {"kind": "not", "of": BINARY}]}).heuristic


def test_parts_are_written_whole():
    assert check({"kind": "not", "of": RUNG_7}).as_json() == {"kind": "not", "of": RUNG_7}


@pytest.mark.parametrize(
    ("part", "output", "ok", "marks"),
    [
        ({"kind": "contains", "of": "sorry"}, "so sorry", False, ["forbidden"]),
        ({"kind": "pattern", "must": "match", "pattern": "/s/"}, "so sorry", False, ["forbidden"] * 2),
        ({"kind": "words", "op": "==", "n": 2}, "so sorry", False, ["word"] * 2),
        ({"kind": "charset", "only": "01"}, "abc", True, []),
        ({"kind": "starts_with", "of": "Sure"}, "The answer", True, []),
        ({"kind": "letters", "forbid": "e"}, "the \u0435", True, []),
    ],
)
def test_marks_say_what_is_wrong_with_the_whole(part, output, ok, marks):
    finding = check({"kind": "not", "of": part}).run(output)
    assert (finding.ok, [span.mark for span in finding.spans]) == (ok, marks)
