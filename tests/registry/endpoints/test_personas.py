"""The practice models on the shipped probes, judged by the real checks: what a first race shows."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import yaml

from probes.core import Document, Reply, Result, score
from registry.endpoints.personas import said
from tests.registry.endpoints.conftest import cases

ROOT = Path(__file__).parents[3]
PASSED = {
    "steady": {"one-sentence", "five-words", "pirate", "binary", "haiku", "no-e"},
    "flaky": {"one-sentence", "five-words", "pirate", "binary", "haiku", "no-e"},
    "chatty": {"pirate"},
    "silent": set(),
}
RUNGS = [*sorted(PASSED["steady"]), "ten-words"]


@cache
def document(path: str) -> tuple[str, Document]:
    source = (ROOT / path).read_text()
    return yaml.safe_load(source)["prompt"]["user"], Document.parse(source)


def judged(persona: str, path: str, concept: str = "") -> Result:
    prompt, probe = document(path)
    answer = said(persona, [{"role": "user", "content": prompt.replace("{{concept}}", concept)}])
    return score(probe, Reply(answer.text, answer.finish))


@pytest.mark.parametrize("persona", PASSED)
@pytest.mark.parametrize("rung", RUNGS)
def test_verdicts_on_the_ladder_are_the_same_for_any_concept(persona, rung):
    for concept in cases("concepts.json"):
        result = judged(persona, f"ladder/library/{rung}.yaml", concept)
        assert (result.value == 1.0) is (rung in PASSED[persona]), (concept, result.output)


def test_steady_is_one_word_over():
    [verdict] = judged("steady", "ladder/library/ten-words.yaml", "recursion").verdicts
    assert verdict.finding.message == "11 / 10 words"


@pytest.mark.parametrize(("persona", "value"), [("steady", 1.0), ("chatty", 0.6), ("silent", 0.0)])
def test_scores_on_the_terminator_probe(persona, value):
    assert judged(persona, "probes/library/emit-a-terminator.yaml").value == value
