"""What a landed call means: an attempt with its verdicts, and what becomes of its trial. No database."""

from __future__ import annotations

import logging
import traceback
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from probes.core import Reply, Result, TooLarge, score
from probes.core.view import repair
from probes.domain.calls import Call, Prepared, Unreadable, Versions
from probes.engine import Landed
from probes.models import Attempt, Outcome, Verdict
from registry.endpoints import vault
from registry.endpoints.chat import Answer

logger = logging.getLogger(__name__)

LONGEST_WAIT = 600.0
"""Seconds a trial waits at most when an endpoint asks for it; a longer wait ends it instead."""
LARGEST = 2**31 - 1

INTERRUPTED = "The worker was stopped during this call: it is made again, and both may be billed."
INTERNAL = "The registry failed to make this call; its operator finds the cause in the worker's log."
UNREADABLE = "The key of this endpoint cannot be read: enter it again."
UNREADABLE_VERSION = "The stored probe version cannot be read; the worker's log says why."
CLOSED = "The endpoint was closed before this call: start again with another one."
PAUSED = "Not called: the endpoint was paused just before. The call is made once it is resumed."
UNASKED = "Not called: the database did not say whether the endpoint may be called. It is tried again."
SCORER = "The scorer failed on this output, which is kept; the worker's log says where."


class EndpointClosed(Exception):
    """The endpoint was closed after the run was started."""


