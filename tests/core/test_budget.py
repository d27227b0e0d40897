"""Patterns and checks that are each accepted, and are too many together."""

from __future__ import annotations

import pytest

from probes.core.problems import DocumentError
from tests.core.probe_file import document

HEAVY = {"kind": "pattern", "must": "match", "pattern": "/a{0,1000}/"}
COUNTED = {"kind": "count", "patterns": ["/a{0,1000}/", "/b{0,1000}/"], "op": ">=", "n": 1}
TOO_MANY = {
    "three": [HEAVY] * 3,
    "inside others": [{"kind": "not", "of": {"kind": "any", "of": [HEAVY] * 3}}],
    "counted": [COUNTED] * 2,
}


def with_rules(*checks: dict):
    rules = [{"name": f"rule_{i}", "check": each, "why": "It is heavy."} for i, each in enumerate(checks)]
    fixture = {"label": "aa", "expect": "pass", "output": "aa"}
    return document(rubric={"prose": "Heavy.", "criteria": [], "rules": rules}, fixtures=[fixture])


def test_two_of_the_largest_are_accepted():
    assert with_rules(*[HEAVY] * 2)


@pytest.mark.parametrize("checks", TOO_MANY.values(), ids=TOO_MANY)
def test_more_are_refused_with_the_rule_that_has_most(checks):
    with pytest.raises(DocumentError, match="those of rule_0 have") as refused:
        with_rules(*checks)
    assert "may have 4,000" in str(refused.value)
    assert "write smaller counts, or make two probes" in str(refused.value)


LISTED = {"kind": "lexicon", "list": "pirate", "op": ">=", "n": 1}


def joined(parts: int) -> dict:
    return {"kind": "not", "of": {"kind": "any", "of": [LISTED] * parts}}


def test_sixty_checks_are_accepted_and_no_more():
    assert with_rules(*[joined(20)] * 3)
    with pytest.raises(DocumentError, match="rule_1 is made of 20") as refused:
        with_rules(LISTED, *[joined(20)] * 3)
    assert "made of 61 checks and may be made of 60" in str(refused.value)
