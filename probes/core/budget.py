"""What the patterns of one rubric may cost together: one rule's pattern has a budget, and so have all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

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
    literals = (literal for rule in rules for literal in _patterns(rule.check.as_json()))
    return sum(Pattern.parse(literal).steps for literal in literals)


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


def _patterns(data: Mapping[str, Any]) -> Iterator[str]:
    """The literals of a check and of those inside it."""
    if data["kind"] == "pattern":
        yield data["pattern"]
    yield from data["patterns"] if data["kind"] == "count" else ()
    inner = data.get("of", ())
    for each in [inner] if isinstance(inner, Mapping) else inner:
        if isinstance(each, Mapping):
            yield from _patterns(each)
