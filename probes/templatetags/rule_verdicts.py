"""`{% rule_verdicts verdicts rubric %}`: every rule's verdict on one output, a line each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django import template

from probes.core.parts import Rubric

register = template.Library()


@dataclass(frozen=True)
class Line:
    """What one rule says: `✕ FAIL ten_words 11 / 10 words`."""

    ok: bool
    rule: str
    message: str
    heuristic: bool
    """Whether it rests on an estimate."""


@register.inclusion_tag("probes/_rule_verdicts.html")
def rule_verdicts(verdicts: Iterable[Any], rubric: Rubric) -> dict[str, object]:
    """The lines of `verdicts` by the rules of `rubric`; they are stored ones or the core's."""
    heuristic = {rule.name for rule in rubric.rules if rule.check.heuristic}
    return {"lines": [_line(verdict, heuristic) for verdict in verdicts]}


def _line(verdict: Any, heuristic: set[str]) -> Line:
    rule = str(verdict.rule)
    message = verdict.finding.message if hasattr(verdict, "finding") else verdict.message
    return Line(verdict.ok, rule, message, rule in heuristic)
