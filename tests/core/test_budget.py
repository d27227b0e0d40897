"""Patterns that are each accepted, and are too many together."""

from __future__ import annotations

import pytest

from probes.core.problems import DocumentError
from tests.core.probe_file import document

HEAVY = {"kind": "pattern", "must": "match", "pattern": "/a{0,1000}/"}
COUNTED = {"kind": "count", "patterns": ["/a{0,1000}/", "/b{0,1000}/"], "op": ">=", "n": 1}
TOO_MANY = {
    "five": [HEAVY] * 5,
    "inside others": [{"kind": "not", "of": {"kind": "any", "of": [HEAVY] * 5}}],
    "counted": [COUNTED] * 3,
}


def with_rules(*checks: dict):
    rules = [{"name": f"rule_{i}", "check": each, "why": "It is heavy."} for i, each in enumerate(checks)]
    fixture = {"label": "aa", "expect": "pass", "output": "aa"}
    return document(rubric={"prose": "Heavy.", "criteria": [], "rules": rules}, fixtures=[fixture])


def test_four_of_the_largest_are_accepted():
    assert with_rules(*[HEAVY] * 4)


@pytest.mark.parametrize("checks", TOO_MANY.values(), ids=TOO_MANY)
def test_more_are_refused_with_the_rule_that_has_most(checks):
    with pytest.raises(DocumentError, match="those of rule_0 have") as refused:
        with_rules(*checks)
    assert "may have 8,000" in str(refused.value)
    assert "write smaller counts, or make two probes" in str(refused.value)
