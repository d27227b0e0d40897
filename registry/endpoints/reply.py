"""What a provider sent back, read into plain fields. Pure: bytes in, a Reading out.

Providers disagree on nearly every field; what each of them does is listed in tests/cases/endpoints.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from registry.endpoints.redaction import Hide
from registry.endpoints.scrub import cut_reasoning, scrub

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_THINK_TAG = re.compile(r"<(/?)(?:think|thinking|thought)>|\[(/?)THINK\]", re.IGNORECASE)
_LARGEST_COUNT = 2_147_483_647
_TEXT_PARTS = ("text", "output_text")
_LONGEST_MESSAGE = 4000
_SHOWN_BYTES = 5 * _LONGEST_MESSAGE
_MOST_DIGITS = 300
_FAILING = re.compile("[45][0-9]{2}")


class NotJson(ValueError):
    """A body that is not JSON, or not UTF-8; `start` is its beginning, for the reader to recognise."""

    def __init__(self, start: str) -> None:
        super().__init__("not JSON")
        self.start = start


@dataclass(frozen=True)
class Said:
    """What a provider says went wrong. `status` is one it names inside the body."""

    message: str = ""
    status: int | None = None
    code: str = ""
    param: str = ""


@dataclass(frozen=True)
class Reading:
    """One reply. `text` is None where there is none at all; `error` is set when the body says it failed.

    `missing` names what a reply needs and this one lacks; `notes` what was left out of the text.
    """

    text: str | None = None
    finish: str = ""
    refusal: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    served_model: str = ""
    repaired: bool = False
    missing: str = ""
    error: Said | None = None
    notes: tuple[str, ...] = ()


def repair(text: str) -> str:
    """`text` with NUL and lone surrogates replaced by U+FFFD: neither can be stored everywhere."""
    return _UNSTORABLE.sub("\ufffd", text)


def parse(body: bytes, hide: Hide) -> object:
    """The body's JSON without reasoning text, and without the key: `hide` is given all there is.

    It comes before anything is cut, as a part of a key may be too short to be known again. A byte order
    mark is accepted. Raises NotJson.
    """
    try:
        return hide(scrub(json.loads(body.decode("utf-8-sig"), parse_int=_number)))
    except (ValueError, RecursionError):
        # The error's own text and objects hold the body: let nothing of them travel on.
        start = body[:_SHOWN_BYTES].decode("utf-8-sig", "replace")
        raise NotJson(cut_reasoning(_str(hide(repair(start)))[:_LONGEST_MESSAGE])) from None


def _number(digits: str) -> int | float:
    """A whole number as JSON has it: of any length, which Python's own have not."""
    return int(digits) if len(digits) <= _MOST_DIGITS else float(digits)


def read(body: bytes, hide: Hide, *, inline_thinking: bool = False) -> Reading:
    """The reply in a 200 body. Raises NotJson."""
    found = parse(body, hide)
    if not isinstance(found, dict):
        return Reading(missing="a JSON object")
    top = Reading(served_model=repair(_str(found.get("model")))[:200], **_usage(found.get("usage")))
    if found.get("error"):
        return replace(top, error=said(found))
    choices = found.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        return replace(top, missing="a choice", notes=(said(found).message,))
    return _with_choice(top, choice, inline_thinking)


def _with_choice(top: Reading, choice: dict[str, Any], inline_thinking: bool) -> Reading:
    message = choice.get("message")
    finish = repair(_str(choice.get("finish_reason")))[:60]
    text, refused, notes, missing = _message(message, finish)
    if text is not None and inline_thinking:
        text = without_thinking(text)
    refusal = _str(message.get("refusal")) if isinstance(message, dict) else ""
    refusal = refusal or refused
    error = said(choice) if choice.get("error") or finish == "error" else None
    return replace(
        top,
        text=None if text is None else repair(text),
        finish=finish,
        refusal=repair(refusal) or None,
        repaired=any(_UNSTORABLE.search(part) for part in (text or "", refusal)),
        missing="" if error else missing,
        error=error,
        notes=notes,
    )


