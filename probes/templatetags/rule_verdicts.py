"""`{% rule_verdicts verdicts rubric page=address %}`: every rule's verdict on one output, a line each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
    href: str
    """Where the rule stands with its reason; empty where it is not linked."""


@register.inclusion_tag("probes/_rule_verdicts.html")
def rule_verdicts(verdicts: Iterable[Any], rubric: Rubric, page: str | None = None) -> dict[str, object]:
    """The lines of `verdicts` by the rules of `rubric`; they are stored ones or the core's.

    `page` is the address of the version's page, and empty on that page itself: there each rule is linked to.
    """
    heuristic = {rule.name for rule in rubric.rules if rule.check.heuristic}
    named = enumerate(rubric.rules, 1) if page is not None else ()
    links = {rule.name: f"{page}#rule-{number}" for number, rule in named}
    return {"lines": [_line(verdict, heuristic, links) for verdict in verdicts]}


def _line(verdict: Any, heuristic: set[str], links: Mapping[str, str]) -> Line:
    rule = str(verdict.rule)
    message = verdict.finding.message if hasattr(verdict, "finding") else verdict.message
    return Line(verdict.ok, rule, message, rule in heuristic, links.get(rule, ""))
