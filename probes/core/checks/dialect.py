"""Regular expressions of a JSON Schema, which editors read in dialects of their own."""

from __future__ import annotations

import re

_APART = re.compile("[^ -~]")


def in_every_dialect(pattern: str) -> str:
    """`pattern` with `\\u001f` for each that is not plain. `\\s` and its like differ: write none."""
    return _APART.sub(lambda found: f"\\u{ord(found[0]):04x}", pattern)
