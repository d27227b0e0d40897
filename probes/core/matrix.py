"""The fixtures against the rules, as a table for a terminal: what each one fails, and who pins what."""

from __future__ import annotations

from probes.core.fixtures import Examination, Examined
from probes.core.terminal import printable

WIDTH = 100
"""Characters of a line; labels and names that do not fit end in an ellipsis."""

MOST_NAMED = 8
"""Fixtures that are named as pinning one rule; the others are counted."""


def matrix(examination: Examination) -> list[str]:
    """A row for each fixture: whether it holds, what it must do, its score, `F` below each rule it fails."""
    wide = len(str(len(examination.fixtures)))
    rows = [_row(f"{i:>{wide}}", each) for i, each in enumerate(examination.fixtures, 1)]
    lead = wide + len("  ok    fail  0.50  ")
    *tens, units = _heads(len(examination.pinned))
    heads = [*(f"{'':{lead}}{line}" for line in tens), f"{'fixture':{lead - 6}}rule  {units}"]
    return [*heads, *map(_fitted, rows)]


def _heads(rules: int) -> list[str]:
    """The rules' numbers, their tens above their units, so that a column stays narrow."""
    numbers = [f"{i:>2}" for i in range(1, rules + 1)]
    tens = [" ".join(number[0] for number in numbers).rstrip()]
    return [*(tens if rules > 9 else []), " ".join(number[1] for number in numbers)]


def _row(number: str, each: Examined) -> str:
    sign = "ok  " if each.holds else "FAIL"
    cells = " ".join("." if verdict.ok else "F" for verdict in each.result.verdicts)
    return f"{number}  {sign}  {each.fixture.expect}  {each.value:.2f}  {cells}  {each.fixture.label}"


def pins(examination: Examination) -> list[str]:
    """A line for each rule: its number, its name, and the fixtures that fail it."""
    numbers = {each.fixture.label: i for i, each in enumerate(examination.fixtures, 1)}
    width = max(map(len, examination.pinned))
    digits = len(str(len(examination.pinned)))
    lines = []
    for i, (name, labels) in enumerate(examination.pinned.items(), 1):
        alone = examination.solely_pinned[name]
        marked = [f"{numbers[label]}{'*' if label in alone else ''}" for label in labels]
        lines.append(_fitted(f"rule {i:>{digits}}  {name:<{width}}  {_named(marked)}"))
    note = ["* fails no other rule"] if any(examination.solely_pinned.values()) else []
    return [*lines, *note]


def _named(fixtures: list[str]) -> str:
    if not fixtures:
        return "no fixture fails it"
    more = len(fixtures) - MOST_NAMED
    tail = f" and {more} more" if more > 0 else ""
    return f"failed by {', '.join(fixtures[:MOST_NAMED])}{tail}"


def _fitted(line: str) -> str:
    """`line` as it is printed, two columns in, at most as wide as WIDTH."""
    most, shown = WIDTH - 2, printable(line)
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"
