"""Would anybody notice if a rule were a little wrong? Each mutant of each rule, tried on the fixtures.

A mutant is caught by a fixture that then fails another set of rules, and survives where there is none:
then the published rubric and the mutant are the same for all that its examples show.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from probes.core.checks import Check, CheckError, check
from probes.core.checks.base import Decider
from probes.core.checks.pattern import MAX_SPANS
from probes.core.fixtures import Examination
from probes.core.leaves import Leaf, leaves_of
from probes.core.mutants import Mutant, mutants
from probes.core.patterns import Pattern
from probes.core.patterns.matcher import WORK
from probes.core.problems import Path, Problem, line_of, quoted
from probes.core.view import View

MAX_MUTANTS = 2_000
"""So many are tried; a rubric of 20 rules seldom has 200."""

MAX_WORK = 400_000_000
"""Steps that all trials may take together in the worst case, by the count of patterns: about two seconds."""

SLOWEST = {"syllables": 2_000}
"""What such a check takes for each character at worst, in the same steps."""

STEPS_A_CHARACTER = 200
"""What every other check that is no pattern takes."""


ONLY_BLANK = "only a blank example fails it, as it fails every rule"


@dataclass(frozen=True, slots=True)
class Mutations:
    """What became of the mutants: `untried` are those beyond what may be spent on one document."""

    tried: int
    survivors: tuple[Problem, ...]
    untried: int = 0

    @property
    def caught(self) -> int:
        return self.tried - len(self.survivors)


def mutate(examination: Examination) -> Mutations:
    """Try every mutant of every rule. The same document gives the same answer, whatever the machine."""
    trials = _Trials(examination)
    survivors: list[Problem] = []
    tried = untried = 0
    for i, mutant in _all_mutants(examination):
        if tried == MAX_MUTANTS or trials.work > MAX_WORK:
            untried += 1
        elif (caught := trials.caught(i, mutant)) is not None:
            tried += 1
            survivors.extend([] if caught else [_survivor(examination, i, mutant)])
    return Mutations(tried, tuple(survivors), untried)


def _all_mutants(examination: Examination) -> Iterator[tuple[int, Mutant]]:
    for i, rule in enumerate(examination.document.rubric.rules):
        yield from ((i, mutant) for mutant in mutants(rule.check.as_json()))


def _survivor(examination: Examination, i: int, mutant: Mutant) -> Problem:
    document = examination.document
    path: Path = ("rubric", "rules", i, "check", *mutant.path)
    name = document.rubric.rules[i].name
    missing = ONLY_BLANK if mutant.data is None and examination.pinned[name] else mutant.missing
    message = f"{quoted(name)} with {mutant.change}: {missing}"
    return Problem(line_of(document.lines, path), path, message, mutant.hint)


class _Trials:
    """The fixtures, short ones first, with what each rule says of them; `work` is what was spent."""

    def __init__(self, examination: Examination) -> None:
        self.work = 0
        fixtures = sorted(examination.fixtures, key=lambda each: len(each.fixture.output))
        self._views = [View(each.fixture.output) for each in fixtures]
        self._held = [[verdict.ok for verdict in each.result.verdicts] for each in fixtures]

    def caught(self, i: int, mutant: Mutant) -> bool | None:
        """Whether a fixture tells the mutant from rule `i`; None if the mutant is no check.

        The other rules say what they said, so the set of failed rules differs where this rule does.
        """
        if mutant.data is None:
            # A blank output fails whatever rule there is, and so tells nothing of this one.
            tried = zip(self._views, self._held, strict=True)
            return not all(held[i] for view, held in tried if not view.blank)
        built = _built(mutant.data)
        if built is None:
            return None
        decide, cost = built.decider(), _cost(mutant.data)
        return any(
            self._holds(decide, cost, view) != held[i]
            for view, held in zip(self._views, self._held, strict=True)
        )

    def _holds(self, decide: Decider, cost: int, view: View) -> bool:
        self.work += min(WORK, cost * len(view.text))
        ok, _ = decide(view)
        return ok


def _built(data: Mapping[str, Any]) -> Check | None:
    try:
        return check(data)
    except CheckError:
        return None


def _cost(data: Mapping[str, Any]) -> int:
    """Steps for each character of an output, at worst."""
    return sum(map(_cost_of_leaf, leaves_of(data)))


def _cost_of_leaf(leaf: Leaf) -> int:
    if not leaf.patterns:
        return SLOWEST.get(leaf.kind, STEPS_A_CHARACTER)
    searches = MAX_SPANS if leaf.kind == "count" else 1  # one match decides everything else
    return searches * sum(_cost_of_pattern(literal) for _, literal in leaf.patterns)


def _cost_of_pattern(literal: str) -> int:
    return WORK // Pattern.parse(literal).affordable(View("x"))
