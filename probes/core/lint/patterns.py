"""What a pattern does that its author may not expect: L003 and L004."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from probes.core.checks.pattern import MAX_SPANS
from probes.core.document import Document
from probes.core.leaves import leaves
from probes.core.lint.remarks import Remark, remark
from probes.core.patterns import Pattern
from probes.core.patterns.literal import split_literal
from probes.core.problems import quoted
from probes.core.text import letter_or_digit, show
from probes.core.view import View

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_FOREIGN = re.compile("[^\x00-\x7f]")
# Each row of ten decimal digits that a script of today writes numbers with, by its zero.
_ZEROS = "٠۰߀०০੦૦୦௦౦೦൦෦๐໐༠၀០᠐０"
_NUMBERED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([89a-fA-F][0-9a-fA-F])|u\{0*([0-9a-fA-F]{2,5})\})")
_SHARE = 0.02
"""How much of a prompt such letters are where it is written in a language that has them."""
_FOREIGN_DIGIT = re.compile("[" + "".join(f"{zero}-{chr(ord(zero) + 9)}" for zero in _ZEROS) + "]")


def matches_empty(document: Document) -> Iterator[Remark]:
    """L003: a pattern that the empty text matches, so that it finds something where nothing is."""
    for leaf in leaves(document.rubric.rules):
        for path, literal in leaf.patterns:
            if Pattern.parse(literal).matches_empty:
                message = f"{quoted(leaf.rule)} has a pattern that matches the empty text"
                yield remark(document, "L003", path, message)


def ascii_only(document: Document) -> Iterator[Remark]:
    """L004: what knows ASCII alone, where other letters or digits may decide."""
    found = [
        (leaf, path, literal) for leaf in leaves(document.rubric.rules) for path, literal in leaf.patterns
    ]
    elsewhere = _Elsewhere(document)
    for leaf, path, literal in found:
        if said := _beside_foreign(elsewhere, literal):
            yield remark(document, "L004", path, f"{quoted(leaf.rule)} uses {said}")


def _spelled(source: str) -> str:
    """The source with characters in the place of their numbers: \\u00e9 is é."""
    return _NUMBERED.sub(lambda found: chr(int(found[1] or found[2] or found[3], 16)), source)


def _beside_foreign(elsewhere: _Elsewhere, literal: str) -> str:
    """`\\b, for which 'é' in the pattern is no letter`; empty where nothing is wrong."""
    source = _spelled(split_literal(literal)[0])
    escapes = set(_ESCAPE.findall(source))
    letters = [f"\\{each}" for each in "bBwW" if each in escapes]
    if letters:
        words = not escapes.isdisjoint("wW")
        in_example = elsewhere.letter if words else elsewhere.touched(Pattern.parse(literal))
        if where := _in_pattern(_letter(source)) or elsewhere.language or in_example:
            return f"{' and '.join(letters)}, for which {where} is no letter"
    digits = [f"\\{each}" for each in "dD" if each in escapes]
    if digits and (where := _in_pattern(_FOREIGN_DIGIT.search(source)) or elsewhere.digit):
        return f"{' and '.join(digits)}, for which {where} is no digit"
    return ""


def _letter(text: str) -> re.Match[str] | None:
    """The first letter or digit that is not ASCII."""
    return next(_letters(text), None)


def _letters(text: str) -> Iterator[re.Match[str]]:
    return (each for each in _FOREIGN.finditer(text) if letter_or_digit().match(each[0]))


def _in_pattern(found: re.Match[str] | None) -> str:
    return f"{show(found[0])} in the pattern" if found else ""


class _Elsewhere:
    """Letters and digits that are not ASCII in the prompt and in the examples, and where the first stands."""

    def __init__(self, document: Document) -> None:
        self._prompt = "\n".join(document.prompt.texts())
        self._examples = [
            (f"in the example {quoted(each.label)}", View(each.output)) for each in document.fixtures
        ]

    @cached_property
    def language(self) -> str:
        """Of a prompt that is written with such letters; a word or two in another language is not."""
        found = list(_letters(self._prompt))
        words = {self._prompt[: each.start()].count(" ") for each in found[:50]}
        if len(words) < 2 or len(found) < _SHARE * len(self._prompt):
            return ""
        return f"{show(found[0][0])} in the prompt"

    @cached_property
    def letter(self) -> str:
        """In any example."""
        return next((f"{show(text[0])} {name}" for name, text, _ in self._with_letters), "")

    @cached_property
    def _with_letters(self) -> list[tuple[str, str, View]]:
        found = ((name, _letter(view.text), view) for name, view in self._examples)
        return [(name, letter[0], view) for name, letter, view in found if letter]

    def touched(self, pattern: Pattern) -> str:
        """Next to what the pattern matches in an example."""
        for name, _, view in self._with_letters:
            for start, end in pattern.spans(view, min(MAX_SPANS, pattern.affordable(view))):
                around = view.text[max(0, start - 1) : start] + view.text[end : end + 1]
                if found := _letter(around):
                    return f"{show(found[0])} {name}"
        return ""

    @cached_property
    def digit(self) -> str:
        places = [("in the prompt", self._prompt), *((name, view.text) for name, view in self._examples)]
        found = ((name, _FOREIGN_DIGIT.search(text)) for name, text in places)
        return next((f"{show(each[0])} {name}" for name, each in found if each), "")
