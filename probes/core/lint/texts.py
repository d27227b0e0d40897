"""Texts and patterns that cannot do what their author means: L009 and L010."""

from __future__ import annotations

import re
from collections.abc import Iterator

from probes.core.document import Document
from probes.core.leaves import Leaf, leaves
from probes.core.lint.remarks import Remark, remark
from probes.core.lint.unmatched import why_never
from probes.core.problems import Path, quoted
from probes.core.text import show_text
from probes.core.view import WHITE_SPACE

_LOST = re.compile("[\r\u2028\u2029]")


def unreachable(document: Document) -> Iterator[Remark]:
    """L009: a text that no output holds, starts or ends with, and a pattern that matches in none."""
    for leaf in leaves(document.rubric.rules):
        for path, text in _texts(leaf):
            if reason := _why_no_output(leaf.kind, text):
                message = f"{quoted(leaf.rule)} looks for {show_text(text)} in vain: {reason}"
                yield remark(document, "L009", path, message)
        for path, literal in leaf.patterns:
            if reason := why_never(literal):
                message = f"{quoted(leaf.rule)} has a pattern that matches nothing: {reason}"
                yield remark(document, "L009", path, message)


def _texts(leaf: Leaf) -> list[tuple[Path, str]]:
    if leaf.kind not in ("contains", "starts_with", "ends_with"):
        return []
    return [((*leaf.path, "of", i), text) for i, text in enumerate(leaf.data["of"])]


def _why_no_output(kind: str, text: str) -> str:
    """What keeps the text from being found; empty if nothing does."""
    if found := _LOST.search(text):
        return f"{show_text(found[0])} is read as \\n, as every line end is"
    if kind == "starts_with" and text[0] in WHITE_SPACE:
        return "white space before the start of an output is skipped"
    if kind == "ends_with" and text[-1] in WHITE_SPACE:
        return "white space after the end of an output is skipped"
    return ""


def negated_lists(document: Document) -> Iterator[Remark]:
    """L010: `not` around a `contains` that asks for several texts, which one of them missing fulfils."""
    for leaf in leaves(document.rubric.rules):
        if leaf.negated and leaf.kind == "contains" and len(leaf.data["of"]) > 1 and _asks(leaf):
            count = len(leaf.data["of"])
            message = (
                f"{quoted(leaf.rule)} passes where one of {count} texts is missing, though the others occur"
            )
            yield remark(document, "L010", leaf.path, message)


def _asks(leaf: Leaf) -> bool:
    return bool(leaf.data.get("at_least") or leaf.data.get("exactly"))
