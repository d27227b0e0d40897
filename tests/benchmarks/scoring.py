"""Outputs scored a second, beside bare loops of RE2 searches: `python -m tests.benchmarks.scoring`.

`decided` is `score(rubric, output)`: the outcome, the score and which rules pass; a check that has counted
enough to know goes no further. `evidence` is the same with every finding made, its message and all its marks:
what is stored.

The bare loops search compiled RE2 patterns in bytes that are encoded already. The first only counts, always
to the end of the text; both rates are set beside it. What is stored says more, so evidence is also set
beside a loop that keeps as much of each match: its place and, where a message or a mark names what was found
(the terminator's patterns and the pirate's entries), its text. For the terminator probe a loop is the search
for its five patterns: the counting one for the first match of each, the keeping one for all. The ladder
counts, so there it is the nearest that RE2 can do, stated in the last column, which answers an easier
question: it knows no abbreviations, no syllables and no letters but ASCII.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import re2

from probes.core import Document, score
from probes.core.checks.pattern import PatternCheck
from probes.core.lexicons import lexicon
from tests.benchmarks.measuring import Call, rates

ROOT = Path(__file__).parents[2]

PROSE = (
    "A migration rehearsal ran against production data, because the replica had been promoted; no rows "
    "were lost. Dr. Lee calls that luck, not skill!\n"
    "The review changed the rule: rehearse on a named snapshot, matey. "
)
TERMINATOR = "\n<<END>>"
ENDS = r"[.!?]+[\"')\]]*(?:\s|\z)"
LOOPS: dict[str, tuple[str, tuple[str, ...]]] = {
    "one-sentence": ("each stop before white space", (ENDS,)),
    "ten-words": (r"each \S+", (r"\S+",)),
    "five-words": (r"each \S+", (r"\S+",)),
    "pirate": ("each entry of the list, (?i)", ()),
    "binary": ("the first [^01\\s], the first [01]", (r"[^01\s]", "[01]")),
    "haiku": ("each [A-Za-z']+, each line end", ("[A-Za-z']+", "\n")),
    "no-e": ("each stop before white space, each [eE]", (ENDS, "[eE]")),
}
"""By the probe of a rung: what the bare loop does, and its patterns."""


@dataclass(frozen=True)
class Row:
    """One probe on one text, with its rates a second; `bare` counts matches and `keeping` keeps them."""

    name: str
    characters: int
    decided: float
    evidence: float
    bare: float
    keeping: float
    loop: str

    def __str__(self) -> str:
        numbers = "".join(
            f"{each:>11,.0f}" for each in (self.decided, self.evidence, self.bare, self.keeping)
        )
        ratios = (self.decided / self.bare, self.evidence / self.bare, self.evidence / self.keeping)
        shown = "".join(f"{each:>10.0%}" for each in ratios)
        return f"{self.name:<20} {self.characters:>7,}{numbers}{shown}   {self.loop}"


HEAD = (
    "outputs/s              chars    decided   evidence  bare loop    keeping"
    " dec./bare ev./bare  ev./keep   bare loop"
)


def rows(sizes: Sequence[int], rounds: int, seconds: float) -> list[Row]:
    """The whole table, the terminator probe first."""
    terminator = _document("probes/library/emit-a-terminator.yaml")
    ladder = [_document(f"ladder/library/{name}.yaml") for name in LOOPS]
    measured = partial(_row, rounds=rounds, seconds=seconds)
    rungs = [measured(each, text(size, "01" * (each.slug == "binary"))) for each in ladder for size in sizes]
    return [
        *(measured(terminator, text(size - len(TERMINATOR)) + TERMINATOR) for size in sizes),
        *rungs,
        *(_together([rung for rung in rungs if rung.characters == size]) for size in sizes),
    ]


def _together(rungs: Sequence[Row]) -> Row:
    """The ladder: how often a second all its rungs, one after the other."""
    decided, evidence, bare, keeping = (
        1 / sum(1 / rate for rate in each)
        for each in zip(*((r.decided, r.evidence, r.bare, r.keeping) for r in rungs), strict=True)
    )
    size = rungs[0].characters
    return Row("the ladder", size, decided, evidence, bare, keeping, "those of its rungs")


def text(size: int, of: str = "") -> str:
    """Prose of so many characters; or the characters of `of` in words of eight."""
    unit = f"{of * 4} " if of else PROSE
    return (unit * (size // len(unit) + 1))[:size]


def _row(document: Document, output: str, *, rounds: int, seconds: float) -> Row:
    rubric = document.rubric
    loop, bare, keeping = _bare_loops(document, output.encode())
    calls = (
        lambda: score(rubric, output),
        lambda: [verdict.finding for verdict in score(rubric, output).verdicts],
        bare,
        keeping,
    )
    decided, evidence, counted, kept = rates(calls, rounds=rounds, seconds=seconds)
    return Row(document.slug, len(output), decided, evidence, counted, kept, loop)


def _bare_loops(document: Document, data: bytes) -> tuple[str, Call, Call]:
    """What the loops do, the one that counts, and the one that keeps."""
    if document.slug not in LOOPS:
        checks = [rule.check for rule in document.rubric.rules]
        regexes = [check._compiled._regex for check in checks if isinstance(check, PatternCheck)]
        loop = f"its {len(regexes)} patterns"
        return loop, lambda: [each.search(data) for each in regexes], lambda: _named(regexes, data)
    loop, sources = LOOPS[document.slug]
    compiled = [re2.compile(each.encode()) for each in sources or (_entries(),)]
    if document.slug == "binary":
        return loop, lambda: [each.search(data) for each in compiled], lambda: _first(compiled, data)
    keep = _named if document.slug == "pirate" else _placed
    return loop, lambda: [_count(each.finditer(data)) for each in compiled], lambda: keep(compiled, data)


def _count(found: Iterable[object]) -> int:
    return sum(1 for _ in found)


def _first(regexes: list[Any], data: bytes) -> list[Any]:
    return [found and found.span() for found in (each.search(data) for each in regexes)]


def _placed(regexes: list[Any], data: bytes) -> list[Any]:
    return [[found.span() for found in each.finditer(data)] for each in regexes]


def _named(regexes: list[Any], data: bytes) -> list[Any]:
    return [[(found.span(), found.group()) for found in each.finditer(data)] for each in regexes]


def _entries() -> str:
    forms = [form for entry in lexicon("pirate").entries for form in entry]
    return rf"(?i)\b(?:{'|'.join(sorted(forms, key=len, reverse=True))})\b"


def _document(path: str) -> Document:
    return Document.parse((ROOT / path).read_text(encoding="utf-8"))


IMPORTS = """
import resource, sys
import {modules}
used = resource.getrusage(resource.RUSAGE_SELF)
print(used.ru_utime + used.ru_stime)
"""
LIBRARIES = "pydantic, yaml, rfc8785, re2"
"""What the core declares and imports, beside the standard library's importlib.metadata for the stamp."""


def import_cost(modules: str, rounds: int) -> float:
    """The CPU seconds of a Python that imports `modules` and ends; the least of so many rounds."""
    command = [sys.executable, "-c", IMPORTS.format(modules=modules)]
    ran = (
        subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True) for _ in range(rounds)
    )
    return min(float(each.stdout) for each in ran)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser("python -m tests.benchmarks.scoring", description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 20_000], metavar="CHARACTERS")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.1, help="for each rate and round")
    options = parser.parse_args(arguments)
    print(HEAD)
    for row in rows(options.sizes, options.rounds, options.seconds):
        print(row)
    core, bare = (import_cost(each, options.rounds) for each in ("probes.core", LIBRARIES))
    print(f"import probes.core: {core:.2f} s of CPU, {core - bare:.2f} s of it beyond Python and {LIBRARIES}")


if __name__ == "__main__":
    main()
