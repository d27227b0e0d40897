"""Rubrics of every kind with any parameters, texts of every sort, and what they score: all for Hypothesis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from probes.core.patterns import Pattern, PatternError
from tests.core.fixed_checks import HAND_MADE, PIECES, rubric_of
from tests.core.random_literals import Literals

TEXTS = st.text(st.characters(codec=None), max_size=60) | st.lists(st.sampled_from(PIECES), max_size=25).map(
    "".join
)

OPERATORS = st.sampled_from(["==", "!=", "<=", ">=", "<", ">"])
NUMBERS = st.integers(0, 12)
LETTERS = st.sampled_from("aeiz")
STORABLE = [piece for piece in PIECES if piece not in ("\x00", "\ud800", "\udc00")]
LISTED = st.lists(st.sampled_from(STORABLE), min_size=1, max_size=3, unique=True)


@st.composite
def patterns(draw: st.DrawFn) -> str:
    """One by hand, or the first accepted one of a random source."""
    if draw(st.booleans()):
        return draw(st.sampled_from(HAND_MADE))
    for literal, _ in Literals(draw(st.integers(0, 10_000))):
        try:
            return Pattern.parse(literal).literal
        except PatternError:
            continue
    raise AssertionError("unreachable: literals never end")


def _of(kind: str, **fields: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"kind": st.just(kind), **fields})


def _amount(kind: str, **fields: Any) -> st.SearchStrategy[dict[str, Any]]:
    return _of(kind, op=OPERATORS, n=NUMBERS, **fields)


CASES = st.sampled_from(["upper", "lower"])
SIMPLE: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "case": _of("case", case=CASES),
    "charset": _of("charset", only=st.sampled_from(["01", "abc", "é🎉", "{}[]\"'"])),
    "contains": _of("contains", of=LISTED, ignore_case=st.booleans(), at_most=st.none() | NUMBERS),
    "count": _amount("count", patterns=st.lists(patterns(), min_size=1, max_size=2, unique=True)),
    "ends_with": _of("ends_with", of=LISTED, ignore_case=st.booleans()),
    "json": _of("json", top=st.sampled_from(["any", "object", "array"]), fence=st.booleans()),
    "letters": _of("letters", forbid=LETTERS) | _of("letters", letter=LETTERS, op=OPERATORS, n=NUMBERS),
    "lexicon": _amount("lexicon", list=st.just("pirate")),
    "lines": _amount("lines"),
    "paragraphs": _amount("paragraphs"),
    "pattern": _of("pattern", must=st.sampled_from(["match", "not_match"]), pattern=patterns()),
    "sentences": _amount("sentences"),
    "starts_with": _of("starts_with", of=LISTED, ignore_case=st.booleans()),
    "syllables": _of("syllables", lines=st.lists(st.integers(1, 9), min_size=1, max_size=4)),
    "words": _amount("words", token=st.sampled_from(["whitespace", "word"]), where=st.none() | CASES),
}
"""By the kind: any check of it."""

Joined = Callable[[st.SearchStrategy[dict[str, Any]]], st.SearchStrategy[dict[str, Any]]]
JOINED: dict[str, Joined] = {
    "all": lambda inner: _of("all", of=st.lists(inner, min_size=1, max_size=3)),
    "any": lambda inner: _of("any", of=st.lists(inner, min_size=1, max_size=3)),
    "not": lambda inner: _of("not", of=inner),
}
ANY_SIMPLE = st.one_of(*SIMPLE.values())
ANY_JOINED = st.one_of(*(join(ANY_SIMPLE) for join in JOINED.values()))
CHECKS = ANY_SIMPLE | ANY_JOINED | st.one_of(*(join(ANY_SIMPLE | ANY_JOINED) for join in JOINED.values()))


RUBRICS = st.lists(CHECKS, min_size=1, max_size=4).map(rubric_of)
