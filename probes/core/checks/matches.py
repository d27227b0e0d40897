"""The kind that counts what patterns match: `count`."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from probes.core.checks.amounts import Amount, tally
from probes.core.checks.base import register
from probes.core.checks.example import Example, Examples
from probes.core.checks.pattern import LITERAL, PatternText
from probes.core.checks.texts import UNIQUE, as_list, distinct
from probes.core.finding import Finding, Span
from probes.core.patterns import Pattern
from probes.core.view import View

_Shaped = Annotated[str, Field(json_schema_extra={"pattern": LITERAL})]
Patterns = Annotated[
    tuple[PatternText, ...],
    Field(min_length=1, max_length=20, strict=False),
    BeforeValidator(
        as_list,
        json_schema_input_type=_Shaped | Annotated[list[_Shaped], Field(min_length=1, max_length=20), UNIQUE],
    ),
    AfterValidator(distinct),
]

AT_LEAST = "at least "
"""How a message begins where the search ended before the text did."""


@register
class Matches(Amount):
    """How often patterns match."""

    kind: Literal["count"]
    name: ClassVar[str] = "count"
    summary: ClassVar[str] = (
        "Each pattern's matches are counted from left to right without overlap; the counts are added. The "
        "search ends after a number of matches that depends on the pattern and on the length of the text "
        "alone; a verdict that more of them could change then fails, and says so."
    )
    examples: ClassVar[Examples] = (
        Example({"patterns": "/\\[[^\\]]*\\]/", "op": "==", "n": 2}, "Dear [name], see [place]."),
        Example({"patterns": ["/\\bfoo\\b/i", "/\\bbar\\b/i"], "op": "<=", "n": 2}, "Foo, bar, foo."),
        Example({"patterns": "/aa/", "op": "==", "n": 2}, "aaa"),
    )

    patterns: Patterns = Field(description="a pattern such as /\\[[^\\]]*\\]/, or a list of patterns")

    @cached_property
    def _compiled(self) -> tuple[Pattern, ...]:
        return tuple(map(Pattern.parse, self.patterns))

    def evaluate(self, view: View) -> Finding:
        found, whole = self._found(view)
        spans = sorted({pair for pair in found if pair[0] < pair[1]})
        finding = tally(
            len(found), self.op, self.n, "matches", (Span(start, end, "match") for start, end in spans)
        )
        return finding if whole else self._at_least(finding)

    def _found(self, view: View) -> tuple[list[tuple[int, int]], bool]:
        """The matches of all patterns, and whether those are all there are."""
        found: list[tuple[int, int]] = []
        whole = True
        for pattern in self._compiled:
            limit = pattern.affordable(view)
            places = pattern.spans(view, limit)
            whole &= len(places) < limit
            found.extend(places)
        return found, whole

    def _at_least(self, finding: Finding) -> Finding:
        """The finding where the search ended early: it fails if more matches could change it."""
        decided = finding.actual > self.n or (finding.actual == self.n and self.op in (">=", "<"))
        message = f"{AT_LEAST}{finding.message}"
        if not decided:
            message += ": too many to count in so long a text"
        return finding._replace(ok=finding.ok and decided, message=message)
