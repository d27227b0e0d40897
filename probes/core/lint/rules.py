"""What the rules of one rubric are to each other: L006, L007 and L008."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, combinations_with_replacement, permutations

from probes.core.document import Document
from probes.core.fixtures import Examination
from probes.core.leaves import leaves
from probes.core.lint.claims import Claim, claims, conflict, consequences, entails, weight
from probes.core.lint.remarks import Remark, remark
from probes.core.parts import Rule
from probes.core.problems import quoted

MAX_CLAIMS = 200
"""Rules that claim more together are not compared: it would take the square of their number."""

MAX_SOURCE = 2_000
"""Nor are rules whose patterns are longer together."""


@dataclass(frozen=True)
class _Claims:
    """One rule, by its place, with what it asks for and what is known where it holds."""

    i: int
    rule: Rule

    @cached_property
    def asked(self) -> list[Claim]:
        return claims(self.rule.check.as_json())

    @cached_property
    def known(self) -> list[Claim]:
        return [*self.asked, *consequences(self.rule.check.as_json())]

    @cached_property
    def impossible(self) -> bool:
        """Whether nothing passes it, by what it asks for alone."""
        return any(conflict(one, other) for one, other in combinations_with_replacement(self.known, 2))

    def implies(self, other: _Claims) -> bool:
        return all(entails(self.known, claim) for claim in other.asked)

    @property
    def name(self) -> str:
        return quoted(self.rule.name)


def implied(document: Document) -> Iterator[Remark]:
    """L006: a rule that nothing but blank output can fail alone; of two that say the same, the second."""
    rules = _compared(document)
    said: set[int] = set()
    for each in rules:
        if not each.asked:
            said.add(each.i)
            message = f"{each.name} holds for every output that is not blank"
            yield remark(document, "L006", ("rubric", "rules", each.i), message)
    for one, other in permutations(rules, 2):
        if other.i in said or not one.implies(other):
            continue
        same = other.implies(one)
        if same and other.i < one.i:
            continue
        said.add(other.i)
        message = (
            f"{other.name} says the same as {one.name}"
            if same
            else f"{other.name} always holds where {one.name} does"
        )
        yield remark(document, "L006", ("rubric", "rules", other.i), message)


def contradictory(document: Document) -> Iterator[Remark]:
    """L008: a rule that nothing can pass, and two rules that nothing can pass together."""
    rules = _compared(document)
    for each in rules:
        if each.impossible:
            message = f"no output can pass {each.name}"
            yield remark(document, "L008", ("rubric", "rules", each.i), message)
    for one, other in combinations([each for each in rules if not each.impossible], 2):
        if any(conflict(claim, opposed) for claim in one.known for opposed in other.known):
            message = f"no output can pass both {one.name} and {other.name}"
            yield remark(document, "L008", ("rubric", "rules", other.i), message)


def agreeing(examination: Examination) -> Iterator[Remark]:
    """L007: rules that the examples do not tell apart, and that could be told apart."""
    document = examination.document
    failing: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for i, labels in enumerate(examination.pinned.values()):
        if labels:
            failing[labels].append(i)
    for group in failing.values():
        distinct = _without_implied(document, group)
        if len(distinct) > 1:
            names = [quoted(document.rubric.rules[i].name) for i in distinct]
            message = f"{', '.join(names[:-1])} and {names[-1]} pass and fail the same examples"
            yield remark(document, "L007", ("rubric", "rules", distinct[-1]), message)


def _without_implied(document: Document, group: list[int]) -> list[int]:
    """Without rules that hold wherever another of the group does, which L006 names."""
    compared = {each.i: each for each in _compared(document)}
    known = [compared[i] for i in group if i in compared]
    return [i for i in group if i not in compared or not _implied_by(known, compared[i])]


def _implied_by(others: list[_Claims], each: _Claims) -> bool:
    """Whether another one implies it; of two that say the same, the second is implied."""
    stronger = [other for other in others if other is not each and other.implies(each)]
    return any(other.i < each.i or not each.implies(other) for other in stronger)


def _compared(document: Document) -> list[_Claims]:
    """The rules, if they are few enough to be compared; else none."""
    source = sum(len(literal) for leaf in leaves(document.rubric.rules) for _, literal in leaf.patterns)
    rules = [_Claims(i, rule) for i, rule in enumerate(document.rubric.rules)]
    if source > MAX_SOURCE or sum(weight(claim) for each in rules for claim in each.known) > MAX_CLAIMS:
        return []
    return rules
