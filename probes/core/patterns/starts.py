"""Where a large pattern first matches, asked so that RE2 needs few states.

A search for the first match keeps the ways of matching in JavaScript's order, and there may be more orders
of a thousand ways than memory for them; then RE2 falls back to following every way at every character.
Where a match may start depends on no order: there the states are sets, of which there are far fewer, and
fewer still for a pattern that is written for it. So the text is read backwards for the first start, and
JavaScript's match is looked for from there on.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

import re2

from probes.core.patterns.alphabets import options_for
from probes.core.patterns.characters import ranges
from probes.core.patterns.exact import Found
from probes.core.patterns.kinds import Kinds
from probes.core.patterns.loops import always_nothing
from probes.core.patterns.parser import MAX_COUNT
from probes.core.patterns.syntax import EMPTY, At, Chars, Choice, Node, Place, Repeat, Sequence
from probes.core.patterns.translate import to_re2

MEMORY = 16 << 20
"""Bytes. RE2 gives a third of it to the states of one direction, and this is searched in one only."""

NEAR = 3_000
"""In so many characters an ordinary search for a match that is there takes no time."""

_MIRRORED: dict[Place, Place] = {
    "start": "end",
    "end": "start",
    "line_start": "line_end",
    "line_end": "line_start",
    "word_edge": "word_edge",
}


class Starts:
    """Finds where a node first matches, in texts of its alphabet."""

    def __init__(self, forwards: Any, backwards: Any, reach: int) -> None:
        self._forwards = forwards
        self._backwards = backwards
        self._reach = reach

    def search(self, text: bytes, place: int = 0) -> Any:
        """What the node first matches from `place` on, or None.

        A match is looked for in so much of the text as is affordable. In a text that is longer, it may end
        earlier than JavaScript's or, if there it does not end at all, is given as far as was looked.
        """
        backwards, size = text[::-1], len(text)
        near = min(size, place + NEAR)
        if self._backwards.match(backwards, size - near, size - place):
            return self._forwards.search(text, place, place + self._reach)  # soon found
        found = self._backwards.match(backwards, 0, size - place) if near < size else None
        return found and self._from(size - found.end(), text)

    def _from(self, start: int, text: bytes) -> Any:
        """The match that begins at `start`."""
        end = min(start + self._reach, len(text))
        return self._forwards.match(text, start, end) or Found(text, start, end)


def starts(node: Node, alphabet: Kinds, forwards: Any, reach: int) -> Starts | None:
    """What finds where `node` first matches, which `forwards` is; None if RE2 refuses to read it backwards.

    `reach` is in how many characters a match is affordable, at least NEAR.
    """
    options = options_for(re2.Options.Encoding.LATIN1)
    options.longest_match = True  # the first start is the longest way back, and no order matters
    options.max_mem = MEMORY
    backwards = _mirrored(least(node))
    try:
        regex = re2.compile(f"(?s:.*)(?:{to_re2(backwards, alphabet)})".encode(), options)
    except re2.error:  # it counts what stands inside each other otherwise than we do
        return None
    return Starts(forwards, regex, max(NEAR, reach))


def least(node: Node) -> Node:
    """What starts to match at just the same places: without what makes no difference, of few states."""
    return _spread(_begun(_folded(node)))


def _mirrored(node: Node) -> Node:
    match node:
        case At(place):
            return At(_MIRRORED[place])
        case Sequence(parts):
            return Sequence(tuple(map(_mirrored, reversed(parts))))
        case Choice(parts):
            return Choice(tuple(map(_mirrored, parts)))
        case Repeat(body, low, high):
            return Repeat(_mirrored(body), low, high)
    return node


def _folded(node: Node) -> Node:
    """What matches the same texts, in whatever order, with repetitions of repetitions as one."""
    match node:
        case Sequence(parts):
            return _sequence([each for part in parts for each in _opened(_folded(part))])
        case Choice(parts):
            return _choice([_folded(part) for part in parts])
        case Repeat(body, low, high, _):
            return _repeat(_folded(body), low, high)
    return node


def _choice(parts: list[Node]) -> Node:
    """One of them, where single characters are one set."""
    sets = [part.ranges for part in parts if isinstance(part, Chars)]
    others = tuple(part for part in parts if not isinstance(part, Chars))
    if not sets:
        return Choice(others)
    one = Chars(ranges(chain(*sets)))
    return Choice((one, *others)) if others else one


def _opened(node: Node) -> tuple[Node, ...]:
    return node.parts if isinstance(node, Sequence) else (node,)


def _sequence(parts: Iterable[Node]) -> Node:
    """One after the other, where neighbours that repeat the same are one: `a?a{2}` is `a{2,3}`."""
    joined: list[Node] = []
    for part in parts:
        both = _both(joined[-1], part) if joined else None
        joined[-1:] = [both] if both else [*joined[-1:], part]
    return joined[0] if len(joined) == 1 else Sequence(tuple(joined))


def _both(first: Node, second: Node) -> Node | None:
    (one, low, high), (other, least_, most) = _counted(first), _counted(second)
    total = None if high is None or most is None else high + most
    if one != other or isinstance(one, At) or max(low + least_, total or 0) > MAX_COUNT:
        return None
    return Repeat(one, low + least_, total)


def _counted(node: Node) -> tuple[Node, int, int | None]:
    return (node.body, node.low, node.high) if isinstance(node, Repeat) else (node, 1, 1)


def _repeat(body: Node, low: int, high: int | None) -> Node:
    if high == 0 or body == EMPTY:
        return EMPTY
    if always_nothing(body):
        low = 0
    if isinstance(body, Repeat) and body.low <= 1:
        # From 0 or 1 on, the counts of one round and of the next leave no gap: (a{1,3}){2,5} is a{2,15}.
        both = None if high is None or body.high is None else high * body.high
        return Repeat(body.body, low * body.low, both)
    return Repeat(body, low, high)


def _begun(node: Node) -> Node:
    """`node` without what need not be there where it ends, as it may end anywhere: of `ab?c?`, `a`."""
    if always_nothing(node):
        return EMPTY
    match node:
        case Sequence(parts):
            needed = max(i for i, part in enumerate(parts) if not always_nothing(part))
            return _sequence((*parts[:needed], _begun(parts[needed])))
        case Choice(parts):
            return Choice(tuple(map(_begun, parts)))
        case Repeat(body, low):
            return Repeat(body, low, low) if low > 1 else _begun(body)
    return node


def _spread(node: Node) -> Node:
    """`a{2,4}` as `a{2}(?:a?){2}`: whoever is in one of the last rounds is in all after it as well.

    So a state is told by the first round that it is in, where it would be by each of them.
    """
    match node:
        case Sequence(parts):
            return Sequence(tuple(map(_spread, parts)))
        case Choice(parts):
            return Choice(tuple(map(_spread, parts)))
        case Repeat(body, low, high):
            body = _spread(body)
            more = 0 if high is None else high - low
            if more < 2:
                return Repeat(body, low, high)
            once = body if always_nothing(body) else Repeat(body, 0, 1)
            rest = Repeat(once, more, more)
            return Sequence((Repeat(body, low, low), rest)) if low else rest
    return node
