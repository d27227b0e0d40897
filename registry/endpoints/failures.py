"""What a failed call means: its code, what to tell the team, and whether to try again. Pure.

A detail says what happened, quotes what the server said (read without the key), and what to do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from email.utils import parsedate_to_datetime

from registry.endpoints import reply
from registry.endpoints.redaction import Hide
from registry.endpoints.reply import Said
from registry.endpoints.request import Target

LONGEST_DETAIL = 300
LONGEST_WAIT = 7 * 24 * 3600.0
RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, *range(520, 530)})
"""Statuses worth another try; all others are final for this trial."""
BILLED = frozenset({408, 504, 524})
"""Statuses of a gateway that gave up waiting: the model behind it may have answered and charged."""

_SECONDS = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,12})?\Z")
_REFUSING_WORDS = re.compile(
    r"unsupported|not supported|unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed"
    r"|extra (?:inputs|fields)",
    re.IGNORECASE,
)
_SETTINGS = {
    "max_tokens": 'Send the token limit of "{name}" under its other name.',
    "max_completion_tokens": 'Send the token limit of "{name}" under its other name.',
    "temperature": 'Turn the temperature of "{name}" off.',
    "chat_template_kwargs": 'Set the reasoning of "{name}" to "Leave alone".',
}
"""Which setting of the endpoint answers the refusal of which parameter."""


@dataclass(frozen=True)
class Failure:
    """Why a call gave no answer. `final`: every other call of this run would fail the same way."""

    error: str
    detail: str
    status: int | None = None
    retry_after: float | None = None
    retryable: bool = False
    final: bool = False
    may_be_billed: bool = False


@dataclass(frozen=True)
class Kind:
    """How one status is reported; `opening` and `advice` may name the endpoint and the model.

    Never its address: details are shown to everybody who may see the run.
    """

    error: str
    opening: str
    advice: str = ""
    final: bool = False


_KINDS = {
    401: Kind("unauthorized", "The endpoint refused the key", 'Check the key of "{name}".', True),
    402: Kind("forbidden", "The endpoint asks for payment", 'Check the account of "{name}".', True),
    403: Kind("forbidden", "The endpoint forbids this", 'Check what the key of "{name}" may use.', True),
    404: Kind("not_found", "The endpoint has no chat there", 'Check the base URL of "{name}".', True),
    405: Kind("not_found", "The endpoint takes no chat there", 'Check the base URL of "{name}".', True),
    413: Kind("bad_request", "The request is too large for the endpoint"),
    429: Kind("rate_limited", "The endpoint asks to wait", 'Lower the limits of "{name}" if this goes on.'),
}
_REDIRECT = Kind("redirect", "The endpoint redirects, and redirects are never followed",
                 'Write the address it answers at as the base URL of "{name}".', True)  # fmt: skip
_BAD_REQUEST = Kind("bad_request", "The endpoint refused the request")
_PARAMETER = Kind("unsupported_parameter", "The endpoint refused a parameter", final=True)
_MODEL = Kind("not_found", 'The endpoint does not know the model "{model}"',
              'Pick a model that "{name}" offers.', True)  # fmt: skip
_QUOTA = Kind("rate_limited", "The quota of the endpoint is used up", 'Check the account of "{name}".', True)
_SYSTEM_ROLE = ' If "{name}" takes no system message, set its system role to go in front of the user message.'
_SERVER = Kind("endpoint_error", "The endpoint failed")


def of_status(
    status: int,
    said: Said,
    target: Target,
    *,
    model: str,
    sent: Mapping[str, object],
    wait: float | None = None,
) -> Failure:
    """The failure that an HTTP status (or one named in the body) stands for. `sent`: the parameters sent."""
    kind, advice = _kind(status, said, sent)
    opening = f"{_filled(kind.opening, target, model)} ({status})"
    return Failure(
        error=kind.error,
        detail=_detail(opening, said.message, _filled(advice, target, model)),
        status=status,
        retry_after=wait if status in RETRIED else None,
        retryable=status in RETRIED and not kind.final,
        final=kind.final,
        may_be_billed=status in BILLED,
    )


def _kind(status: int, said: Said, sent: Mapping[str, object]) -> tuple[Kind, str]:
    """How to report the status, and what to advise."""
    if status in (400, 404, 422) and _means_the_model(status, said):
        return _MODEL, _MODEL.advice
    if status in (400, 422):
        return _refused_request(said, sent)
    if status == 429 and "insufficient_quota" in said.code:
        return _QUOTA, _QUOTA.advice
    if status in _KINDS:
        return _KINDS[status], _KINDS[status].advice
    if 300 <= status < 400:
        return _REDIRECT, _REDIRECT.advice
    return (_SERVER if status >= 500 or status in RETRIED else _BAD_REQUEST), ""


def _means_the_model(status: int, said: Said) -> bool:
    if said.param == "model" or ("model" in said.code and "not" in said.code):
        return True
    return status == 404 and "model" in said.message.lower()


def _refused_request(said: Said, sent: Mapping[str, object]) -> tuple[Kind, str]:
    name = _refused_parameter(said, sent)
    if name:
        return _PARAMETER, _SETTINGS.get(name, f'Take {name} out of the extra body of "{{name}}".')
    hint = _SYSTEM_ROLE if re.search("role|system", f"{said.param} {said.message}", re.IGNORECASE) else ""
    return _BAD_REQUEST, hint


def _refused_parameter(said: Said, sent: Mapping[str, object]) -> str:
    """The parameter of ours that the server names as the reason, "" when it names none."""
    named = next((name for name in sent if re.match(rf"{re.escape(name)}(?:\W|\Z)", said.param)), "")
    if named:
        return named
    if not _REFUSING_WORDS.search(f"{said.code} {said.message}"):
        return ""
    return next((name for name in sent if re.search(rf"\b{re.escape(name)}\b", said.message)), "")


def in_body(said: Said, target: Target, *, model: str, sent: Mapping[str, object]) -> Failure:
    """The failure that a body reports although the status was a success: an upstream's, after the fact."""
    upstream = said.status or (429 if "rate_limit" in said.code else 502)
    failure = of_status(upstream, said, target, model=model, sent=sent)
    # Somebody else's limit, behind the endpoint: nothing for this endpoint's own waiting time.
    error = "endpoint_error" if failure.error == "rate_limited" else failure.error
    return replace(failure, error=error, may_be_billed=True)


