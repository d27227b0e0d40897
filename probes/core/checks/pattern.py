"""The kind that asks whether a JavaScript pattern matches: `pattern`."""

from __future__ import annotations

import re
from functools import cached_property, partial
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from probes.core.checks.base import Check, Decider, Decision, register
from probes.core.checks.example import Example, Examples
from probes.core.finding import Finding, Mark, Span
from probes.core.patterns import Pattern
from probes.core.patterns.endings import up_to_the_end
from probes.core.text import show_text
from probes.core.view import WHITE_SPACE, View

MAX_SPANS = 100
"""How many matches are marked; the verdict needs one."""

_HEAD, _TAIL = 24, 15
_PLAIN = re.compile("[ -~…↵⇥]*")


def accepted(literal: str) -> str:
    """`literal` if it is a pattern of the dialect. Raises PatternError."""
    Pattern.parse(literal)
    return literal


LITERAL = "^/[^/].*/[imsu]*$"
"""What a pattern looks like from afar, in a JSON Schema."""

PatternText = Annotated[str, AfterValidator(accepted)]
"""A pattern as a rule writes it, such as `/<<END>>/i`."""


@register
class PatternCheck(Check):
    """Whether a pattern matches somewhere in the output."""

    kind: Literal["pattern"]
    name: ClassVar[str] = "pattern"
    summary: ClassVar[str] = (
        "The pattern matches somewhere in the output (or nowhere, for not_match), as JavaScript's "
        "/…/.test(output) says once every line end is \\n. Where a pattern that must match ends in $ and "
        "without that would match, what follows its last match is marked."
    )
    examples: ClassVar[Examples] = (
        Example({"must": "match", "pattern": "/<<END>>\\s*$/"}, "It ran.\n<<END>>\n"),
        Example({"must": "match", "pattern": "/<<END>>\\s*$/"}, "It ran.\n<<END>>\nAnything else?"),
        Example({"must": "not_match", "pattern": "/^(sure|certainly)\\b/i"}, "Sure, here it is."),
    )

    must: Literal["match", "not_match"] = Field(description="match, or not_match for what must not appear")
    pattern: PatternText = Field(
        description="a JavaScript regular expression with its slashes, such as /<<END>>\\s*$/",
        json_schema_extra={"pattern": LITERAL},
    )

    @cached_property
    def _compiled(self) -> Pattern:
        return Pattern.parse(self.pattern)

    def decider(self) -> Decider:
        first, finding = self._compiled.first, self._finding
        wanted = self.must == "match"

        def decide(view: View) -> Decision:
            if view.blank:
                return False, self.on_blank()
            found = first(view)
            return (found is not None) is wanted, partial(finding, found, view)

        return decide

    def evaluate(self, view: View) -> Finding:
        return self._finding(self._compiled.first(view), view)

    def _finding(self, first: Any, view: View) -> Finding:
        if first is None:
            ok = self.must == "not_match"
            return Finding(ok, "not_match", self.must, "pattern", "nothing matched", self._after(view))
        pattern = self._compiled
        found = pattern.spans_from(first, view, MAX_SPANS)
        start, end = found[0]
        message = self._message(view.text[start:end])
        return Finding(self.must == "match", "match", self.must, "pattern", message, self._marks(found))

    def _message(self, matched: str) -> str:
        if self.must == "match":
            return f"matched {quote(matched)}"
        return f"matched {quote(matched)}, {'which must not appear' if matched else 'and must not match'}"

    def _marks(self, found: tuple[tuple[int, int], ...]) -> tuple[Span, ...]:
        mark: Mark = "match" if self.must == "match" else "forbidden"
        return tuple([Span(start, end, mark) for start, end in found if start < end])

    def _after(self, view: View) -> tuple[Span, ...]:
        """What follows the text that had to stand last, white space at the very end aside."""
        # A second search of the whole text is worth its marks only where the text is not a burden.
        if self.must == "not_match" or self._up_to_the_end is None or self._compiled.affordable(view) < 2:
            return ()
        found = self._up_to_the_end.spans(view, 1)
        start = found[0][1] if found else len(view.text)
        end = len(view.text.rstrip(WHITE_SPACE))
        end = end if start < end else len(view.text)
        # Nothing follows a match that ends inside the last character, a surrogate pair.
        return (Span(start, end, "after"),) if start < end else ()

    @cached_property
    def _up_to_the_end(self) -> Pattern | None:
        return up_to_the_end(self.pattern)


def quote(matched: str) -> str:
    """At most 40 characters of what matched, both ends of a longer one, line breaks shown."""
    if not matched:
        return "the empty text"
    if len(matched) > _HEAD + 1 + _TAIL:
        matched = f"{matched[:_HEAD]}…{matched[-_TAIL:]}"
    if matched.isascii() and matched.isprintable():
        return f'"{matched}"'
    shown = matched.replace("\n", "↵").replace("\t", "⇥")
    return f'"{shown if _PLAIN.fullmatch(shown) else show_text(shown)[1:-1]}"'
