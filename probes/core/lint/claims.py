"""What a check claims of every output that passes it, as far as that can be decided from the check alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from probes.core.amounts import MOST, allowed, both, opposite, within
from probes.core.lint.inclusion import includes
from probes.core.patterns.characters import Ranges

Data = Mapping[str, Any]
Subject = tuple[Any, ...]
"""What is counted: `("lines",)`, `("words", "whitespace", None)`."""

AT_LEAST_ONCE: Ranges = ((1, MOST),)
NEVER: Ranges = ((0, 0),)


@dataclass(frozen=True, slots=True)
class Counted:
    """The count of `of` is in `counts`."""

    of: Subject
    counts: Ranges


@dataclass(frozen=True, slots=True)
class Searched:
    """The pattern matches somewhere, or (`must` false) nowhere."""

    literal: str
    must: bool


@dataclass(frozen=True, slots=True)
class Said:
    """A check that is taken as a whole: by its canonical parameters."""

    data: str


@dataclass(frozen=True, slots=True)
class Either:
    """All claims of at least one of the parts."""

    parts: tuple[tuple[Claim, ...], ...]


Claim = Counted | Searched | Said | Either


def claims(data: Data) -> list[Claim]:
    """The check in claims: an output that is not blank passes it where, and only where, all of them hold.

    None at all for a check that every such output passes.
    """
    kind = data["kind"]
    if kind == "all":
        return [claim for part in data["of"] for claim in claims(part)]
    if kind == "any":
        return [Either(tuple(tuple(claims(part)) for part in data["of"]))]
    if kind == "pattern":
        return [Searched(data["pattern"], data["must"] == "match")]
    if kind == "not":
        return _negated(data)
    counts = allowed(data)
    if counts is None:
        return [_said(data)]
    return [] if counts == _any_count(data) else [Counted(of, counts) for of in _subjects(data)]


def consequences(data: Data) -> list[Claim]:
    """What holds besides where the check passes, though it does not make it pass."""
    kind = data["kind"]
    if kind == "all":
        return [claim for part in data["of"] for claim in consequences(part)]
    if kind == "syllables":
        lines = len(data["lines"])
        return [Counted(("lines",), ((lines, lines),))]
    if kind == "letters" and "forbid" in data:
        return [Counted(("letters", json.dumps(data["forbid"])), NEVER)]
    if kind in ("starts_with", "ends_with") and len(data["of"]) == 1:
        return [Counted(of, AT_LEAST_ONCE) for of in _texts(data)]
    return []


def _any_count(data: Data) -> Ranges:
    """What a check of the same count lets through if it lets everything through."""
    if data["kind"] == "contains":
        return ((0, MOST),)
    return allowed({**data, "op": ">=", "n": 0}) or ()


def _said(data: Data) -> Said:
    return Said(json.dumps(data, sort_keys=True))


def _negated(data: Data) -> list[Claim]:
    inner = claims(data["of"])
    match inner:
        case [Counted(of, counts)]:
            return [Counted(of, both(opposite(counts), _any_count(data["of"])))]
        case [Searched(literal, must)]:
            return [Searched(literal, not must)]
    return [_said(data)]


def _subjects(data: Data) -> list[Subject]:
    """What a check counts: each text of `contains` for itself."""
    if data["kind"] == "contains":
        return _texts(data)
    rest = {key: value for key, value in data.items() if key not in ("kind", "op", "n")}
    return [(data["kind"], *(json.dumps(rest[key]) for key in sorted(rest)))]


def _texts(data: Data) -> list[Subject]:
    return [("contains", text, data["ignore_case"]) for text in data["of"]]


def entails(known: Iterable[Claim], wanted: Claim) -> bool:
    """Whether `wanted` holds wherever all of `known` do: False also where that is not decided."""
    if isinstance(wanted, Either):
        known = list(known)
        return wanted in known or any(all(entails(known, claim) for claim in part) for part in wanted.parts)
    return any(_entails(claim, wanted) for claim in known)


def _entails(known: Claim, wanted: Claim) -> bool:
    match known, wanted:
        case Counted(of, counts), Counted(other, wider):
            return of == other and within(counts, wider)
        case Searched(literal, True), Searched(other, True):
            return includes(literal, other)
        case Searched(literal, False), Searched(other, False):
            return includes(other, literal)
    return known == wanted


def conflict(one: Claim, other: Claim) -> bool:
    """Whether no output fulfils both: False also where that is not decided."""
    match one, other:
        case Counted(of, counts), Counted(of_other, counts_other):
            if of == of_other:
                return not both(counts, counts_other)
            return _too_few(one, other) or _too_few(other, one)
        case Searched(literal, True), Searched(other_literal, False):
            return includes(literal, other_literal)
        case Searched(_, False), Searched(_, True):
            return conflict(other, one)
    return False


_LARGER: tuple[Subject, ...] = (("paragraphs",), ("lines",), ("words", '"whitespace"'))
"""No output has more of one than of the next: every line holds a piece, every paragraph a line."""


def _too_few(fewer: Counted, more: Counted) -> bool:
    """Whether there must be more of `fewer` than there may be of `more`, which is never less often."""
    if fewer.of not in _LARGER or more.of not in _LARGER or not fewer.counts or not more.counts:
        return False
    ordered = _LARGER.index(fewer.of) < _LARGER.index(more.of)
    return ordered and fewer.counts[0][0] > more.counts[-1][1]
