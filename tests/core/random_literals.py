"""Random pattern literals with texts that they are likely to match, from the grammar of JavaScript."""

from __future__ import annotations

from collections.abc import Iterator
from math import log2
from random import Random
from typing import NamedTuple, TypeVar

T = TypeVar("T")

LETTERS = "abkKsSxzAZ"
FOLDING = "ſK\u212aµμΜÅåÅßẞéÉıİiIǆǅǄθϑϴΘςσΣſtﬅΩω\u2126ᲀвВꭰᎠ"
ASTRAL = "😀😁𐐀𐐨\U00010000\U0010ffff"
SPACES = " \n\t\u00a0\ufeff\u2003\u0085\u180e\u200b\x0b"
OTHER = "019_-.,!\"'#世\U0000d7ff\ue000\uffff"
FOREIGN = "\r\u2028\u2029\x00"
SYNTAX = "^$\\.*+?()[]{}|/"

ESCAPES = {
    "\\d": "07", "\\D": "a- é", "\\w": "aZ_9", "\\W": "- éſ", "\\s": " \u00a0\ufeff\n", "\\S": "aſ世\u0085",
    "\\t": "\t", "\\n": "\n", "\\v": "\x0b", "\\f": "\x0c", "\\r": "\r", "\\x41": "A", "\\u00e9": "é",
    "\\u017f": "ſ", "\\u212A": "K", "\\0": "\x00", "\\cJ": "\n", "\\ud83d": "😀", "\\ud83d\\ude00": "😀",
    "\\ude00": "😀", "\\uD801\\uDC00": "𐐀",
}  # fmt: skip
WRONG = (
    "\\B", "\\1", "\\k<a>", "\\p{L}", "\\01", "\\q", "\\x4", "\\u12", "\\c1", "{", "}", "]", "(?=a)", "(?!a)",
    "(?<=a)", "(?<!a)", "(?i:a)", "(?P<a>a)", "(?>a)", "[z-a]", "[\\w-z]", "a**", "a++", "^*", "\\b+",
    "(", ")", "[", "+", "a{2,1}", "(?<a>a)(?<a>b)", "\\é", "\\u{}", "\\u{110000}", "a{,3}", "(?<é>a)",
    "\\-", "\\_", "\\ ",
)  # fmt: skip


class Piece(NamedTuple):
    """A piece of a source, a text it is likely to match, and log2 of about how many ways there are to try.

    A backtracking engine may try all of them, so that a literal of too many is not asked about.
    """

    source: str
    example: str
    ways: float = 0.0


MAX_WAYS = 14


