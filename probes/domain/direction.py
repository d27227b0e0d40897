"""Which way a stretch of text runs, so that what is drawn beside it stands at its end."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

Direction = Literal["ltr", "rtl"]

_WAYS: dict[str, Direction] = {"L": "ltr", "R": "rtl", "AL": "rtl"}
_RUNS_LEFT = re.compile(
    "[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)


def runs_left(text: str) -> bool:
    """Whether anything in it may run from right to left: the blocks that Unicode keeps for such scripts."""
    return bool(_RUNS_LEFT.search(text))


def direction(text: str) -> Direction | None:
    """The way of its last letter; None where it has none, and goes with what is around it."""
    ways = (_WAYS.get(unicodedata.bidirectional(character)) for character in reversed(text))
    return next((way for way in ways if way), None)
