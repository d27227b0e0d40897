"""Each code of the lint has documents that it is said of, and documents like them that it is not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probes.core import Document, check, examine
from probes.core.lint import LINTS, lint
from probes.core.lint.claims import claims, conflict, consequences, entails
from probes.core.lint.numbers import numbers_in
from tests.core.probe_file import TEXT, changed, document, lines_of
from tests.thorough import examples

CASES = lines_of("lint.jsonl")
EXAMPLES = [["Right", "pass", "one two"], ["Wrong", "fail", "sorry, one two three"]]


def of(case: dict[str, Any]) -> Document:
    rules = [
        {"name": f"rule_{i}", "check": data, "why": "A case."} for i, data in enumerate(case["checks"], 1)
    ]
    fixtures = [
        {"label": label, "expect": expect, "output": output}
        for label, expect, output in case.get("fixtures", EXAMPLES)
    ]
    return document(
        prompt={"system": case.get("system"), "user": case["user"]},
        rubric={"prose": "A case.", "criteria": [], "rules": rules},
        fixtures=fixtures,
    )


def codes(of_document: Document) -> list[str]:
    return [remark.code for remark in lint(examine(of_document))]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['code']}: {case['about']}")
def test_a_code_is_said_where_it_belongs_and_nowhere_else(case):
    assert (case["code"] in codes(of(case))) is case["fires"]


def test_every_code_is_described_and_has_cases_both_ways():
    assert {(case["code"], case["fires"]) for case in CASES} == {
        (code, fires) for code in LINTS for fires in (True, False)
    }
    assert list(LINTS) == [f"L{i:03}" for i in range(1, 11)]
    assert all(lint.title and lint.remedy and lint.example for lint in LINTS.values())


def test_a_sound_document_hears_nothing():
    assert lint(examine(Document.parse(TEXT))) == ()


def test_a_remark_says_where_and_what_to_do():
    text = changed("{{concept}} in two words", "{{concept}} in three words")
    assert list(map(str, lint(examine(Document.parse(text))))) == [
        "L001 line 16, rubric.rules[0].check: 'two_words' wants exactly 2, and the prompt does not name 2 "
        "(say the number in the prompt, or ask for at least or at most so many)"
    ]


def test_of_rules_that_hold_together_each_is_named_once():
    wider = [{"kind": "words", "op": ">=", "n": n} for n in (5, 3, 1)]
    said = lint(examine(of({"checks": wider, "user": "The words of {{concept}}."})))
    assert [each.problem.message for each in said if each.code == "L006"] == [
        "'rule_2' always holds where 'rule_1' does",
        "'rule_3' always holds where 'rule_1' does",
    ]
    same = [{"kind": "pattern", "must": "match", "pattern": "/a/"}] * 2
    said = lint(examine(of({"checks": same, "user": "The words of {{concept}}."})))
    assert [each.problem.message for each in said if each.code == "L006"] == [
        "'rule_2' says the same as 'rule_1'"
    ]


def test_too_many_claims_are_not_compared():
    texts = [f"text {i}" for i in range(50)]
    checks = [{"kind": "contains", "of": texts}] * 5
    assert "L006" not in codes(of({"checks": checks, "user": "The words of {{concept}}."}))
    assert "L006" in codes(of({"checks": checks[:2], "user": "The words of {{concept}}."}))
    long = [{"kind": "pattern", "must": "match", "pattern": f"/{'a' * 400}/"}] * 6
    assert "L006" not in codes(of({"checks": long, "user": "The words of {{concept}}."}))


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Ten words on 2 lines, a hundred and five letters", {2, 10, 105}),
        ("one thousand two hundred and thirty-four", {1234}),
        ("five seven five", {5, 7}),
        ("ten and five", {5, 10}),
        ("twenty two words or 30", {22, 30}),
        ("two dozen", {2, 24}),
        ("half a dozen", {6, 12}),
        ("nineteen hundred", {1900}),
        ("5-7-5 and 1’000", {5, 7, 1000}),
        ("a hundred thousand", {100_000}),
        ("ninety-nine, one hundred", {99, 100}),
        ("an often written weight", set()),
        ("９ ٣", set()),
        ("", set()),
    ],
)
def test_numbers_of_an_english_text(text, numbers):
    assert numbers_in(text) == numbers


PIECES = st.sampled_from(["a", "b", "[ab]", "a+", "b?", "(?:a|b)", "(?:ab)*", "^", "$", r"\b", "a{2,3}", "."])
LITERALS = st.builds(
    lambda pieces, flags: f"/{''.join(pieces)}/{flags}",
    st.lists(PIECES, min_size=1, max_size=4),
    st.sampled_from(["", "i", "m", "s"]),
)
PATTERNS = st.builds(
    lambda literal, must: {"kind": "pattern", "must": must, "pattern": literal},
    LITERALS,
    st.sampled_from(["match", "not_match"]),
)
COUNTS = st.builds(
    lambda kind, op, n: {"kind": kind, "op": op, "n": n},
    st.sampled_from(["words", "lines", "paragraphs"]),
    st.sampled_from(["==", "!=", "<=", ">=", "<", ">"]),
    st.integers(0, 3),
)
TEXTS = st.builds(
    lambda kind, of, ignore_case: {"kind": kind, "of": of, "ignore_case": ignore_case},
    st.sampled_from(["starts_with", "ends_with", "contains"]),
    st.lists(st.text("abA", min_size=1, max_size=2), min_size=1, max_size=2, unique=True),
    st.booleans(),
)
BOUNDED = st.builds(
    lambda of, bound, n: {"kind": "contains", "of": of, bound: n},
    st.text("abA", min_size=1, max_size=2),
    st.sampled_from(["at_least", "at_most", "exactly"]),
    st.integers(0, 2),
)
SPELLED = st.sampled_from(
    [
        *({"kind": "charset", "only": only} for only in ("a", "ab", "bA", "1")),
        *({"kind": "case", "case": case} for case in ("upper", "lower")),
        *({"kind": "letters", "forbid": letter} for letter in "ab"),
        {"kind": "letters", "letter": "a", "op": ">=", "n": 1},
        *(
            {"kind": "json", "top": top, "fence": fence}
            for top in ("any", "array")
            for fence in (True, False)
        ),
    ]
)
LEAVES = PATTERNS | COUNTS | TEXTS | BOUNDED | SPELLED
CHECKS = st.recursive(
    LEAVES,
    lambda inner: (
        st.builds(lambda of: {"kind": "not", "of": of}, inner)
        | st.builds(
            lambda kind, of: {"kind": kind, "of": of},
            st.sampled_from(["all", "any"]),
            st.lists(inner, min_size=1, max_size=2),
        )
    ),
    max_leaves=3,
)

OUTPUTS = st.text("abA1 \n", min_size=1, max_size=8) | st.sampled_from(
    ['[1, "a"]', "1", '"ab"', "```\n[1]\n```"]
)


@given(CHECKS, CHECKS, st.lists(OUTPUTS, min_size=1, max_size=8))
@settings(max_examples=examples(150), deadline=None)
def test_what_is_said_to_follow_does_and_what_is_said_to_exclude_does(one, other, texts):
    try:
        first, second = check(one), check(other)
    except ValueError:  # nested too deep
        return
    known = [*claims(first.as_json()), *consequences(first.as_json())]
    wanted = claims(second.as_json())
    follows = all(entails(known, claim) for claim in wanted)
    excluded = any(conflict(claim, other) for claim in known for other in wanted)
    for text in texts:
        if text.strip() and first.run(text).ok:
            assert second.run(text).ok or not follows, (one, other, text)
            assert not second.run(text).ok or not excluded, (one, other, text)


@pytest.mark.parametrize("unit", ["{{", "{{a", "{{a}", "}}{{"])
def test_a_prompt_of_braces_is_read_in_bounded_time(unit):
    user = "{{concept}} " + unit * (150_000 // len(unit))  # reading on from each of them took minutes
    assert lint(examine(document(prompt={"user": user}))) is not None
