"""Kinds that count stretches of text: `words`, `sentences`, `paragraphs`, `lines`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal

from pydantic import Field

from probes.core.checks.amounts import Stretches
from probes.core.checks.base import register
from probes.core.checks.example import Example, Examples
from probes.core.finding import Span
from probes.core.sentences import sentences
from probes.core.text import Case, Token, is_in_case, lines, paragraphs, words
from probes.core.view import View


@register
class Words(Stretches):
    """How many words there are."""

    kind: Literal["words"]
    name: ClassVar[str] = "words"
    summary: ClassVar[str] = (
        "Token whitespace: the non-empty pieces of the plain split at white space. Token word: split at "
        "white space, at em dashes and at --; pieces that hold a letter or digit count. A single hyphen or "
        "an apostrophe never splits."
    )
    examples: ClassVar[Examples] = (
        Example({"op": "==", "n": 4, "token": "whitespace"}, "well-known – isn't it"),
        Example({"op": "==", "n": 4, "token": "word"}, "well-known – isn't it"),
        Example({"op": "<=", "n": 1, "token": "word", "where": "upper"}, "NASA and I agree"),
    )

    token: Token = Field("word", description="how the text is split: `whitespace` or `word`")
    where: Case | None = Field(
        None,
        description="count only words in `upper` or `lower` case: some letter has a case, and all that have "
        "one have this one (NASA and I are in upper case)",
    )

    @property
    def unit(self) -> str:
        return "words" if self.where is None else f"{self.where}-case words"

    def stretches(self, view: View) -> Iterator[Span]:
        found, case = words(view.text, self.token), self.where
        if case is None:
            return found
        return (span for span in found if is_in_case(view.text[span.start : span.end], case))


@register
class Sentences(Stretches):
    """How many sentences there are, by an estimate."""

    kind: Literal["sentences"]
    name: ClassVar[str] = "sentences"
    estimates: ClassVar[bool] = True
    summary: ClassVar[str] = (
        "A run of . ! ? … plus closing quotes, brackets, emphasis or a note's mark ([1]), then white space "
        "or the end, ends a sentence; not after a listed title, abbreviation or initial (but after some, if "
        "an opener word follows), nor, for ! ? … and ... or where a bracket or quotation closes, before a "
        "lower-case letter. Blank lines, rules (---), headings (# Title) and list items end one too; "
        "。！？ need no space. What holds no letter or digit is none."
    )
    examples: ClassVar[Examples] = (
        Example({"op": "==", "n": 1}, "Dr. Smith paid $3.50 for it."),
        Example({"op": "==", "n": 2}, "Wait… what? Yes."),
        Example({"op": "<=", "n": 2}, "One. Two!\n\nand a third"),
    )

    unit: ClassVar[str] = "sentences"

    def stretches(self, view: View) -> Iterator[Span]:
        return sentences(view.text)


@register
class Paragraphs(Stretches):
    """How many paragraphs there are."""

    kind: Literal["paragraphs"]
    name: ClassVar[str] = "paragraphs"
    summary: ClassVar[str] = "Runs of lines that hold more than white space, separated by lines that do not."
    examples: ClassVar[Examples] = (
        Example({"op": "==", "n": 2}, "One,\nstill one.\n\nTwo."),
        Example({"op": "==", "n": 1}, "One.\n \nTwo."),
        Example({"op": "<", "n": 3}, "One.\n\n\n\nTwo."),
    )

    unit: ClassVar[str] = "paragraphs"

    def stretches(self, view: View) -> Iterator[Span]:
        return paragraphs(view.text)


@register
class Lines(Stretches):
    """How many lines there are."""

    kind: Literal["lines"]
    name: ClassVar[str] = "lines"
    summary: ClassVar[str] = "Lines that hold more than white space; blank lines do not count."
    examples: ClassVar[Examples] = (
        Example({"op": "==", "n": 2}, "one\n\ntwo"),
        Example({"op": "==", "n": 3}, "one\n\ntwo"),
        Example({"op": ">=", "n": 2}, "- one\n- two\n- three"),
    )

    unit: ClassVar[str] = "lines"

    def stretches(self, view: View) -> Iterator[Span]:
        return lines(view.text)
