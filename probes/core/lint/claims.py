"""What a check claims of every output that passes it, as far as that can be decided from the check alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any, Literal

from probes.core.amounts import MOST, allowed, both, opposite, within
from probes.core.lint.inclusion import includes
from probes.core.lint.spelling import Only, Written, needs_of
from probes.core.patterns.characters import Ranges
from probes.core.tables import forms_of
from probes.core.text import words

Data = Mapping[str, Any]
Subject = tuple[Any, ...]
"""What is counted: `("lines",)`, `("words", "whitespace", None)`."""

ANY: Ranges = ((0, MOST),)
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
class Edge:
    """The output starts or ends, white space aside, with one of the texts."""

    at: Literal["start", "end"]
    texts: tuple[Written, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """All claims of at least one of the parts."""

    parts: tuple[tuple[Claim, ...], ...]


@dataclass(frozen=True, slots=True)
class Denied:
    """Not all of the claims hold."""

    of: tuple[Claim, ...]


Claim = Counted | Searched | Only | Edge | Said | Either | Denied


def claims(data: Data) -> list[Claim]:
    """The check in claims: an output that is not blank passes it where, and only where, all of them hold.

    None at all for a check that every such output passes.
    """
    kind = data["kind"]
    if kind == "all":
        return [claim for part in data["of"] for claim in claims(part)]
    if kind == "any":
        return [Either(tuple(tuple(claims(part)) for part in data["of"]))]
    if kind == "not":
        return [_negated(data)]
    if kind == "pattern":
        return [Searched(data["pattern"], data["must"] == "match")]
    if kind in ("starts_with", "ends_with"):
        texts = tuple(Written(text, data["ignore_case"]) for text in data["of"])
        return [Edge("start" if kind == "starts_with" else "end", texts)]
    return _of_characters(data) or _counted(data)


def _of_characters(data: Data) -> list[Claim]:
    match data:
        case {"kind": "charset", "only": listed}:
            return [Only("charset", listed)]
        case {"kind": "case", "case": case}:
            return [Only("case", case)]
        case {"kind": "letters", "forbid": letter}:
            return [Only("letters", letter)]
    return []


def _counted(data: Data) -> list[Claim]:
    counts = allowed(data)
    if counts is None:
        return [Said(json.dumps(data, sort_keys=True))]
    return [] if counts == _any_count(data) else [Counted(of, counts) for of in _subjects(data)]


def consequences(data: Data) -> list[Claim]:
    """What holds besides where the check passes, though it does not make it pass."""
    kind = data["kind"]
    if kind == "all":
        return [claim for part in data["of"] for claim in consequences(part)]
    if kind == "syllables":
        lines = len(data["lines"])
        return [Counted(("lines",), ((lines, lines),))]
    if kind == "json":
        return _edges_of_json(data["top"], fence=data["fence"])
    return []


_JSON_EDGES = {
    "object": ("{", "}"),
    "array": ("[", "]"),
    "any": ('{ [ " - true false null 0 1 2 3 4 5 6 7 8 9', '} ] " true false null 0 1 2 3 4 5 6 7 8 9'),
}


def _edges_of_json(top: str, *, fence: bool) -> list[Claim]:
    """What JSON begins and ends with; or with a fence, where one is taken off."""
    first, last = (side.split(" ") + ["```"] * fence for side in _JSON_EDGES[top])
    return [
        Edge("start", tuple(Written(text, False) for text in first)),
        Edge("end", tuple(Written(text, False) for text in last)),
    ]


def weight(claim: Claim) -> int:
    """How many claims and texts it takes to compare."""
    match claim:
        case Either(parts):
            return 1 + sum(weight(each) for part in parts for each in part)
        case Denied(of):
            return 1 + sum(map(weight, of))
        case Edge(_, texts):
            return len(texts)
    return 1


def _any_count(data: Data) -> Ranges:
    """What a check of the same count lets through if it lets everything through."""
    if data["kind"] == "contains":
        return ANY
    return allowed({**data, "op": ">=", "n": 0}) or ()


def _negated(data: Data) -> Claim:
    inner = claims(data["of"])
    match inner:
        case [Counted(of, counts)]:
            return Counted(of, both(opposite(counts), _any_count(data["of"])))
        case [Searched(literal, must)]:
            return Searched(literal, not must)
    return Denied(tuple(inner))


def _subjects(data: Data) -> list[Subject]:
    """What a check counts: each text of `contains` for itself."""
    if data["kind"] == "contains":
        return [("contains", text, data["ignore_case"]) for text in data["of"]]
    rest = {key: value for key, value in data.items() if key not in ("kind", "op", "n")}
    return [(data["kind"], *(json.dumps(rest[key]) for key in sorted(rest)))]


def entails(known: Iterable[Claim], wanted: Claim) -> bool:
    """Whether `wanted` holds wherever all of `known` do: False also where that is not decided."""
    known = list(known)
    if wanted in known:
        return True
    if isinstance(wanted, Either):
        return any(all(entails(known, claim) for claim in part) for part in wanted.parts)
    if isinstance(wanted, Denied):
        return any(conflict(claim, denied) for claim in known for denied in wanted.of)
    return any(_entails(claim, wanted) for claim in known)


def _entails(known: Claim, wanted: Claim) -> bool:
    match known, wanted:
        case _, Counted(of, counts):
            return within(_counts_of(of, known), counts)
        case Searched(literal, True), Searched(other, True):
            return includes(literal, other)
        case Searched(literal, False), Searched(other, False):
            return includes(other, literal)
        case Only(), Only():
            return known.implies(wanted)
        case Edge(at, texts), Edge(same, others) if at == same:
            return all(any(_reaches(at, text, other) for other in others) for text in texts)
    return False


def _reaches(at: str, text: Written, other: Written) -> bool:
    """Whether the edge `text` is one of `other` too."""
    return text.begins_with(other) if at == "start" else text.ends_with(other)


def conflict(one: Claim, other: Claim) -> bool:
    """Whether no output fulfils both: False also where that is not decided."""
    return _conflict(one, other) or _conflict(other, one)


def _conflict(one: Claim, other: Claim) -> bool:
    match one, other:
        case _, Either(parts):
            return all(any(conflict(one, claim) for claim in part) for part in parts)
        case _, Denied(of):
            return all(entails([one], claim) for claim in of)
        case _, Counted(of, counts):
            known = _counts_of(of, one)
            return not (counts if known is ANY else both(known, counts))
        case Searched(literal, True), Searched(other_literal, False):
            return includes(literal, other_literal)
        case Only(), Only():
            return other.needs is not None and one.excludes([other.needs])
        case Only(), Edge(_, texts):
            return all(one.excludes(text.needs) for text in texts)
        case Edge(at, texts), Edge(same, others) if at == same:
            return not any(_meet(at, text, each) for text in texts for each in others)
    return False


def _meet(at: str, one: Written, other: Written) -> bool:
    """Whether one edge can be both."""
    if one.ignore_case or other.ignore_case:
        one, other = one.folded(), other.folded()
    return _reaches(at, one, other) or _reaches(at, other, one)


# --- counts --------------------------------------------------------------------------------------
def _counts_of(of: Subject, known: Claim) -> Ranges:
    """The counts that `of` can have where `known` holds."""
    match known:
        case Counted(same, counts) if same == of:
            return counts
        case Counted(("contains", text, _), ((least, _), *_)) if of == PIECES and least:
            return ((_pieces(text), MOST),)
        case Edge(_, texts) if of == PIECES:
            return ((min(_pieces(each.text) for each in texts), MOST),)
        case Counted(other, counts) if counts:
            return _counts_beside(of, other, counts[0][0], counts[-1][1])
        case Only() if known.excludes(_needs(of)):
            return NEVER
        case Edge(_, texts) if of[0] == "contains" and all(text.holds(_text(of)) for text in texts):
            return ((1, MOST),)
    return ANY


def _pieces(text: str) -> int:
    return sum(1 for _ in words(text, "whitespace"))


def _counts_beside(of: Subject, other: Subject, least: int, most: int) -> Ranges:
    """The counts of `of` where those of `other` are from `least` to `most`."""
    if _never_more(other, of):
        return ((least, MOST),)
    return ((int(of in _LARGER), most),) if _never_more(of, other) else ANY


PIECES: Subject = ("words", '"whitespace"')
"""Words as the pieces between white space."""

_LARGER: tuple[Subject, ...] = (("paragraphs",), ("lines",), PIECES)
"""No output has more of one than of the next: every line holds a piece, every paragraph a line.

One that is not blank has at least one of each."""


def _never_more(one: Subject, other: Subject) -> bool:
    """Whether no output has more of `one` than of `other`: of a text than of a text within it."""
    if one[0] == other[0] == "contains":
        return len(one[1]) >= len(other[1]) and _text(one).holds(_text(other))
    return one in _LARGER and other in _LARGER and _LARGER.index(one) < _LARGER.index(other)


def _needs(of: Subject) -> tuple[frozenset[str], ...]:
    """Sets of characters of which each has one in the output wherever `of` counts something."""
    if of[0] == "contains":
        return needs_of(of[1], of[2])
    if of[0] == "lexicon":
        return (frozenset().union(*map(forms_of, ascii_lowercase)),)
    return (forms_of(json.loads(of[1])),) if of[0] == "letters" else ()


def _text(of: Subject) -> Written:
    return Written(of[1], of[2])
