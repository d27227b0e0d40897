"""Reading a mapping key by key: every mistake is reported once, with its line and what to write.

The readers return a harmless value of the right type after reporting, so that one mistake does
not hide the next. Whoever reads a file calls `report.raise_if_any` before using anything.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any

from probes.core.problems import Path, Report, quoted, shorten
from probes.core.template import TURNS_THE_LINE, is_blank
from probes.core.view import WHITE_SPACE
from probes.core.yaml_source import LARGEST_INTEGER, MAX_DEPTH, MAX_VALUES, REFUSED

MAX_NAME = 64

_NOT_STORABLE = re.compile("[\x00\ud800-\udfff]")
NOT_ON_ONE_LINE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""Also refused there is what turns the line around: see `template.line_problem`."""


class Form:
    """One mapping of a file. `keys` says for each allowed key what to write there."""

    def __init__(
        self, report: Report, path: Path, value: Any, keys: Mapping[str, str], optional: Collection[str] = ()
    ) -> None:
        self.report = report
        self.path = path
        self.keys = keys
        self.values = value if isinstance(value, dict) else dict.fromkeys(keys, REFUSED)
        if not isinstance(value, dict) and value is not REFUSED:
            known = ", ".join(keys)
            report.add(path, f"this is {kind_of(value)}, and must be keys with values", f"write {known}")
        self._report_unknown()
        self._report_missing(optional)

    def _report_unknown(self) -> None:
        for key in self.values:
            if key not in self.keys:
                close = get_close_matches(key, self.keys, 1)
                hint = f"did you mean {close[0]}?" if close else f"use only {', '.join(self.keys)}"
                self.report.add((*self.path, key), f"unknown key {quoted(key)}", hint)

    def _report_missing(self, optional: Collection[str]) -> None:
        for key, hint in self.keys.items():
            if key not in self.values and key not in optional:
                self.report.add((*self.path, key), f"the key '{key}' is missing", f"add {key}: {hint}")

    def value(self, key: str, default: Any = REFUSED) -> Any:
        """The value as it stands; REFUSED where it is missing or was reported."""
        return self.values.get(key, default)

    def text(self, key: str, most: int, *, one_line: bool = False, blank: bool = False) -> str:
        """A text of up to `most` characters."""
        path = (*self.path, key)
        return read_text(self.report, path, self.value(key), most, one_line=one_line, blank=blank)

    def choice(self, key: str, options: Collection[str]) -> str:
        """One of a few texts."""
        path, value = (*self.path, key), self.value(key)
        if value is not REFUSED and (not isinstance(value, str) or value not in options):
            self.report.add(path, f"{said(value)} is not allowed here", f"write {' or '.join(options)}")
        return value if isinstance(value, str) else ""

    def items(self, key: str, most: int, default: Any = REFUSED) -> list[Any]:
        """A list of up to `most` values, for the caller to read."""
        path, value = (*self.path, key), self.value(key, default)
        if value is REFUSED:
            return []
        if not isinstance(value, list):
            self.report.add(
                path, f"this is {kind_of(value)}, and must be a list", "write one '- …' line each"
            )
            return []
        if len(value) > most:
            self.report.add(path, f"{len(value):,} are listed and {most} are allowed", "remove some")
        return value[:most]

    def number(self, key: str, least: float, most: float, *, whole: bool = False) -> int | float | None:
        """A number between `least` and `most`, None where it is not given; whole ones become int."""
        path, value = (*self.path, key), self.value(key, None)
        if (value is None and key not in self.values) or value is REFUSED:
            return None
        kind = "a whole number" if whole else "a number"
        if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
            hint = f"write {kind} from {least:,} to {most:,}"
            self.report.add(path, f"this is {kind_of(value)}, and must be {kind}", hint)
        elif not least <= value <= most:
            self.report.add(path, f"{value:,} is out of range", f"write {kind} from {least:,} to {most:,}")
        else:
            return int(value) if value == int(value) else value
        return None


