"""Repetitions of what can match nothing, rewritten so that RE2 gives them JavaScript's meaning.

Once a repetition has its least number of rounds, JavaScript refuses a round that matches nothing and
tries the next way of matching; RE2 accepts it and stops. Both find matches for the same texts, but
`(?:|a)*` takes all of `aa` in JavaScript and nothing of it in RE2. So the optional rounds of such a
repetition are given only the ways of its body that match at least one character, in their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from probes.core.patterns.errors import PatternError
from probes.core.patterns.literal import MAX_SOURCE
from probes.core.patterns.parser import MAX_SIZE
from probes.core.patterns.syntax import EMPTY, NEVER, At, Chars, Choice, Node, Repeat, Sequence

MAX_WAYS = 50
MAX_ROUNDS = 30


def with_javascript_loops(node: Node) -> Node:
    """`node` rewritten where RE2 would stop a repetition early. Raises PatternError if it grows too large."""
    return _checked(_rewritten(node), MAX_SIZE + MAX_SOURCE)


def _rewritten(node: Node) -> Node:
    match node:
        case Sequence(parts):
            return Sequence(tuple(map(_rewritten, parts)))
        case Choice(parts):
            return Choice(tuple(map(_rewritten, parts)))
        case Repeat(body, low, high, lazy):
            return _repeat(Repeat(_rewritten(body), low, high, lazy))
    return node


def _repeat(node: Repeat) -> Node:
    node = _flattened(node)
    if node.low == node.high or _order(node.body) is not _Order.MIXED:
        return node
    more = None if node.high is None else node.high - node.low
    optional = Repeat(_filled(node.body), 0, more, node.lazy)
    return _checked(Sequence((*_times(node.body, node.low), optional)))


def _flattened(node: Repeat) -> Repeat:
    """`(?:a?){9}` as `a{0,9}`, which matches alike, but keeps the engine's states small."""
    body, high = node.body, node.high
    if not isinstance(body, Repeat) or node.lazy or body.lazy or high is None or body.high is None:
        return node
    if body.low > 0 or _order(body.body) is not _Order.NEVER:
        return node
    return Repeat(body.body, 0, body.high * high)


def _times(body: Node, count: int) -> tuple[Node, ...]:
    return () if count == 0 else (body,) if count == 1 else (Repeat(body, count, count),)


class _Order(Enum):
    """When, among the ways of a node to match, matching nothing comes."""

    NEVER = "never"
    LAST = "after all ways that match something"
    MIXED = "possibly before a way that matches something"


@lru_cache(maxsize=1024)
def _order(node: Node) -> _Order:
    match node:
        case Chars():
            return _Order.NEVER
        case At():
            return _Order.LAST
        case Sequence(parts):
            orders = {_order(part) for part in parts}
            return next((each for each in (_Order.NEVER, _Order.MIXED) if each in orders), _Order.LAST)
        case Choice(parts):
            return _order_of_choice(parts)
        case Repeat(body, low, high, lazy):
            inner = _order(body)
            if low and inner is _Order.NEVER:
                return _Order.NEVER
            if high == 0:
                return _Order.LAST
            steady = (low == 0 or inner is _Order.LAST) and (not lazy or low == high)
            return _Order.LAST if steady else _Order.MIXED


def _order_of_choice(parts: tuple[Node, ...]) -> _Order:
    orders = [_order(part) for part in parts]
    if all(order is _Order.NEVER for order in orders):
        return _Order.NEVER
    first = next(i for i, order in enumerate(orders) if order is not _Order.NEVER)
    only_places = all(_only_nothing(part) for part in parts[first + 1 :])
    return _Order.LAST if orders[first] is _Order.LAST and only_places else _Order.MIXED


def _only_nothing(node: Node) -> bool:
    """Whether `node` can match nothing but the empty text."""
    match node:
        case Chars():
            return False
        case At():
            return True
        case Sequence(parts) | Choice(parts):
            return all(map(_only_nothing, parts))
        case Repeat(body, _, high, _):
            return high == 0 or _only_nothing(body)


@dataclass(frozen=True)
class _Way:
    """Ways of a node to match: all of them something (`filled`), or all nothing, under a condition."""

    filled: bool
    node: Node


_NOTHING = _Way(False, EMPTY)


def _filled(node: Node) -> Node:
    """What is left of `node` without its ways to match nothing, in the same order."""
    found = tuple(way.node for way in _ways(node) if way.filled)
    return NEVER if not found else found[0] if len(found) == 1 else Choice(found)


@lru_cache(maxsize=1024)
def _ways(node: Node) -> list[_Way]:
    """The ways of `node`, in the order in which JavaScript tries them; neighbours that fill are one.

    Remembered, because a repetition asks for those of its body twice, and so on for each inside it.
    """
    if _order(node) is _Order.NEVER:
        return [_Way(True, node)]
    match node:
        case Sequence(parts):
            return _ways_of_sequence(parts)
        case Choice(parts):
            return _joined(way for part in parts for way in _ways(part))
        case Repeat():
            return _ways_of_repeat(node)
    return [_Way(False, node)]


def _ways_of_sequence(parts: tuple[Node, ...]) -> list[_Way]:
    ways = [_NOTHING]
    for i in range(len(parts) - 1, -1, -1):
        ways = _joined(_followed(_ways(parts[i]), Sequence(parts[i + 1 :]), ways))
    return ways


def _followed(ways: list[_Way], rest: Node, ways_of_rest: list[_Way]) -> Iterator[_Way]:
    """`ways`, each followed by `rest`."""
    for way in ways:
        if way.filled:
            yield _Way(True, _then(way.node, rest))
        else:
            yield from (_Way(after.filled, _then(way.node, after.node)) for after in ways_of_rest)


def _then(first: Node, second: Node) -> Node:
    if first == EMPTY or second == EMPTY:
        return second if first == EMPTY else first
    return _checked(Sequence((first, second)))


def _ways_of_repeat(node: Repeat) -> list[_Way]:
    body, low, high, lazy = node.body, node.low, node.high, node.lazy
    if high == 0:
        return [_NOTHING]
    if low and (lazy or _order(body) is _Order.MIXED or not always_nothing(body)):
        if low > MAX_ROUNDS:
            raise PatternError("empty-repeat", 0)
        fewer = Repeat(body, low - 1, None if high is None else high - 1, lazy)
        return _ways_of_sequence((body, _repeat(fewer)))
    filled = _Way(True, _checked(Repeat(_filled(body), 1, high, lazy)))
    return [_NOTHING, filled] if lazy else [filled, _NOTHING]


def always_nothing(node: Node) -> bool:
    """Whether `node` can match nothing everywhere, under no condition."""
    match node:
        case Sequence(parts):
            return all(map(always_nothing, parts))
        case Choice(parts):
            return any(map(always_nothing, parts))
        case Repeat(body, low, _, _):
            return low == 0 or always_nothing(body)
    return False


def _joined(ways: Iterable[_Way]) -> list[_Way]:
    """`ways` with neighbours that fill as one, and without those that come too late to matter."""
    found: list[_Way] = []
    for way in ways:
        if found and found[-1].filled and way.filled:
            found[-1] = _Way(True, _checked(Choice((found[-1].node, way.node))))
        elif way.filled or (way not in found and _NOTHING not in found):
            found.append(way)
        if len(found) > MAX_WAYS:
            raise PatternError("empty-repeat", 0)
    return found


def _checked(node: Node, limit: int = MAX_SIZE) -> Node:
    if node.size > limit:
        raise PatternError("empty-repeat", 0)
    return node
