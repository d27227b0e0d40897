"""What may be raced, and what is said of what may not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ladder.domain.concept import concept_problem, stripped

CASES = json.loads((Path(__file__).parents[1] / "cases/concepts.json").read_text("utf-8"))


def concept_of(case: dict) -> str:
    return case["of"] * case["times"] if "of" in case else case["concept"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: ascii(case["concept"])[:30])
def test_a_concept_is_taken_or_refused_with_its_reason(case):
    assert concept_problem(stripped(concept_of(case))) == case["problem"]


def test_a_concept_is_stripped_of_every_white_space_and_of_nothing_else():
    assert stripped("\ufeff\u3000 a  loop \xa0\t") == "a  loop"
    assert stripped("\x85a\x1f") == "\x85a\x1f"
