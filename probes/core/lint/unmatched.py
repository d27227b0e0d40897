"""Why a pattern matches in no output, where its parts alone show that."""

from __future__ import annotations

from collections.abc import Sequence as Listed
from functools import lru_cache
from itertools import pairwise

from probes.core.patterns.characters import WORD, Ranges, ranges
from probes.core.patterns.literal import read_flags, split_literal
from probes.core.patterns.parser import parse
from probes.core.patterns.syntax import At, Chars, Choice, Node, Place, Repeat, Sequence

_LOST = ranges([(0x00, 0x00), (0x0D, 0x0D), (0x2028, 0x2029)])
"""No output holds these when it is read: line ends are LF by then, and NUL is U+FFFD."""

_LINE_END: Ranges = ((0x0A, 0x0A),)


@lru_cache(maxsize=1024)
def why_never(literal: str) -> str:
    """Why nothing is matched; empty where that is not seen."""
    source, flags = split_literal(literal)
    return _why(parse(source, read_flags(flags, 0)))


def _why(node: Node) -> str:
    match node:
        case Chars(of):
            return _why_no_character(of)
        case Choice(parts):
            reasons = [_why(part) for part in parts]
            return reasons[0] if all(reasons) else ""
        case Repeat(body, low):
            return _why(body) if low else ""
        case Sequence():
            flat = _flat(node)
            return next(filter(None, map(_why, flat)), "") or _why_no_order(flat)
    return ""


def _why_no_character(of: Ranges) -> str:
    if not of:
        return "an empty class is no character"
    if ranges([*of, *_LOST]) == _LOST:
        return "\\r, \\u2028 and \\u2029 are read as \\n, as every line end is"
    return ""


def _flat(node: Node) -> list[Node]:
    if isinstance(node, Sequence):
        return [each for part in node.parts for each in _flat(part)]
    return [node]


def _why_no_order(parts: list[Node]) -> str:
    if _out_of_place(parts, "start"):
        return "^ stands after a character, and means the start of the output"
    if _out_of_place(parts[::-1], "end"):
        return "$ stands before a character, and means the end of the output"
    for one, other in pairwise(parts):
        if other == At("line_start") and _apart(_each(one), _LINE_END):
            return "^ stands after a character that ends no line"
        if one == At("line_end") and _apart(_each(other), _LINE_END):
            return "$ stands before a character that ends no line"
    for before, at, after in zip(parts, parts[1:], parts[2:], strict=False):
        if at == At("word_edge") and _alike(_each(before), _each(after)):
            return "\\b stands between characters of the same sort, where no word begins or ends"
    return ""


def _out_of_place(parts: Listed[Node], place: Place) -> bool:
    """Whether something must be matched on the far side of a place where the output is at its edge."""
    passed = False
    for part in parts:
        if passed and _needs(part, place):
            return True
        passed |= _takes(part)
    return False


def _needs(node: Node, place: Place) -> bool:
    """Whether each match holds `place`."""
    match node:
        case At(at):
            return at == place
        case Choice(parts):
            return all(_needs(part, place) for part in parts)
        case Sequence(parts):
            return any(_needs(part, place) for part in parts)
        case Repeat(body, low):
            return low > 0 and _needs(body, place)
    return False


def _takes(node: Node) -> bool:
    """Whether each match takes a character."""
    match node:
        case Chars():
            return True
        case Choice(parts):
            return all(map(_takes, parts))
        case Sequence(parts):
            return any(map(_takes, parts))
        case Repeat(body, low):
            return low > 0 and _takes(body)
    return False


def _each(node: Node) -> Ranges:
    """The set that each character of the node is from, if it is such a one and takes any; else nothing."""
    if isinstance(node, Repeat) and node.low > 0:
        node = node.body
    return node.ranges if isinstance(node, Chars) else ()


def _apart(one: Ranges, other: Ranges) -> bool:
    """Whether there is something in `one`, and none of it in `other`."""
    return bool(one) and all(high < low2 or high2 < low for low, high in one for low2, high2 in other)


def _alike(one: Ranges, other: Ranges) -> bool:
    """Whether both are of word characters only, or neither holds any."""
    inside = [ranges([*each, *WORD]) == WORD for each in (one, other)]
    return bool(one and other) and (all(inside) or (_apart(one, WORD) and _apart(other, WORD)))
