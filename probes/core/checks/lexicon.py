"""The kind that looks for entries of a published word list: `lexicon`."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from probes.core.checks.amounts import Amount, tally
from probes.core.checks.base import register
from probes.core.checks.example import Example, Examples
from probes.core.finding import Finding, Span
from probes.core.lexicons import LEXICONS, lexicon
from probes.core.text import show_text
from probes.core.view import View


def _known(name: str) -> str:
    if name in LEXICONS:
        return name
    raise ValueError(f"there is no list {show_text(name)}: write one of {', '.join(sorted(LEXICONS))}")


@register
class InLexicon(Amount):
    """How many distinct entries of a list the output holds."""

    kind: Literal["lexicon"]
    name: ClassVar[str] = "lexicon"
    summary: ClassVar[str] = (
        "Lower-case, ’ read as '; whole tokens (no a-z or 0-9 beside them) that match the published list; "
        "entries are counted once each."
    )
    examples: ClassVar[Examples] = (
        Example({"list": "pirate", "op": ">=", "n": 2}, "Ahoy, matey!"),
        Example({"list": "pirate", "op": ">=", "n": 2}, "Ahoy, ahoy!"),
        Example({"list": "pirate", "op": "==", "n": 0}, "A party on a ship"),
    )

    list: Annotated[str, AfterValidator(_known), WithJsonSchema({"enum": sorted(LEXICONS)})] = Field(
        description="the name of the list: pirate"
    )

    def evaluate(self, view: View) -> Finding:
        spans, distinct = view.once(("lexicon", self.list), lambda: self._found(view))
        return tally(distinct, self.op, self.n, f"{self.list} words", spans, usual=self._usual)

    def _found(self, view: View) -> tuple[tuple[Span, ...], int]:
        """The entries in the text, and how many different ones."""
        spans = tuple(lexicon(self.list).find(view.text))
        return spans, len({span.label for span in spans})

    @property
    def _usual(self) -> Literal["==", ">="]:
        """A list is asked for "at least n", so that needs no sign; exactly n then has none either."""
        return ">=" if self.op == ">=" else "=="
