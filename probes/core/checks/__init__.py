"""Check kinds, one module a family. Importing this package registers all of them."""

from __future__ import annotations

from probes.core.checks import (
    characters,
    combinators,
    counts,
    json_text,
    lexicon,
    matches,
    pattern,
    syllables,
    texts,
)
from probes.core.checks.base import KINDS, Check, CheckError, check

__all__ = ["KINDS", "Check", "CheckError", "check"]

_FAMILIES = (characters, combinators, counts, json_text, lexicon, matches, pattern, syllables, texts)
