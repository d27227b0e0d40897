"""Random literals, answered by us and by `node`: no other verdict, no other match, nothing only we accept."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from itertools import islice

import pytest

from probes.core.patterns import Pattern, PatternError
from probes.core.patterns.characters import _folds
from probes.core.patterns.kinds import Kinds
from probes.core.patterns.literal import read_flags, split_literal
from probes.core.patterns.loops import with_javascript_loops
from probes.core.patterns.matcher import compiled
from probes.core.patterns.parser import parse
from probes.core.view import View
from tests.core.javascript import Answer, Question, ask, joined, needs_node
from tests.core.random_literals import EmptyLoops, Literals
from tests.thorough import THOROUGH

SEED = int(os.environ.get("PATTERN_FUZZ_SEED", "20261130"))

FULL = THOROUGH or "PATTERN_FUZZ_SEED" in os.environ
"""CI asks everything; elsewhere a twentieth sees a fault of any size."""

pytestmark = needs_node


def questions(literals: Literals, count: int) -> list[Question]:
    return [(literal, _texts(literal, texts)) for literal, texts in islice(literals, count)]


def _texts(literal: str, texts: list[str]) -> list[str]:
    # lines are only compared in views, where every line end is \n
    about_lines = "m" in literal.rpartition("/")[2]
    return [View(text).text if about_lines else joined(text) for text in texts]


def differences(question: Question, answer: Answer, tally: Counter[str], *, by_kinds: bool) -> Iterator[str]:
    literal, texts = question
    try:
        pattern = Pattern.parse(literal)
    except PatternError as error:
        tally["refused"] += 1
        tally["refused by JavaScript too"] += answer is None
        if error.code in ("engine", "too-varied"):
            yield f"{literal!r} is refused as {error.code}"
        return
    if answer is None:
        yield f"{literal!r} is refused by JavaScript"
        return
    ways = [pattern, *([searched_by_kinds(literal)] if by_kinds else [])]
    for text, spans in zip(texts, answer, strict=True):
        tally["pairs"] += 1
        tally["matches"] += bool(spans)
        if pattern.search(text) is not bool(spans):
            yield f"{literal!r} on {text!r}: JavaScript says {bool(spans)}"
        for way in ways:
            if (found := list(way.spans(text, 30))) != spans:
                yield f"{literal!r} on {text!r}: JavaScript finds {spans}, {way._alphabet} {found}"


def searched_by_kinds(literal: str) -> Pattern:
    """The pattern in the alphabet that large ones are searched in."""
    source, letters = split_literal(literal)
    flags = read_flags(letters, 0)
    node = with_javascript_loops(parse(source, flags))
    return compiled(literal, node, Kinds(node, unicode=flags.unicode))


@pytest.mark.parametrize(("literals", "count"), [(Literals, 16_000), (EmptyLoops, 5_000)])
def test_random_literals(literals, count, capsys):
    count = count if FULL else count // 20
    asked = questions(literals(SEED), count)
    tally: Counter[str] = Counter()
    found: list[str] = []
    for i, (question, answer) in enumerate(zip(asked, ask(asked), strict=True)):
        found += differences(question, answer, tally, by_kinds=i % 4 == 0)
    with capsys.disabled():
        print(
            f"\n{literals.__name__}, seed {SEED}: {count} literals, {dict(tally)}, {len(found)} differences"
        )
    assert found == []
    assert tally["pairs"] > 4 * count
    assert 0.2 < tally["matches"] / tally["pairs"] < 0.9


def test_the_generator_can_be_repeated():
    first, second = (questions(Literals(7), 50) for _ in range(2))
    assert first == second


def test_the_comparison_sees_a_difference():
    lazy = [("/a+?/", ["aa"])]
    assert list(differences(("/a+/", ["aa"]), ask(lazy)[0], Counter(), by_kinds=True))
    assert list(differences(("/a/", ["a"]), ask([("/a(/", ["a"])])[0], Counter(), by_kinds=False))


def test_the_fold_table_is_javascripts():
    script = """
        const classes = new Map();
        for (let unit = 0; unit < 0x10000; unit++) {
          const upper = String.fromCharCode(unit).toUpperCase();
          const code = upper.charCodeAt(0);
          const key = upper.length !== 1 || (unit >= 128 && code < 128) ? unit : code;
          classes.set(key, [...(classes.get(key) ?? []), unit]);
        }
        const folded = [...classes.values()].filter((units) => units.length > 1);
        console.log(JSON.stringify([process.versions.unicode, folded]));
    """
    done = subprocess.run(["node", "-e", script], capture_output=True, text=True, check=True)
    unicode, folded = json.loads(done.stdout)
    if unicode != "17.0":
        pytest.skip(f"this node has Unicode {unicode}, the table is of 17.0")
    assert {unit: sorted(equals) for equals in folded for unit in equals} == {
        unit: sorted(equals) for unit, equals in _folds()[1].items()
    }
