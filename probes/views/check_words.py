"""A check in a few words: `must NOT match /…/i`, `must satisfy words == 10, token: whitespace`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from probes.core.checks import Check
from probes.core.checks.base import KINDS

LEADS = {
    "all": ("must", "satisfy all of"),
    "any": ("must", "satisfy any of"),
    "not": ("must NOT", "satisfy"),
}
_SAID = {"kind", "op", "n", "must", "pattern"}
"""Parameters that the words state by themselves."""


@dataclass(frozen=True)
class CheckWords:
    """`must` carries the weight, `verb` follows it; `text` is exact; `parts` are the checks inside."""

    must: str
    verb: str
    kind: str
    text: str
    heuristic: bool
    parts: tuple[CheckWords, ...]

    @property
    def summary(self) -> str:
        """The counting rule in one line, as published; a pattern says everything itself."""
        return "" if self.kind == "pattern" or self.parts else KINDS[self.kind].summary


def check_words(check: Check) -> CheckWords:
    return _words(check.as_json(), check.heuristic)


def _words(data: Mapping[str, Any], heuristic: bool) -> CheckWords:
    kind = str(data["kind"])
    inner = tuple(_words(part, False) for part in _parts(data))
    if kind == "pattern":
        must = "must NOT" if data["must"] == "not_match" else "must"
        return CheckWords(must, "match", kind, data["pattern"], heuristic, ())
    must, verb = LEADS.get(kind, ("must", "satisfy"))
    return CheckWords(must, verb, kind, "" if inner else ", ".join(_phrases(data)), heuristic, inner)


def _parts(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    of = data.get("of")
    listed = of if isinstance(of, list) else [of]
    return [part for part in listed if isinstance(part, Mapping)]


def _phrases(data: Mapping[str, Any]) -> Iterator[str]:
    yield f"{data['kind']} {data['op']} {data['n']}" if "op" in data and "n" in data else str(data["kind"])
    yield from (f"{key}: {_value(value)}" for key, value in data.items() if key not in _SAID)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(_value(each) for each in value)
    return str(value)
