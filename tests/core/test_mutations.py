"""Each way for a rule to be a little wrong survives examples that do not show it, and no others."""

from __future__ import annotations

from typing import Any

import pytest

from probes.core import Document, check, examine, mutations
from probes.core.mutants import mutants
from probes.core.mutations import Mutations, mutate
from tests.core.probe_file import TEXT, changed, document
from tests.core.test_library import FILES, SHIPPED

WORDS = {"kind": "words", "op": "<=", "n": 3, "token": "whitespace"}

ONLY_BLANK = "the rule dropped: only a blank example fails it, as it fails every rule"


def tried(check: dict[str, Any], *outputs: str) -> Mutations:
    """The mutants of one rule, tried on outputs of which the first must pass."""
    rule = {"name": "the_rule", "check": check, "why": "A case."}
    fixtures = [
        {"label": f"example {i}", "expect": "fail" if i else "pass", "output": output}
        for i, output in enumerate(outputs)
    ]
    rubric = {"prose": "A case.", "criteria": [], "rules": [rule]}
    return mutate(examine(document(rubric=rubric, fixtures=fixtures)))


def survivors(check: dict[str, Any], *outputs: str) -> list[str]:
    return [each.message.removeprefix("'the_rule' with ") for each in tried(check, *outputs).survivors]


def pattern(literal: str) -> dict[str, Any]:
    return {"kind": "pattern", "must": "match", "pattern": literal}


CASES = [
    (WORDS, ["a b c", "a b c d"], []),
    (WORDS, ["a b c", "a b c d e"], ["n 4 instead of 3: no example has exactly 4 words"]),
    (WORDS, ["a b", "a b c d"], ["n 2 instead of 3: no example has exactly 3 words"]),
    ({**WORDS, "op": "=="}, ["a b c", "a b c d e"], []),
    (
        {**WORDS, "op": "!="},
        ["a", "b"],
        [
            "the rule dropped: no example fails it",
            "n 4 instead of 3: no example has exactly 3 or 4 words",
            "n 2 instead of 3: no example has exactly 2 or 3 words",
        ],
    ),
    (
        {**WORDS, "op": ">=", "n": 1},
        ["a", "a b", ""],
        [ONLY_BLANK],
    ),  # at least 0 is the same: something is there
    (
        {**WORDS, "op": ">=", "n": 2},
        ["a b", ""],
        [ONLY_BLANK, "n 1 instead of 2: no example has exactly 1 word"],
    ),
    (
        {**WORDS, "where": "upper"},
        ["A B C", "A B C D E"],
        ["n 4 instead of 3: no example has exactly 4 upper-case words"],
    ),
    (
        {"kind": "lexicon", "list": "pirate", "op": ">=", "n": 2},
        ["Arr, matey", "hello"],
        ["n 1 instead of 2: no example has exactly 1 different word of the list"],
    ),
    (
        {"kind": "count", "patterns": ["/x/"], "op": "<=", "n": 1},
        ["x", "xxx"],
        ["n 2 instead of 1: no example has exactly 2 matches"],
    ),
    (
        {"kind": "letters", "letter": "e", "op": "<=", "n": 1},
        ["e", "eee"],
        ["n 2 instead of 1: no example has the letter e exactly 2 times"],
    ),
    (
        {"kind": "contains", "of": "END", "at_least": 1, "at_most": 2},
        ["END END", "none"],
        [
            "at_least 2 instead of 1: no example has 'END' exactly 1 time",
            "at_most 3 instead of 2: no example has 'END' exactly 3 times",
        ],
    ),
    (
        {"kind": "contains", "of": "END", "exactly": 1},
        ["END", "none"],
        [],
    ),
    (
        {"kind": "syllables", "lines": [1, 2]},
        ["cat\nfire", "cat"],
        [
            "1 instead of 2 syllables in line 2: no example tells 1 from 2 syllables in line 2",
        ],
    ),
    (pattern("/end/i"), ["END", "no"], []),
    (pattern("/end/i"), ["end", "no"], ["the flag i dropped: no example needs it"]),
    (pattern("/^end$/m"), ["a\nend\nb", "no"], []),
    (pattern("/^end$/m"), ["end", "no"], ["the flag m dropped: no example needs it"]),
    (pattern("/a.b/s"), ["a b", "no"], ["the flag s dropped: no example needs it"]),
    (pattern("/^.$/u"), ["x", "no"], ["the flag u dropped: no example needs it"]),
    (pattern("/^.$/u"), ["🎉", "no"], []),
    (pattern(r"/\u{1F389}/u"), ["🎉", "no"], []),  # without the flag it is no pattern
    (pattern("/123/i"), ["123", "no"], ["the flag i dropped: nothing would change"]),
    (
        {"kind": "count", "patterns": ["/x/", "/y/i"], "op": "==", "n": 1},
        ["y", "x y"],
        ["the flag i dropped: no example needs it"],
    ),
    (
        {"kind": "ends_with", "of": "END", "ignore_case": True},
        ["the END", "no"],
        ["ignore_case off: no example needs it"],
    ),
    (
        {"kind": "ends_with", "of": "1", "ignore_case": True},
        ["1", "no"],
        ["ignore_case off: nothing would change"],
    ),
    ({"kind": "json", "fence": True}, ["{}", "no"], ["fence off: no example needs it"]),
    ({"kind": "json", "fence": True}, ["```json\n{}\n```", "no"], []),
    (
        {"kind": "all", "of": [WORDS, {"kind": "letters", "forbid": "e"}]},
        ["a b c", "a b c d"],
        ["this part dropped: no example fails by this part alone"],
    ),
    ({"kind": "all", "of": [WORDS, {"kind": "letters", "forbid": "e"}]}, ["a b c", "a b c d", "me"], []),
    (
        {"kind": "any", "of": [pattern("/yes/"), pattern("/no/")]},
        ["yes", "maybe"],
        ["this part dropped: no example passes by this part alone"],
    ),
    (
        {"kind": "all", "of": [{**WORDS, "op": ">="}, pattern("/a/")]},
        ["a b c d", "b c d", "a"],
        [
            "n 4 instead of 3: no example turns on exactly 3 words",
            "n 2 instead of 3: no example turns on exactly 2 words",
        ],
    ),
    (
        {"kind": "not", "of": WORDS},
        ["a b c d e", "a"],
        [
            "n 4 instead of 3: no example turns on exactly 4 words",
            "n 2 instead of 3: no example turns on exactly 3 words",
        ],
    ),
    (
        {"kind": "contains", "of": ["blue", "wave"]},
        ["blue wave", "wave"],
        ["'wave' dropped from the list: no example turns on it"],
    ),
    ({"kind": "contains", "of": ["blue", "wave"]}, ["blue wave", "wave", "blue"], []),
    (
        {"kind": "contains", "of": ["blue", "bluebird"], "at_most": 0},
        ["red", "blue"],
        ["'bluebird' dropped from the list: nothing would change"],
    ),
    (
        {"kind": "contains", "of": ["blue", "bluebird"], "at_least": 1},
        ["bluebird", "blue"],
        ["'blue' dropped from the list: nothing would change"],
    ),
    (
        {"kind": "starts_with", "of": ["Sure", "Surely", "Yes"]},
        ["Sure", "no"],
        [
            "'Surely' dropped from the list: nothing would change",
            "'Yes' dropped from the list: no example turns on it",
        ],
    ),
    (
        {"kind": "ends_with", "of": [".", "!"]},
        ["So.", "no"],
        ["'!' dropped from the list: no example turns on it"],
    ),
    (
        {"kind": "not", "of": {"kind": "starts_with", "of": ["Sure", "Yes"]}},
        ["no", "Sure"],
        ["'Yes' dropped from the list: no example turns on it"],
    ),
    (
        {"kind": "count", "patterns": ["/x/", "/y/"], "op": "==", "n": 1},
        ["x", "z", "xx"],
        ["'/y/' dropped from the list: no example turns on it"],
    ),
    ({"kind": "charset", "only": "01"}, [""], [ONLY_BLANK, "the check negated: every example is blank"]),
]


