"""What each value of an evidence line may be, beyond its type: known words, ranges, readable times.

Of what is not listed here, all follows from other values, and `recomputing` or `course` makes it again,
or it is free text: the `title` of a batch, the `detail` of an attempt, what stands in a probe's document.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from probes.core.evidence import short
from probes.core.scoring import Outcome, OutputIs

MAX_COUNT = 2**31 - 1
MAX_SMALL = 32_767
OUTCOMES = (*get_args(Outcome), "error")
STATES = ("running", "finished", "cancelled")
TRIAL_STATES = ("waiting", "leased", "closed", "cancelled")
VISIBILITIES = ("public", "team")
ALTERS = ("no temperature", "system folded", "reasoning off", "inline thinking removed")
EFFORT = "reasoning effort: "
EXTRA = "extra body: "
"""How an alteration begins that adds a member of this name to what is sent."""

_TIME = re.compile(
    r"([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,6})?\+00:00"
)
_DIGEST = re.compile("[0-9a-f]{64}")
_ID = re.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SLUG = re.compile("[-a-zA-Z0-9_]{1,80}")
_CODE = re.compile("[a-z][a-z_]{0,39}")
_SHORT_MONTHS = {4: 30, 6: 30, 9: 30, 11: 30}


@dataclass(frozen=True, slots=True)
class Allowed:
    """`fits` says whether a value may stand there; `wanted` is what a message says must."""

    fits: Callable[[Any], bool]
    wanted: str


def range_complaints(values: Mapping[str, Any]) -> Iterator[str]:
    """Of a line whose values have the right types. Null, where its type allows it, is always in range."""
    for key, allowed in RANGES.get(values["kind"], {}).items():
        value = values.get(key)
        if value is not None and not allowed.fits(value):
            yield f"{key} is {short(value)}, and must be {allowed.wanted}"


def is_time(text: str) -> bool:
    """Whether `text` is a moment in UTC, as ISO 8601 writes it, of a day that there is."""
    found = _TIME.fullmatch(text)
    if not found:
        return False
    year, month, day = (int(part) for part in found.groups())
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return year > 0 and day <= (28 + leap if month == 2 else _SHORT_MONTHS.get(month, 31))


def _one_of(*words: str) -> Allowed:
    return Allowed(words.__contains__, " or ".join(word or '""' for word in words))


def _whole(low: int, high: int) -> Allowed:
    return Allowed(lambda value: low <= value <= high, f"a whole number from {low} to {high}")


def _text(most: int, least: int = 0) -> Allowed:
    return Allowed(lambda value: least <= len(value) <= most, f"a text of {least} to {most} characters")


def _like(pattern: re.Pattern[str], wanted: str) -> Allowed:
    return Allowed(lambda value: pattern.fullmatch(value) is not None, wanted)


def _or_empty(allowed: Allowed) -> Allowed:
    return Allowed(lambda value: value == "" or allowed.fits(value), f"{allowed.wanted}, or empty")


def _members(**wanted: Allowed | type) -> Callable[[Any], bool]:
    """Whether a value is an object with these members, each of the type, or a text or number in range."""

    def fits(value: Any) -> bool:
        return (
            isinstance(value, dict)
            and value.keys() == wanted.keys()
            and all(_member(value[name], each) for name, each in wanted.items())
        )

    return fits


def _member(value: Any, wanted: Allowed | type) -> bool:
    if isinstance(wanted, type):
        return type(value) is wanted
    try:
        return type(value) in (str, int) and wanted.fits(value)
    except TypeError:  # a number where a text must be, or the other way round
        return False


def _each(fits: Callable[[Any], bool], wanted: str) -> Allowed:
    return Allowed(lambda value: all(map(fits, value)), f"a list of {wanted}")


def _is_alteration(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    named = any(value.startswith(start) and value != start for start in (EFFORT, EXTRA))
    return named or value in ALTERS


def _is_span(value: Any) -> bool:
    types = [type(part) for part in value] if isinstance(value, list) else []
    return types == [int, int, str, str] and 0 <= value[0] <= value[1]


_TIMES = Allowed(is_time, "a time in UTC, such as 2026-01-02T03:04:05+00:00")
_DIGESTS = _like(_DIGEST, "64 hexadecimal digits")
_NUMBER, _SMALL = _whole(1, MAX_COUNT), _whole(1, MAX_SMALL)
_COUNT = _whole(0, MAX_COUNT)
_NAME, _MODEL, _LETTER = _text(100, 1), _text(200, 1), _one_of(*"ABCDEFGH")
_SLUGS = _like(_SLUG, "a slug")
_POSITION = _whole(0, MAX_SMALL)

RANGES: dict[str, dict[str, Allowed]] = {
    "evidence": {
        "batch": _like(_ID, "a UUID"),
        "team": Allowed(_members(slug=_SLUGS, name=str), "an object with slug and name"),
        "visibility": _one_of(*VISIBILITIES), "state": _one_of(*STATES),
        "started_at": _TIMES, "cancelled_at": _TIMES, "finished_at": _TIMES,
    },
    "race": {
        "concept": _text(200, 1), "team": _SLUGS, "edition": _NUMBER, "digest": _DIGESTS,
        "documents": _each(lambda value: _member(value, _DIGESTS), "digests"),
        "climbs": _each(
            _members(letter=_LETTER, endpoint=_NAME, model=_MODEL), "objects with letter, endpoint and model"
        ),
        "holds": _each(
            _members(run=_POSITION, letter=_LETTER, rung=_SMALL), "objects with run, letter and rung"
        ),
    },
    "document": {"version": _NUMBER},
    "run": {
        "position": _POSITION, "endpoint": _NAME, "model": _MODEL, "repeats": _SMALL,
        "state": _one_of(*STATES),
        "alters": _each(_is_alteration, f"known alterations: {', '.join(ALTERS)}, {EFFORT}…, {EXTRA}…"),
    },
    "trial": {"repeat": _SMALL, "state": _one_of(*TRIAL_STATES), "final": _SMALL},
    "attempt": {
        "number": _SMALL, "seq": _NUMBER, "outcome": _one_of(*OUTCOMES),
        "error": _or_empty(_like(_CODE, "a code such as rate_limited")), "status": _whole(0, MAX_SMALL),
        "output_is": _one_of(*get_args(OutputIs), ""), "finish": _text(60), "endpoint": _NAME,
        "served_model": _text(200), "prompt_tokens": _COUNT, "completion_tokens": _COUNT,
        "reasoning_tokens": _COUNT, "sent_messages": _each(_members(role=str, content=str), "messages"),
        "sent_digest": _or_empty(_DIGESTS), "milliseconds": _COUNT, "started_at": _TIMES,
        "recorded_at": _TIMES, "passed": _POSITION, "total": _POSITION, "scored_with": _text(200),
        "redacted": Allowed(lambda value: value is True or value is False, "true or false"),
    },
    "verdict": {"unit": _text(60), "spans": _each(_is_span, "spans: start, end, mark and label")},
}  # fmt: skip
"""By kind and key. What an `end` holds is counted again."""
