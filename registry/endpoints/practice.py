"""The practice provider: a small, strict OpenAI-compatible server that needs no key of anybody's.

It is called in process, and may be served over HTTP as well (`uvicorn registry.endpoints.practice:app`).
Two endpoints, /a and /b, each with its own token, each refusing the other's.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db import transaction

from registry.endpoints import vault
from registry.endpoints.models import Endpoint
from registry.endpoints.naming import free_slug
from registry.endpoints.personas import PERSONAS, PRACTICE_CANARY, Said, said
from registry.teams.models import Team

__all__ = ["PERSONAS", "PRACTICE_BASE_URL", "PRACTICE_CANARY", "app", "ensure_practice_endpoints"]

PRACTICE_BASE_URL = {letter: f"http://practice.invalid/{letter}/v1" for letter in "ab"}
"""By endpoint. `.invalid` never resolves: should one of these ever be dialled, nothing is reached."""

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_LARGEST_REQUEST = 1024 * 1024
_KINDS: dict[str, Callable[[Any], bool]] = {
    "model": lambda value: isinstance(value, str) and bool(value),
    "messages": lambda value: isinstance(value, list) and bool(value),
    "max_tokens": lambda value: _whole(value) and value >= 1,
    "max_completion_tokens": lambda value: _whole(value) and value >= 1,
    "temperature": lambda value: _number(value) and 0 <= value <= 2,
    "top_p": lambda value: _number(value) and 0 <= value <= 1,
    "seed": lambda value: _whole(value),
    "stop": lambda value: isinstance(value, str | list),
}
"""Every field that is taken, and what it must hold."""


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


@dataclass(eq=False)
class Refused(Exception):
    """A request that is answered with an error object."""

    status: int
    code: str
    message: str
    param: str | None = None
    headers: dict[str, str] = field(default_factory=dict)


def token_of(letter: str) -> str:
    """The only bearer token that the endpoint at /`letter` takes."""
    made = hmac.new(str(settings.SECRET_KEY).encode(), f"practice endpoint {letter}".encode(), hashlib.sha256)
    return f"pr-{letter}-{made.hexdigest()[:32]}"  # no piece of it stands in a name: details are redacted


# --- the server ----------------------------------------------------------------------------------
async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """The ASGI application."""
    if scope["type"] == "lifespan":
        await _lifespan(receive, send)
    elif scope["type"] == "http":
        await _send_json(send, *await _response(scope, receive))


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        stage = (await receive())["type"]
        await send({"type": f"{stage}.complete"})
        if stage == "lifespan.shutdown":
            return


async def _response(scope: Scope, receive: Receive) -> tuple[int, dict[str, Any], dict[str, str]]:
    try:
        return 200, await _routed(scope, receive), {}
    except Refused as refused:
        error = {"message": refused.message, "type": "invalid_request_error", "param": refused.param}
        return refused.status, {"error": {**error, "code": refused.code}}, refused.headers


async def _routed(scope: Scope, receive: Receive) -> dict[str, Any]:
    letter, _, rest = scope["path"].removeprefix("/").partition("/v1/")
    if letter not in PRACTICE_BASE_URL:
        raise Refused(404, "not_found", "There is nothing at this path.")
    token = _bearer(scope)
    if not hmac.compare_digest(token.encode(), token_of(letter).encode()):
        raise Refused(401, "invalid_api_key", "Incorrect API key provided.")
    match scope["method"], rest:
        case "GET", "models":
            return {"object": "list", "data": [_offered(persona) for persona in PERSONAS]}
        case "POST", "chat/completions":
            return await _completion(_checked(await _body(receive)), token)
        case _, "models" | "chat/completions":
            raise Refused(405, "method_not_allowed", "This path does not take that method.")
    raise Refused(404, "not_found", "There is nothing at this path.")


def _offered(persona: str) -> dict[str, Any]:
    return {"id": persona, "object": "model", "created": 0, "owned_by": "practice"}


def _bearer(scope: Scope) -> str:
    values = [value for name, value in scope["headers"] if name == b"authorization"]
    kind, _, token = values[0].decode("latin-1").partition(" ") if values else ("", "", "")
    return token if kind.lower() == "bearer" else ""


async def _body(receive: Receive) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > _LARGEST_REQUEST:
            raise Refused(413, "too_large", "The request is larger than 1 MiB.")
        if not message.get("more_body"):
            return bytes(body)


def _checked(body: bytes) -> dict[str, Any]:
    """The request, every field of it known and right. Raises Refused."""
    try:
        request = json.loads(body)
    except (ValueError, RecursionError):
        raise Refused(400, "invalid_json", "The body is not JSON.") from None
    if not isinstance(request, dict):
        raise Refused(400, "invalid_json", "The body is not a JSON object.")
    for name, value in request.items():
        if name not in _KINDS:
            raise Refused(400, "unsupported_parameter", f"Unsupported parameter: {name}.", name)
        if not _KINDS[name](value):
            raise Refused(400, "invalid_value", f"Invalid value for {name}.", name)
    for name in ("model", "messages"):
        if name not in request:
            raise Refused(400, "missing_required_parameter", f"Missing required parameter: {name}.", name)
    for place, message in enumerate(request["messages"]):
        _check_message(message, f"messages[{place}]")
    if request["model"] not in PERSONAS:
        raise Refused(404, "model_not_found", f"The model {request['model'][:80]} does not exist.", "model")
    return request


def _check_message(message: object, place: str) -> None:
    if not isinstance(message, dict):
        raise Refused(400, "invalid_type", f"{place} is not an object.", place)
    if extra := sorted(message.keys() - {"role", "content"}):
        raise Refused(
            400, "unknown_parameter", f"Unknown parameter: {place}.{extra[0]}.", f"{place}.{extra[0]}"
        )
    if message.get("role") not in {"system", "user", "assistant"}:
        raise Refused(400, "invalid_value", f"Invalid role in {place}.", f"{place}.role")
    if not isinstance(message.get("content"), str):
        raise Refused(400, "invalid_type", f"The content of {place} is not a string.", f"{place}.content")


async def _completion(request: dict[str, Any], token: str) -> dict[str, Any]:
    conversation = hashlib.sha256(json.dumps(request["messages"]).encode()).hexdigest()
    await asyncio.sleep(_delay_seconds(f"{request['model']} {conversation}"))
    if request["model"] == "flaky":
        _stumble(f"{token} {conversation}")
    answer = said(request["model"], request["messages"])
    limit = request.get("max_tokens") or request.get("max_completion_tokens")
    return _completed(request, _cut(answer, limit), conversation)


def _delay_seconds(seed: str) -> float:
    """From half to one and a half times the set delay, the same for the same request."""
    share = hashlib.sha256(seed.encode()).digest()[0] / 255
    return float(settings.PRACTICE_DELAY_MS) / 1000 * (0.5 + share)


def _cut(answer: Said, limit: int | None) -> Said:
    characters = 4 * (limit or len(answer.text))
    if len(answer.text) <= characters:
        return answer
    return Said(answer.text[:characters], "length", answer.reasoning, answer.reasoning_tokens)


def _completed(request: dict[str, Any], answer: Said, conversation: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text}
    if answer.reasoning:
        message |= {"reasoning_content": answer.reasoning, "reasoning": answer.reasoning}
    prompt = sum(_tokens(message["content"]) for message in request["messages"])
    completion = _tokens(answer.text) + answer.reasoning_tokens
    return {
        "id": f"chatcmpl-{conversation[:24]}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": request["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": answer.finish}],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
            "completion_tokens_details": {"reasoning_tokens": answer.reasoning_tokens},
        },
    }


def _tokens(text: str) -> int:
    return (len(text) + 3) // 4


async def _send_json(send: Send, status: int, value: dict[str, Any], headers: dict[str, str]) -> None:
    body = json.dumps(value).encode()
    named = {"content-type": "application/json", "content-length": str(len(body)), **headers}
    raw = [(name.encode(), text.encode()) for name, text in named.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})


# --- flaky ---------------------------------------------------------------------------------------
_FORGET_SECONDS = 60.0
_MOST_REMEMBERED = 10_000
_stumbles: OrderedDict[str, tuple[int, float]] = OrderedDict()
"""How often each conversation was tried, and since when; one a minute old begins anew."""


def _stumble(conversation: str) -> None:
    """Too many requests, then a server error, then nothing in the way of an answer."""
    now = time.monotonic()
    tried, since = _stumbles.pop(conversation, (0, now))
    if now - since > _FORGET_SECONDS:
        tried, since = 0, now
    _stumbles[conversation] = tried + 1, since
    while len(_stumbles) > _MOST_REMEMBERED:
        _stumbles.popitem(last=False)
    if tried == 0:
        raise Refused(429, "rate_limit_exceeded", "Too many requests.", headers={"retry-after": "1"})
    if tried == 1:
        raise Refused(500, "server_error", "The model stumbled.")


# --- the rows ------------------------------------------------------------------------------------
def ensure_practice_endpoints(team: Team) -> list[Endpoint]:
    """The team's "Practice A" and "Practice B", made where they are missing, their keys in order."""
    return [_ensure(team, letter) for letter in PRACTICE_BASE_URL]


def _ensure(team: Team, letter: str) -> Endpoint:
    with transaction.atomic():
        endpoint, _ = Endpoint.objects.get_or_create(
            team=team,
            practice=True,
            base_url=PRACTICE_BASE_URL[letter],
            defaults={
                "name": f"Practice {letter.upper()}",
                "slug": free_slug(team, f"Practice {letter}"),
                "models_offered": list(PERSONAS),
            },
        )
        if _held_key(endpoint) != token_of(letter):
            endpoint.set_key(token_of(letter))
            endpoint.save(update_fields=["key_cipher", "key_last4", "key_set_at"])
    return endpoint


def _held_key(endpoint: Endpoint) -> str:
    try:
        return endpoint.key()
    except vault.Unreadable:
        return ""
