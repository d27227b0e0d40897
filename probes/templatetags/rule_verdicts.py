"""`{% rule_verdicts verdicts %}`: every rule's verdict on one output, a line each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django import template

register = template.Library()


@dataclass(frozen=True)
class Line:
    """What one rule says: `✕ FAIL ten_words 11 / 10 words`."""

    ok: bool
    rule: str
    message: str


@register.inclusion_tag("probes/_rule_verdicts.html")
def rule_verdicts(verdicts: Iterable[Any]) -> dict[str, object]:
    """The lines of `verdicts`, which are stored ones or the core's."""
    return {"lines": [_line(verdict) for verdict in verdicts]}


def _line(verdict: Any) -> Line:
    if hasattr(verdict, "finding"):
        return Line(verdict.ok, verdict.rule, verdict.finding.message)
    return Line(verdict.ok, verdict.rule.name, verdict.message)
