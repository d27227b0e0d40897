"""Frozen tables that the checks read: Unicode 17 and word data, each with its origin in README.md."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent


def load_json(name: str) -> Any:
    """The JSON table `name` of this folder, read anew: callers cache what they build from it."""
    return json.loads(_read(name))


def load_lines(name: str) -> list[str]:
    """The lines of a word list (plain, or compressed as `.gz`) without comments and blank lines."""
    return [line for line in _read(name).split("\n") if line and not line.startswith("#")]


def _read(name: str) -> str:
    data = (_FOLDER / name).read_bytes()
    return (gzip.decompress(data) if name.endswith(".gz") else data).decode()


def _pairs(name: str) -> dict[int, int]:
    return dict(load_json(name))


@cache
def lower_case() -> dict[int, int]:
    """Code point to lower-case code point, for `str.translate`; one to one, so offsets stay."""
    return _pairs("lower_u17.json")


@cache
def upper_case() -> dict[int, int]:
    """Code point to upper-case code point; characters that would grow (ß) are not in it."""
    return _pairs("upper_u17.json")


@cache
def changed_by(case: str) -> frozenset[int]:
    """Code points that putting a text in `upper` or `lower` case would change."""
    pairs = upper_case() if case == "upper" else lower_case()
    return frozenset(pairs) | frozenset(load_json("case_growing_u17.json")[case])


@cache
def letters_or_digits() -> str:
    """The frozen letters and numbers of Unicode 17 as the inside of a character class of `re`."""
    return "".join(f"{_escape(low)}-{_escape(high)}" for low, high in load_json("letters_numbers_u17.json"))


def _escape(point: int) -> str:
    return f"\\U{point:08x}"


@cache
def forms_of(letter: str) -> frozenset[str]:
    """Every character that holds `letter` (a to z), in either case, after NFKD."""
    points = load_json("e_nfkd_u17.json") if letter == "e" else load_json("letters_nfkd_u17.json")[letter]
    return frozenset(map(chr, points))


@cache
def base_letters() -> dict[int, int]:
    """Accented and styled forms of one letter a to z to that letter: é to e; ligatures stay."""
    found: dict[int, int] = {}
    twice: set[int] = set()
    for letter in map(chr, range(97, 123)):
        for form in map(ord, forms_of(letter)):
            twice.update({form} & found.keys())
            found[form] = ord(letter)
    return {form: letter for form, letter in found.items() if form not in twice}
