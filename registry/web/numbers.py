"""Numbers that a request names rows by."""

from __future__ import annotations

_MOST_DIGITS = 18


def row_number(text: str) -> int:
    """The number that `text` is; 0, which is no row's, for anything else, and for one longer than any."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS else 0