class Literals:
    """A source of literals; the same seed gives the same ones."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.flags = ""

    def __iter__(self) -> Iterator[tuple[str, list[str]]]:
        """Literals with their texts, for ever."""
        while True:
            self.flags = self.pick("", "", "", "i", "i", "u", "u", "m", "s", "im", "ms", "su", "is", "mu")
            piece = self.choice(self.pick(1, 2, 2, 3))
            if piece.source and piece.ways <= MAX_WAYS:
                yield f"/{piece.source}/{self.flags}", self.texts(piece.example)

    def pick(self, *values: T) -> T:
        return self.random.choice(values)

    def choice(self, depth: int) -> Piece:
        branches = [self.sequence(depth) for _ in range(self.pick(1, 1, 1, 2, 3))]
        ways = log2(sum(2**branch.ways for branch in branches))
        return Piece("|".join(branch.source for branch in branches), self.pick(*branches).example, ways)

    def sequence(self, depth: int) -> Piece:
        terms = [self.term(depth) for _ in range(self.pick(0, 1, 1, 2, 2, 3))]
        source = "".join(term.source for term in terms)
        return Piece(source, "".join(term.example for term in terms), sum(term.ways for term in terms))

    def term(self, depth: int) -> Piece:
        chance = self.random.random()
        if chance < 0.1:
            return Piece(self.pick("^", "$", "\\b"), "")
        if chance < 0.11:
            return Piece(self.pick(*WRONG), "a")
        atom = self.atom(depth)
        return atom if chance < 0.6 else self.repeated(atom)

    def repeated(self, atom: Piece) -> Piece:
        low, more = self.pick(0, 1, 2, 3), self.pick(0, 1, 2)
        quantifier, rounds, most = self.pick(
            ("*", self.pick(0, 1, 3), 6), ("+", self.pick(1, 2), 6), ("?", self.pick(0, 1), 1),
            (f"{{{low}}}", low, low), (f"{{{low},}}", low + self.pick(0, 1), low + 6),
            (f"{{{low},{low + more}}}", low, low + more),
        )  # fmt: skip
        ways = (most - low * (quantifier[0] == "{")) / 2 + atom.ways * most
        return Piece(atom.source + quantifier + self.pick("", "", "?"), atom.example * rounds, min(ways, 99))

    def atom(self, depth: int) -> Piece:
        kind = self.pick("plain", "plain", "escape", "class", "dot", *["group"] * (2 * (depth > 0)))
        if kind == "group":
            inner = self.choice(depth - 1)
            opening = self.pick("(", "(?:", "(?:", f"(?<g{self.random.randrange(10**6)}>")
            return inner._replace(source=f"{opening}{inner.source})")
        if kind == "class":
            return self.char_class()
        if kind == "dot":
            return Piece(".", self.character())
        return self.escape() if kind == "escape" else self.plain()

    def plain(self) -> Piece:
        character = self.character()
        while character in "\n" + SYNTAX:
            character = self.character()
        return Piece(character, character)

    def escape(self) -> Piece:
        if self.random.random() < 0.15:
            character = self.pick(*SYNTAX)
            return Piece("\\" + character, character)
        if "u" in self.flags and self.random.random() < 0.3:
            character = self.pick(*ASTRAL, *FOLDING)
            return Piece(f"\\u{{{ord(character):x}}}", character)
        source = self.pick(*ESCAPES)
        return Piece(source, self.pick(*ESCAPES[source]))

    def char_class(self) -> Piece:
        if self.random.random() < 0.08:
            return Piece(
                *self.pick(("[]", ""), ("[^]", "\n"), ("[Ss]", "ſ"), ("[kK]", "\u212a"), ("[Z-s]", "s"))
            )
        members = [self.member() for _ in range(self.pick(1, 1, 2, 2, 3))]
        inside = "".join(member.source for member in members) + self.pick("", "", "", "-")
        if self.random.random() < 0.3:
            return Piece(f"[^{inside}]", self.character())
        return Piece(f"[{inside}]", self.pick(*members).example)

    def member(self) -> Piece:
        chance = self.random.random()
        if chance < 0.25:
            return self.escape()
        if chance < 0.3:
            return Piece(*self.pick(("\\b", "\x08"), ("\\-", "-"), (".", "."), ("[", "["), ("/", "/")))
        low = self.plain().source
        if chance < 0.65:
            return Piece(low, low)
        high = self.pick(self.plain().source, chr(min(0x10FFFF, ord(low) + self.pick(1, 5, 40, 300))))
        low, high = min(low, high), max(low, high)
        if high in SYNTAX or "\ud800" <= high <= "\udfff" or (high > "\uffff" and "u" not in self.flags):
            high = low
        return Piece(f"{low}-{high}", self.pick(low, high))

    def character(self) -> str:
        return self.pick(*self.pick(LETTERS, LETTERS, FOLDING, ASTRAL, SPACES, OTHER))

    def texts(self, example: str) -> list[str]:
        """The example itself, in noise, changed, shuffled, and beside other line ends and half characters."""
        example = example[:8]
        odd = (self.pick(*(example or "a"), *FOREIGN, "\ud83d", "\ude00") for _ in range(4))
        mixed = (self.pick(*example, *"as\n ") for _ in range(self.pick(1, 3, 6)))
        return [
            example,
            self.noise() + example + self.noise(),
            self.changed(example) + self.noise(),
            "".join(mixed),
            self.noise() + "".join(odd),
        ]

    def noise(self) -> str:
        return "".join(self.character() for _ in range(self.pick(0, 1, 1, 2)))

    def changed(self, text: str) -> str:
        if not text:
            return self.character()
        place = self.random.randrange(len(text))
        return text[:place] + self.pick(text[place].swapcase(), self.character(), "") + text[place + 1 :]


class EmptyLoops(Literals):
    """Mostly repetitions of what can match nothing, in two letters, where engines take different ways."""

    def atom(self, depth: int) -> Piece:
        if depth > 0 and self.random.random() < 0.7:
            inner = self.choice(depth - 1)
            return inner._replace(source=f"(?:{inner.source})")
        letter = self.pick("a", "b", "a", "b", "[ab]", ".", " ")
        return Piece(letter, letter if len(letter) == 1 else "a")

    def character(self) -> str:
        return self.pick("a", "b", "a", "b", " ", "\n")
