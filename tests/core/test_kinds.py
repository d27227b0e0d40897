from __future__ import annotations

import pytest

from probes.core import check
from probes.core.checks import KINDS
from probes.core.kinds import described
from probes.core.yaml_source import load


def test_every_kind_is_described_once():
    assert [kind.name for kind in described()] == sorted(KINDS)
    assert [kind.name for kind in described() if kind.heuristic] == ["sentences", "syllables"]


@pytest.mark.parametrize("kind", described(), ids=lambda kind: kind.name)
def test_a_kind_has_its_rule_its_parameters_and_three_examples_of_both_verdicts(kind):
    assert kind.summary.endswith((".", ")"))
    assert {each.name for each in kind.parameters} | {"kind"} == set(KINDS[kind.name].model_fields)
    assert all(each.description for each in kind.parameters)
    assert len(kind.examples) == 3
    assert {each.finding.ok for each in kind.examples} == {True, False}
    for each in kind.examples:
        data = load(each.written).data["check"]
        assert data["kind"] == kind.name
        assert check(data).run(each.output) == each.finding


def test_defaults_are_written_as_in_a_file():
    words = next(kind for kind in described() if kind.name == "words")
    assert [(each.name, each.required, each.default) for each in words.parameters] == [
        ("op", True, ""),
        ("n", True, ""),
        ("token", False, "word"),
        ("where", False, ""),
    ]
    fence = next(kind for kind in described() if kind.name == "json").parameters[1]
    assert (fence.name, fence.default) == ("fence", "false")