def _message(message: object, finish: str) -> tuple[str | None, str, tuple[str, ...], str]:
    """Text, refusal, notes, and what is missing. A filter may take the whole message away."""
    if not isinstance(message, dict):
        filtered = finish.lower().startswith(("content_filter", "content-filter", "safety"))
        return None, "", (), "" if filtered else "a message"
    content = message.get("content")
    if content is None or isinstance(content, str):
        return content, "", (), ""
    if isinstance(content, list):
        return *_parts(content), ""
    return None, "", (), "text in its message"


def _parts(parts: Sequence[object]) -> tuple[str, str, tuple[str, ...]]:
    """The text parts joined with nothing between, the refusal, and a note on parts of other types."""
    texts, refusals, others = [], [], []
    for part in parts:
        kind = part.get("type") if isinstance(part, dict) else None
        if isinstance(part, dict) and kind in _TEXT_PARTS and isinstance(part.get("text"), str):
            texts.append(part["text"])
        elif isinstance(part, dict) and kind == "refusal":
            refusals.append(_str(part.get("refusal")))
        else:
            others.append(repair(_str(kind))[:40] or "no type")
    return "".join(texts), "".join(refusals), tuple(_notes(others))


def _notes(kinds: Iterable[str]) -> list[str]:
    return [f"A part of the reply that is no text was left out ({kind})." for kind in dict.fromkeys(kinds)]


def without_thinking(text: str) -> str:
    """`text` without its inline thinking blocks, for endpoints that are set to have them.

    A block that never closes takes the rest with it; a closing tag without an opening one (the
    template had written it) takes all that stands before it.
    """
    kept: list[str] = []
    start, thinking, found = 0, False, False
    for tag in _THINK_TAG.finditer(text):
        closes = bool(tag[1] or tag[2])
        if not thinking:
            kept.append(text[start : tag.start()])
            if closes:
                kept.clear()
        start, thinking, found = tag.end(), not closes, True
    if not thinking:
        kept.append(text[start:])
    return "".join(kept).lstrip(" \t\r\n") if found else text


def _usage(usage: object) -> dict[str, Any]:
    if not isinstance(usage, dict):
        return {}
    return {
        "prompt_tokens": _count(usage, "prompt_tokens", "input_tokens"),
        "completion_tokens": _count(usage, "completion_tokens", "output_tokens"),
        "reasoning_tokens": _reasoning_tokens(usage),
    }


def _reasoning_tokens(usage: dict[str, object]) -> int | None:
    places = [usage.get("completion_tokens_details"), usage.get("output_tokens_details"), usage]
    counts = (
        _count(place, "reasoning_tokens", "thinking_tokens") for place in places if isinstance(place, dict)
    )
    return next((count for count in counts if count is not None), None)


def _count(holder: dict[str, object], *names: str) -> int | None:
    for name in names:
        value = holder.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _LARGEST_COUNT:
            return int(value)
    return None


def said(body: object) -> Said:
    """What an error body says, whichever of the known shapes it has."""
    if not isinstance(body, dict):
        return Said(_message_of(body))
    error = body.get("error") or body
    if not isinstance(error, dict):
        return Said(_message_of(error))
    message = _str(error.get("message")) or _details(error.get("detail")) or _str(body.get("message"))
    code = error.get("code")
    status = next((_status(value) for value in (code, error.get("status")) if _status(value)), None)
    return Said(
        message=_message_of(message),
        status=status,
        code=repair(_str(code) or _str(error.get("type")))[:100],
        param=repair(_str(error.get("param")))[:100],
    )


def _message_of(value: object) -> str:
    return cut_reasoning(repair(_str(value))[:_LONGEST_MESSAGE])


def _details(detail: object) -> str:
    """FastAPI's `detail`: a sentence, or a list of what is wrong where."""
    if not isinstance(detail, list):
        return _str(detail)
    found = [item for item in detail if isinstance(item, dict)]
    return "; ".join(f"{_place(item.get('loc'))}{_str(item.get('msg'))}" for item in found)


def _place(location: object) -> str:
    return ".".join(str(step) for step in location) + ": " if isinstance(location, list) else ""


def _status(value: object) -> int | None:
    text = str(value)
    return int(text) if _FAILING.fullmatch(text) else None


def _str(value: object) -> str:
    return value if isinstance(value, str) else ""