class NotNow(Exception):
    """The call was not made, and is due again: the error code and the words that say why."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(code)
        self.code, self.detail = code, detail


class Then(Enum):
    """What becomes of the trial, if its lease still holds."""

    CLOSE = "close"
    AGAIN = "again"  # after a failure that may pass; so often at most
    REPEAT = "repeat"  # at once, and it counts as no failure
    DOUBLE = "double"  # at once, with twice the token limit


@dataclass
class Judged:
    """An attempt not yet saved, its verdicts, and its consequences.

    `wait` is what the endpoint asked for, in seconds; `ends` says that the calls that have yet to
    be made would fail in the same way; `failures` counts this one and those before it.
    """

    call: Call
    attempt: Attempt
    verdicts: list[Verdict] = field(default_factory=list)
    then: Then = Then.CLOSE
    wait: float | None = None
    ends: bool = False
    failures: int = 0


def judge(landed: Landed[Call, Answer], versions: Versions) -> Judged:
    """Never raises: what cannot be judged ends unscored, with a code that says why."""
    call, answer = landed.work, landed.result
    if landed.interrupted:
        said = {"error": "interrupted", "detail": INTERRUPTED, "may_be_billed": True}
        return Judged(call, _unscored(landed, said), then=Then.REPEAT)
    if answer is None:
        return _crashed(landed)
    if answer.error:
        return _failed(landed, answer)
    reply = _reply(answer)
    if reply.ran_out and not call.doubled:
        attempt = Attempt(**_common(landed), outcome=reply.outcome, **_kept(reply))
        return Judged(call, attempt, then=Then.DOUBLE)
    return _scored(landed, reply, versions)


def _reply(answer: Answer) -> Reply:
    """What the core scores: texts as they are stored, so that a verdict recomputes from its row."""
    text = None if answer.no_text else repair(answer.text)
    refusal = None if answer.refusal is None else repair(answer.refusal)
    return Reply(text, answer.finish, refusal, answer.reasoning_tokens)


def _crashed(landed: Landed[Call, Answer]) -> Judged:
    if isinstance(landed.crash, NotNow):
        said = {"error": landed.crash.code, "detail": landed.crash.detail}
        return Judged(landed.work, _unscored(landed, said), then=Then.REPEAT)
    known = {
        vault.Unreadable: ("key_unreadable", UNREADABLE),
        EndpointClosed: ("endpoint_closed", CLOSED),
        Unreadable: ("internal_error", UNREADABLE_VERSION),
    }
    found = known.get(type(landed.crash))  # type: ignore[arg-type]
    if found is None and landed.crash:
        _log("A call crashed", landed.work, landed.crash)
    code, detail = found or ("internal_error", INTERNAL)
    return Judged(landed.work, _unscored(landed, {"error": code, "detail": detail}), ends=found is not None)


def _failed(landed: Landed[Call, Answer], answer: Answer) -> Judged:
    wait, detail = answer.retry_after, answer.detail
    too_long = wait is not None and wait > LONGEST_WAIT
    if too_long:
        detail = f"{detail} It asks to wait {wait:,.0f} seconds; {LONGEST_WAIT:,.0f} are waited at most."
    # a part of a reply is no output, and a finish without one says nothing
    attempt = _unscored(landed, {"error": answer.error, "detail": detail, "finish": ""})
    again = answer.retryable and not too_long
    return Judged(
        landed.work,
        attempt,
        then=Then.AGAIN if again else Then.CLOSE,
        wait=None if too_long else wait,
        ends=answer.final_for_endpoint or too_long,
    )


def _scored(landed: Landed[Call, Answer], reply: Reply, versions: Versions) -> Judged:
    call = landed.work
    try:
        prepared = versions[call.version_id]
        result = score(prepared.document, reply)
    except TooLarge as large:
        said = {"error": "too_large", "detail": f"Not scored: {large}."}
        return Judged(call, _unscored(landed, said | _kept(reply)))
    except Exception as crash:  # noqa: BLE001 - one output must not stop the others
        _log("The scorer crashed", call, crash)
        said = {"error": "scorer_error", "detail": SCORER}
        return Judged(call, _unscored(landed, said | _kept(reply)))
    attempt = Attempt(
        **_common(landed),
        outcome=result.outcome,
        **_kept(reply),
        passed=result.passed,
        total=result.total,
        scored_with=result.scored_with[:200],
    )
    return Judged(call, attempt, _verdicts(attempt, result, prepared))


def _kept(reply: Reply) -> dict[str, Any]:
    """What the outcome can be decided from again, and the verdicts given."""
    return {"output": reply.output, "output_is": reply.output_is}


def _verdicts(attempt: Attempt, result: Result, prepared: Prepared) -> list[Verdict]:
    made = []
    for position, (rule_id, verdict) in enumerate(zip(prepared.rule_ids, result.verdicts, strict=True)):
        finding = verdict.finding.as_json()
        made.append(Verdict(attempt=attempt, rule_id=rule_id, position=position, **finding))
    return made


def _unscored(landed: Landed[Call, Answer], said: dict[str, Any]) -> Attempt:
    return Attempt(**{**_common(landed), **said}, outcome=Outcome.ERROR)


def _common(landed: Landed[Call, Answer]) -> dict[str, Any]:
    """What every attempt says, cut to what its columns hold: a provider may send anything."""
    call = landed.work
    answer = landed.result or Answer(milliseconds=round(landed.seconds * 1000))
    return {
        "batch_id": call.batch_id,
        "trial_id": call.trial_id,
        "number": call.number,
        "endpoint_name": call.endpoint_name,
        "started_at": call.begun_at,
        "detail": repair(answer.detail),
        "status": _counted(answer.status, 32_767),
        "repaired": answer.repaired,
        "finish": repair(answer.finish)[:60],
        "served_model": repair(answer.served_model)[:200],
        "prompt_tokens": _counted(answer.prompt_tokens),
        "completion_tokens": _counted(answer.completion_tokens),
        "reasoning_tokens": _counted(answer.reasoning_tokens),
        "sent_messages": answer.sent_messages,
        "sent_parameters": answer.sent_parameters,
        "sent_digest": answer.sent_digest,
        "may_be_billed": answer.may_be_billed,
        "milliseconds": _counted(answer.milliseconds) or 0,
    }


def _counted(value: int | None, largest: int = LARGEST) -> int | None:
    """A count as stored; None for one that cannot be."""
    return value if isinstance(value, int) and 0 <= value <= largest else None


def _log(what: str, call: Call, crash: Exception) -> None:
    """Where it happened, without the message: that could quote an output, or a header with its key."""
    where = "".join(traceback.format_tb(crash.__traceback__))
    logger.error(
        "%s: trial %s, call %s: %s\n%s", what, call.trial_id, call.number, type(crash).__name__, where
    )