def said_by(body: bytes, hide: Hide) -> Said:
    """What the body of a failed call says, JSON or not."""
    try:
        return reply.said(reply.parse(body, hide))
    except reply.NotJson as problem:
        page = problem.start.lstrip()[:1] == "<"
        return Said("it sent a web page" if page else problem.start.strip())


def not_json(start: str, target: Target, status: int) -> Failure:
    quoted = start[:LONGEST_DETAIL]
    detail = (
        f'The endpoint did not answer with JSON. Check the base URL of "{target.name}". It sent: {quoted}'
    )
    return Failure("not_json", detail, status, may_be_billed=True)


def no_choice(missing: str, said: str, status: int) -> Failure:
    detail = _detail(f"The reply lacks {missing}", said, "")
    return Failure("no_choice", detail, status, may_be_billed=True)


def _filled(text: str, target: Target, model: str) -> str:
    return text.replace("{name}", target.name).replace("{model}", model[:80])


def _detail(opening: str, said: str, advice: str) -> str:
    """`Opening: what it said. Advice`, within the limit: what the server said gives way first."""
    said = " ".join(said.split()).rstrip(".")
    room = max(LONGEST_DETAIL - len(opening) - len(advice) - 4, 0)
    quoted = said if len(said) <= room else said[: max(room - 1, 0)] + "…"
    text = f"{opening}: {quoted}." if said else f"{opening}."
    return f"{text} {advice.strip()}".strip()[:LONGEST_DETAIL]


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds the server asks to wait; None where it asks for none, and the usual back-off applies.

    `retry-after-ms` goes first, then seconds or a date. Zero, the past and nonsense mean back-off.
    """
    if (wait := _number(headers.get("retry-after-ms", ""))) > 0:
        return min(wait / 1000, LONGEST_WAIT)
    text = headers.get("retry-after", "").strip()
    wait = _number(text) or _until(text, now)
    return min(wait, LONGEST_WAIT) if wait > 0 else None


def _number(text: str) -> float:
    text = text.strip()
    return float(text) if _SECONDS.match(text) else 0.0


def _until(text: str, now: datetime) -> float:
    try:
        date = parsedate_to_datetime(text)
        return (date - now).total_seconds()
    except (ValueError, TypeError, OverflowError):  # no date; or one without a zone
        return 0.0
