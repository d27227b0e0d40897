"""What may be raced up a ladder: what may be entered for any variable of a prompt, in a concept's words."""

from __future__ import annotations

from probes.core.template import MAX_VALUE, is_blank, value_problem
from probes.core.view import WHITE_SPACE

MAX_CHARACTERS = MAX_VALUE


def stripped(concept: str) -> str:
    """`concept` without the white space around it."""
    return concept.strip(WHITE_SPACE)


def concept_problem(concept: str) -> str:
    """Why a stripped `concept` cannot be raced and what to write instead; "" if it can."""
    if is_blank(concept):
        return "Write a concept, such as recursion, love or a for loop."
    return value_problem(concept, "The concept")
