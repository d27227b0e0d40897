"""What an author should look at again, though it may be meant: never a reason not to publish.

Each remark has a code of `LINTS`, which keeps its meaning for ever, a line, a message and a remedy.
"""

from __future__ import annotations

from probes.core.fixtures import Examination
from probes.core.lint import instruction, patterns, rules, texts
from probes.core.lint.codes import LINTS, Lint
from probes.core.lint.remarks import Remark

__all__ = ["LINTS", "Lint", "Remark", "lint"]


def lint(examination: Examination) -> tuple[Remark, ...]:
    """Everything there is to say of an examined document, by code and then by place."""
    document = examination.document
    return (
        *instruction.numbers(document),
        *instruction.only_negative(document),
        *patterns.matches_empty(document),
        *patterns.ascii_only(document),
        *instruction.unspaced(document),
        *rules.implied(document),
        *rules.agreeing(examination),
        *rules.contradictory(document),
        *texts.unreachable(document),
        *texts.negated_lists(document),
    )
