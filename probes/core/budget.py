"""What the rules of one rubric may cost together: one rule has its limits, and so have all."""

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


MAX_CHECKS = 60
"""Checks without parts that all rules may be made of. The slowest takes a tenth of a second or so for the
longest output; those that count the same do it once.
"""


def steps(rules: Iterable[Rule]) -> int:
    """What the patterns of `rules` take for each character in the worst case, in RE2's instructions."""
    return sum(Pattern.parse(literal).steps for leaf in leaves(rules) for _, literal in leaf.patterns)


def refuse_costly(report: Report, rules: Sequence[Rule]) -> None:
    """Report a rubric that could hold up a worker, by its patterns or by how many checks it is made of."""
    costs = [steps([rule]) for rule in rules]
    if sum(costs) > MAX_STEPS:
        message = (
            f"the patterns of all rules have {sum(costs):,} parts and may have {MAX_STEPS:,}; "
            f"those of {rules[_largest(costs)].name} have {max(costs):,}"
        )
        path = ("rubric", "rules", _largest(costs))
        report.add(path, message, "write smaller counts, or make two probes")
    parts = [len(leaves([rule])) for rule in rules]
    if sum(parts) > MAX_CHECKS:
        message = (
            f"all rules together are made of {sum(parts):,} checks and may be made of {MAX_CHECKS}; "
            f"{rules[_largest(parts)].name} is made of {max(parts)}"
        )
        report.add(("rubric", "rules", _largest(parts)), message, "make two probes")


def _largest(costs: Sequence[int]) -> int:
    return max(range(len(costs)), key=costs.__getitem__)
