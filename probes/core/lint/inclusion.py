"""Whether one pattern's match always holds another's, decided part by part."""

from __future__ import annotations

from functools import lru_cache

from probes.core.patterns.characters import ranges
from probes.core.patterns.literal import read_flags, split_literal
from probes.core.patterns.parser import parse
from probes.core.patterns.syntax import Chars, Choice, Node, Repeat, Sequence


@lru_cache(maxsize=4096)
def includes(literal: str, other: str) -> bool:
    """Whether every text in which `literal` matches is one in which `other` does.

    False also where that is not seen: parts are compared in their order, not languages.
    """
    (flags, node), (other_flags, other_node) = _read(literal), _read(other)
    if literal == other:
        return True
    return ("u" in flags) == ("u" in other_flags) and _holds(node, other_node)


@lru_cache(maxsize=256)
def _read(literal: str) -> tuple[str, Node]:
    source, flags = split_literal(literal)
    return flags, parse(source, read_flags(flags, 0))


def _holds(node: Node, other: Node) -> bool:
    """Whether what `node` matches holds a match of `other`."""
    if isinstance(node, Choice):
        return all(_holds(part, other) for part in node.parts)
    if isinstance(other, Choice):
        return any(_holds(node, part) for part in other.parts)
    parts, wanted = _flat(node), _needed(_flat(other))
    starts = range(len(parts) - len(wanted) + 1)
    return any(_found(parts[at : at + len(wanted)], wanted) for at in starts)


def _found(parts: list[Node], wanted: list[Node]) -> bool:
    """Whether `wanted` matches somewhere in what `parts` do: of a repetition at an end one round will do."""
    ends = (0, len(wanted) - 1)
    pairs = enumerate(zip(wanted, parts, strict=True))
    return all(_covers(one, other) or (i in ends and _round(one, other)) for i, (one, other) in pairs)


def _round(wide: Node, narrow: Node) -> bool:
    return isinstance(narrow, Repeat) and narrow.low > 0 and _covers(wide, narrow.body)


def _flat(node: Node) -> list[Node]:
    if isinstance(node, Sequence):
        return [each for part in node.parts for each in _flat(part)]
    return [node]


def _needed(parts: list[Node]) -> list[Node]:
    """Without what may be empty at either end: the search matches all the same."""
    start, end = 0, len(parts)
    while start < end and _optional(parts[start]):
        start += 1
    while end > start and _optional(parts[end - 1]):
        end -= 1
    return parts[start:end]


def _optional(node: Node) -> bool:
    return isinstance(node, Repeat) and node.low == 0


def _covered(parts: list[Node], wanted: list[Node]) -> bool:
    return all(_covers(one, other) for one, other in zip(wanted, parts, strict=True))


def _covers(wide: Node, narrow: Node) -> bool:
    """Whether `wide` matches, from end to end, whatever `narrow` does."""
    match wide, narrow:
        case _ if wide == narrow:
            return True
        case _, Choice(parts):
            return all(_covers(wide, part) for part in parts)
        case Choice(parts), _:
            return any(_covers(part, narrow) for part in parts)
        case Chars(all_of), Chars(some):
            return ranges([*all_of, *some]) == all_of
        case Repeat(body, low, high), Repeat(inner_body, inner_low, inner_high):
            fits = low <= inner_low and (high is None or (inner_high is not None and inner_high <= high))
            return fits and _covers(body, inner_body)
        case Repeat(body, low, high), Chars():
            return low <= 1 and (high is None or high >= 1) and _covers(body, narrow)
        case Sequence(), Sequence():
            inner, outer = _flat(narrow), _flat(wide)
            return len(inner) == len(outer) and _covered(inner, outer)
    return False
