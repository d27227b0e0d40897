"""One chat call to one endpoint, from a probe's messages to an Answer. Provider failures never raise."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import httpx

from registry.endpoints import failures, reply, wire
from registry.endpoints.egress import Dial, Policy, current_policy
from registry.endpoints.failures import Failure
from registry.endpoints.models import Endpoint
from registry.endpoints.redaction import Redaction
from registry.endpoints.reply import Reading
from registry.endpoints.request import Messages, Target, altered, content, digest
from registry.endpoints.wire import Received, Wire

__all__ = ["Answer", "Caller", "ModelsUnavailable", "Target", "alterations", "target_of"]

_HELD_THE_KEY = "The reply held the endpoint's key: it was redacted."
_HEADERS = {"accept": "application/json", "accept-encoding": "identity", "user-agent": "probe-registry"}
_MODELS_SECONDS = 15.0
_MOST_MODELS = 1000


class ModelsUnavailable(Exception):
    """The endpoint offers no list of its models; the message says why, for a page to show."""


@dataclass(frozen=True)
class Answer:
    """What came of one call. `error` is "" or a code; then `text` is at most a part, and never scored.

    `no_text`: the reply held no text at all, where `text` is "" (a filter took the message away).
    `detail` says what happened and what to do, scrubbed and without the key; with an answer it may
    hold notes. `sent_*` are what was observed leaving: none where nothing left. `retry_after` is in
    seconds; None means the usual back-off.
    """

    text: str = ""
    no_text: bool = False
    finish: str = ""
    refusal: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    served_model: str = ""
    repaired: bool = False
    error: str = ""
    detail: str = ""
    status: int | None = None
    retry_after: float | None = None
    retryable: bool = False
    final_for_endpoint: bool = False
    may_be_billed: bool = False
    sent_messages: list[Any] | None = None
    sent_digest: str = ""
    sent_parameters: dict[str, Any] = field(default_factory=dict)
    milliseconds: int = 0


def target_of(endpoint: Endpoint) -> Target:
    """The endpoint as a call needs it, its key in clear. Raises vault.Unreadable."""
    return _target(endpoint, endpoint.key())


def alterations(
    endpoint: Endpoint, messages: Messages | None = None, parameters: Mapping[str, Any] | None = None
) -> list[str]:
    """What the endpoint's settings change about a probe (`no temperature`, `system folded`, …).

    Given a probe's messages and parameters, only what touches those.
    """
    return altered(_target(endpoint, ""), messages, parameters)


def _target(endpoint: Endpoint, key: str) -> Target:
    return Target(
        name=endpoint.name,
        base_url=endpoint.base_url,
        key=key,
        practice=endpoint.practice,
        reasoning=endpoint.reasoning,
        inline_thinking=endpoint.inline_thinking,
        token_limit=endpoint.token_limit,
        send_temperature=endpoint.send_temperature,
        system_role=endpoint.system_role,
        extra_body=endpoint.extra_body,
        deadline=float(endpoint.deadline_seconds),
    )


class Caller:
    """Calls endpoints from one event loop. `async with Caller() as caller: await caller.complete(…)`."""

    def __init__(self, policy: Policy | None = None) -> None:
        self._policy = policy
        self._wire = Wire()

    async def __aenter__(self) -> Caller:
        self._policy = self._policy or current_policy()
        await self._wire.__aenter__()
        return self

    async def __aexit__(self, *problem: object) -> None:
        await self._wire.__aexit__(*problem)

    async def complete(
        self, target: Target, model: str, messages: Messages, parameters: Mapping[str, Any]
    ) -> Answer:
        """One call. Whatever the provider does comes back as an Answer; only cancellation passes through."""
        began = time.monotonic()
        dial = self._dial(target)
        body = content(target, model, messages, parameters)
        try:
            received = await self._exchange(target, dial, "chat/completions", body, target.deadline)
        except wire.PROBLEMS as problem:
            fields = _failed(wire.failure_of(problem, dial, target))
        else:
            fields = _read(received, target, model, _sent(dial))
        elapsed = round((time.monotonic() - began) * 1000)
        return Answer(**{**fields, **_observed(dial), "milliseconds": elapsed})

    async def models(self, target: Target) -> list[str]:
        """The models the endpoint offers, in its order. Raises ModelsUnavailable."""
        dial, redaction = self._dial(target), Redaction(target.key)
        seconds = min(_MODELS_SECONDS, target.deadline)
        try:
            received = await self._exchange(target, dial, "models", None, seconds)
            found = reply.parse(received.body, redaction.within) if received.status == 200 else None
        except reply.NotJson as problem:
            raise ModelsUnavailable(failures.not_json(problem.start, target, 200).detail) from None
        except wire.PROBLEMS as problem:
            raise ModelsUnavailable(wire.failure_of(problem, dial, target).detail) from None
        if received.status != 200:
            raise ModelsUnavailable(_no_list(received, target, redaction))
        return _names(found)

    def _dial(self, target: Target) -> Dial:
        return Dial.to(target.base_url, self._policy or current_policy())

    async def _exchange(
        self, target: Target, dial: Dial, path: str, body: bytes | None, seconds: float
    ) -> Received:
        headers = {**_HEADERS}
        if body is not None:
            headers["content-type"] = "application/json"
        if target.key:
            headers["authorization"] = f"Bearer {target.key}"
        method = "GET" if body is None else "POST"
        request = httpx.Request(method, f"{target.base_url}/{path}", headers=headers, content=body)
        return await self._wire.exchange(request, dial, in_process=target.practice, seconds=seconds)


def _sent(dial: Dial) -> dict[str, Any]:
    """The request body as it left, {} where it did not (wholly) leave."""
    try:
        found = json.loads(bytes(dial.body))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _observed(dial: Dial) -> dict[str, Any]:
    sent = _sent(dial)
    messages = sent.pop("messages", None)
    sent.pop("model", None)
    return {
        "sent_messages": messages,
        "sent_digest": "" if messages is None else digest(messages),
        "sent_parameters": sent,
    }


def _read(received: Received, target: Target, model: str, sent: dict[str, Any]) -> dict[str, Any]:
    """The Answer's fields for what was received, the endpoint's key in none of them."""
    redaction = Redaction(target.key)
    return _let_out(_understood(received, target, model, sent, redaction), redaction)


def _understood(
    received: Received, target: Target, model: str, sent: dict[str, Any], redaction: Redaction
) -> dict[str, Any]:
    status = received.status
    if not 200 <= status < 300:
        said = failures.said_by(received.body, redaction.strictly)
        wait = failures.retry_after(received.headers, datetime.now(UTC))
        return _failed(failures.of_status(status, said, target, model=model, sent=sent, wait=wait))
    try:
        reading = reply.read(received.body, redaction.within, inline_thinking=target.inline_thinking)
    except reply.NotJson as problem:
        return _failed(failures.not_json(problem.start, target, status))
    fields = _answered(reading, status)
    if reading.error:
        failure = failures.in_body(reading.error, target, model=model, sent=sent)
    elif reading.missing:
        failure = failures.no_choice(reading.missing, " ".join(reading.notes), status)
    else:
        return fields
    return {**fields, **_failed(failure)}


def _answered(reading: Reading, status: int) -> dict[str, Any]:
    text = reading.text if reading.text and reading.text.strip() else reading.refusal or reading.text
    return {
        "text": text or "",
        "no_text": text is None,
        "finish": reading.finish,
        "refusal": reading.refusal,
        "prompt_tokens": reading.prompt_tokens,
        "completion_tokens": reading.completion_tokens,
        "reasoning_tokens": reading.reasoning_tokens,
        "served_model": reading.served_model,
        "repaired": reading.repaired,
        "detail": " ".join(reading.notes)[: failures.LONGEST_DETAIL],
        "status": status,
    }


def _let_out(fields: dict[str, Any], redaction: Redaction) -> dict[str, Any]:
    """The fields without the key, all of them: what was read without it may spell it once it is joined."""
    error = fields.get("error", "")  # a code of our own
    hide = redaction.strictly if error else redaction.within
    clean = {name: hide(value) for name, value in fields.items()} | {"error": error}
    if redaction.found and not error:
        clean["detail"] = f"{_HELD_THE_KEY} {clean['detail']}".strip()[: failures.LONGEST_DETAIL]
    return clean


def _failed(failure: Failure) -> dict[str, Any]:
    return {
        "error": failure.error,
        "detail": failure.detail,
        "status": failure.status,
        "retry_after": failure.retry_after,
        "retryable": failure.retryable,
        "final_for_endpoint": failure.final,
        "may_be_billed": failure.may_be_billed,
    }


def _no_list(received: Received, target: Target, redaction: Redaction) -> str:
    if received.status in (404, 405, 501):
        return f'"{target.name}" offers no list of its models ({received.status}). Type the name of one.'
    said = failures.said_by(received.body, redaction.strictly)
    detail = failures.of_status(received.status, said, target, model="", sent={}).detail
    return str(redaction.strictly(detail))


def _names(found: object) -> list[str]:
    """Model names in any of the shapes servers use: OpenAI's, a bare list, Ollama's own."""
    rows = (found.get("data") or found.get("models")) if isinstance(found, dict) else found
    named = [_name(row) for row in rows] if isinstance(rows, list) else []
    return [name for name in dict.fromkeys(named) if name][:_MOST_MODELS]


def _name(row: object) -> str:
    value = (row.get("id") or row.get("name") or row.get("model")) if isinstance(row, dict) else row
    return reply.repair(value)[:200] if isinstance(value, str) else ""
