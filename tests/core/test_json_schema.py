"""The JSON Schema of the probe file refuses what is out of shape, and nothing that may be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from probes.core import Document, DocumentError
from probes.core.checks import KINDS, check
from probes.core.json_schema import schema
from probes.core.yaml_source import Source, load
from tests.core.probe_file import CASES, TEXT, changed, lines_of

ROOT = CASES.parents[1]
SHIPPED = [
    path
    for path in sorted(ROOT.glob("*/library/*.yaml"))
    if path.suffixes != [".ladder", ".yaml"]  # a ladder is a file of another format
]
VALIDATOR = Draft202012Validator(schema())
BEYOND = json.loads((CASES / "beyond_schema.json").read_text("utf-8"))


def complaints(data: object) -> list[str]:
    return [error.message for error in VALIDATOR.iter_errors(data)]


def test_it_is_a_schema_and_is_made_the_same_each_time():
    Draft202012Validator.check_schema(schema())
    assert json.dumps(schema()) == json.dumps(schema())


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_shipped_probe_is_valid_as_written_and_in_canonical_form(path: Path):
    text = path.read_text("utf-8")
    assert complaints(load(text).data) == []
    assert complaints(Document.parse(text).canonical()) == []


def _read(text: str) -> Source | None:
    """What a YAML editor would show to the schema; None where the reader of YAML refuses first."""
    try:
        source = load(text)
    except DocumentError:
        return None
    return None if source.problems else source


def test_every_bad_file_is_refused_or_is_beyond_a_schema_for_a_stated_reason():
    accepted = set()
    shown = 0
    for case in lines_of("bad_probes.jsonl"):
        source = _read(changed(*case["replace"]) if "replace" in case else case["text"])
        shown += source is not None
        if source and not complaints(source.data):
            accepted.add(case["name"])
    assert accepted == set(BEYOND)
    assert shown > 60


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_examples_of_a_kind_are_valid_and_each_key_is_known(kind: str):
    for example in KINDS[kind].examples:
        data = {"kind": kind, **example.parameters}
        for written in (data, check(data).as_json()):
            probe = Document.parse(TEXT).canonical()
            probe["rubric"]["rules"][0]["check"] = written
            assert complaints(probe) == []
            probe["rubric"]["rules"][0]["check"] = {**written, "unknown": 1}
            assert complaints(probe) != []


OUT_OF_SHAPE = {
    "two letters": {"kind": "letters", "forbid": "ee"},
    "a forbidden letter that is null": {"kind": "letters", "forbid": None},
    "a counted letter that is null": {"kind": "letters", "letter": None, "op": "==", "n": 1},
    "a comparison that is null": {"kind": "letters", "letter": "a", "op": None, "n": 1},
    "a flag that is none": {"kind": "pattern", "must": "match", "pattern": "/a/g"},
    "a letter without a number": {"kind": "letters", "letter": "e", "op": "=="},
    "an unknown list": {"kind": "lexicon", "list": "robot", "op": ">=", "n": 1},
    "white space among characters": {"kind": "charset", "only": "0 1"},
    "a text twice": {"kind": "contains", "of": ["a", "a"]},
    "an empty text": {"kind": "contains", "of": ""},
    "no text": {"kind": "starts_with", "of": []},
    "a count of something without slashes": {"kind": "count", "patterns": ["/a/", "b"], "op": "==", "n": 1},
    "a part of an unknown kind": {"kind": "not", "of": {"kind": "wurds"}},
    "a part deep down": {"kind": "all", "of": [{"kind": "any", "of": [{"kind": "words", "op": "=="}]}]},
    "exactly and at most": {"kind": "contains", "of": "a", "exactly": 1, "at_most": 2},
    "exactly and at least": {"kind": "contains", "of": "a", "exactly": 1, "at_least": 1},
    "a letter forbidden and a number": {"kind": "letters", "forbid": "e", "n": 1},
    "a letter forbidden and counted": {"kind": "letters", "forbid": "e", "letter": "e", "op": "==", "n": 1},
    "a no-break space among characters": {"kind": "charset", "only": "0\u00a01"},
    "no part": {"kind": "all", "of": []},
    "too large a number": {"kind": "lines", "op": "==", "n": 100_001},
}


@pytest.mark.parametrize("data", OUT_OF_SHAPE.values(), ids=OUT_OF_SHAPE)
def test_a_check_out_of_shape_is_refused_by_both(data):
    probe = Document.parse(TEXT).canonical()
    probe["rubric"]["rules"][0]["check"] = data
    assert complaints(probe) != []
    with pytest.raises(DocumentError):
        Document.from_json(probe)


IN_SHAPE = {
    "what only Python takes for white space": {"kind": "charset", "only": "\x85"},
    "numbers that are null": {"kind": "contains", "of": "a", "exactly": None, "at_most": 2},
    "another form that is null": {"kind": "letters", "forbid": "e", "op": None, "n": None},
    "a letter and no forbidden one": {"kind": "letters", "forbid": None, "letter": "e", "op": "==", "n": 1},
}


@pytest.mark.parametrize("data", IN_SHAPE.values(), ids=IN_SHAPE)
def test_a_check_in_shape_is_accepted_by_both(data):
    probe = Document.parse(TEXT).canonical()
    probe["rubric"]["rules"][0]["check"] = data
    assert complaints(probe) == []
    Document.from_json(probe)


SIGNS = [
    "\x1c",
    "\x85",
    "\u200b",
    "\u200fa",
    "\u202ea",
    "\u2066",
    "\xad",
    "\u3000",
    "\ufeff",
    "a\nb",
    "é",
    "🎉",
]


@pytest.mark.parametrize("key", ["title", "category", "summary"])
@pytest.mark.parametrize("text", SIGNS, ids=ascii)
def test_both_agree_on_what_can_be_seen(key, text):
    probe = {**Document.parse(TEXT).canonical(), key: text}
    try:
        Document.from_json(probe)
    except DocumentError:
        assert complaints(probe) != []
    else:
        assert complaints(probe) == []
