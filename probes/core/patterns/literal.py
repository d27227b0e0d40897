"""`/source/flags`: where the source ends, and which flags there are."""

from __future__ import annotations

import re
from dataclasses import dataclass

from probes.core.patterns.errors import PatternError

MAX_SOURCE = 500

_LINE_END = re.compile("[\n\r\u2028\u2029]")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
# Up to the first slash that is neither escaped nor inside a class.
_BODY = re.compile(r"/((?:[^\\/\[]|\\.|\[(?:[^\\\]]|\\.)*\])*)(.*)", re.DOTALL)


@dataclass(frozen=True)
class Flags:
    """The flags that decide how a source is read."""

    ignore_case: bool
    multiline: bool
    dot_all: bool
    unicode: bool


def split_literal(literal: str) -> tuple[str, str]:
    """Source and flags of a literal, e.g. `("<<END>>\\\\s*$", "i")`. Raises PatternError."""
    if not literal.startswith("/"):
        raise PatternError("no-literal", 0)
    if len(literal) > 2 * MAX_SOURCE:
        raise PatternError("too-long", 0, length=len(literal), limit=MAX_SOURCE)
    _refuse_raw_characters(literal)
    found = _BODY.fullmatch(literal)
    assert found is not None  # noqa: S101 - the last group takes whatever the first does not
    source, rest = found.groups()
    if not rest.startswith("/"):
        code = "unterminated-class" if rest.startswith("[") else "unterminated-literal"
        raise PatternError(code, found.start(2) if rest else len(literal))
    if not source:
        raise PatternError("empty-literal", 0)
    if len(source) > MAX_SOURCE:
        raise PatternError("too-long", 0, length=len(source), limit=MAX_SOURCE)
    return source, rest[1:]


def _refuse_raw_characters(literal: str) -> None:
    if found := _LINE_END.search(literal):
        raise PatternError("line-break", found.start())
    if found := _UNSTORABLE.search(literal):
        name = "a NUL character" if found[0] == "\x00" else "half of a surrogate pair"
        raise PatternError("unstorable", found.start(), found=name)


def read_flags(flags: str, start: int) -> Flags:
    """What `flags` say; `start` is their offset in the literal. Raises PatternError."""
    for i, flag in enumerate(flags):
        if code := _refusal(flag, flags[:i]):
            raise PatternError(code, start + i, found=f"`{flag}`")
    if "i" in flags and "u" in flags:
        raise PatternError("i-with-u", start)
    return Flags("i" in flags, "m" in flags, "s" in flags, "u" in flags)


def _refusal(flag: str, before: str) -> str | None:
    if flag in "gy":
        return "stateful-flag"
    if flag in "dv":
        return "unsupported-flag"
    if flag not in "imsu":
        return "unknown-flag"
    return "repeated-flag" if flag in before else None
