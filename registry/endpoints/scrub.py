"""What must never be kept: reasoning text."""

from __future__ import annotations

import re

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
