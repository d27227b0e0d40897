"""The checks that a rule is made of, each with its place in the file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from probes.core.parts import Rule
from probes.core.problems import Path

Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A check without parts, by its canonical parameters; `negated` inside an odd number of `not`."""

    path: Path
    rule: str
    data: Data
    negated: bool

    @property
    def kind(self) -> str:
        return str(self.data["kind"])

    @property
    def patterns(self) -> list[tuple[Path, str]]:
        """Its patterns, each with its path."""
        if self.kind == "pattern":
            return [((*self.path, "pattern"), self.data["pattern"])]
        listed = enumerate(self.data.get("patterns", ()))
        return [((*self.path, "patterns", i), literal) for i, literal in listed]


def leaves(rules: Iterable[Rule]) -> list[Leaf]:
    """All of them, in the order of the file."""
    return [
        leaf
        for i, rule in enumerate(rules)
        for leaf in _of(("rubric", "rules", i, "check"), rule.name, rule.check.as_json(), False)
    ]


def leaves_of(data: Data) -> list[Leaf]:
    """Those of one check, by its canonical parameters."""
    return list(_of((), "", data, False))


def _of(path: Path, rule: str, data: Data, negated: bool) -> Iterator[Leaf]:
    if data["kind"] == "not":
        yield from _of((*path, "of"), rule, data["of"], not negated)
    elif data["kind"] in ("all", "any"):
        for i, part in enumerate(data["of"]):
            yield from _of((*path, "of", i), rule, part, negated)
    else:
        yield Leaf(path, rule, data, negated)
