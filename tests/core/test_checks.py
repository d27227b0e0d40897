"""What every kind keeps: it never raises, marks inside the text, says the same twice, and refuses clearly."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probes.core.checks import KINDS, Check, CheckError, check
from probes.core.checks.base import MOST_SPANS, finished
from probes.core.finding import Finding
from probes.core.view import View

WORDS = {"kind": "words", "op": "==", "n": 10}
EXAMPLES: list[dict] = [
    {"kind": "all", "of": [{"kind": "sentences", "op": "==", "n": 1}, {"kind": "letters", "forbid": "e"}]},
    {"kind": "any", "of": [WORDS, {"kind": "charset", "only": "01"}]},
    {"kind": "case", "case": "upper"},
    {"kind": "charset", "only": "01"},
    {"kind": "contains", "of": ["a", "."], "ignore_case": True},
    {"kind": "contains", "of": "a", "at_most": 0},
    {"kind": "count", "patterns": "/a./", "op": ">", "n": 1},
    {"kind": "ends_with", "of": ["!", "end"]},
    {"kind": "json", "fence": True},
    {"kind": "letters", "letter": "a", "op": "<", "n": 2},
    {"kind": "lexicon", "list": "pirate", "op": ">=", "n": 2},
    {"kind": "lines", "op": "==", "n": 1},
    {"kind": "not", "of": {"kind": "contains", "of": "a"}},
    {"kind": "paragraphs", "op": "!=", "n": 1},
    {"kind": "pattern", "must": "match", "pattern": "/a/"},
    {"kind": "sentences", "op": "==", "n": 1},
    {"kind": "starts_with", "of": "a"},
    {"kind": "syllables", "lines": [5, 7, 5]},
    {**WORDS, "token": "whitespace"},
    {**WORDS, "where": "lower"},
]
PIECES = [
    "a",
    "e",
    "A",
    "ye ",
    "arr",
    "fire",
    "U.S. ",
    "I ",
    "1. ",
    ".",
    "!",
    "…",
    "0",
    "1",
    " ",
    "\n",
    "\r",
    "\x00",
]
PIECES += ["\ud800", "\u202e", "é", "e\u0301", "🎉", "{", '"', "```json\n", "- ", "--", "。", "’", "\u2028"]
TEXTS = st.text(max_size=80) | st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


def test_the_examples_hold_every_kind():
    assert {each["kind"] for each in EXAMPLES} == set(KINDS)


@given(st.sampled_from(EXAMPLES), TEXTS)
def test_run_never_raises_and_marks_inside_the_text(data, text):
    finding = check(data).run(text)
    view = View(text)
    assert all(0 <= span.start <= span.end <= len(view.text) for span in finding.spans)
    starts = [span.start for span in finding.spans]
    assert starts == sorted(starts)
    assert finding == check(data).run(view)
    assert finding == Finding.from_json(json.loads(json.dumps(finding.as_json())))


DECIDED = [
    *EXAMPLES,
    *({"kind": "words", "op": op, "n": 2} for op in ("==", "!=", "<=", ">=", "<", ">")),
    {"kind": "not", "of": {"kind": "any", "of": [WORDS, {"kind": "sentences", "op": "<", "n": 2}]}},
    {"kind": "all", "of": [{"kind": "pattern", "must": "match", "pattern": "/a$/"}, {**WORDS, "n": 1}]},
]


@given(st.sampled_from(DECIDED), TEXTS)
def test_what_decides_says_what_run_says(data, text):
    ok, made = check(data).decider()(View(text))
    finding = check(data).run(text)
    assert (ok, finished(made)) == (finding.ok, finding)


def test_what_decides_carries_no_more_spans_than_run():
    words = {"kind": "all", "of": [WORDS, {"kind": "not", "of": {**WORDS, "n": 0}}]}
    _, made = check(words).decider()(View("a " * (MOST_SPANS + 1)))
    assert finished(made) == check(words).run("a " * (MOST_SPANS + 1))


@pytest.mark.parametrize("data", EXAMPLES, ids=lambda data: data["kind"])
@pytest.mark.parametrize("text", ["", " \n\t", "\ufeff\u00a0"])
def test_blank_output_fails_every_kind(data, text):
    finding = check(data).run(text)
    assert (finding.ok, finding.message) == (False, "empty output")


@pytest.mark.parametrize("data", EXAMPLES, ids=lambda data: data["kind"])
def test_canonical_parameters_build_the_same_check(data):
    built = check(data)
    assert check(built.as_json()) == built
    assert check(built.as_json()).as_json() == built.as_json()


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_is_described(kind):
    cls = KINDS[kind]
    schema = cls.model_json_schema()
    assert cls.name == kind
    assert cls.summary.endswith(".")
    assert issubclass(cls, Check)
    missing = [
        name for name, field in schema["properties"].items() if name != "kind" and "description" not in field
    ]
    assert missing == []


@pytest.mark.parametrize(
    ("data", "path", "message"),
    [
        ({}, ("kind",), "`kind` is missing: write one of all, any, case"),
        ({"kind": "wrods"}, ("kind",), "unknown check kind 'wrods': write one of all, any, case"),
        ({"kind": ["words"]}, ("kind",), "unknown check kind"),
        ({"kind": "words", "n": 1}, ("op",), "`op` is missing: `words` takes kind, op, n, token, where"),
        ({**WORDS, "op": "="}, ("op",), "`op` is '=': write one of '==', '!='"),
        ({**WORDS, "n": -1}, ("n",), "`n` is -1: write 0 or more"),
        ({**WORDS, "n": 100_001}, ("n",), "`n` is 100001: write 100000 or less"),
        ({**WORDS, "n": 10**5000}, ("n",), "`n` is a number of more than 12 digits: write 100000 or less"),
        ({**WORDS, "n": "10"}, ("n",), "`n` is '10': write a whole number"),
        ({**WORDS, "n": 10.5}, ("n",), "`n` is 10.5: write a whole number"),
        ({**WORDS, "n": True}, ("n",), "`n` is True: write a whole number"),
        (
            {**WORDS, "tokens": "word"},
            ("tokens",),
            "`words` has no key `tokens`: it takes kind, op, n, token, where",
        ),
        ({**WORDS, "where": "title"}, ("where",), "`where` is 'title': write one of 'upper' or 'lower'"),
        ({"kind": "letters"}, (), "write `forbid: e`, or `letter`, `op` and `n` together"),
        ({"kind": "letters", "letter": "e", "n": 1}, (), "write `forbid: e`"),
        ({"kind": "letters", "forbid": "e", "n": 1}, (), "`forbid` stands alone"),
        (
            {"kind": "letters", "forbid": "É"},
            ("forbid",),
            "'É' is not one small letter: write one from a to z",
        ),
        ({"kind": "charset", "only": ""}, ("only",), "`only` is '': write at least 1 character"),
        ({"kind": "charset", "only": "0 1"}, ("only",), "white space is always allowed"),
        ({"kind": "charset", "only": "010"}, ("only",), "'0' is listed twice"),
        ({"kind": "charset", "only": 1}, ("only",), "`only` is 1: write text, in quotes"),
        (
            {"kind": "lexicon", "list": "ninja", "op": ">=", "n": 1},
            ("list",),
            "no list 'ninja': write one of pirate",
        ),
        ({"kind": "syllables", "lines": []}, ("lines",), "`lines` is an empty list: list at least 1"),
        ({"kind": "syllables", "lines": [5, 0]}, ("lines", 1), "`lines[1]` is 0: write 1 or more"),
        ({"kind": "syllables", "lines": 5}, ("lines",), "`lines` is 5: write a list"),
        ({"kind": "contains", "of": []}, ("of",), "`of` is an empty list"),
        ({"kind": "contains", "of": ["a", ""]}, ("of", 1), "write at least 1 character"),
        ({"kind": "contains", "of": ["a", "a"]}, ("of",), "'a' is listed twice"),
        ({"kind": "contains", "of": "a", "exactly": 1, "at_most": 1}, (), "`exactly` stands alone"),
        (
            {"kind": "contains", "of": "a", "at_least": 3, "at_most": 1},
            (),
            "at_least 3 is more than at_most 1",
        ),
        ({"kind": "json", "fence": "yes"}, ("fence",), "`fence` is 'yes': write true or false"),
        ({"kind": "count", "patterns": ["/a/", "b"], "op": "==", "n": 1}, ("patterns", 1), ""),
        ({"kind": "all", "of": []}, ("of",), "`of` is an empty list"),
        ({"kind": "all", "of": WORDS}, ("of",), "`of` is a set of keys: write a list"),
        ({"kind": "all", "of": ["words"]}, ("of", 0), "a check is keys with values"),
        ({"kind": "all", "of": [WORDS, {**WORDS, "n": -1}]}, ("of", 1, "n"), "`n` is -1"),
        (
            {"kind": "not", "of": {"kind": "all", "of": [{"kind": "x"}]}},
            ("of", "of", 0, "kind"),
            "unknown check kind 'x'",
        ),
        ({"kind": "any", "of": [WORDS] * 50}, ("of",), "made of more than 50 checks"),
    ],
)
def test_a_wrong_parameter_says_what_to_write(data, path, message):
    with pytest.raises(CheckError) as caught:
        check(data)
    assert message in str(caught.value)
    assert caught.value.path == path


def test_nesting_ends_before_the_stack_does():
    data = WORDS
    for _ in range(5000):
        data = {"kind": "not", "of": data}
    with pytest.raises(CheckError, match="nested more than 4 levels deep"):
        check(data)
    assert check({"kind": "not", "of": {"kind": "not", "of": {"kind": "not", "of": WORDS}}})


def test_a_finding_carries_the_first_marks_and_counts_all():
    finding = check({"kind": "words", "op": "==", "n": 50_000, "token": "whitespace"}).run("a " * 50_000)
    assert finding.message == "50000 / 50000 words"
    assert len(finding.spans) == MOST_SPANS
    assert (finding.spans[-1].start, finding.spans[-1].end) == (2 * MOST_SPANS - 2, 2 * MOST_SPANS - 1)
