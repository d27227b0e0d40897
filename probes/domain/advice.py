"""What an author should look at again in a document that may be published all the same."""

from __future__ import annotations

from probes.core import Document, examine
from probes.core.lint import lint
from probes.core.mutations import Mutations, mutate

MOST = 10
"""So many lines are given; the others are counted."""


def advice(document: Document) -> list[str]:
    """A line for each remark of the lint and each mutant that the examples do not catch, with what to do.

    The last one says what was not looked at, if anything was not.
    """
    examination = examine(document)
    mutations = mutate(examination)
    lines = [*map(str, lint(examination)), *map(str, mutations.survivors)]
    more = len(lines) - MOST
    shown = [*lines[:MOST], f"and {more:,} more"] if more > 0 else lines
    return [*shown, *_left_out(mutations)]


def _left_out(mutations: Mutations) -> list[str]:
    if not mutations.untried:
        return []
    changes = "small change" if mutations.untried == 1 else "small changes"
    return [
        f"{mutations.untried:,} {changes} to the rules not tried on the examples, as that would take too "
        "long: with shorter examples or smaller patterns more are"
    ]
