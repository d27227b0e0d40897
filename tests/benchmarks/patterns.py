"""A search for the slowest accepted pattern: `python -m tests.benchmarks.patterns`.

Shapes at the corners of the budget, each with the largest count that is accepted, are tried with all atoms
and flags on all texts: first on short ones, then the slowest of them on 100,000 characters. Measured is the
CPU time of the whole finding, marks and all, of the kinds `pattern` and `count`, after other texts have
filled what RE2 remembers of the pattern. An emoji is two characters to a pattern without the flag u, so
that texts of them take longest; noise that holds a letter which a pattern excludes needs the most states.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, product
from random import Random

from probes.core.checks import Check, check
from probes.core.patterns import Pattern, PatternError
from probes.core.view import View

ATOMS = (
    "a",
    ".",
    r"\S",
    r"\w",
    r"\s",
    "[^]",
    "[^b]",
    "[^x]",
    "[à-ÿ]",
    "[ab\u4e00-\u9fff]",
    "(?:a|ab)",
    "(?:a|b|)",
    ".*",
)
SHAPES = (
    "A{N}c", "A{0,N}c", "(?:A?){N}c", "aA{N}c", "A{0,N}aA{0,N}c", "(?:A{1,9},?){N}c", "(?:A*a){N}c",
    "(?:aA{N}|bA{N}|A{N}c)c", "(?:A{0,N}[ab]){0,N}c", "^(?:A{N}|a)+c$", "A{0,N}$", r"\bA{N}\b",
    "(?:A+?b??){N}$", "(?:A|a){N}|b{N}c", "(?:A{0,10}y?){N}z", "(A{1,31}){N}!", "(?:a|x)(?:A?){0,N}?b!",
    "a(?:A+){N,}[^]z", "(?:a|x)(?:[à-ÿa]+|A+(?:a\\S{0,9}\\S)b{0,10}?){N}[^]{N}z",
    "a.*(?:[^]A{0,10}?){N}?[^]z",
    # Too many characters for an alphabet of their own.
    f"{''.join(map(chr, range(0x4e00, 0x5400, 7)))}|[^]?\\ude00(?:AA?){{N}}c",
    "x(?:A?[^y]|[ab][axy]+[axy]{31}|y[^x]){1,N}A{0,N}$", "[^](?:A+){N}?$", "x(?:A{1,10}a?){N}[^]{N}z",
)  # fmt: skip
FLAGS = ("", "i", "s", "m", "u")
LARGEST = 1000


def texts(size: int) -> dict[str, str]:
    """By name, texts of so many characters."""
    units = ("a", "ab", "aé", "a世", "😀a", "a b\n")
    random = Random(7)
    made = {ascii(unit): (unit * size)[:size] for unit in units}
    noise = ("ab", "a😀", "😀😁", "aaaaaxy", "abxyz!", "😀😀😀😀x", "a😀xzb!")
    mixed = {f"random {letters}": "".join(random.choices(letters, k=size)) for letters in noise}
    return {**made, **mixed}


@dataclass(frozen=True)
class Found:
    """One pattern on one text, and the seconds that a finding took."""

    seconds: float
    kind: str
    literal: str
    text: str

    def __str__(self) -> str:
        return f"{self.seconds:>7.3f} s  {self.kind:<7}  {self.literal}  on {self.text}"


def literals() -> Iterator[str]:
    """Every shape with every atom and flag, at the largest count that is accepted."""
    for shape, atom, flags in product(SHAPES, ATOMS, FLAGS):
        source = shape.replace("A", atom)
        count = _largest(source, flags)
        if count:
            yield _literal(source, count, flags)


def _literal(source: str, count: int, flags: str) -> str:
    return f"/{source.replace('N', str(count))}/{flags}"


def _largest(source: str, flags: str) -> int:
    """The largest count with which the source is accepted, or 0."""
    low, high = 0, LARGEST
    while low < high:
        middle = (low + high + 1) // 2
        if _is_accepted(_literal(source, middle, flags)):
            low = middle
        else:
            high = middle - 1
    return low


def _is_accepted(literal: str) -> bool:
    try:
        Pattern.parse(literal)
    except PatternError:
        return False
    return True


OTHER_TEXTS = tuple(
    View("".join(Random(letters).choices(letters, k=5_000))) for letters in ("aaxyb\n", "a😀xy\n", "aé世 ,z")
)


@lru_cache(maxsize=4)
def _checks(literal: str) -> tuple[Check, Check]:
    """Both kinds, with what they share filled by other texts."""
    found = (
        check({"kind": "pattern", "must": "match", "pattern": literal}),
        check({"kind": "count", "patterns": literal, "op": "==", "n": 1}),
    )
    for other in OTHER_TEXTS:
        found[0].run(other)
    return found


def measured(literal: str, name: str, text: str) -> Iterator[Found]:
    for each in _checks(literal):
        view = View(text)
        started = time.process_time()
        each.run(view)
        yield Found(time.process_time() - started, each.kind, literal, name)


def slowest(few: Sequence[str], *, short: int, long: int, kept: int) -> list[Found]:
    """The slowest on long texts of what was slowest on short ones, the slowest first."""
    tried = texts(short)
    first = [found for each in few for name in tried for found in measured(each, name, tried[name])]
    first.sort(key=lambda found: -found.seconds)
    pairs = list(dict.fromkeys((found.literal, found.text) for found in first))[:kept]
    tried = texts(long)
    last = [found for literal, name in pairs for found in measured(literal, name, tried[name])]
    return sorted(last, key=lambda found: -found.seconds)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        "python -m tests.benchmarks.patterns", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--short", type=int, default=3_000, metavar="CHARACTERS")
    parser.add_argument("--long", type=int, default=100_000, metavar="CHARACTERS")
    parser.add_argument("--kept", type=int, default=60, metavar="N", help="pairs tried on long texts")
    parser.add_argument("--literals", type=int, metavar="N", help="try only the first N")
    options = parser.parse_args(arguments)
    every = list(islice(literals(), options.literals))
    found = slowest(every, short=options.short, long=options.long, kept=options.kept)
    print(f"{len(every)} accepted patterns; the slowest on {options.long:,} characters:")
    for each in found[:10]:
        print(each)


if __name__ == "__main__":
    main()
