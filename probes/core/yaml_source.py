"""A strict reader of YAML: JSON values only, and the line of each.

It works on the parser's events, so that nothing is built from an alias, a tag or a tower of
brackets: each is refused where it stands. `no`, `01`, `12:30`, `~` stay text, as nothing but
`null`, `true`, `false` and JSON numbers is anything else.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from probes.core.problems import DocumentError, Path, Problem, quoted, shorten

MAX_BYTES = 256 * 1024
MAX_DEPTH = 20
MAX_VALUES = 10_000
LARGEST_INTEGER = 2**53 - 1
"""JSON numbers are doubles: a larger integer would not survive the canonical form."""


class Refused:
    """Stands where a value was refused and reported, so that nobody reports it a second time."""


REFUSED = Refused()

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_NOT_IN_A_FILE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
_CONSTANTS = {"null": None, "true": True, "false": False}

_HINTS = (
    ("\\t", "a tab stands where only spaces may", "indent with spaces"),
    (
        "mapping values are not allowed",
        "a ': ' stands where none may",
        "check the indentation, or put the text in quotes",
    ),
    (
        "could not find expected ':'",
        "a line without 'key: value'",
        "check its indentation, or quote the text",
    ),
    (
        "expected <block end>",
        "this line does not fit the ones above it",
        "check its indentation, or a quote above that is not closed",
    ),
    ("unexpected end of stream", "a quote is opened and never closed", "close it, or write the text under |"),
    ("that cannot start any token", "a text begins with a reserved character", "put the text in quotes"),
    ("expected ',' or", "a list or mapping in brackets is not closed", "close it with ] or }"),
    ("unknown escape character", "an unknown escape in a double-quoted text", "write \\\\ for a backslash"),
)


@dataclass
class Source:
    """What a file says: plain JSON values, the line of each path, and what was refused on the way."""

    data: Any = REFUSED
    lines: dict[Path, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def load(text: str, noun: str = "probe file") -> Source:
    """Read one YAML document of JSON values.

    What can be read around is listed in `problems` of the result; what ends the reading (a syntax
    error, too many bytes, values or levels) raises DocumentError together with all found so far.
    """
    text = text.removeprefix("\ufeff")
    _refuse_unreadable(text, noun)
    builder = _Builder(text)
    try:
        return builder.build()
    except _FatalError as stop:
        raise DocumentError([*builder.source.problems, stop.problem], noun) from None
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise DocumentError(
            [*builder.source.problems, _syntax_problem(error, builder.loader.line + 1)], noun
        ) from None


def _refuse_unreadable(text: str, noun: str) -> None:
    size = len(text.encode(errors="surrogatepass"))
    if size > MAX_BYTES:
        message = f"the file has {size:,} bytes and may have {MAX_BYTES:,}"
        raise DocumentError([Problem(None, (), message, "shorten its texts or publish two probes")], noun)
    found = _NOT_IN_A_FILE.search(text)
    if found:
        raise DocumentError([_unreadable(text, found.start())], noun)


def _unreadable(text: str, offset: int) -> Problem:
    line = len(re.findall("\r\n|[\r\n]", text[:offset])) + 1
    code = ord(text[offset])
    if code == 0 or 0xD800 <= code <= 0xDFFF:
        name = "a NUL" if code == 0 else "half a surrogate pair"
        return Problem(line, (), f"the file holds {name}, which can neither be sent nor stored", "remove it")
    hint = f'write it as "\\u{code:04x}" in a double-quoted text, or remove it'
    return Problem(line, (), f"the file holds the control character U+{code:04X}", hint)


class _FatalError(Exception):
    def __init__(self, problem: Problem) -> None:
        self.problem = problem


class _Builder:
    def __init__(self, text: str) -> None:
        self.loader = yaml.SafeLoader(text)
        self.events = self._events()
        self.source = Source()
        self.values = 0

    def _events(self) -> Iterator[Any]:
        while self.loader.check_event():
            yield self.loader.get_event()  # type: ignore[no-untyped-call]

    def build(self) -> Source:
        next(self.events)  # the stream's start
        event = next(self.events)
        if isinstance(event, yaml.StreamEndEvent):
            raise _FatalError(Problem(1, (), "the file is empty", "begin with the line 'format: …'"))
        if event.version or event.tags:
            raise _FatalError(Problem(1, (), "YAML directives (%…) are not used here", "remove the line"))
        self.source.data = self.value((), next(self.events))
        next(self.events)  # the document's end
        self._expect_end(next(self.events))
        return self.source

    def _expect_end(self, event: Any) -> None:
        if not isinstance(event, yaml.StreamEndEvent):
            problem = Problem(
                _line(event), (), "a second document begins here", "keep one a file: remove '---'"
            )
            raise _FatalError(problem)

    def value(self, path: Path, event: Any) -> Any:
        self.source.lines.setdefault(path, _line(event))
        self._count(path, event)
        if isinstance(event, yaml.AliasEvent):
            return self.refuse(
                path,
                event,
                f"the alias *{shorten(str(event.anchor))} is not used here",
                "write the value out",
            )
        self._refuse_extras(path, event)
        value = self._content(path, event)
        return REFUSED if event.tag is not None else value

    def _content(self, path: Path, event: Any) -> Any:
        if isinstance(event, yaml.MappingStartEvent):
            return self.mapping(path)
        if isinstance(event, yaml.SequenceStartEvent):
            return self.sequence(path)
        return self.scalar(path, event)

    def _count(self, path: Path, event: Any) -> None:
        self.values += 1
        if self.values > MAX_VALUES:
            message = f"the file has over {MAX_VALUES:,} values"
            raise _FatalError(Problem(_line(event), (), message, "shorten its lists"))
        if len(path) > MAX_DEPTH:
            message = f"values are nested over {MAX_DEPTH} levels deep"
            raise _FatalError(Problem(_line(event), (), message, "nest less"))

    def _refuse_extras(self, path: Path, event: Any) -> None:
        if event.anchor is not None:
            self.refuse(path, event, f"the anchor &{shorten(event.anchor)} is not used here", "remove it")
        if event.tag is not None:
            self.refuse(path, event, f"the tag {shorten(event.tag)} is not used here", "remove it")

    def mapping(self, path: Path) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for event in self._until(yaml.MappingEndEvent):
            key = self.key(path, event)
            where = (*path, key)
            duplicate = key in found
            if duplicate:
                first = self.source.lines[where]
                self.refuse(
                    where,
                    event,
                    f"{quoted(key)} stands here again, first on line {first}",
                    "keep one of them",
                )
            self.source.lines.setdefault(where, _line(event))
            value = self.value(where, next(self.events))
            if not duplicate:
                found[key] = value
        return found

    def key(self, path: Path, event: Any) -> str:
        self._count(path, event)
        if not isinstance(event, yaml.ScalarEvent):
            message = "a key must be one word"
            raise _FatalError(
                Problem(_line(event), path, message, "put a text that begins with { [ * ? in quotes")
            )
        self._refuse_extras(path, event)
        return str(event.value)

    def sequence(self, path: Path) -> list[Any]:
        return [self.value((*path, i), event) for i, event in enumerate(self._until(yaml.SequenceEndEvent))]

    def _until(self, end: type[yaml.Event]) -> Iterator[Any]:
        for event in self.events:
            if isinstance(event, end):
                return
            yield event

    def scalar(self, path: Path, event: Any) -> Any:
        text = str(event.value)
        if event.style == '"':
            return _join_surrogates(text)
        if event.style is not None:
            return text
        if not text and event.tag is None:
            hint = 'write a value, null, or "" for an empty text'
            return self.refuse(path, event, "nothing is written here", hint)
        if text in _CONSTANTS:
            return _CONSTANTS[text]
        return self.number(path, event, text) if _NUMBER.fullmatch(text) else text

    def number(self, path: Path, event: Any, text: str) -> Any:
        value = parse_number(text)
        if value is None:
            return self.refuse(path, event, "the number is too large", "write a smaller one, or quote a text")
        return value

    def refuse(self, path: Path, event: Any, message: str, hint: str) -> Refused:
        self.source.problems.append(Problem(_line(event), path, message, hint))
        return REFUSED


def parse_number(text: str) -> int | float | None:
    """The value of a JSON number, an integer where it is one; None if JSON cannot hold it exactly."""
    if len(text) > 40:
        return None
    value = float(text)
    if "." not in text and "e" not in text.lower():
        return int(text) if abs(int(text)) <= LARGEST_INTEGER else None
    return value if math.isfinite(value) else None


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _join_surrogates(text: str) -> str:
    """JSON writes 🎉 as two escapes; a lone half stays, and is refused by whoever reads the value."""
    if not re.search("[\ud800-\udfff]", text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _syntax_problem(error: Exception, line: int) -> Problem:
    if not isinstance(error, yaml.MarkedYAMLError):  # such as chr() on "\\UFFFFFFFF"
        return Problem(line, (), "an escape that names no character", "write \\\\ for a backslash")
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark else line
    said = error.problem or error.context or "the file ends too early"
    for sign, message, hint in _HINTS:
        if sign in said:
            opened = error.context_mark if "end of stream" in sign else None
            return Problem(opened.line + 1 if opened else line, (), message, hint)
    return Problem(line, (), f"this is not YAML: {said}", "check indentation and quotes")
