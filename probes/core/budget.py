"""What the patterns of one rubric may cost together: one rule's pattern has a budget, and so have all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from probes.core.leaves import leaves
from probes.core.parts import Rule
from probes.core.patterns import Pattern
from probes.core.problems import Report

MAX_STEPS = 4_000
"""Steps a character that all patterns may take together in the worst case.

One of 2,000, which is near the largest, takes some seconds for 100,000 characters; those of twenty
ordinary rules take a few hundred together.
"""


def steps(rules: Iterable[Rule]) -> int:
    """What the patterns of `rules` take for each character in the worst case, in RE2's instructions."""
    return sum(Pattern.parse(literal).steps for leaf in leaves(rules) for _, literal in leaf.patterns)


def refuse_costly(report: Report, rules: Sequence[Rule]) -> None:
    """Report a rubric whose patterns could hold up a worker."""
    costs = [steps([rule]) for rule in rules]
    if sum(costs) > MAX_STEPS:
        place = max(range(len(costs)), key=costs.__getitem__)
        message = (
            f"the patterns of all rules have {sum(costs):,} parts and may have {MAX_STEPS:,}; "
            f"those of {rules[place].name} have {costs[place]:,}"
        )
        report.add(("rubric", "rules", place), message, "write smaller counts, or make two probes")
