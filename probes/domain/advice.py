"""What an author should look at again in a document that may be published all the same."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from probes.core import Document, examine
from probes.core.lint import lint
from probes.core.mutations import mutate
from probes.core.problems import Problem
from probes.models import ProbeVersion

MOST = 10
"""So many lines are given to an author; the others are counted."""


@dataclass(frozen=True)
class Remark:
    """One thing to look at again; `code` is the lint's, and empty for a change that no example notices."""

    problem: Problem
    code: str = ""

    @property
    def rule(self) -> int:
        """The number of the rule that it is about, from 1; 0 if it is about no single one."""
        match self.problem.path:
            case ("rubric", "rules", int(place), *_):
                return place + 1
        return 0

    def __str__(self) -> str:
        return f"{self.code} {self.problem}" if self.code else str(self.problem)


@dataclass(frozen=True)
class Advice:
    """The remarks of the lint, the small changes to the rules that no example notices, what was not tried."""

    lint: tuple[Remark, ...]
    unnoticed: tuple[Remark, ...]
    tried: int
    untried: int

    @property
    def remarks(self) -> tuple[Remark, ...]:
        return (*self.lint, *self.unnoticed)

    @property
    def shown(self) -> tuple[Remark, ...]:
        return self.remarks[:MOST]

    @property
    def more(self) -> list[str]:
        """What follows the remarks that are shown: how many are left, and how much was not looked at."""
        left = len(self.remarks) - MOST
        return [*([f"and {left:,} more"] if left > 0 else []), *self._left_out()]

    def lines(self) -> list[str]:
        """A line for each remark that is shown, with what to do; the last ones say what is not."""
        return [*map(str, self.shown), *self.more]

    def _left_out(self) -> list[str]:
        if not self.untried:
            return []
        changes = "small change" if self.untried == 1 else "small changes"
        return [
            f"{self.untried:,} {changes} to the rules not tried on the examples, as that would take too "
            "long: with shorter examples or smaller patterns more are"
        ]


def advice(document: Document) -> Advice:
    """What `check` says of `document`: the same for the same text, and bounded by the core's budget."""
    examination = examine(document)
    mutations = mutate(examination)
    return Advice(
        tuple(Remark(each.problem, each.code) for each in lint(examination)),
        tuple(map(Remark, mutations.survivors)),
        mutations.tried,
        mutations.untried,
    )


@dataclass(frozen=True)
class _Published:
    """A document that is known by its digest."""

    digest: str
    document: Document = field(compare=False)


def advice_on(version: ProbeVersion) -> Advice:
    """The advice on a published version, worked out once in each process as long as it is asked for."""
    return _kept(_Published(version.digest, version.parsed))


@lru_cache(maxsize=512)
def _kept(published: _Published) -> Advice:
    return advice(published.document)
