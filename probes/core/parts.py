"""What a probe version is made of. All of it is frozen; `as_json` gives the canonical values."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal

from probes.core.checks import Check
from probes.core.checks.base import Decider

Expectation = Literal["pass", "fail"]


@dataclass(frozen=True, slots=True)
class Prompt:
    """What every model receives, byte for byte; `system` is None where no system message is sent."""

    system: str | None
    user: str

    def as_json(self) -> dict[str, Any]:
        return {"system": self.system, "user": self.user}

    def texts(self) -> list[str]:
        return [self.user] if self.system is None else [self.system, self.user]


@dataclass(frozen=True, slots=True)
class Parameters:
    """What is sent beside the messages, by OpenAI's names; what is None is not sent at all."""

    max_tokens: int
    temperature: int | float | None = None
    top_p: int | float | None = None
    seed: int | None = None
    stop: tuple[str, ...] | None = None
    presence_penalty: int | float | None = None
    frequency_penalty: int | float | None = None

    def as_json(self) -> dict[str, Any]:
        given = {key: value for key, value in asdict(self).items() if value is not None}
        return given | ({"stop": list(self.stop)} if self.stop is not None else {})


@dataclass(frozen=True, slots=True)
class Rule:
    """A name, a check, and why the rule exists."""

    name: str
    check: Check
    why: str

    def as_json(self) -> dict[str, Any]:
        return {"name": self.name, "check": self.check.as_json(), "why": self.why}


@dataclass(frozen=True)
class Rubric:
    """The published prose, criteria and ordered rules."""

    prose: str
    criteria: tuple[str, ...]
    rules: tuple[Rule, ...]

    def as_json(self) -> dict[str, Any]:
        rules = [rule.as_json() for rule in self.rules]
        return {"prose": self.prose, "criteria": list(self.criteria), "rules": rules}

    @cached_property
    def compiled(self) -> tuple[tuple[str, Decider], ...]:
        """Rule names with what decides them, each built and its patterns compiled once."""
        return tuple((rule.name, rule.check.decider()) for rule in self.rules)

    @property
    def heuristic(self) -> bool:
        """Whether any verdict is an estimate."""
        return any(rule.check.heuristic for rule in self.rules)


@dataclass(frozen=True, slots=True)
class Fixture:
    """A hand-written output and what it must score.

    `fails` is exactly the set of rules it fails, in the order of the rubric; None where not stated.
    """

    label: str
    expect: Expectation
    output: str
    fails: tuple[str, ...] | None = None

    def as_json(self) -> dict[str, Any]:
        fails = None if self.fails is None else list(self.fails)
        return {"label": self.label, "expect": self.expect, "fails": fails, "output": self.output}
