"""Sets of characters as sorted ranges, with JavaScript's own classes and its case folding.

A set holds numbers: UTF-16 code units without the flag `u`, code points with it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import cache, lru_cache

from probes.core.tables import load_json
from probes.core.view import WHITE_SPACE

Ranges = tuple[tuple[int, int], ...]
"""Pairs of first and last number, in order, neither touching nor overlapping."""

LAST_UNIT = 0xFFFF
LAST_POINT = 0x10FFFF


def ranges(pairs: Iterable[tuple[int, int]]) -> Ranges:
    """The union of `pairs` in normal form."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(pairs):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def complement(of: Ranges, last: int) -> Ranges:
    """Everything from 0 to `last` that is not in `of`."""
    edges = [-1, *(edge for pair in of for edge in pair), last + 1]
    gaps = zip(edges[::2], edges[1::2], strict=True)
    return tuple((low + 1, high - 1) for low, high in gaps if low + 1 < high)


DIGITS = ranges([(0x30, 0x39)])
WORD = ranges([(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)])
SPACE = ranges((ord(each), ord(each)) for each in WHITE_SPACE)
LINE_ENDS = ranges([(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)])

CLASSES = {"d": DIGITS, "w": WORD, "s": SPACE}
"""By the letter of the escape; the capital letter is the complement."""


@lru_cache(maxsize=1024)
def widened(of: Ranges) -> Ranges:
    """`of` with everything that the flag `i` (without `u`) makes equal to a member of it."""
    known, classes = _folds()
    extra: set[int] = set()
    for low, high in of:
        for unit in known[bisect_left(known, low) : bisect_right(known, high)]:
            extra.update(classes[unit])
    return ranges([*of, *((unit, unit) for unit in extra)])


@cache
def _folds() -> tuple[list[int], dict[int, list[int]]]:
    """The units that fold, in order, and each one's class of equals."""
    classes = {unit: equals for equals in load_json("casefold_i_bmp.json") for unit in equals}
    return sorted(classes), classes
