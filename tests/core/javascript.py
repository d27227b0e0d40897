"""The reference: what JavaScript itself says about literals, asked of one `node` process."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

Question = tuple[str, list[str]]
Answer = list[list[tuple[int, int]]] | None

needs_node = pytest.mark.skipif(
    shutil.which("node") is None and os.environ.get("REQUIRE_SERVICES") != "1",
    reason="node is not installed: patterns are not compared with JavaScript",
)


def ask(questions: Iterable[Question]) -> list[Answer]:
    """For each literal with its texts: None if it is refused, else the matches in each text.

    Offsets are code points, rounded outwards where a match ends inside a surrogate pair.
    """
    asked = list(questions)
    lines = "".join(json.dumps({"literal": literal, "texts": texts}) + "\n" for literal, texts in asked)
    script = Path(__file__).with_name("javascript.mjs")
    node = subprocess.run(
        ["node", script], input=lines, capture_output=True, text=True, timeout=120, check=False
    )
    assert node.returncode == 0, node.stderr
    answers = [json.loads(line) for line in node.stdout.splitlines()]
    assert len(answers) == len(asked)
    return [_in_points(texts, answer) for (_, texts), answer in zip(asked, answers, strict=True)]


def _in_points(texts: list[str], answer: list[list[list[int]]] | None) -> Answer:
    if answer is None:
        return None
    return [[_span(text, *span) for span in spans] for text, spans in zip(texts, answer, strict=True)]


def _span(text: str, start: int, end: int) -> tuple[int, int]:
    """Units to code points, the slow and plain way."""
    units = [i for i, each in enumerate(text) for _ in each.encode("utf-16-le", "surrogatepass")[::2]]
    units.append(len(text))
    inside = 0 < end < len(units) and units[end] == units[end - 1]
    first = units[start]
    return first, first if start == end else units[end] + inside


def joined(text: str) -> str:
    """`text` with surrogate pairs joined, as JavaScript compares it."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
