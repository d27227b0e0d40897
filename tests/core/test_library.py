"""The probes that ship: all of them pass the gate, and say exactly what their source says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probes.core import Document, Reply, examine, score
from probes.core.view import View
from tests.core.probe_file import CASES
from tests.thorough import examples

ROOT = Path(__file__).resolve().parent.parent.parent
PROBES = sorted((ROOT / "probes/library").glob("*.yaml"))
RUNGS = sorted(path for path in (ROOT / "ladder/library").glob("*.yaml") if ".ladder." not in path.name)
FILES = [*PROBES, *RUNGS]
SHIPPED = [Document.parse(path.read_text(encoding="utf-8")) for path in FILES]
TERMINATOR = json.loads((CASES / "emit_a_terminator.json").read_text(encoding="utf-8"))


def read(path: Path) -> Document:
    return Document.parse(path.read_text(encoding="utf-8"))


def rung(slug: str) -> Document:
    return read(ROOT / f"ladder/library/{slug}.yaml")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_shipped_probe_passes_the_gate(path):
    document = read(path)
    assert examine(document).problems == ()
    assert document.slug == path.stem
    assert document.to_yaml() == path.read_text(encoding="utf-8"), "write it as the registry exports it"


def test_eight_probes_ship():
    assert [path.stem for path in PROBES] == ["emit-a-terminator"]
    assert len(RUNGS) == 7


def test_the_terminator_probe_is_the_published_one_to_the_letter():
    document = read(ROOT / "probes/library/emit-a-terminator.yaml")
    canonical = document.canonical()
    messages = document.render()
    assert [message["content"] for message in messages] == [TERMINATOR["system"], TERMINATOR["user"]]
    assert [message["role"] for message in messages] == ["system", "user"]
    for key in ("title", "category", "summary", "parameters", "changelog"):
        assert canonical[key] == TERMINATOR[key]
    assert canonical["rubric"]["prose"] == TERMINATOR["prose"]
    assert canonical["rubric"]["criteria"] == TERMINATOR["criteria"]
    assert [
        [rule["name"], rule["check"]["must"], rule["check"]["pattern"], rule["why"]]
        for rule in canonical["rubric"]["rules"]
    ] == TERMINATOR["rules"]


def test_the_terminator_fixtures_are_the_published_ones_with_their_scores():
    examination = examine(read(ROOT / "probes/library/emit-a-terminator.yaml"))
    assert [
        [each.fixture.label, each.fixture.expect, each.fixture.output, each.value, list(each.failed)]
        for each in examination.fixtures
    ] == TERMINATOR["fixtures"]
    assert [name for name, labels in examination.solely_pinned.items() if not labels] == [
        "emitted_the_terminator"
    ]


KINDS = {
    "one-sentence": {"kind": "sentences", "op": "==", "n": 1},
    "ten-words": {"kind": "words", "op": "==", "n": 10, "token": "whitespace"},
    "five-words": {"kind": "words", "op": "==", "n": 5, "token": "whitespace"},
    "pirate": {"kind": "lexicon", "list": "pirate", "op": ">=", "n": 2},
    "binary": {"kind": "charset", "only": "01"},
    "haiku": {"kind": "syllables", "lines": [5, 7, 5]},
    "no-e": {
        "kind": "all",
        "of": [{"kind": "sentences", "op": "==", "n": 1}, {"kind": "letters", "forbid": "e"}],
    },
}


def includes(actual, expected) -> bool:
    """Whether a canonical check says all that `expected` does; it may state defaults besides."""
    if isinstance(expected, dict):
        return all(key in actual and includes(actual[key], value) for key, value in expected.items())
    if isinstance(expected, list):
        return len(actual) == len(expected) and all(map(includes, actual, expected))
    return actual == expected


@pytest.mark.parametrize("slug", KINDS)
def test_a_rung_is_one_rule_about_a_concept(slug):
    document = rung(slug)
    (rule,) = document.rubric.rules
    assert includes(rule.check.as_json(), KINDS[slug])
    assert document.variables == ("concept",)
    assert document.category == "Constraint ladder"
    assert document.render({"concept": "a for loop"})[-1]["content"].startswith("Explain a for loop ")


@pytest.mark.parametrize("slug", KINDS)
def test_a_rung_has_a_passing_and_three_kinds_of_failing_fixtures(slug):
    fixtures = rung(slug).fixtures
    assert sum(fixture.expect == "pass" for fixture in fixtures) >= 1
    assert sum(fixture.expect == "fail" for fixture in fixtures) >= 3
    messages = {score(rung(slug), each.output).verdicts[0].finding.message for each in fixtures}
    assert len(messages) >= 3


@pytest.mark.parametrize("slug", KINDS)
def test_an_estimate_is_marked_as_one(slug):
    assert rung(slug).rubric.heuristic is (slug in ("one-sentence", "haiku", "no-e"))


@pytest.mark.parametrize("text", ["", "\n", "  ", "\ufeff", None], ids=ascii)
@pytest.mark.parametrize("slug", KINDS)
def test_every_rung_rejects_empty_output(slug, text):
    result = score(rung(slug), Reply(text, "length"))
    assert result.outcome == "empty"
    assert [verdict.finding.message for verdict in result.verdicts] == ["empty output"]


KNOWN_BAD = [
    ("one-sentence", "It calls itself. It stops.", "2 / 1 sentences"),
    ("ten-words", "one two three four five six seven eight nine ten eleven twelve", "12 / 10 words"),
    ("ten-words", "one two three four five six seven eight nine ten eleven", "11 / 10 words"),
    ("five-words", "only four words here", "4 / 5 words"),
    ("pirate", "Arr, a function calls itself.", "1 / 2 pirate words"),
    ("pirate", "The pirate ship seeks treasure.", "0 / 2 pirate words"),
    ("binary", "01012", "charset violation: '2'"),
    ("binary", "2x01", "charset violation: '2', 'x'"),
    (
        "haiku",
        "A function calls,\nasks a smaller self the same,\nthen returns the sum.",
        "4-7-5 / 5-7-5 syllables",
    ),
    ("no-e", "A function can call itself over and over.", "3 / 0 'e' characters"),
    ("no-e", "A function calls its own body. A small input halts it.", "2 / 1 sentences"),
]


@pytest.mark.parametrize(("slug", "output", "message"), KNOWN_BAD)
def test_a_known_bad_output_gets_its_exact_message(slug, output, message):
    (verdict,) = score(rung(slug), output).verdicts
    assert not verdict.ok
    assert verdict.finding.message == message


ANYTHING = st.text(st.characters(codec=None), max_size=200)
NEARLY = st.lists(
    st.sampled_from(
        ["01", " ", "\n", "<<END>>", "Arr", "matey", ". ", "e", "\u0435", "word", "\u2028", "\r\n"]
    )
)


@given(ANYTHING | NEARLY.map("".join))
@settings(max_examples=examples(100), deadline=None)
def test_every_shipped_probe_scores_anything_and_marks_only_what_is_there(text):
    length = len(View(text).text)
    for document in SHIPPED:
        for verdict in score(document, text).verdicts:
            spans = verdict.finding.spans
            assert all(0 <= span.start <= span.end <= length for span in spans), (document.slug, spans)
            assert verdict.finding.message
