"""The kinds of check as people read of them, made from the code that decides the verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from probes.core.checks import KINDS, Check, check
from probes.core.checks.example import Example
from probes.core.finding import Finding
from probes.core.yaml_writing import dump


@dataclass(frozen=True)
class Parameter:
    """One key of a check; `default` is written as in a file, and empty where there is none."""

    name: str
    required: bool
    default: str
    description: str


@dataclass(frozen=True)
class Shown:
    """An example worked out: the check as a rule in a file writes it, an output, and what was found in it."""

    written: str
    output: str
    finding: Finding


@dataclass(frozen=True)
class Kind:
    """One kind: its counting rule in a line, its parameters, and three examples."""

    name: str
    summary: str
    heuristic: bool
    parameters: tuple[Parameter, ...]
    examples: tuple[Shown, ...]


@cache
def described() -> tuple[Kind, ...]:
    """Every kind there is, by name."""
    return tuple(_kind(KINDS[name]) for name in sorted(KINDS))


def _kind(kind: type[Check]) -> Kind:
    shown = tuple(_worked_out(kind.name, example) for example in kind.examples)
    return Kind(kind.name, kind.summary, kind.estimates, tuple(_parameters(kind)), shown)


def _parameters(kind: type[Check]) -> Iterator[Parameter]:
    for name, field in kind.model_fields.items():
        if name != "kind":
            yield Parameter(name, field.is_required(), _default(field.default), field.description or "")


def _default(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, str | int) else ""


def _worked_out(kind: str, example: Example) -> Shown:
    data = {"kind": kind, **example.parameters}
    return Shown(dump({"check": data}).rstrip("\n"), example.output, check(data).run(example.output))
