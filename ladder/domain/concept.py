"""What may be raced up a ladder: one line of plain words."""

from __future__ import annotations

import re

from probes.core.view import WHITE_SPACE

MAX_CHARACTERS = 200

_LINE_ENDS = re.compile("[\n\x0b\x0c\r\x85\u2028\u2029]")
_UNPRINTABLE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
_BRACES = re.compile(r"\{\{|\}\}")
_ANGLES = re.compile("[<>]")


def stripped(concept: str) -> str:
    """`concept` without the white space around it."""
    return concept.strip(WHITE_SPACE)


def concept_problem(concept: str) -> str:
    """Why a stripped `concept` cannot be raced and what to write instead; "" if it can."""
    if not concept:
        return "Write a concept, such as recursion, love or a for loop."
    if len(concept) > MAX_CHARACTERS:
        return f"The concept has {len(concept):,} characters: shorten it to {MAX_CHARACTERS} or fewer."
    if _LINE_ENDS.search(concept):
        return "The concept holds a line break: write it on one line."
    if found := _BRACES.search(concept):
        return f"The concept holds {found[0]}, which marks a variable in a prompt: leave the braces out."
    if found := _ANGLES.search(concept):
        return f"The concept holds {found[0]}, as HTML does: write it in plain words."
    if found := _UNPRINTABLE.search(concept):
        return f"The concept holds a character that cannot be printed (U+{ord(found[0]):04X}): take it out."
    return ""
