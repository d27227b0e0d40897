"""The evidence file: one batch, one JSON object a line, from which every verdict can be recomputed.

The order: `evidence` (what the batch is), `race` where it is one, then each `document` with the
`run`s that used it, each run with its `trial`s, each trial with its `attempt`s, each attempt with
its `verdict`s, and an `end` that counts them. So a reader needs to keep one of each kind at a time.

Every line ends with `chain`: the SHA-256 of the chain of the line before it and of its own bytes up
to there. A changed byte or a lost line shows where it happened. A chain is no signature: whoever
writes the whole file anew can make it agree, but then the verdicts must recompute as well.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from types import NoneType
from typing import Any

FORMAT = "evidence/1"

MAX_LINE = 64 * 1024 * 1024
"""Bytes of a line; an output has at most 2 MiB, and a line about it is a few times as long."""

_TAIL = re.compile(rb',"chain":"([0-9a-f]{64})"\}\n')
_TAIL_BYTES = 77
_MOST_DIGITS = 400


class Chain:
    """Writes lines: `seal(values)` is the next one, without its line break."""

    def __init__(self) -> None:
        self.last = ""
        self.lines = 0

    def seal(self, values: Mapping[str, Any]) -> str:
        self.lines += 1
        body = _spelt({"line": self.lines, **values})[:-1]
        self.last = link(self.last, body)
        return f'{body.decode()},"chain":"{self.last}"}}'


def link(before: str, body: bytes) -> str:
    """The chain of a line with these bytes, after a line with the chain `before`."""
    return hashlib.sha256(before.encode() + body).hexdigest()


def _spelt(values: Mapping[str, Any]) -> bytes:
    """JSON in UTF-8. Half a surrogate pair, which UTF-8 cannot hold, is written as its escape."""
    text = json.dumps(values, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


class Links:
    """Reads chains: `complaint(raw)` is why a line, with its line break, does not follow; "" if it does.

    After a line that does not, the next may follow the chain it states or the one it should. After
    one that states none, what comes next cannot be held against it. So one change breaks one line.
    """

    def __init__(self) -> None:
        self._before: tuple[str, ...] = ("",)
        self._lost = False

    @property
    def last(self) -> str:
        return self._before[0]

    def complaint(self, raw: bytes) -> str:
        body, tail = raw[:-_TAIL_BYTES], raw[-_TAIL_BYTES:]
        stated = found[1].decode() if (found := _TAIL.fullmatch(tail)) else ""
        right = [link(before, body) for before in self._before]
        lost, self._lost = self._lost, not stated
        if stated and (lost or stated in right):
            self._before = (stated,)
            return ""
        self._before = (stated, right[0]) if stated else (right[0],)
        if stated:
            return f"its bytes do not give its chain: stored {stated[:12]}…, recomputed {right[0][:12]}…"
        if not raw.endswith(b"\n"):
            return "it does not end with a line break: the file was cut off here"
        crlf = raw.endswith(b"\r\n")
        return "its line break was changed to CRLF" if crlf else "it does not end with a chain"


class UnreadableLine(ValueError):
    """A line that is no line of an evidence file; the message says what is wrong with it."""


_BEGINNINGS = {
    b"\xef\xbb\xbf": "it begins with a byte order mark: save it without one, as it was downloaded",
    b"\xff\xfe": "it is UTF-16: save it as UTF-8, without a byte order mark",
    b"\xfe\xff": "it is UTF-16: save it as UTF-8, without a byte order mark",
    b"\x1f\x8b": "it is compressed with gzip: unzip it first (gunzip)",
    b"PK\x03\x04": "it is a zip archive: unzip it first",
}


def other_file(raw: bytes) -> str:
    """Why a file that begins with these bytes is no plain text of ours, and what to do; else ""."""
    return next((said for beginning, said in _BEGINNINGS.items() if raw.startswith(beginning)), "")


def read_line(raw: bytes) -> dict[str, Any]:
    """The values of a line, each of the type that its kind requires. Raises UnreadableLine."""
    values = _object(raw)
    kind = values.get("kind")
    if not isinstance(kind, str) or kind not in FIELDS:
        raise UnreadableLine(f"its kind is {short(kind)}: known are {', '.join(FIELDS)}")
    for key, types in (_EVERY_LINE | FIELDS[kind]).items():
        if key not in values:
            raise UnreadableLine(f"this {kind} line lacks {key}")
        if type(values[key]) not in types:
            wanted = " or ".join(_TYPE_NAMES[each] for each in types)
            raise UnreadableLine(f"{key} is {short(values[key])}, and must be {wanted}")
    return values


def _object(raw: bytes) -> dict[str, Any]:
    try:
        values = json.loads(
            raw.decode(), object_pairs_hook=_once, parse_int=_whole, parse_constant=_no_number
        )
    except UnicodeDecodeError as error:
        raise UnreadableLine(f"not UTF-8 at byte {error.start} of the line") from None
    except json.JSONDecodeError as error:
        raise UnreadableLine(f"not JSON at character {error.pos} of the line: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise UnreadableLine(f"not JSON that can be read: {short(str(error))}") from None
    if not isinstance(values, dict):
        raise UnreadableLine("not a JSON object")
    return values


def _once(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in pairs:
        if key in values:
            raise ValueError(f"the key {short(key)} stands there twice")
        values[key] = value
    return values


def _whole(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"a number with {len(digits):,} digits")
    return int(digits)


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number in JSON")


def short(value: Any) -> str:
    """A value as JSON, fit for a message."""
    try:
        text = json.dumps(value)
    except (ValueError, TypeError, RecursionError):
        text = type(value).__name__
    return text if len(text) <= 80 else f"{text[:80]}…"


_TYPE_NAMES: dict[type, str] = {
    str: "a text", int: "a whole number", float: "a number", bool: "true or false",
    list: "a list", dict: "an object", NoneType: "null",
}  # fmt: skip

_Types = tuple[type, ...]
_TEXT: _Types = (str,)
_COUNT: _Types = (int,)
_MAYBE_COUNT: _Types = (int, NoneType)
_MAYBE_TEXT: _Types = (str, NoneType)
_FLAG: _Types = (bool,)
_LIST: _Types = (list,)
_OBJECT: _Types = (dict,)
_ANY: _Types = (str, int, float, bool, list, dict, NoneType)

_EVERY_LINE: dict[str, _Types] = {"line": _COUNT, "chain": _TEXT}

_ATTEMPT: dict[str, _Types] = {"run": _COUNT, "repeat": _COUNT, "number": _COUNT}

FIELDS: dict[str, dict[str, _Types]] = {
    "evidence": {
        "format": _TEXT, "batch": _TEXT, "title": _TEXT, "team": _OBJECT, "started_by": _MAYBE_TEXT,
        "visibility": _TEXT, "practice": _FLAG, "state": _TEXT, "started_at": _TEXT,
        "cancelled_at": _MAYBE_TEXT, "finished_at": _MAYBE_TEXT,
    },
    "race": {
        "concept": _TEXT, "team": _TEXT, "edition": _COUNT, "ladder": _OBJECT, "digest": _TEXT,
        "documents": _LIST, "climbs": _LIST, "holds": _LIST,
    },
    "document": {
        "probe": _TEXT, "version": _COUNT, "digest": _TEXT, "request_digest": _TEXT,
        "checks_digest": _TEXT, "rubric_digest": _TEXT, "document": _OBJECT,
    },
    "run": {
        "position": _COUNT, "document": _TEXT, "endpoint": _TEXT, "practice": _FLAG, "model": _TEXT,
        "binding": _OBJECT, "repeats": _COUNT, "alters": _LIST, "state": _TEXT,
    },
    "trial": {"run": _COUNT, "repeat": _COUNT, "state": _TEXT, "final": _MAYBE_COUNT},
    "attempt": _ATTEMPT | {
        "seq": _COUNT, "late": _FLAG, "outcome": _TEXT, "error": _TEXT, "detail": _TEXT,
        "status": _MAYBE_COUNT, "output": _TEXT, "output_is": _TEXT, "repaired": _FLAG, "finish": _TEXT,
        "endpoint": _TEXT, "served_model": _TEXT, "prompt_tokens": _MAYBE_COUNT,
        "completion_tokens": _MAYBE_COUNT, "reasoning_tokens": _MAYBE_COUNT,
        "sent_messages": (list, NoneType), "sent_digest": _TEXT, "sent_parameters": _OBJECT,
        "may_be_billed": _FLAG, "milliseconds": _COUNT, "started_at": _TEXT, "recorded_at": _TEXT,
        "passed": _MAYBE_COUNT, "total": _MAYBE_COUNT, "scored_with": _TEXT,
    },
    "verdict": _ATTEMPT | {
        "rule": _TEXT, "ok": _FLAG, "actual": _ANY, "expected": _ANY, "unit": _TEXT, "message": _TEXT,
        "spans": _LIST,
    },
    "end": {
        "documents": _COUNT, "runs": _COUNT, "trials": _COUNT, "attempts": _COUNT, "verdicts": _COUNT,
        "marks": _OBJECT,
    },
}  # fmt: skip
"""What a line of each kind holds. Lines may hold more: a reader takes no notice of it."""
