"""The kinds that count: every right value, every message shape, and that each of them can fail."""

from __future__ import annotations

import pytest

from probes.core.checks import check
from tests.core.probe_file import lines_of

TEXT_CASES = lines_of("text_cases.jsonl")
REPORTS = lines_of("counting_reports.jsonl")


def as_check(row: dict) -> dict:
    if row["check"] in ("sentences", "words"):
        return {"kind": row["check"], "op": "==", "n": row["expected"]}
    if row["check"] == "pirate":
        return {"kind": "lexicon", "list": "pirate", "op": ">=", "n": int(row["expected"].removeprefix(">="))}
    if row["check"] == "no_letter_e":
        return {"kind": "letters", "forbid": "e"}
    return {"kind": "charset", "only": "01"}


@pytest.mark.parametrize("row", TEXT_CASES, ids=lambda row: f"{row['id']}-{row['check']}")
def test_right_values(row):
    finding = check(as_check(row)).run(row["input"])
    assert finding.ok is row["expected_ok"]
    if finding.message == "empty output":
        assert row["input"] == "   "
    elif row["check"] == "no_letter_e":
        # The table says whether there was an e (1) or none (0); the finding says how many.
        assert min(finding.actual, 1) == row["actual"]
    else:
        assert finding.actual == row["actual"]


@pytest.mark.parametrize("row", REPORTS, ids=lambda row: f"{row['report']}-{row['check']['kind']}")
def test_what_others_got_wrong(row):
    finding = check(row["check"]).run(row["input"])
    assert finding.ok is ("message" not in row)
    assert finding.message == row.get("message", finding.message)


TEN_WORDS = {"kind": "words", "op": "==", "n": 10, "token": "whitespace"}


@pytest.mark.parametrize(
    ("data", "text", "ok", "message"),
    [
        (TEN_WORDS, "a b c d e f g h i j k", False, "11 / 10 words"),
        (TEN_WORDS, "a b c d e f g h i j", True, "10 / 10 words"),
        (TEN_WORDS, "one two three four five six seven eight nine ten eleven twelve", False, "12 / 10 words"),
        (TEN_WORDS, " \n", False, "empty output"),
        ({"kind": "words", "op": "<=", "n": 2}, "a b c", False, "3 / ≤2 words"),
        ({"kind": "words", "op": "<", "n": 3}, "a b c", False, "3 / <3 words"),
        ({"kind": "words", "op": ">", "n": 3}, "a b c", False, "3 / >3 words"),
        ({"kind": "words", "op": ">=", "n": 3}, "a b c", True, "3 / ≥3 words"),
        ({"kind": "words", "op": "!=", "n": 3}, "a b c", False, "3 / ≠3 words"),
        (
            {"kind": "words", "op": "==", "n": 2, "where": "upper"},
            "NASA said OK.",
            True,
            "2 / 2 upper-case words",
        ),
        (
            {"kind": "words", "op": "==", "n": 2, "where": "lower"},
            "NASA said OK.",
            False,
            "1 / 2 lower-case words",
        ),
        ({"kind": "sentences", "op": "==", "n": 1}, "One. Two.", False, "2 / 1 sentences"),
        ({"kind": "sentences", "op": "==", "n": 1}, "One", True, "1 / 1 sentences"),
        ({"kind": "sentences", "op": "==", "n": 1}, "?!", False, "0 / 1 sentences"),
        ({"kind": "paragraphs", "op": "==", "n": 2}, "a\nb\n\nc", True, "2 / 2 paragraphs"),
        ({"kind": "paragraphs", "op": "==", "n": 2}, "a\nb\nc", False, "1 / 2 paragraphs"),
        ({"kind": "lines", "op": "==", "n": 3}, "a\r\nb\n\nc\n", True, "3 / 3 lines"),
        ({"kind": "lines", "op": "==", "n": 3}, "a\nb", False, "2 / 3 lines"),
        (
            {"kind": "lexicon", "list": "pirate", "op": ">=", "n": 2},
            "Arrr, arr!",
            False,
            "1 / 2 pirate words",
        ),
        (
            {"kind": "lexicon", "list": "pirate", "op": ">=", "n": 2},
            "Arrr, matey!",
            True,
            "2 / 2 pirate words",
        ),
        ({"kind": "lexicon", "list": "pirate", "op": "<=", "n": 0}, "Arrr!", False, "1 / ≤0 pirate words"),
    ],
)
def test_messages(data, text, ok, message):
    finding = check(data).run(text)
    assert (finding.ok, finding.message) == (ok, message)


def test_a_finding_is_machine_readable_and_marks_what_it_counted():
    finding = check(TEN_WORDS).run("  one two")
    assert (finding.actual, finding.expected, finding.unit) == (2, 10, "words")
    assert [(s.start, s.end, s.mark) for s in finding.spans] == [(2, 5, "word"), (6, 9, "word")]


def test_only_estimates_are_heuristic():
    assert check({"kind": "sentences", "op": "==", "n": 1}).heuristic
    assert check({"kind": "syllables", "lines": [5]}).heuristic
    assert not check(TEN_WORDS).heuristic


HAIKU = "An old silent pond\nA frog jumps into the pond\nSplash! Silence again."
HAIKU_LINES = {"kind": "syllables", "lines": [5, 7, 5]}


@pytest.mark.parametrize(
    ("text", "ok", "message"),
    [
        (HAIKU, True, "5-7-5 / 5-7-5 syllables"),
        (HAIKU.replace("\n", "\r\n\r\n"), True, "5-7-5 / 5-7-5 syllables"),
        (HAIKU.replace("An old", "Old"), False, "4-7-5 / 5-7-5 syllables"),
        (HAIKU.replace("again", "yet again"), False, "5-7-6 / 5-7-5 syllables"),
        (HAIKU + "\nThe end", False, "5-7-5-2 / 5-7-5 syllables"),
        ("An old silent pond", False, "5 / 5-7-5 syllables"),
        ("one\n" * 20, False, "-".join(["1"] * 12) + "… (20 lines) / 5-7-5 syllables"),
        ("  \n ", False, "empty output"),
    ],
)
def test_syllables(text, ok, message):
    finding = check(HAIKU_LINES).run(text)
    assert (finding.ok, finding.message) == (ok, message)


def test_the_line_that_is_off_is_named():
    spans = (
        check(HAIKU_LINES)
        .run("Old silent pond\nA frog jumps into the pond\nSplash! Silence again.\nhi")
        .spans
    )
    assert [span.label for span in spans] == [
        "4 syllables, not 5",
        "7 syllables",
        "5 syllables",
        "1 syllable, one line too many",
    ]


@pytest.mark.parametrize("wanted", [1, 2])
def test_any_count_between_smallest_and_largest_is_right(wanted):
    finding = check({"kind": "syllables", "lines": [wanted]}).run("fire")
    assert (finding.ok, finding.message) == (True, f"{wanted} / {wanted} syllables")
    assert finding.spans[0].label == "1–2 syllables"
