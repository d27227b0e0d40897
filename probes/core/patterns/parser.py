"""The source of a pattern, read by JavaScript's grammar into nodes.

Whatever the grammar allows but a linear-time engine cannot answer, or answers differently, is refused
here by name; so are the forms that JavaScript only tolerates for old pages, such as a lone `{`.
"""

from __future__ import annotations

import re

from probes.core.patterns.characters import LINE_ENDS, Ranges, complement
from probes.core.patterns.classes import fold, read_class
from probes.core.patterns.escapes import last, read_escape
from probes.core.patterns.literal import Flags
from probes.core.patterns.reader import Reader
from probes.core.patterns.syntax import At, Chars, Choice, Node, Place, Repeat, Sequence

MAX_COUNT = 1000
MAX_SIZE = 1000
MAX_DEPTH = 50

_COUNT = re.compile(r"\{([0-9]+)(?:(,)([0-9]*))?\}")
_QUANTIFIER = re.compile(r"[*+?]|\{[0-9]+(?:,[0-9]*)?\}")
_NAME = re.compile(r"([A-Za-z_$][A-Za-z0-9_$]*)>")
_NAME_LIKE = re.compile(r"[^>)]*>?")
_INLINE_FLAGS = re.compile(r"\(\?(?=[a-zA-Z-])[a-zA-Z]*(?:-[a-zA-Z]*)?[:)]")
_CAPTURES = re.compile(r"\\.|\[(?:[^\\\]]|\\.)*\]|(\((?!\?)|\(\?<(?![=!]))", re.DOTALL)
_SIMPLE = {"*": (0, None), "+": (1, None), "?": (0, 1)}

_REFUSED_GROUPS = (
    ("(?=", "lookahead"),
    ("(?!", "lookahead"),
    ("(?<=", "lookbehind"),
    ("(?<!", "lookbehind"),
    ("(?P", "python-group"),
)


def parse(source: str, flags: Flags) -> Node:
    """The node of the whole source. Raises PatternError."""
    return _Parser(Reader(source, flags)).whole()


class _Parser:
    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.depth = 0
        self.names: set[str] = set()
        self.groups = sum(bool(found[1]) for found in _CAPTURES.finditer(reader.text))

    def whole(self) -> Node:
        node = self.choice()
        if self.reader.next:
            self.reader.fail("unmatched-parenthesis", self.reader.place)
        self.limit_size(node, 0)
        return node

    def choice(self) -> Node:
        parts = [self.sequence()]
        while self.reader.skip("|"):
            parts.append(self.sequence())
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def sequence(self) -> Node:
        parts = []
        while self.reader.next not in ("", "|", ")"):
            parts.append(self.term())
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def term(self) -> Node:
        start = self.reader.place
        if (found := self.place()) is not None:
            if self.reader.match(_QUANTIFIER):
                self.reader.fail("quantified-anchor", start)
            return At(found)
        node = self.atom()
        return self.repeated(node)

    def place(self) -> Place | None:
        multiline = self.reader.flags.multiline
        if self.reader.skip("^"):
            return "line_start" if multiline else "start"
        if self.reader.skip("$"):
            return "line_end" if multiline else "end"
        return "word_edge" if self.reader.skip("\\b") else None

    def atom(self) -> Node:
        reader = self.reader
        if reader.next == "(":
            return self.group()
        if reader.skip("["):
            return Chars(read_class(reader, self.groups))
        if reader.skip("\\"):
            return self.characters(read_escape(reader, self.groups, in_class=False))
        if reader.skip("."):
            return Chars(self.dot())
        self.refuse_bare()
        return self.characters(ord(reader.take()))

    def characters(self, found: int | Ranges) -> Chars:
        return Chars(fold(self.reader, ((found, found),) if isinstance(found, int) else found))

    def dot(self) -> Ranges:
        excluded = () if self.reader.flags.dot_all else LINE_ENDS
        return complement(excluded, last(self.reader))

    def refuse_bare(self) -> None:
        """Refuse a special character that stands where only a plain one can."""
        start = self.reader.place
        if found := self.reader.match(_QUANTIFIER):
            self.reader.fail("nothing-to-repeat", start, found=found[0])
        if self.reader.next in "{}]":
            self.reader.fail("bare-bracket", start, found=self.reader.take())

    def group(self) -> Node:
        reader, start = self.reader, self.reader.place
        self.open_group()
        self.depth += 1
        if self.depth > MAX_DEPTH:
            reader.fail("too-deep", start, limit=MAX_DEPTH)
        node = self.choice()
        if not reader.skip(")"):
            reader.fail("unterminated-group", start)
        self.depth -= 1
        return node

    def open_group(self) -> None:
        """Step over `(`, `(?:` or `(?<name>`; refuse every other opening."""
        reader, start = self.reader, self.reader.place
        if reader.skip("(?:"):
            return
        for opening, code in _REFUSED_GROUPS:
            if reader.skip(opening):
                reader.fail(code, start)
        if reader.skip("(?<"):
            self.name_group(start)
        elif reader.text.startswith("(?", start):
            code = "inline-flags" if reader.match(_INLINE_FLAGS) else "unknown-group"
            reader.place = max(reader.place, start + 3)
            reader.fail(code, start)
        else:
            reader.take()

    def name_group(self, start: int) -> None:
        found = self.reader.match(_NAME)
        if found is None:
            shown = self.reader.match(_NAME_LIKE)
            self.reader.fail("group-name", start, found=shown[0].rstrip(">") if shown else "")
        if found[1] in self.names:
            self.reader.fail("duplicate-group-name", start, found=found[1])
        self.names.add(found[1])

    def repeated(self, node: Node) -> Node:
        """`node` with the quantifier after it, if there is one."""
        start = self.reader.place
        bounds = self.bounds()
        if bounds is None:
            return node
        lazy = self.reader.skip("?")
        self.refuse_second_quantifier(start)
        low, high = bounds
        repeat = Repeat(node, low, high, lazy and low != high)
        if repeat.copies > MAX_COUNT:
            self.reader.fail("nested-counts", start, product=repeat.copies, limit=MAX_COUNT)
        self.limit_size(repeat, start)
        return repeat

    def limit_size(self, node: Node, start: int) -> None:
        size = _counted_size(node)
        if size > MAX_SIZE:
            self.reader.fail("too-large", start, size=size, limit=MAX_SIZE)

    def bounds(self) -> tuple[int, int | None] | None:
        start = self.reader.place
        if self.reader.next and self.reader.next in "*+?":
            return _SIMPLE[self.reader.take()]
        found = self.reader.match(_COUNT)
        if found is None:
            return None
        low = int(found[1])
        high = low if found[2] is None else int(found[3]) if found[3] else None
        if high is not None and high < low:
            self.reader.fail("reversed-count", start)
        if max(low, high or 0) > MAX_COUNT:
            self.reader.fail("count-too-large", start, limit=MAX_COUNT)
        return low, high

    def refuse_second_quantifier(self, start: int) -> None:
        second = self.reader.match(_QUANTIFIER)
        if second:
            self.reader.fail("possessive-quantifier" if second[0] == "+" else "double-quantifier", start)


def _counted_size(node: Node) -> int:
    """The parts that counts make when written out; all others are no more than the source is long."""
    match node:
        case Repeat(body):
            return node.size if node.count > 1 else _counted_size(body)
        case Sequence(parts) | Choice(parts):
            return sum(map(_counted_size, parts))
    return 0
