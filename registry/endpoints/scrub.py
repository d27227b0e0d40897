"""What must never be kept: reasoning text, and the endpoint's key wherever it is echoed."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote

REDACTED = "[redacted]"
SHORTEST_PIECE = 8
"""A piece of a key at least this long is redacted; sk-demo-1234567890 leaves at most seven characters."""
_MAX_DEPTH = 64
_NAMES = "reasoning|thinking|thought|scratchpad"
_REASONING = re.compile(_NAMES, re.IGNORECASE)
_MEMBER = re.compile(rf"(?:{_NAMES})\w*[\\'\"]*\s*[:=]\s*[\\'\"\[{{]|<think|\[THINK\]", re.IGNORECASE)


def scrub(value: object, depth: int = 0) -> object:
    """`value` (parsed JSON) without reasoning text, at any depth; numbers such as token counts stay.

    Dropped: members whose name speaks of reasoning, unless they are numbers;
    objects whose `type` does, or that are marked as a thought; and what is nested deeper than any reply is.
    """
    if depth > _MAX_DEPTH:
        return None
    if isinstance(value, dict):
        kept = ((key, member) for key, member in value.items() if not _is_reasoning(key, member))
        return {key: scrub(member, depth + 1) for key, member in kept}
    if isinstance(value, list):
        return [scrub(item, depth + 1) for item in value if not _is_reasoning("", item)]
    return value


def _is_reasoning(key: object, member: object) -> bool:
    if isinstance(member, dict) and _is_thought(member):
        return True
    return bool(_REASONING.search(str(key))) and not _is_count(member)


def _is_thought(part: dict[str, object]) -> bool:
    return part.get("thought") is True or bool(_REASONING.search(str(part.get("type", ""))))


def _is_count(member: object) -> bool:
    return isinstance(member, int | float) and not isinstance(member, bool)


def cut_reasoning(text: str) -> str:
    """Text that is no (whole) JSON, up to where a reasoning member or a thinking block begins in it."""
    found = _MEMBER.search(text)
    return text[: found.start()].rstrip(" \t\r\n'\"\\{[,") + "…" if found else text


def redact(text: str, secrets: Iterable[str], shortest: int = SHORTEST_PIECE) -> str:
    """`text` with every secret, and every piece of one of at least `shortest` characters, redacted.

    Also found: JSON, URL, HTML and base64 spellings, and another case.
    """
    lowered = _ascii_lower(text)
    hidden = bytearray(len(text))
    for secret in secrets:
        for spelling in _spellings(secret):
            _hide(lowered, _ascii_lower(spelling), shortest, hidden)
    return "".join(_pieces(text, hidden)) if any(hidden) else text


def _spellings(secret: str) -> set[str]:
    if not secret:
        return set()
    encoded = base64.b64encode(secret.encode()).decode().rstrip("=")
    return {secret, json.dumps(secret)[1:-1], quote(secret, safe=""), html.escape(secret), encoded}


def _hide(text: str, secret: str, shortest: int, hidden: bytearray) -> None:
    """Mark in `hidden` every place where `text` holds `shortest` characters of `secret` in a row."""
    size = min(shortest, len(secret))
    for piece in {secret[start : start + size] for start in range(len(secret) - size + 1)}:
        found = text.find(piece)
        while found >= 0:
            hidden[found : found + size] = b"\x01" * size
            found = text.find(piece, found + 1)


def _pieces(text: str, hidden: bytearray) -> Iterator[str]:
    for run in re.finditer(rb"\x00+|\x01+", bytes(hidden)):
        yield REDACTED if run[0][0] else text[run.start() : run.end()]


def _ascii_lower(text: str) -> str:
    """Lower case that keeps every character's place, as `str.lower` does not."""
    return text.translate(_LOWER)


_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
