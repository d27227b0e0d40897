"""The publishing gate: do the worked examples hold, and which rule does each one pin?

A rule is *pinned* by a fixture that fails it, and *solely* pinned by one that fails nothing else.
A rubric without pinned rules may accept everything, and nobody would notice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from probes.core.document import Document
from probes.core.parts import Fixture
from probes.core.problems import Path, Problem, line_of, quoted
from probes.core.scoring import Result, score


@dataclass(frozen=True, slots=True)
class Examined:
    """One fixture with what it really scores."""

    fixture: Fixture
    result: Result

    @property
    def value(self) -> float:
        return self.result.value

    @property
    def failed(self) -> tuple[str, ...]:
        """The rules it fails, in the order of the rubric."""
        return self.result.failed

    @property
    def holds(self) -> bool:
        """Whether it scores what it says."""
        return not any(_broken_promises(self))


@dataclass(frozen=True)
class Examination:
    """A document's fixtures, scored by the scorer that scores models."""

    document: Document
    fixtures: tuple[Examined, ...]

    @cached_property
    def pinned(self) -> dict[str, tuple[str, ...]]:
        """For each rule, in order, the labels of the fixtures that fail it."""
        return {
            rule.name: tuple(each.fixture.label for each in self.fixtures if rule.name in each.failed)
            for rule in self.document.rubric.rules
        }

    @cached_property
    def solely_pinned(self) -> dict[str, tuple[str, ...]]:
        """For each rule, in order, the labels of the fixtures that fail it and no other."""
        return {
            rule.name: tuple(each.fixture.label for each in self.fixtures if each.failed == (rule.name,))
            for rule in self.document.rubric.rules
        }

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """What stands against publishing; empty if the document may be published."""
        found = [*self._fixture_problems(), *self._missing_kinds(), *self._unpinned()]
        lines = self.document.lines
        return tuple(Problem(line_of(lines, path), path, said, hint) for path, said, hint in found)

    @property
    def ok(self) -> bool:
        return not self.problems

    def _fixture_problems(self) -> Iterator[tuple[Path, str, str]]:
        for i, each in enumerate(self.fixtures):
            for key, message, hint in _broken_promises(each):
                yield ("fixtures", i, key), f"{quoted(each.fixture.label)} {message}", hint

    def _missing_kinds(self) -> Iterator[tuple[Path, str, str]]:
        expected = {each.fixture.expect for each in self.fixtures}
        if "pass" not in expected:
            yield (
                ("fixtures",),
                "no fixture must pass",
                "add a correct output: the rubric may reject everything",
            )
        if "fail" not in expected:
            yield (
                ("fixtures",),
                "no fixture must fail",
                "add a wrong output: the rubric may accept everything",
            )

    def _unpinned(self) -> Iterator[tuple[Path, str, str]]:
        for i, (name, labels) in enumerate(self.pinned.items()):
            if not labels:
                message = f"no fixture fails the rule {quoted(name)}, so nothing shows that it can fail"
                yield ("rubric", "rules", i), message, "add an output that breaks it"


def examine(document: Document) -> Examination:
    """Score every fixture of `document`. The patterns were accepted when it was read."""
    return Examination(
        document, tuple(Examined(each, score(document, each.output)) for each in document.fixtures)
    )


def _broken_promises(each: Examined) -> Iterator[tuple[str, str, str]]:
    """Triples of key, message and what to do."""
    fixture, failed = each.fixture, each.failed
    scored = f"scores {each.value:.2f}"
    if fixture.expect == "pass" and failed:
        yield "expect", f"must pass and {scored}: it fails {', '.join(failed)}", "mend the output or the rule"
    if fixture.expect == "fail" and not failed:
        yield "expect", "must fail and scores 1.00", "mend the output, or add the rule that it breaks"
    elif fixture.expect == "fail" and fixture.fails is not None and fixture.fails != failed:
        stated = ", ".join(fixture.fails) or "nothing"
        yield "fails", f"says it fails {stated}, and fails {', '.join(failed)}", "write what it fails"
