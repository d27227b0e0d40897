"""What a pattern does that its author may not expect: L003 and L004."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property

from probes.core.document import Document
from probes.core.lint.leaves import leaves
from probes.core.lint.remarks import Remark, remark
from probes.core.patterns import Pattern
from probes.core.patterns.literal import split_literal
from probes.core.problems import quoted
from probes.core.text import letter_or_digit, show

Search = Callable[[str], re.Match[str] | None]

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_FOREIGN = re.compile("[^\x00-\x7f]")
# Each row of ten decimal digits that a script of today writes numbers with, by its zero.
_ZEROS = "٠۰߀०০੦૦୦௦౦೦൦෦๐໐༠၀០᠐０"
_FOREIGN_DIGIT = re.compile("[" + "".join(f"{zero}-{chr(ord(zero) + 9)}" for zero in _ZEROS) + "]")


def matches_empty(document: Document) -> Iterator[Remark]:
    """L003: a pattern that the empty text matches, so that it finds something where nothing is."""
    for leaf in leaves(document):
        for path, literal in leaf.patterns:
            if Pattern.parse(literal).matches_empty:
                message = f"{quoted(leaf.rule)} has a pattern that matches the empty text"
                yield remark(document, "L003", path, message)


def ascii_only(document: Document) -> Iterator[Remark]:
    """L004: what knows ASCII alone, where the pattern, the prompt or an example has other letters."""
    found = [(leaf, path, literal) for leaf in leaves(document) for path, literal in leaf.patterns]
    elsewhere = _Elsewhere(document)
    for leaf, path, literal in found:
        if said := _beside_foreign(elsewhere, literal):
            yield remark(document, "L004", path, f"{quoted(leaf.rule)} uses {said}")


def _beside_foreign(elsewhere: _Elsewhere, literal: str) -> str:
    """`\\b, for which 'é' in the pattern is no letter`; empty where nothing is wrong."""
    source, _ = split_literal(literal)
    escapes = set(_ESCAPE.findall(source))
    letters = [f"\\{each}" for each in "bBwW" if each in escapes]
    if letters and (where := _in_pattern(_letter(source)) or elsewhere.letter):
        return f"{' and '.join(letters)}, for which {where} is no letter"
    digits = [f"\\{each}" for each in "dD" if each in escapes]
    if digits and (where := _in_pattern(_FOREIGN_DIGIT.search(source)) or elsewhere.digit):
        return f"{' and '.join(digits)}, for which {where} is no digit"
    return ""


def _letter(text: str) -> re.Match[str] | None:
    """The first letter or digit that is not ASCII."""
    found = _FOREIGN.finditer(text)
    return next((each for each in found if letter_or_digit().match(each[0])), None)


def _in_pattern(found: re.Match[str] | None) -> str:
    return f"{show(found[0])} in the pattern" if found else ""


class _Elsewhere:
    """The first letter and the first digit that are not ASCII in the prompt and in the examples."""

    def __init__(self, document: Document) -> None:
        self._places = [
            *(("in the prompt", text) for text in document.prompt.texts()),
            *((f"in the example {quoted(each.label)}", each.output) for each in document.fixtures),
        ]

    @cached_property
    def letter(self) -> str:
        return self._first(_letter)

    @cached_property
    def digit(self) -> str:
        return self._first(_FOREIGN_DIGIT.search)

    def _first(self, search: Search) -> str:
        """`'é' (U+00E9) in the prompt`; empty if there is none."""
        found = ((name, search(text)) for name, text in self._places)
        return next((f"{show(each[0])} {name}" for name, each in found if each), "")
