"""What a pattern does that its author may not expect: L003 and L004."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

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
    for leaf in leaves(document):
        for path, literal in leaf.patterns:
            if found := _beside_foreign(document, literal):
                yield remark(document, "L004", path, f"{quoted(leaf.rule)} uses {found}")


def _beside_foreign(document: Document, literal: str) -> str:
    """`\\b, and 'é' stands in the pattern`; empty where nothing is wrong."""
    source, _ = split_literal(literal)
    escapes = set(_ESCAPE.findall(source))
    letters = [f"\\{each}" for each in "bBwW" if each in escapes]
    if letters and (where := _where(document, source, _letter)):
        return f"{' and '.join(letters)}, for which {where} is no letter"
    digits = [f"\\{each}" for each in "dD" if each in escapes]
    if digits and (where := _where(document, source, _FOREIGN_DIGIT.search)):
        return f"{' and '.join(digits)}, for which {where} is no digit"
    return ""


def _letter(text: str) -> re.Match[str] | None:
    """The first letter or digit that is not ASCII."""
    found = _FOREIGN.finditer(text)
    return next((each for each in found if letter_or_digit().match(each[0])), None)


def _where(document: Document, source: str, search: Search) -> str:
    """The first such character and where it stands: the pattern, the prompt, an example."""
    places = [
        ("in the pattern", source),
        *(("in the prompt", text) for text in document.prompt.texts()),
        *((f"in the example {quoted(each.label)}", each.output) for each in document.fixtures),
    ]
    for name, text in places:
        if found := search(text):
            return f"{show(found[0])} {name}"
    return ""
