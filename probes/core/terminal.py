"""Text from strangers, fit for a terminal."""

from __future__ import annotations

import re

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(line: str) -> str:
    """`line` without what a terminal would obey, as it stays on one line."""
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", line)