@pytest.mark.parametrize(("check", "outputs", "expected"), CASES)
def test_what_survives_and_what_does_not(check, outputs, expected):
    assert survivors(check, *outputs) == expected


def test_a_survivor_names_its_line_its_rule_and_the_example_to_add():
    text = changed('op: "==", n: 2', 'op: "<=", n: 2').replace("It calls itself", "It calls itself again")
    found = mutate(examine(Document.parse(text)))
    assert list(map(str, found.survivors)) == [
        "line 16, rubric.rules[0].check.n: 'two_words' with n 3 instead of 2: "
        "no example has exactly 3 words (add one)"
    ]
    assert (found.tried, found.caught, found.untried) == (7, 6, 0)


def test_a_rule_that_nothing_fails_may_as_well_be_dropped():
    data = Document.parse(TEXT).canonical()
    found = mutate(examine(document(fixtures=data["fixtures"][:2])))
    assert found.survivors[0].message == "'no_please' with the rule dropped: no example fails it"


@pytest.mark.parametrize("shipped", SHIPPED, ids=[path.stem for path in FILES])
def test_the_examples_of_every_shipped_probe_catch_every_mutant(shipped):
    found = mutate(examine(shipped))
    assert found.survivors == ()
    assert found.tried >= 2


def test_more_than_may_be_spent_is_counted_and_not_tried(monkeypatch):
    lines = {"kind": "syllables", "lines": [2] * 50}
    many = {"kind": "any", "of": [lines] * 12}
    assert sum(1 for _ in mutants(many)) == 1 + 1 + 12 * (1 + 1 + 50 * 2)
    monkeypatch.setattr(mutations, "MAX_MUTANTS", 30)
    found = tried(many, "a\n" * 49 + "a")
    assert (found.tried, found.untried) == (30, 1_196)
    a_run = 12 * 2_000 * len("a\na")
    monkeypatch.setattr(mutations, "MAX_WORK", 5 * a_run)
    found = tried(many, "a\na")
    assert (found.tried, found.untried) == (7, 1_219)


@pytest.mark.parametrize(
    ("data", "searches"),
    [
        ({"kind": "pattern", "must": "match", "pattern": "/a/"}, 1),
        ({"kind": "not", "of": {"kind": "pattern", "must": "match", "pattern": "/a/"}}, 1),
        ({"kind": "count", "patterns": ["/a/", "/a/u"], "op": "==", "n": 1}, 200),
        ({"kind": "all", "of": [{"kind": "pattern", "must": "match", "pattern": "/a/"}] * 3}, 3),
    ],
)
def test_a_check_costs_the_searches_that_decide_it(data, searches):
    assert mutations._cost(check(data).as_json()) == searches * mutations._cost_of_pattern("/a/")
