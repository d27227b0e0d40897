from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probes.core.yaml_source import load
from probes.core.yaml_writing import dump
from tests.thorough import examples

LONG = "A sentence that goes on for long enough to be folded over more than one line of the file, "
TEXTS = [
    "",
    " ",
    "\n",
    "\n\n",
    " \n ",
    "null",
    "true",
    "12",
    "01",
    "- a",
    "a: b",
    "a #b",
    "#",
    "{{concept}}",
    "<<END>>",
    r"/^\s*(here'?s|here is)\b/i",
    "one\ntwo",
    "one\ntwo\n",
    "one\ntwo\n\n\n",
    "\none\n",
    " indented\nless",
    "one\n\n\n  two\n",
    "trailing \nspace ",
    "\ttab\nand more",
    "one\r\ntwo\rthree",
    "next line \x85, separators \u2028 \u2029, delete \x7f, bom \ufeff",
    "🎉\U0010ffff",
    "--- a\n---\n...",
    "# comment\n# comment",
    LONG * 3 + "end",
    LONG * 3 + "# end",
    LONG + " two  spaces " + LONG,
    LONG * 2,
    "x" * 300,
    "\u3000wide space",
    "nbsp\xa0",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_reads_back_exactly_wherever_it_stands(text):
    value = {"key": text, "list": [text, [text]], "items": [{"a": text, "b": [{"c": text}]}], "last": "x"}
    assert load(dump(value)).data == value


KEYS = st.sampled_from(["kind", "of", "a_b", "x"])
WRITABLE = st.characters(exclude_categories=["Cs"], exclude_characters="\x00")
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(WRITABLE)
    | st.text("a \n\t#:-'\"\\|>", max_size=150)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(KEYS, VALUES, min_size=1))
@settings(max_examples=examples(150), deadline=None)
def test_whatever_is_written_reads_back(value):
    source = load(dump(value))
    assert source.problems == []
    assert source.data == value


def test_what_people_read_most_is_pleasant():
    assert dump(
        {"why": LONG * 2 + "end.", "text": "one\ntwo", "n": [1, 2], "check": {"a": "b", "c": "'\\s'"}}
    ) == (
        "why: >-\n"
        "  A sentence that goes on for long enough to be folded over more than one line of the file, A\n"
        "  sentence that goes on for long enough to be folded over more than one line of the file, end.\n"
        "text: |-\n  one\n  two\n"
        "n: [1, 2]\n"
        "check: {a: b, c: '''\\s'''}\n"
    )
