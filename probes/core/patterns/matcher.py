"""A pattern ready to search: JavaScript's answers in time linear in the text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from struct import unpack
from typing import Any

import re2

from probes.core.patterns.alphabets import SHIFT, Alphabet
from probes.core.patterns.errors import PatternError
from probes.core.patterns.exact import Exact, exact
from probes.core.patterns.kinds import Kinds
from probes.core.patterns.literal import read_flags, split_literal
from probes.core.patterns.loops import with_javascript_loops
from probes.core.patterns.parser import parse
from probes.core.patterns.starts import Starts, starts
from probes.core.patterns.syntax import Node
from probes.core.patterns.translate import alphabet_for, steps, to_re2
from probes.core.view import View

WORK = 200_000_000
"""How many steps all searches of one call may take together in the worst case: about a second."""

ENDING = WORK // 4
"""How many of them may go into where one match ends."""

Search = Callable[..., Any]
"""From a text and, perhaps, a place in it to the first match from there on, or None."""

_FOREIGN_LINE_ENDS = re.compile("[\r\u2028\u2029]")


@dataclass(frozen=True)
class Pattern:
    """A JavaScript regular-expression literal; equal to every other of the same text."""

    literal: str
    source: str = field(compare=False)
    flags: str = field(compare=False)
    _alphabet: Alphabet = field(compare=False, repr=False)
    _regex: Any = field(compare=False, repr=False)
    _search: Search = field(compare=False, repr=False)
    steps: int = field(compare=False, repr=False)
    _shortest: int = field(compare=False, repr=False)

    @classmethod
    def parse(cls, literal: str) -> Pattern:
        """The pattern that `literal` writes, e.g. `/<<END>>\\s*$/i`. Raises PatternError."""
        return _parsed(literal)

    def search(self, view: View | str) -> bool:
        """Whether the pattern matches anywhere in the view.

        A bare text is taken exactly as it stands, which is JavaScript's own question; with the flag `m`
        it must then have no line ends but `\\n`.
        """
        return self.first(self._view(view)) is not None

    def first(self, view: View) -> Any:
        """The first match, from which `spans_from` goes on, or None."""
        return self._search(self._alphabet.text(view))

    def spans(self, view: View | str, limit: int = 100) -> tuple[tuple[int, int], ...]:
        """The first matches as JavaScript's `matchAll` finds them, as code-point offsets.

        At most `limit`, and no more than are affordable; of a large pattern in a long text a match may be
        given that ends earlier. Without the flag `u` a match can end inside a surrogate pair: the whole
        character is given.
        """
        view = self._view(view)
        return self.spans_from(self.first(view), view, limit)

    def spans_from(self, first: Any, view: View, limit: int = 100) -> tuple[tuple[int, int], ...]:
        """What `spans` gives, where `first` has been searched already."""
        if first is None:
            return ()
        text: bytes = first.string
        spans = self._and_more(first.span(), text, view, limit)
        if len(text) == len(view.text):
            return tuple(spans)
        found = _characters(self._alphabet, text, spans)
        return tuple(found if self._alphabet.unicode or not view.pairs else _points(view.pairs, found))

    def _and_more(self, span: tuple[int, int], text: bytes, view: View, limit: int) -> list[tuple[int, int]]:
        """`span` and those after it, in bytes. After an empty one the search goes on a character later."""
        found = [span]
        # In a text that ends where it must, there is hardly ever room for another match.
        while (place := self._after(span, text)) + self._shortest <= len(text):
            if len(found) == 1:
                limit = min(limit, self.affordable(view))
            if len(found) >= limit or (next_ := self._search(text, place)) is None:
                break
            found.append(span := next_.span())
        return found

    def _after(self, span: tuple[int, int], text: bytes) -> int:
        start, end = span
        if end > start or end == len(text):
            return end + (end == start)
        return end + self._alphabet.width(text[end])

    def affordable(self, view: View) -> int:
        """How many matches of a view can be looked for one after the other in bounded time, at least 1.

        Only one where it might not be followed to its end, from which the search for others would go on.
        """
        work = self.steps * max(1, self._alphabet.length(view))
        return WORK // work if work <= ENDING else 1

    @cached_property
    def matches_empty(self) -> bool:
        """Whether the empty text matches."""
        return self.search("")

    def _view(self, view: View | str) -> View:
        if isinstance(view, View):
            return view
        if "m" in self.flags and _FOREIGN_LINE_ENDS.search(view):
            raise ValueError("with the flag m, pass a View: the text has line ends other than \\n")
        return _AsItStands(view)


class _AsItStands(View):
    """A text that is not repaired, with its surrogate pairs joined as JavaScript sees them."""

    def __init__(self, raw: str) -> None:
        self.text = raw.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")

    @cached_property
    def code_units(self) -> bytes:
        data = self.text.encode("utf-16-le", "surrogatepass")
        units = unpack(f"<{len(data) // 2}H", data)
        return "".join(chr(SHIFT + unit if 0xD800 <= unit <= 0xDFFF else unit) for unit in units).encode()


@lru_cache(maxsize=128)
def _parsed(literal: str) -> Pattern:
    source, letters = split_literal(literal)
    flags = read_flags(letters, len(literal) - len(letters))
    node = with_javascript_loops(parse(source, flags))
    return compiled(literal, node, alphabet_for(node, unicode=flags.unicode))


def compiled(literal: str, node: Node, alphabet: Alphabet) -> Pattern:
    """The pattern of a literal whose node has been parsed, searched in `alphabet`."""
    source, flags = split_literal(literal)
    try:
        regex = re2.compile(to_re2(node, alphabet).encode(), alphabet.options)
    except re2.error:
        raise PatternError("engine", 0) from None
    cost = steps(node, alphabet)
    search = _search(node, alphabet, regex, ENDING // cost)
    # The library would keep 128 more of them, each of up to 8 MB; the rules hold what they use.
    re2.purge()
    return Pattern(literal, source, flags, alphabet, regex, search, cost, node.shortest)


def _search(node: Node, alphabet: Alphabet, regex: Any, reach: int) -> Search:
    """The quickest way to find `node`, which `regex` is."""
    found: Exact | Starts | None = exact(node, alphabet)
    if found is None and isinstance(alphabet, Kinds):
        found = starts(node, alphabet, regex, reach)
    return found.search if found else regex.search


def _characters(
    alphabet: Alphabet, text: bytes, spans: Iterable[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Offsets in bytes as offsets in characters of the alphabet."""
    place = count = 0
    for span in spans:
        counted = []
        for at in span:
            count += alphabet.count(text[place:at])
            place = at
            counted.append(count)
        yield counted[0], counted[1]


def _points(pairs: Sequence[int], spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Offsets in UTF-16 code units as offsets in code points; surrogate pairs begin at `pairs`."""
    for start, end in spans:
        first, _ = _point(pairs, start)
        yield first, first if start == end else _point(pairs, end)[1]


def _point(pairs: Sequence[int], unit: int) -> tuple[int, int]:
    """The code point before which unit `unit` stands, rounded down and up if inside a surrogate pair."""
    before = bisect_left(pairs, unit)
    inside = before > 0 and pairs[before - 1] == unit - 1
    return unit - before, unit - before + inside
