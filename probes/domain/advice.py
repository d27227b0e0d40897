"""What an author should look at again in a document that may be published all the same."""

from __future__ import annotations

from probes.core import Document, examine
from probes.core.lint import lint
from probes.core.mutations import mutate

MOST = 10
"""So many lines are given; the others are counted."""


def advice(document: Document) -> list[str]:
    """A line for each remark of the lint and each mutant that the examples do not catch, with what to do."""
    examination = examine(document)
    lines = [*map(str, lint(examination)), *map(str, mutate(examination).survivors)]
    more = len(lines) - MOST
    return [*lines[:MOST], f"and {more:,} more"] if more > 0 else lines
