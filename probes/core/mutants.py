"""Rules that are a little wrong: each a check with one thing left out, turned round or moved by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from probes.core.amounts import allowed, told_apart
from probes.core.patterns.errors import PatternError
from probes.core.patterns.literal import read_flags, split_literal
from probes.core.patterns.parser import parse
from probes.core.patterns.syntax import Node
from probes.core.problems import Path
from probes.core.text import has_case, lower, show_text

Data = Mapping[str, Any]

NOTHING = "nothing would change"
"""What is `missing` of a mutant that no output can tell from the rule."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change to a check: `data` is the check after it, None where the rule is gone.

    `path` leads from the check to what was changed. `missing` and `hint` are for an author none of
    whose examples notices the change.
    """

    path: Path
    change: str
    data: dict[str, Any] | None
    missing: str
    hint: str


def mutants(data: Data) -> Iterator[Mutant]:
    """Every mutant of a rule whose check has these canonical parameters, in a fixed order.

    Some are no checks at all, such as a list of lines that grew past its limit: building them says so.
    """
    yield Mutant((), "the rule dropped", None, "no example fails it", "add an output that breaks it")
    yield from _inside(data, nested=False)


def _inside(data: Data, *, nested: bool) -> Iterator[Mutant]:
    yield _negated(data, nested=nested)
    yield from _moved(data, nested=nested)
    yield from _unflagged(data)
    yield from _shortened(data)
    yield from _in_parts(data)


def _negated(data: Data, *, nested: bool) -> Mutant:
    missing = "no example turns on it" if nested else "every example is blank"
    turned = dict(data["of"]) if data["kind"] == "not" else {"kind": "not", "of": dict(data)}
    return Mutant((), "the check negated", turned, missing, "add one")


def _in_parts(data: Data) -> Iterator[Mutant]:
    """What can be wrong in the checks that a check is made of."""
    if data["kind"] == "not":
        yield from (_put(data, ("of",), each) for each in _inside(data["of"], nested=True))
    if data["kind"] not in ("all", "any"):
        return
    for i, part in enumerate(data["of"]):
        if len(data["of"]) > 1:
            yield _without_part(data, i)
        yield from (_put(data, ("of", i), each) for each in _inside(part, nested=True))


def _put(data: Data, path: Path, inner: Mutant) -> Mutant:
    """A mutant of a part, as a mutant of the whole."""
    assert inner.data is not None  # noqa: S101 - only a whole rule is dropped without anything in its place
    return replace(inner, path=(*path, *inner.path), data=_with(data, path, inner.data))


def _with(data: Data, path: Path, value: Any) -> dict[str, Any]:
    key, *rest = path
    if not rest:
        return {**data, str(key): value}
    (i,) = rest
    items = list(data[str(key)])
    items[int(i)] = value
    return {**data, str(key): items}


def _without_part(data: Data, i: int) -> Mutant:
    kept = [part for j, part in enumerate(data["of"]) if j != i]
    missing, hint = {
        "all": ("no example fails by this part alone", "add an output that breaks it and nothing else here"),
        "any": ("no example passes by this part alone", "add an output that only this part lets pass"),
    }[data["kind"]]
    return Mutant(("of", i), "this part dropped", {**data, "of": kept}, missing, hint)


# --- numbers -------------------------------------------------------------------------------------
def _moved(data: Data, *, nested: bool) -> Iterator[Mutant]:
    """Each number one more and one less, where that is another check."""
    for key in ("n", "exactly", "at_least", "at_most"):
        for moved in _neighbours(data.get(key)):
            counts = told_apart(allowed(data) or (), allowed({**data, key: moved}) or ())
            if counts:
                missing = _no_example(data, counts, nested=nested)
                change = f"{key} {moved} instead of {data[key]}"
                yield Mutant((key,), change, {**data, key: moved}, missing, "add one")
    if data["kind"] == "syllables":
        yield from _moved_lines(data)


def _moved_lines(data: Data) -> Iterator[Mutant]:
    for i, number in enumerate(data["lines"]):
        for moved in _neighbours(number):
            missing = f"no example tells {moved} from {number} syllables in line {i + 1}"
            change = f"{moved} instead of {number} syllables in line {i + 1}"
            mutated = _with(data, ("lines", i), moved)
            yield Mutant(("lines", i), change, mutated, missing, "add one whose other lines are right")


def _neighbours(number: int | None) -> list[int]:
    return [] if number is None else [moved for moved in (number + 1, number - 1) if moved >= 0]


_UNITS = {
    "words": ("word", "words"),
    "sentences": ("sentence", "sentences"),
    "paragraphs": ("paragraph", "paragraphs"),
    "lines": ("line", "lines"),
    "count": ("match", "matches"),
    "lexicon": ("different word of the list", "different words of the list"),
}


def _no_example(data: Data, counts: list[int], *, nested: bool) -> str:
    """`no example has exactly 11 words`."""
    number = " or ".join(map(str, counts))
    turns = "no example turns on" if nested else "no example has"
    if data["kind"] in _UNITS:
        unit = _UNITS[data["kind"]][counts != [1]]
        case = f"{data['where']}-case " if "where" in data else ""
        return f"{turns} exactly {number} {case}{unit}"
    times = "time" if counts == [1] else "times"
    if data["kind"] == "letters":
        return f"{turns} the letter {data['letter']} exactly {number} {times}"
    texts = show_text(data["of"][0]) if len(data["of"]) == 1 else "one of the texts"
    return f"{turns} {texts} exactly {number} {times}"


# --- lists ---------------------------------------------------------------------------------------
_LISTS = {"contains": "of", "starts_with": "of", "ends_with": "of", "count": "patterns"}
_TURNS = {
    "starts_with": "add one that starts with it and with no other of the list",
    "ends_with": "add one that ends with it and with no other of the list",
    "count": "add one in which its matches decide",
}


def _shortened(data: Data) -> Iterator[Mutant]:
    """Each listed text or pattern dropped, where another one is left."""
    kind = data["kind"]
    listed = data[_LISTS[kind]] if kind in _LISTS else []
    for i, each in enumerate(listed if len(listed) > 1 else ()):
        path, kept = (_LISTS[kind], i), [other for other in listed if other != each]
        change, mutated = f"{show_text(each)} dropped from the list", {**data, _LISTS[kind]: kept}
        if kind != "count" and _says_nothing(data, each, kept):
            yield Mutant(path, change, mutated, NOTHING, "leave it out")
        else:
            yield Mutant(path, change, mutated, "no example turns on it", _TURNS.get(kind) or _alone(data))


def _alone(data: Data) -> str:
    """What shows one text of `contains` at work."""
    if data.get("at_least") or data.get("exactly"):
        return "add one in which it alone is missing"
    return "add one that holds it and no other of the list"


def _says_nothing(data: Data, text: str, others: list[str]) -> bool:
    """Whether the other texts of the list ask for as much without `text`: Surely beside Sure."""
    seen = lower if data["ignore_case"] else str
    one, rest = seen(text), list(map(seen, others))
    if data["kind"] == "starts_with":
        return any(map(one.startswith, rest))
    if data["kind"] == "ends_with":
        return any(map(one.endswith, rest))
    if data.get("at_most") == 0 or data.get("exactly") == 0:
        return any(other in one for other in rest)
    return "at_most" not in data and "exactly" not in data and any(one in other for other in rest)


# --- flags ---------------------------------------------------------------------------------------
_NEEDS = {
    "i": "add one that matches only in the other case",
    "m": "add one where ^ or $ must hold at a line end inside the output",
    "s": "add one where . must match a line break",
    "u": "add one where a character beyond U+FFFF, such as an emoji, decides",
    "ignore_case": "add one that has the text only in the other case",
    "fence": "add one whose JSON stands in a ```json fence",
}


def _unflagged(data: Data) -> Iterator[Mutant]:
    """Each flag dropped: those of patterns, and parameters that are on."""
    if data["kind"] == "pattern":
        yield from _unflagged_at(data, ("pattern",), data["pattern"])
    if data["kind"] == "count":
        for i, literal in enumerate(data["patterns"]):
            yield from _unflagged_at(data, ("patterns", i), literal)
    for key in ("ignore_case", "fence"):
        if data.get(key) is True:
            idle = key == "ignore_case" and not any(map(has_case, data["of"]))
            yield _flag((key,), f"{key} off", {**data, key: False}, _NEEDS[key], idle=idle)


def _unflagged_at(data: Data, path: Path, literal: str) -> Iterator[Mutant]:
    source, flags = split_literal(literal)
    for flag in flags:
        kept = flags.replace(flag, "")
        idle = _node(source, flags) == _node(source, kept)
        mutated = _with(data, path, f"/{source}/{kept}")
        yield _flag(path, f"the flag {flag} dropped", mutated, _NEEDS[flag], idle=idle)


def _flag(path: Path, change: str, data: dict[str, Any], hint: str, *, idle: bool) -> Mutant:
    if idle:
        return Mutant(path, change, data, NOTHING, "leave it out")
    return Mutant(path, change, data, "no example needs it", hint)


def _node(source: str, flags: str) -> Node | None:
    """The pattern's meaning; None where it is none without a flag that was dropped."""
    try:
        return parse(source, read_flags(flags, 0))
    except PatternError:
        return None
