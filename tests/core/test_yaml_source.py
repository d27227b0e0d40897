from __future__ import annotations

import time
import tracemalloc

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from probes.core.document import Document
from probes.core.problems import DocumentError, Problem
from probes.core.yaml_source import MAX_BYTES, REFUSED, load
from tests.core.probe_file import TEXT, changed
from tests.thorough import examples


def problems_of(text: str) -> list[Problem]:
    """What was refused, whether or not reading went on."""
    try:
        return load(text).problems
    except DocumentError as error:
        return list(error.problems)


SCALARS = {
    "no": "no",
    "yes": "yes",
    "on": "on",
    "~": "~",
    "Null": "Null",
    "True": "True",
    "01": "01",
    "-01": "-01",
    "+1": "+1",
    "1.": "1.",
    ".5": ".5",
    "0x10": "0x10",
    "0o10": "0o10",
    "1_000": "1_000",
    "12:30": "12:30",
    "2026-11-30": "2026-11-30",
    ".inf": ".inf",
    ".nan": ".nan",
    "٣": "٣",
    "=": "=",
    "null": None,
    "true": True,
    "false": False,
    "0": 0,
    "-0": 0,
    "17": 17,
    "-3": -3,
    "1.5": 1.5,
    "1e3": 1000.0,
    "1E-2": 0.01,
    "9007199254740991": 9007199254740991,
    '"17"': "17",
    "'null'": "null",
    '"\\ud83c\\udf89"': "🎉",
}


@pytest.mark.parametrize("written", SCALARS)
def test_only_json_scalars_are_more_than_text(written):
    value = load(f"key: {written}").data["key"]
    assert value == SCALARS[written]
    assert type(value) is type(SCALARS[written])


def test_each_path_knows_its_line():
    source = load("a:\n  b: 1\n  c:\n    - x\n    - d: |\n        text\n")
    assert source.lines == {
        (): 1,
        ("a",): 1,
        ("a", "b"): 2,
        ("a", "c"): 3,
        ("a", "c", 0): 4,
        ("a", "c", 1): 5,
        ("a", "c", 1, "d"): 5,
    }


@pytest.mark.parametrize("text", ["\ufeffa: 1\n", "a: 1\r\n", "a: 1", '{"a":1}', '\ufeff{"a": 1}'])
def test_a_bom_and_other_line_ends_and_json_are_read(text):
    assert load(text).data == {"a": 1}


def test_line_ends_in_texts_become_line_feeds():
    assert load("a: |\r\n  one\r\n  two\r\n").data == {"a": "one\ntwo\n"}


def test_what_was_refused_is_marked_and_the_rest_is_read():
    source = load("a: &x 1\nb: *x\nc: !!int 2\nd:\ne: 5\n")
    assert source.data == {"a": 1, "b": REFUSED, "c": REFUSED, "d": REFUSED, "e": 5}
    assert [problem.line for problem in source.problems] == [1, 2, 3, 4]


def laughs() -> str:
    levels = [f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 9)}]" for i in range(1, 12)]
    return "\n".join(["l0: &l0 lol", *levels])


HOSTILE = {
    "billion laughs": laughs(),
    "aliases of an anchor around them": "&a [" + "*a, " * 40_000 + "]",
    "a tower of lists": "[" * 200_000,
    "a tower of mappings": "{" * 200_000,
    "a tower of nested lists": "- " * 100_000,
    "lists in lists in lists": "[a, " * 60_000,
    "10,000 rules": "rules:\n" + "  - {name: a}\n" * 10_000,
    "60,000 items": "- a\n" * 60_000,
    "the same key 50,000 times": "a: b\n" * 50_000,
    "nothing but key marks": "? " * 100_000,
    "one tag": "!" * 200_000,
    "one anchor": "&" + "a" * 200_000,
    "anchors": "&a " * 80_000,
    "a comment": "#" * 250_000,
    "empty lines": "\n" * 250_000,
    "escapes": '"' + "\\x41" * 60_000,
    "an open quote": "'" * 200_001,
    "spaces": " " * 250_000 + "\t",
    "a long number": "a: " + "9" * 200_000,
    "a long exponent": "a: 1e" + "9" * 200_000,
    "10 MB": "a" * 10_000_000,
    "tabs": "a:\n\tb: 1\n" * 20_000,
    "merge keys": "a: &a {b: 1}\n" + "c: {<<: *a}\n" * 10_000,
    "documents": "---\na: 1\n" * 30_000,
    "directives": "%YAML 1.1\n" * 20_000,
    "commands": "a: !!python/object/apply:os.system [exit 1]\n" * 5_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_in_bounded_time(name):
    started = time.process_time()
    found = problems_of(HOSTILE[name])
    assert found
    assert len(str(DocumentError(found))) < 20_000, "the message is as hostile as the file"
    assert time.process_time() - started < 3


@pytest.mark.parametrize("name", ["billion laughs", "a tower of lists"])
def test_a_hostile_file_takes_little_memory(name):
    tracemalloc.start()
    try:
        assert problems_of(HOSTILE[name])
        assert tracemalloc.get_traced_memory()[1] < 30_000_000
    finally:
        tracemalloc.stop()


def test_rules_that_can_be_read_are_still_too_many():
    many = changed("rules:\n", "rules:\n" + "    - {name: a}\n" * 3_000)
    with pytest.raises(DocumentError, match="problems in the probe file") as caught:
        Document.parse(many)
    assert any("3,002" in str(problem) for problem in caught.value.problems)
    assert len(str(caught.value)) < 20_000


def test_the_size_limit_counts_bytes():
    room = MAX_BYTES - len("a: ")
    assert load("a: " + "x" * room).data
    with pytest.raises(DocumentError, match="262,145 bytes and may have 262,144"):
        load("a: " + "x" * (room + 1))
    with pytest.raises(DocumentError, match="bytes"):
        load("a: " + "é" * (room // 2 + 1))


@given(
    st.text(st.characters(codec=None), max_size=200) | st.text("[]{}:,-? \n\t'\"|>&*!%@#ab01\\u", max_size=60)
)
@settings(max_examples=examples(150), deadline=None)
def test_any_text_is_read_or_refused(text):
    problems_of(text)


@given(st.integers(0, len(TEXT) - 1), st.integers(0, 12), st.text("[]{}:-'\"|>&*!#\n\t \x00é", max_size=3))
@settings(max_examples=examples(150), deadline=None)
def test_a_damaged_file_is_read_or_refused_with_a_line(at, length, text):
    assert all(problem.line for problem in problems_of(TEXT[:at] + text + TEXT[at + length :]))


@given(st.recursive(st.text("ab: #-\n", max_size=8), lambda inner: st.lists(inner, max_size=3), max_leaves=6))
def test_it_agrees_with_pyyaml_on_what_both_read(value):
    written = yaml.safe_dump({"key": value})
    if "&id" not in written:
        assert load(written).data == {"key": value}
