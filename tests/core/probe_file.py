"""The small probe file that tests of the core start from, and ways to change it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from probes.core.document import Document

CASES = Path(__file__).resolve().parent.parent / "cases"
TEXT = (CASES / "probe.yaml").read_text(encoding="utf-8")


def lines_of(name: str) -> list[dict[str, Any]]:
    """The rows of a table in tests/cases."""
    return [json.loads(line) for line in (CASES / name).read_text(encoding="utf-8").splitlines()]


def changed(old: str, new: str, text: str = TEXT) -> str:
    """The file with one passage, which must be there exactly once, replaced."""
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in the file"
    return text.replace(old, new)


def document(**fields: Any) -> Document:
    """The small probe with top-level values of its canonical form replaced."""
    return Document.from_json({**Document.parse(TEXT).canonical(), **fields})


def with_output(output: str) -> Document:
    """The small probe whose correct fixture has another output."""
    data = Document.parse(TEXT).canonical()
    data["fixtures"][0]["output"] = output
    return Document.from_json(data)
