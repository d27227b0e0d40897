"""Checks of every kind and texts of every sort, the same in every process, and what is said of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from probes.core.checks import check
from probes.core.parts import Rubric, Rule
from probes.core.scoring import score

PIECES = (
    "a", "e", "A", "É", "ye ", "arr", "fire", "U.S. ", "Dr. ", "I ", "1. ", ".", "!", "…", "0", "1", "9",
    " ", "\n", "<<END>>", "{", '"', "[1]", "```json\n", "- ", "--", "—", "。", "’",
    # what ends lines, what cannot be stored, what turns, combines, joins and is not seen
    "\x00", "\ud800", "\udc00", "\r", "\r\n", "\u2028", "\u2029", "\x85", "\x1c",
    "\u202e", "\u200f", "שלום", "مرحبا", "e\u0301", "\u0327", "\u200b", "\u200d", "\ufeff", "\xa0", "\xad",
    "🎉", "👩\u200d🚀", "𐐀", "\U0010ffff", "е", "ſ", "\u212a", "İ",
)  # fmt: skip

HAND_MADE = (
    r"/<<END>>\s*$/", r"/^\s*(sure|ok)\b/i", "/x*/", "/.$/", "/.$/u", r"/\ude00|\ud83d/", r"/^.*$/m",
    "/[^]{3}$/", r"/(?:\S?){900}$/", "/(?:|a)*$/", "/$/", "/é/i",
)  # fmt: skip


TABLE: tuple[dict[str, Any], ...] = (
    *({"kind": "pattern", "must": "match", "pattern": pattern} for pattern in HAND_MADE),
    {"kind": "count", "patterns": ["/a/i", "/[^]{2}/"], "op": ">", "n": 3},
    {"kind": "words", "op": "==", "n": 3, "where": "lower"},
    {"kind": "words", "op": "==", "n": 3, "token": "whitespace"},
    {"kind": "sentences", "op": "==", "n": 1},
    {"kind": "paragraphs", "op": "==", "n": 1},
    {"kind": "lines", "op": "==", "n": 1},
    {"kind": "letters", "forbid": "e"},
    {"kind": "charset", "only": "01ae"},
    {"kind": "case", "case": "upper"},
    {"kind": "lexicon", "list": "pirate", "op": ">=", "n": 2},
    {"kind": "syllables", "lines": [5, 7, 5]},
    {"kind": "contains", "of": ["a", ".", "<<END>>"], "ignore_case": True},
    {"kind": "starts_with", "of": ["a", "arr"]},
    {"kind": "ends_with", "of": ["!", "<<END>>"]},
    {"kind": "json", "fence": True},
    {"kind": "all", "of": [{"kind": "lines", "op": "==", "n": 1}, {"kind": "letters", "forbid": "e"}]},
    {"kind": "any", "of": [{"kind": "lines", "op": "==", "n": 1}, {"kind": "charset", "only": "01"}]},
    {"kind": "not", "of": {"kind": "contains", "of": "a"}},
)
"""Checks of every kind, the same ones in every process."""


def rubric_of(checks: Iterable[Mapping[str, Any]]) -> Rubric:
    """One rule for each check."""
    return Rubric("", (), tuple(Rule(f"rule_{i}", check(each), "") for i, each in enumerate(checks)))


def digest_of_the_table() -> str:
    """Of everything that the table of checks says of texts in which each piece stands beside many others."""
    rubric = rubric_of(TABLE)
    digest = hashlib.sha256()
    for step in range(1, len(PIECES), 5):
        output = "".join(PIECES[i * step % len(PIECES)] for i in range(50))
        digest.update(json.dumps(score(rubric, output).as_json()).encode())
    return digest.hexdigest()