def read_text(
    report: Report, path: Path, value: Any, most: int, *, one_line: bool = False, blank: bool = False
) -> str:
    """A text of up to `most` characters; blank only if `blank`; without line breaks if `one_line`."""
    if value is REFUSED:
        return ""
    if not isinstance(value, str):
        quotable = isinstance(value, (bool, int, float))
        hint = f'write it in quotes: "{said(value)}"' if quotable else "write a text"
        report.add(path, f"this is {kind_of(value)}, and must be a text", hint)
        return ""
    if not blank and is_blank(value):
        seen = "is blank" if not value.strip(WHITE_SPACE) else "holds nothing that can be seen"
        report.add(path, f"this text {seen}", "write something, or remove what it belongs to")
    elif len(value) > most:
        report.add(path, f"this text has {len(value):,} characters and may have {most:,}", "shorten it")
    elif one_line and NOT_ON_ONE_LINE.search(value):
        report.add(path, "this text must stand on one line", "remove its line breaks and control characters")
    elif one_line and (found := TURNS_THE_LINE.search(value)):
        report.add(
            path,
            f"this text holds a character that turns the line around (U+{ord(found[0]):04X})",
            "remove it",
        )
    return value


def read_name(report: Report, path: Path, value: Any, pattern: re.Pattern[str], like: str) -> str:
    """A short name that matches `pattern`; `like` is an example of one."""
    name = read_text(report, path, value, MAX_NAME)
    if name and len(name) <= MAX_NAME and name.strip(WHITE_SPACE) and not pattern.fullmatch(name):
        report.add(path, f"{quoted(name)} is not a name that can be used here", f"write one like {like}")
    return name


def kind_of(value: Any) -> str:
    """What a person calls the type of a JSON value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"the value {said(value)}"
    if isinstance(value, (int, float)):
        return f"the number {said(value)}"
    if isinstance(value, str):
        return f"the text {quoted(value)}"
    return "a list" if isinstance(value, list) else "a mapping of keys and values"


def said(value: Any) -> str:
    """A JSON value as written in a file, shortened; a list or mapping by its kind."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, (list, dict)):
        return kind_of(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else shorten(str(value))


def plain_values(report: Report, value: Any) -> Any:
    """A copy of `value` made of JSON values only; what is none is reported and becomes REFUSED."""
    budget = [MAX_VALUES]

    def copy(path: Path, value: Any) -> Any:
        budget[0] -= 1
        complaint = "" if value is REFUSED else _complaint(value, path, budget[0])
        if complaint:
            report.add(path, complaint, "" if budget[0] < 0 else "remove it")
            return REFUSED
        if isinstance(value, Mapping):
            return {key: copy((*path, key), each) for key, each in value.items()}
        if isinstance(value, (list, tuple)):
            return [copy((*path, i), each) for i, each in enumerate(value)]
        return value

    return copy((), value)


def _complaint(value: Any, path: Path, budget: int) -> str:
    if budget == -1:
        return f"there are over {MAX_VALUES:,} values"
    if budget < 0:
        return ""
    if isinstance(value, (Mapping, list, tuple)):
        return _complaint_of_container(value, path)
    if isinstance(value, str):
        found = _NOT_STORABLE.search(value)
        name = "a NUL" if found and found[0] == "\0" else "half a surrogate pair"
        return f"this text holds {name}, which can neither be sent nor stored" if found else ""
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, int):
        return "" if abs(value) <= LARGEST_INTEGER else "this number is too large"
    if isinstance(value, float):
        return "" if value - value == 0 else "this number is not finite"
    return f"a {type(value).__name__} is not a JSON value"


def _complaint_of_container(value: Any, path: Path) -> str:
    if len(path) > MAX_DEPTH:
        return f"values are nested over {MAX_DEPTH} levels deep"
    if isinstance(value, Mapping) and not all(isinstance(key, str) for key in value):
        return "this mapping has keys that are not texts"
    return ""


def holds_refused(value: Any) -> bool:
    """Whether something inside was reported already, so that reading on would report it twice."""
    if isinstance(value, dict):
        return any(map(holds_refused, value.values()))
    if isinstance(value, list):
        return any(map(holds_refused, value))
    return value is REFUSED
