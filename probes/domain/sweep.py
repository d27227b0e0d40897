"""Pick up what a dead worker, a lost message or a stopped broker left behind. Harmless at any time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db.models import F, Q
from django.db.models.functions import Now

from probes.domain import doorbell
from probes.domain.calls import call_of
from probes.domain.claim import due
from probes.domain.events import Held, held
from probes.domain.finish import finish, unfinished
from probes.domain.judge import Judged, Then
from probes.domain.settle import save, settle
from probes.domain.worker import is_gone
from probes.models import Attempt, Outcome, Trial
from registry.accounts.domain import forget_sessions
from registry.teams.invitations import forget_expired
from registry.web.limits import forget_counts
from registry.write_ahead import empty_log

MOST_LOSSES = 3
"""Calls whose worker was lost before a trial ends as `worker_lost`: something in it may kill workers."""
LOST = "The worker that made this call was lost; the call may have been billed."
LOST_AGAIN = f"{LOST} After {MOST_LOSSES} such calls it is not made again."


@dataclass(frozen=True)
class Swept:
    """Leases taken back, and batches finished that nobody had finished."""

    returned: int = 0
    finished: int = 0


def sweep(*, ring: bool = True) -> Swept:
    """Take back the leases of lost workers, finish what is over, and `ring` if trials are due.

    Sessions and counts that expired are forgotten, too, and the addresses of invitations that did;
    what was erased leaves SQLite's log.
    """
    returned = sum(_take_back(batch_id) for batch_id in _batches(_lost()))
    finished = 0
    for batch_id in unfinished():
        with held([batch_id]) as batches:
            finished += finish(batches, [batch_id])
    forget_expired()
    forget_sessions()
    forget_counts()
    empty_log(patience=0.0)
    if ring and due().exists():
        doorbell.ring()
    return Swept(returned, finished)


def _lost() -> Q:
    """Leases that ran out, and those of workers that are known to be gone."""
    leased = Trial.objects.filter(state=Trial.State.LEASED)
    owners = leased.order_by().values_list("lease_owner", flat=True).distinct()
    gone = [owner for owner in owners if is_gone(owner)]
    return Q(state=Trial.State.LEASED) & (Q(lease_until__lt=Now()) | Q(lease_owner__in=gone))


def _batches(lost: Q) -> Iterable[UUID]:
    rows = Trial.objects.filter(lost).order_by("run__batch").values_list("run__batch", flat=True)
    return list(rows.distinct())


def _take_back(batch_id: UUID) -> int:
    """One transaction a batch, so that a busy one holds up no other."""
    with held([batch_id]) as batches:
        rows = Trial.objects.filter(_lost(), run__batch=batch_id)
        trials = list(rows.select_related("run__endpoint").order_by("pk"))
        owners = {trial.pk: trial.lease_owner for trial in trials}
        Trial.objects.filter(pk__in=owners).update(lost=F("lost") + 1)
        judged = [_judged(trial) for trial in trials]
        _settle_all(judged, owners, batches)
        finish(batches, [batch_id])
    return len(judged)


def _settle_all(judged: list[Judged], owners: dict[int, str], batches: Held) -> None:
    save(judged, batches)
    for each in judged:
        settle(each, owners[each.call.trial_id], batches)


def _judged(trial: Trial) -> Judged:
    call = call_of(trial, alone=False)
    ends = trial.lost + 1 >= MOST_LOSSES
    attempt = Attempt(
        batch_id=call.batch_id,
        trial_id=call.trial_id,
        number=call.number,
        outcome=Outcome.ERROR,
        error="worker_lost",
        detail=LOST_AGAIN if ends else LOST,
        endpoint_name=call.endpoint_name,
        started_at=call.begun_at,
        may_be_billed=True,
    )
    return Judged(call, attempt, then=Then.CLOSE if ends else Then.REPEAT)
