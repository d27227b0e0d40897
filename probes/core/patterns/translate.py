"""From nodes to RE2's syntax."""

from __future__ import annotations

from probes.core.patterns.alphabets import Alphabet, Points, Units
from probes.core.patterns.errors import PatternError
from probes.core.patterns.kinds import Kinds
from probes.core.patterns.syntax import At, Chars, Choice, Node, Place, Repeat, Sequence

LIGHT = 600
"""Up to this weight a pattern is searched in UTF-8, which is encoded once an output for all rules."""

HEAVIEST = 1600
"""Up to this weight a pattern that tells too many characters apart is searched in UTF-8 all the same."""

_PLACES: dict[Place, str] = {
    "start": r"\A",
    "end": r"\z",
    "line_start": "(?m:^)",
    "line_end": "(?m:$)",
    "word_edge": r"\b",
}


def alphabet_for(node: Node, *, unicode: bool, light: int = LIGHT) -> Alphabet:
    """The alphabet in which `node` is searched. Raises PatternError if it fits none."""
    size = weight(node)
    if size > light:
        try:
            return Kinds(node, unicode=unicode)
        except PatternError:
            if size > HEAVIEST:
                raise
    return Points() if unicode else Units()


def to_re2(node: Node, alphabet: Alphabet) -> str:
    """`node` in RE2's syntax, without captures."""
    match node:
        case Chars(ranges):
            return alphabet.write(ranges)
        case At(place):
            return _PLACES[place]
        case Sequence(parts):
            return "".join(_inner(part, alphabet) for part in parts)
        case Choice(parts):
            return "|".join(to_re2(part, alphabet) for part in parts)
        case Repeat(body, low, high, lazy):
            return f"(?:{to_re2(body, alphabet)}){_quantifier(low, high)}{'?' * lazy}"


def _inner(node: Node, alphabet: Alphabet) -> str:
    text = to_re2(node, alphabet)
    return f"(?:{text})" if isinstance(node, Choice) else text


def _quantifier(low: int, high: int | None) -> str:
    match low, high:
        case 0, None:
            return "*"
        case 1, None:
            return "+"
        case 0, 1:
            return "?"
    return f"{{{low}}}" if low == high else f"{{{low},{'' if high is None else high}}}"


def weight(node: Node) -> int:
    """About how many instructions RE2 needs for `node` in UTF-8."""
    match node:
        case Chars(ranges):
            return sum(map(_weight_of_range, ranges)) or 1
        case At():
            return 1
        case Sequence(parts) | Choice(parts):
            return sum(map(weight, parts)) + 1
        case Repeat(body):
            return (weight(body) + 1) * node.count


def steps(node: Node, alphabet: Alphabet) -> int:
    """About how many instructions RE2 may go through for one byte of a text."""
    return 2 * node.size if isinstance(alphabet, Kinds) else weight(node)


def _weight_of_range(pair: tuple[int, int]) -> int:
    low, high = pair
    if high < 0x80:
        return 1
    return 3 if low == high else 5
