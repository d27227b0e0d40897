"""What a check reports: enough to print `11 / 10 words` and to mark the words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, cast

Mark = Literal["word", "sentence", "line", "match", "forbidden", "lookalike", "entry", "after"]


class Span(NamedTuple):
    """A stretch of the view of an output: `start` and `end` are code-point offsets, end exclusive.

    `mark` says how a page draws it: counted things (`word`, `sentence`, `line`, `entry`), what a
    pattern matched (`match`), what must not be there (`forbidden`, `lookalike`, `after`).
    `label` is a short text for readers who do not see the mark, such as `4 syllables`.
    """

    start: int
    end: int
    mark: Mark
    label: str = ""


class Finding(NamedTuple):
    """The outcome of one check on one output.

    `actual` and `expected` are JSON scalars or lists of them, in `unit`; `message` is the whole
    verdict in a few words (`11 / 10 words`). `spans` are sorted and lie inside the view.
    """

    ok: bool
    actual: Any
    expected: Any
    unit: str
    message: str
    spans: tuple[Span, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The finding as JSON values; `from_json` is its inverse."""
        return {
            "ok": self.ok,
            "actual": self.actual,
            "expected": self.expected,
            "unit": self.unit,
            "message": self.message,
            "spans": [list(span) for span in self.spans],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Finding:
        spans = tuple(Span(int(a), int(b), cast("Mark", m), str(t)) for a, b, m, t in data["spans"])
        return cls(data["ok"], data["actual"], data["expected"], data["unit"], data["message"], spans)
