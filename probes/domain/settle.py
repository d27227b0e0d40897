"""What becomes of trials once their attempts are judged. The caller holds their batches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from django.db import OperationalError
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from probes.domain.events import Held
from probes.domain.judge import Judged, Then
from probes.models import Attempt, Outcome, Run, Trial, Verdict

LONGEST_BACKOFF = 60.0
NOT_CALLED = "Not called: "
"""How the detail of an attempt begins whose call would have failed as another did."""
WHOLE_ENDPOINT = frozenset({"unauthorized", "not_found", "redirect", "key_unreadable", "endpoint_closed"})
"""Failures that the batch's other runs of the same model at the same endpoint would meet as well."""


class LeaseLost(OperationalError):
    """A trial moved on while its batch was held: the whole recording is made again."""


def save(judged: Sequence[Judged], batches: Held) -> None:
    """Write the attempts, each with the next event of its batch, and their verdicts."""
    for each in judged:
        each.attempt.seq = batches.next_seq(each.call.batch_id)
    Attempt.objects.bulk_create([each.attempt for each in judged])
    Verdict.objects.bulk_create([verdict for each in judged for verdict in each.verdicts])


def settle(each: Judged, owner: str, batches: Held) -> None:
    """Move the trial on, if it is still leased to `owner` for this very call; raises LeaseLost if not."""
    trial = Trial.objects.filter(pk=each.call.trial_id)
    if each.attempt.late:
        trial.update(seq=each.attempt.seq)
        return
    fence = trial.filter(lease_owner=owner, state=Trial.State.LEASED, tries=each.call.number)
    cancelled = batches[each.call.batch_id].cancelled_at is not None
    if fence.update(lease_owner="", lease_until=None, seq=each.attempt.seq, **_moved(each, cancelled)) != 1:
        raise LeaseLost(f"trial {each.call.trial_id} moved on")


def _moved(each: Judged, cancelled: bool) -> dict[str, Any]:
    """The columns that say what the trial does next."""
    if each.then == Then.CLOSE:
        return {"state": Trial.State.CLOSED, "final": each.attempt, "closed_at": Now()}
    if cancelled:
        return {"state": Trial.State.CANCELLED, "closed_at": Now()}
    delay = backoff(each) if each.then == Then.AGAIN else 0.0
    moved: dict[str, Any] = {"state": Trial.State.WAITING, "due_at": Now() + timedelta(seconds=delay)}
    return moved | ({"doubled": True} if each.then == Then.DOUBLE else {})


def backoff(each: Judged) -> float:
    """Seconds until the next call: what the endpoint asks for, never less than 1, 2, 4 … after a failure.

    A part that differs by trial keeps those that failed together from coming back together.
    """
    spread = 1 + each.call.trial_id % 16 / 32
    own = min(2.0 ** max(each.failures - 1, 0) * spread, LONGEST_BACKOFF)
    return max(own, each.wait or 0.0)


def end_early(judged: Iterable[Judged], batches: Held) -> int:
    """Close, without calling, the waiting trials that would fail as one of `judged` did; how many."""
    ended = 0
    for each in judged:
        if each.ends and not each.attempt.late:
            ended += _close_uncalled(_same(each), each.attempt, batches)
    return ended


def _same(each: Judged) -> QuerySet[Trial]:
    """The trials that share what was wrong: the run's own, or those of its model at its endpoint."""
    run = Run.objects.filter(pk=each.call.run_id)
    if each.attempt.error in WHOLE_ENDPOINT:
        call = each.call
        run = Run.objects.filter(Q(batch=call.batch_id, endpoint=call.endpoint.pk, model=call.model))
    return Trial.objects.filter(run__in=run, state=Trial.State.WAITING).order_by("pk")


def _close_uncalled(trials: QuerySet[Trial], cause: Attempt, batches: Held) -> int:
    rows = list(trials)
    attempts = [_uncalled(trial, cause, batches.next_seq(cause.batch_id)) for trial in rows]
    Attempt.objects.bulk_create(attempts)
    for trial, attempt in zip(rows, attempts, strict=True):
        trial.state, trial.final, trial.seq = Trial.State.CLOSED, attempt, attempt.seq
        trial.closed_at = Now()
    Trial.objects.bulk_update(rows, ["state", "final", "seq", "closed_at"], batch_size=100)
    return len(rows)


def _uncalled(trial: Trial, cause: Attempt, seq: int) -> Attempt:
    return Attempt(
        batch_id=cause.batch_id,
        trial=trial,
        number=trial.tries + 1,
        seq=seq,
        outcome=Outcome.ERROR,
        error=cause.error,
        detail=f"{NOT_CALLED}{cause.detail}",
        endpoint_name=cause.endpoint_name,
        started_at=cause.started_at,
    )
