"""One refused pattern for each way of being refused, for the page that says what a pattern may be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from probes.core.patterns.errors import PatternError
from probes.core.patterns.literal import MAX_SOURCE
from probes.core.patterns.matcher import Pattern
from probes.core.patterns.parser import MAX_COUNT, MAX_DEPTH, MAX_SIZE

LIMITS = {"source": MAX_SOURCE, "count": MAX_COUNT, "size": MAX_SIZE, "depth": MAX_DEPTH}
"""Characters between the slashes, the largest count, parts when counts are written out, groups in groups."""

REFUSED: dict[str, str] = {
    "lookahead": "/cat(?= flap)/",
    "lookbehind": "/(?<=cat )flap/",
    "backreference": r"/(\w+) \1/",
    "named-backreference": r"/(?<word>\w+) \k<word>/",
    "unicode-property": r"/\p{Lu}/u",
    "not-a-boundary": r"/\Bcat/",
    "stateful-flag": "/cat/g",
    "unsupported-flag": "/cat/v",
    "unknown-flag": "/cat/x",
    "repeated-flag": "/cat/ii",
    "i-with-u": "/straße/iu",
    "inline-flags": "/(?i:cat)/",
    "python-group": "/(?P<word>cat)/",
    "unknown-group": "/(?>cat)/",
    "group-name": "/(?<2nd>cat)/",
    "duplicate-group-name": "/(?<a>cat)(?<a>dog)/",
    "possessive-quantifier": "/cat++/",
    "double-quantifier": "/cat**/",
    "quantified-anchor": "/^*cat/",
    "nothing-to-repeat": "/*cat/",
    "bare-bracket": "/}/",
    "letter-escape": r"/cat\Z/",
    "octal-escape": r"/\07/",
    "control-escape": r"/\c1/",
    "hex-escape": r"/\xZ/",
    "unicode-escape": r"/\u12/",
    "code-point-escape": r"/\u{1F600}/",
    "bad-code-point": r"/\u{110000}/u",
    "needless-escape": r"/\-/u",
    "class-in-range": r"/[\w-z]/",
    "reversed-range": "/[z-a]/",
    "split-range": "/[😀-😎]/",
    "unterminated-class": "/[cat/",
    "unterminated-group": "/(cat/",
    "unmatched-parenthesis": "/cat)/",
    "unterminated-literal": "/cat",
    "no-literal": "cat",
    "empty-literal": "//",
    "reversed-count": "/a{3,2}/",
    "count-too-large": "/a{1001}/",
    "nested-counts": "/(?:a{50}){50}/",
    "too-large": "/(?:cat and dog){300}/",
}
"""By code."""


@dataclass(frozen=True)
class Refused:
    """A literal that is not accepted, what is wrong with it, and what to write instead."""

    literal: str
    message: str
    hint: str


@cache
def refused() -> Sequence[Refused]:
    """Each example as the parser itself answers it. Raises AssertionError where one is accepted."""
    return tuple(_refused(literal) for literal in REFUSED.values())


def _refused(literal: str) -> Refused:
    try:
        Pattern.parse(literal)
    except PatternError as error:
        return Refused(literal, error.message, error.hint)
    raise AssertionError(f"{literal} is accepted")
