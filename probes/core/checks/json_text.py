"""The kind that asks for JSON and nothing else: `json`."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from probes.core.checks.base import Check, register
from probes.core.checks.example import Example, Examples
from probes.core.finding import Finding, Span
from probes.core.json_grammar import Fault, read
from probes.core.text import show
from probes.core.view import WHITE_SPACE, View


@register
class JsonText(Check):
    """The whole output is one JSON text."""

    kind: Literal["json"]
    name: ClassVar[str] = "json"
    summary: ClassVar[str] = (
        "The whole output is one JSON text by RFC 8259: no NaN, comments or trailing commas; any white "
        "space around it is allowed, a Markdown fence only if asked for."
    )
    examples: ClassVar[Examples] = (
        Example({"top": "object"}, '{"a": [1, 2]}'),
        Example({}, '{"a": 1,}'),
        Example({"top": "array", "fence": True}, "```json\n[1, 2]\n```"),
    )

    top: Literal["any", "object", "array"] = Field("any", description="what the outermost value must be")
    fence: bool = Field(False, description="whether one ```json fence around it is taken off first")

    def evaluate(self, view: View) -> Finding:
        start, end = _trimmed(view.text, 0, len(view.text))
        if self.fence:
            start, end = _inside_fence(view.text, start, end)
        found = view.once(("json", start, end), lambda: read(view.parted, start, end))
        if isinstance(found, Fault):
            return self._finding(False, None, _where(view.text, found), _at(view.text, found.at))
        ok = self.top in ("any", found)
        message = f"JSON: {found}" if ok else f"JSON: {found}, not {self.top}"
        return self._finding(ok, found, message, Span(start, end, "match" if ok else "forbidden"))

    def _finding(self, ok: bool, actual: str | None, message: str, span: Span) -> Finding:
        return Finding(ok, actual, self.top, "JSON", message, (span,))


def _where(text: str, fault: Fault) -> str:
    line = text.count("\n", 0, fault.at) + 1
    column = fault.at - text.rfind("\n", 0, fault.at)
    found = f"found {show(text[fault.at])}" if fault.at < len(text) else "the text ends"
    return f"not JSON: line {line}, column {column}: expected {fault.expected}, {found}"


def _at(text: str, at: int) -> Span:
    return Span(min(at, len(text) - 1), min(at + 1, len(text)), "forbidden")


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start] in WHITE_SPACE:
        start += 1
    while end > start and text[end - 1] in WHITE_SPACE:
        end -= 1
    return start, end


def _inside_fence(text: str, start: int, end: int) -> tuple[int, int]:
    """What stands between a first line ``` or ```json and a last line ```; all of it if there is no fence."""
    first, last = text.find("\n", start, end), text.rfind("\n", start, end)
    if first < 0 or first == last:
        return start, end
    opened = text[start:first].rstrip(WHITE_SPACE) in ("```", "```json", "```JSON")
    closed = text[last:end].strip(WHITE_SPACE) == "```"
    return _trimmed(text, first, last) if opened and closed else (start, end)
