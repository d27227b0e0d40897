"""A check kind: data plus a pure function. A kind registers itself by its name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from probes.core.checks.errors import CheckError, explain
from probes.core.checks.example import Examples
from probes.core.finding import Finding
from probes.core.view import View

__all__ = ["KINDS", "Check", "CheckError", "Operator", "check", "register"]

Operator = Literal["==", "!=", "<=", ">=", "<", ">"]

MAX_LEVELS = 4
"""How deep `all`, `any` and `not` may stand inside each other, the innermost check counted."""

MAX_PARTS = 50
"""How many checks one rule may be made of."""

MOST_SPANS = 10_000
"""Spans a finding carries at most, the first ones; its numbers count all."""


Decision = tuple[bool, Finding | Callable[[], Finding]]
"""Whether a check passes, and its finding or, where marks and message take time, how to make it, once."""

Decider = Callable[[View], Decision]


def finished(finding: Finding | Callable[[], Finding]) -> Finding:
    """The finding of a decision."""
    return finding if isinstance(finding, Finding) else finding()


def limited(finding: Finding) -> Finding:
    """`finding` with as many spans as one may carry."""
    return finding if len(finding.spans) <= MOST_SPANS else finding._replace(spans=finding.spans[:MOST_SPANS])


class Check(BaseModel, ABC):
    """Base of every kind: fields are its parameters, `evaluate` its meaning.

    `summary` is the counting rule in one line, as published, and `examples` show it; `estimates` says that
    the kind counts by an estimate, and `heuristic` that this check's verdict rests on one.
    A kind whose meaning must change gets a new kind id; the released one is never edited.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    kind: str
    name: ClassVar[str]
    summary: ClassVar[str]
    examples: ClassVar[Examples]
    estimates: ClassVar[bool] = False

    @property
    def heuristic(self) -> bool:
        return self.estimates

    def run(self, output: str | View) -> Finding:
        """The finding for one output. Blank output fails every kind with `empty output`."""
        view = View.of(output)
        return self.on_blank() if view.blank else limited(self.evaluate(view))

    def decider(self) -> Decider:
        """What decides one output after the other; whatever is the same for all of them is done once."""
        run = self.run

        def decide(view: View) -> Decision:
            found = run(view)
            return found.ok, found

        return decide

    def on_blank(self) -> Finding:
        return Finding(False, None, None, "", "empty output")

    @abstractmethod
    def evaluate(self, view: View) -> Finding:
        """The finding for an output that is not blank."""

    def as_json(self) -> dict[str, Any]:
        """Canonical parameters: every default filled in, absent options left out."""
        return self.model_dump(mode="json", exclude_none=True)


KINDS: dict[str, type[Check]] = {}


Kind = TypeVar("Kind", bound=type[Check])


def register(cls: Kind) -> Kind:
    """Class decorator: make a kind available to `check` under its `name`."""
    if cls.name in KINDS:
        raise RuntimeError(f"check kind {cls.name!r} is registered twice")
    KINDS[cls.name] = cls
    return cls


def check(data: Mapping[str, Any]) -> Check:
    """Build the check that `data` describes: `{"kind": "words", "op": "==", "n": 10}`.

    Raises CheckError with a message that says what to write and the path of the wrong key.
    """
    _limit_parts(data)
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        wrong = f"unknown check kind {kind!r}" if "kind" in data else "`kind` is missing"
        raise CheckError(f"{wrong}: write one of {', '.join(sorted(KINDS))}", ("kind",))
    try:
        return KINDS[kind].model_validate(dict(data))
    except ValidationError as error:
        raise explain(kind, list(KINDS[kind].model_fields), error) from None


def _limit_parts(data: Mapping[str, Any]) -> None:
    """Refuse a check of too many or too deeply nested parts before any of them is built."""
    level: list[Mapping[str, Any]] = [data]
    parts = 0
    for depth in range(MAX_LEVELS + 1):
        if level and depth == MAX_LEVELS:
            raise CheckError(f"nested more than {MAX_LEVELS} levels deep: write two rules instead", ("of",))
        parts += len(level)
        if parts > MAX_PARTS:
            raise CheckError(f"made of more than {MAX_PARTS} checks: write several rules instead", ("of",))
        level = [part for each in level for part in _parts(each)]


def _parts(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    inner = data.get("of")
    found = inner if isinstance(inner, list | tuple) else [inner]
    return [part for part in found if isinstance(part, Mapping)]
