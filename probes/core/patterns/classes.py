"""A class such as `[^a-z\\d]`."""

from __future__ import annotations

from probes.core.patterns.characters import Ranges, complement, ranges, widened
from probes.core.patterns.escapes import last, read_escape
from probes.core.patterns.reader import Reader


def read_class(reader: Reader, groups: int) -> Ranges:
    """The set of a class; its `[` has been read."""
    start = reader.place - 1
    negated = reader.skip("^")
    pairs: list[tuple[int, int]] = []
    while not reader.skip("]"):
        if not reader.next:
            reader.fail("unterminated-class", start)
        pairs.extend(_item(reader, groups))
    found = fold(reader, ranges(pairs))
    return complement(found, last(reader)) if negated else found


def fold(reader: Reader, found: Ranges) -> Ranges:
    """`found`, with every character that the flags make equal to one of it."""
    return widened(found) if reader.flags.ignore_case else found


def _item(reader: Reader, groups: int) -> Ranges:
    """One member of a class: a character, a range or a set."""
    start = reader.place
    low = _member(reader, groups)
    if reader.next != "-" or reader.text.startswith("-]", reader.place):
        return ((low, low),) if isinstance(low, int) else low
    reader.take()
    if not reader.next:
        reader.fail("unterminated-class", start)
    high = _member(reader, groups)
    if not isinstance(low, int) or not isinstance(high, int):
        reader.fail("class-in-range", start)
    if low > high:
        halves = not reader.flags.unicode and 0xD800 <= low <= 0xDFFF
        reader.fail("split-range" if halves else "reversed-range", start)
    return ((low, high),)


def _member(reader: Reader, groups: int) -> int | Ranges:
    if reader.skip("\\"):
        return read_escape(reader, groups, in_class=True)
    return ord(reader.take())
