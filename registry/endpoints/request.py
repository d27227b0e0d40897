"""What an endpoint is sent: the probe's messages and parameters, as its server accepts them. Pure."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Messages = Sequence[Mapping[str, Any]]

RESERVED = frozenset({
    "model", "messages", "stream", "stream_options", "n",
    "temperature", "max_tokens", "max_completion_tokens",
})  # fmt: skip
"""What an extra body may not hold: the probe states these, or the registry relies on them."""
EFFORTS = frozenset({"none", "minimal", "low", "medium", "high"})
"""What `reasoning` may be besides `leave` and `off`: sent as `reasoning_effort`."""
_LARGEST_EXTRA = 10_000
_MOST_DIGITS = 300
LONG_NUMBER = f"Shorten the numbers in the extra body: one may have {_MOST_DIGITS} digits."
_DEEPEST_EXTRA = 10
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True)
class Target:
    """One server as a call needs it: where it is, what opens it, and what it does not accept.

    `deadline` is in seconds, for the whole call.
    """

    name: str
    base_url: str
    key: str = field(default="", repr=False)
    practice: bool = False
    reasoning: str = "leave"
    inline_thinking: bool = False
    token_limit: str = "max_tokens"  # noqa: S105 - the name of a parameter
    send_temperature: bool = True
    system_role: str = "send"
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    deadline: float = 120.0


def effective_messages(target: Target, messages: Messages) -> list[dict[str, Any]]:
    """`messages` as sent: where the server takes no system role, its text opens the user message."""
    if target.system_role != "fold":
        return [dict(message) for message in messages]
    system = [str(message["content"]) for message in messages if message["role"] == "system"]
    others = [dict(message) for message in messages if message["role"] != "system"]
    if system and others:
        others[0]["content"] = "\n\n".join([*system, str(others[0]["content"])])
    return others or [{"role": "user", "content": "\n\n".join(system)}]


def effective_parameters(target: Target, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Everything in the body besides model and messages; what the probe states wins."""
    sent = {key: value for key, value in target.extra_body.items() if key not in RESERVED}
    if target.reasoning == "off":
        given = sent.get("chat_template_kwargs")
        kept = given if isinstance(given, dict) else {}
        sent["chat_template_kwargs"] = {**kept, "enable_thinking": False}
    if target.reasoning in EFFORTS:
        sent["reasoning_effort"] = target.reasoning
    for name, value in parameters.items():
        if name == "max_tokens":
            sent[target.token_limit] = value
        elif name != "temperature" or target.send_temperature:
            sent[name] = value
    return sent


def content(target: Target, model: str, messages: Messages, parameters: Mapping[str, Any]) -> bytes:
    """The request body: model, messages, effective parameters, and nothing else."""
    sent = {"model": model, "messages": effective_messages(target, messages)}
    return json.dumps(
        {**sent, **effective_parameters(target, parameters)}, ensure_ascii=False, separators=(",", ":")
    ).encode("utf-8", "surrogatepass")


def digest(messages: Messages) -> str:
    """SHA-256 of the messages' canonical JSON: the same prompt has the same digest everywhere."""
    text = json.dumps(messages, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def altered(
    target: Target, messages: Messages | None = None, parameters: Mapping[str, Any] | None = None
) -> list[str]:
    """What the server's settings change about a probe; with the probe's own, only what touches those."""
    system = messages is None or any(message["role"] == "system" for message in messages)
    temperature = parameters is None or "temperature" in parameters
    found = {
        "no temperature": temperature and not target.send_temperature,
        "system folded": system and target.system_role == "fold",
        "reasoning off": target.reasoning == "off",
        f"reasoning effort: {target.reasoning}": target.reasoning in EFFORTS,
        "inline thinking removed": target.inline_thinking,
    }
    extra = [f"extra body: {name}" for name in sorted(target.extra_body) if name not in RESERVED]
    return [name for name, holds in found.items() if holds] + extra


def check_extra_body(extra: object) -> dict[str, Any]:
    """An extra body that may be sent and stored. Raises ValueError, which says what to write."""
    if not isinstance(extra, dict):
        raise ValueError('Write a JSON object, such as {"top_k": 40}, or leave it empty.')
    if taken := sorted(RESERVED & extra.keys()):
        raise ValueError(f"Take {', '.join(taken)} out: the probe or the settings above decide that.")
    if _deeper_than(_DEEPEST_EXTRA, extra):
        raise ValueError(f"Nest the extra body at most {_DEEPEST_EXTRA} deep.")
    if any(abs(number) >= 10**_MOST_DIGITS for number in _whole_numbers(extra)):
        raise ValueError(LONG_NUMBER)
    try:
        text = json.dumps(extra, allow_nan=False)
    except ValueError:
        raise ValueError("Write plain JSON: NaN and Infinity are no numbers in it.") from None
    if len(text) > _LARGEST_EXTRA:
        raise ValueError(f"Shorten the extra body: it may have {_LARGEST_EXTRA:,} characters.")
    if any(_UNSTORABLE.search(part) for part in _strings(extra)):
        raise ValueError("Take out the NUL characters and half surrogate pairs: they cannot be stored.")
    return extra


def _deeper_than(levels: int, value: object) -> bool:
    """Whether objects and lists are nested in one another more than `levels` deep."""
    within = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return within is not None and (levels == 0 or any(_deeper_than(levels - 1, each) for each in within))


def _whole_numbers(value: object) -> Iterator[int]:
    if isinstance(value, int):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _whole_numbers(item)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _strings(list(value))
        yield from _strings(list(value.values()))
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
