"""What follows a backslash, inside and outside a class."""

from __future__ import annotations

import re

from probes.core.patterns.characters import CLASSES, LAST_POINT, LAST_UNIT, Ranges, complement
from probes.core.patterns.reader import Reader

_CONTROLS = {"t": 0x09, "n": 0x0A, "v": 0x0B, "f": 0x0C, "r": 0x0D}
_LETTER = re.compile("[A-Za-z]")
_DIGITS = re.compile("[0-9]+")
_HEX_2 = re.compile("[0-9A-Fa-f]{2}")
_HEX_4 = re.compile("[0-9A-Fa-f]{4}")
_TRAIL = re.compile(r"\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})")
_BRACED = re.compile(r"\{([0-9A-Fa-f]+)\}")
_PROPERTY = re.compile(r"[pP](?:\{[^}]*\})?")
_SYNTAX = frozenset("^$\\.*+?()[]{}|/")


def last(reader: Reader) -> int:
    """The largest number that a character of this pattern can have."""
    return LAST_POINT if reader.flags.unicode else LAST_UNIT


def read_escape(reader: Reader, groups: int, *, in_class: bool) -> int | Ranges:
    """The character or the set that an escape stands for; the backslash has been read.

    `groups` is the number of captures, which tells a backreference from an octal escape.
    `\\b` is a backspace inside a class; outside, the parser has taken it.
    """
    start = reader.place - 1
    letter = reader.next
    if letter.isascii() and letter.isdigit():
        return _number(reader, start, groups)
    reader.take()
    if letter in "dDwWsS":
        plain = CLASSES[letter.lower()]
        return plain if letter.islower() else complement(plain, last(reader))
    if letter in _CONTROLS:
        return _CONTROLS[letter]
    if letter == "b" and in_class:
        return 0x08
    if letter in "xuc":
        return {"x": _hexadecimal, "u": _unicode, "c": _control}[letter](reader, start)
    if letter == "-" and in_class:
        return 0x2D
    return _itself(reader, start, letter)


def _number(reader: Reader, start: int, groups: int) -> int:
    found = reader.match(_DIGITS)
    digits = found[0] if found else ""
    if digits != "0":
        refers = not digits.startswith("0") and int(digits) <= groups
        reader.fail("backreference" if refers else "octal-escape", start)
    return 0


def _hexadecimal(reader: Reader, start: int) -> int:
    found = reader.match(_HEX_2)
    if found is None:
        reader.fail("hex-escape", start)
    return int(found[0], 16)


def _control(reader: Reader, start: int) -> int:
    found = reader.match(_LETTER)
    if found is None:
        reader.fail("control-escape", start)
    return ord(found[0]) & 0x1F


def _unicode(reader: Reader, start: int) -> int:
    if reader.next == "{":
        return _code_point(reader, start)
    found = reader.match(_HEX_4)
    if found is None:
        reader.fail("unicode-escape", start)
    unit = int(found[0], 16)
    if reader.flags.unicode and 0xD800 <= unit <= 0xDBFF and (trail := reader.match(_TRAIL)):
        return 0x10000 + ((unit - 0xD800) << 10) + int(trail[1], 16) - 0xDC00
    return unit


def _code_point(reader: Reader, start: int) -> int:
    if not reader.flags.unicode:
        reader.fail("code-point-escape", start)
    found = reader.match(_BRACED)
    if found is None or int(found[1], 16) > LAST_POINT:
        reader.fail("bad-code-point", start)
    return int(found[1], 16)


def _itself(reader: Reader, start: int, letter: str) -> int:
    """An escape that only takes a special meaning away."""
    if letter in "pP":
        reader.place -= 1
        reader.match(_PROPERTY)
        reader.fail("unicode-property", start)
    if letter == "k":
        reader.fail("named-backreference", start)
    if letter == "B":
        reader.fail("not-a-boundary", start)
    if _LETTER.match(letter):
        reader.fail("letter-escape", start, found=letter)
    if reader.flags.unicode and letter not in _SYNTAX:
        reader.fail("needless-escape", start, found=letter)
    return ord(letter)
