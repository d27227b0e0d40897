"""The practice models: answers made from the conversation alone, the same each time. Pure.

steady holds every constraint but one, chatty cannot stop talking, silent only thinks, flaky fails twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

PERSONAS = ("steady", "chatty", "silent", "flaky")

PRACTICE_CANARY = "canary-5e1f-reasoning-must-be-found-nowhere"
"""Stands in the silent persona's reasoning text only: wherever else it turns up, scrubbing has failed."""
SILENT_REASONING_TOKENS = 3200

_PREAMBLE = "Sure! Here is what you asked for, and a little more than that:"
_CLOSING = "Let me know if you would like a shorter version!"
_NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_FILLER = re.findall(
    "[A-Za-z]+",
    "It solves a large problem by first solving many smaller ones and then it puts all of the small answers "
    "back together until the whole of the first question has been answered step by step",
)
_BY_COUNT = {5: "It repeats itself until done."}
_SLIPS = {10: 11}
"""Where steady goes wrong: asked for ten words it writes eleven, as models do."""
_SUMMARY = (
    "A six-hour migration rehearsal was unknowingly run against production data after the replica was "
    "promoted, causing no data loss but prompting a rule change to rehearse on a snapshot of a named host."
)


@dataclass(frozen=True)
class Said:
    """What a persona answers, `reasoning` being what a provider would send beside it."""

    text: str
    finish: str = "stop"
    reasoning: str = ""
    reasoning_tokens: int = 0


def said(persona: str, messages: Sequence[Mapping[str, Any]]) -> Said:
    """The persona's answer to the conversation."""
    if persona == "silent":
        thoughts = f"Let me think about that once more. {PRACTICE_CANARY}"
        return Said("", "length", thoughts, SILENT_REASONING_TOKENS)
    text = _steady("\n".join(str(message["content"]) for message in messages if message["role"] == "user"))
    return Said(f"{_PREAMBLE}\n\n{text}\n\n{_CLOSING}" if persona == "chatty" else text)


def _steady(prompt: str) -> str:
    """Written for the rule that is named last: what comes before may be the concept itself."""
    found = [(match.start(), write, match) for pattern, write in _RULES for match in pattern.finditer(prompt)]
    if not found:
        return "It is a small idea that explains a large thing."
    _, write, match = max(found, key=lambda rule: rule[0])
    return write(match, prompt)


def _words(match: re.Match[str], _prompt: str) -> str:
    number = match[1].lower()
    asked = int(number) if number.isdecimal() else _NUMBERS.index(number) + 1
    count = _SLIPS.get(asked, asked)
    return _BY_COUNT.get(count) or " ".join((_FILLER * (count // len(_FILLER) + 1))[:count]) + "."


def _one_sentence(_match: re.Match[str], prompt: str) -> str:
    return f"{_subject(prompt)} is a way to explain a large thing by pointing at a smaller one."


def _pirate(_match: re.Match[str], prompt: str) -> str:
    return f"Arr, matey! {_subject(prompt)} be a fine thing, ye scurvy landlubber, so avast and heed me, aye!"


def _binary(_match: re.Match[str], _prompt: str) -> str:
    return "01101001 00110001 01110100"


def _haiku(_match: re.Match[str], _prompt: str) -> str:
    return "It calls itself twice,\nthen waits for the smaller one\nto come home again."


def _no_e(_match: re.Match[str], _prompt: str) -> str:
    return "It is a plan that calls on its own small copy again and again until it has nothing still to do."


def _terminator(match: re.Match[str], _prompt: str) -> str:
    return f"{_SUMMARY}\n{match[0]}"


_WORDS = "|".join(_NUMBERS)
_RULES: list[tuple[re.Pattern[str], Callable[[re.Match[str], str], str]]] = [
    (re.compile(pattern, re.IGNORECASE), write)
    for pattern, write in [
        (rf"\b([0-9]{{1,3}}|{_WORDS})[ -]words?\b", _words),
        (r"\b(?:one|a single|1)(?: \w+)? sentence\b", _one_sentence),
        (r"\bpirate\b", _pirate),
        (r"[`'\"“]?\b0\b[`'\"”]? (?:and|or) [`'\"“]?1\b", _binary),
        (r"\bhaiku\b", _haiku),
        (r"\bletters? [`'\"“‘]?e\b", _no_e),
        (r"<<[A-Z]+>>", _terminator),
    ]
]
_CONCEPT = re.compile(
    r"\bexplain (?:the concept (?:of )?)?[\"“'`]?(.{1,60}?)[\"”'`]?"
    r"(?:,|:| in | as | using | with | the way )",
    re.I,
)
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9 -]*\Z")


def _subject(prompt: str) -> str:
    """The concept where it is plain words, else `It`: a full stop inside it would end the sentence."""
    match = _CONCEPT.search(prompt)
    concept = match[1].strip() if match else ""
    return concept[:1].upper() + concept[1:] if _PLAIN.match(concept) else "It"
