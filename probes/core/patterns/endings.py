"""What a pattern that ends in `$` wants to stand last, so that what follows it can be marked."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from probes.core.patterns.characters import LAST_POINT, LAST_UNIT, SPACE
from probes.core.patterns.errors import PatternError
from probes.core.patterns.literal import read_flags, split_literal
from probes.core.patterns.loops import with_javascript_loops
from probes.core.patterns.matcher import Pattern, compiled
from probes.core.patterns.parser import parse
from probes.core.patterns.syntax import At, Chars, Node, Repeat, Sequence
from probes.core.patterns.translate import alphabet_for


@lru_cache(maxsize=128)
def up_to_the_end(literal: str) -> Pattern | None:
    """What matches up to the end of the last match of `literal` without its `\\s*$`, if it has such an end.

    The last match is the one that begins last: for `/<<END>>\\s*$/` this is `/[^]*<<END>>/`.
    """
    source, letters = split_literal(literal)
    flags = read_flags(letters, len(literal) - len(letters))
    head = _head(parse(source, flags))
    if head is None:
        return None
    anything = Repeat(Chars(((0, LAST_POINT if flags.unicode else LAST_UNIT),)), 0, None)
    try:
        node = with_javascript_loops(Sequence((anything, head)))
        return compiled(literal, node, alphabet_for(node, unicode=flags.unicode))
    except PatternError:  # just over a budget that the pattern itself keeps
        return None


def _head(node: Node) -> Node | None:
    parts = list(_parts(node))
    if not parts or parts.pop() != At("end"):
        return None
    while parts and _is_optional_space(parts[-1]):
        parts.pop()
    return Sequence(tuple(parts)) if parts else None


def _parts(node: Node) -> Iterator[Node]:
    """What stands one after the other, groups opened."""
    if isinstance(node, Sequence):
        for part in node.parts:
            yield from _parts(part)
    else:
        yield node


def _is_optional_space(node: Node) -> bool:
    """Whether this is `\\s*`, `\\n?` and the like."""
    if not isinstance(node, Repeat) or node.low > 0 or not isinstance(node.body, Chars):
        return False
    return all(any(_within(each, space) for space in SPACE) for each in node.body.ranges)


def _within(inner: tuple[int, int], outer: tuple[int, int]) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]
