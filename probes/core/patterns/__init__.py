"""JavaScript regular-expression literals, matched in linear time.

pattern = Pattern.parse("/<<END>>\\s*$/")      # raises PatternError with .code, .message, .hint, .position
pattern.search(View(output))

The answers are JavaScript's; what cannot be answered exactly and in linear time is refused.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import version

from probes.core.patterns.errors import REFUSALS, PatternError
from probes.core.patterns.matcher import Pattern

__all__ = ["DIALECT", "REFUSALS", "Pattern", "PatternError", "engine_version"]

DIALECT = "js-re2/1"
"""The version of the rules by which a literal is read; stored with each verdict."""


@cache
def engine_version() -> str:
    """The version of google-re2, stored with each verdict."""
    return version("google-re2")
