"""Claim trials that are due: a lease each, committed before any call is made.

An endpoint's limits hold across workers because its row is locked while its trials are counted
and leased. All times are the database's: workers' clocks may differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce, Greatest, Now

from probes.domain.calls import Call, Versions, call_of
from probes.domain.events import Held, held
from probes.models import Attempt, Run, Trial
from registry.endpoints.chat import alterations
from registry.endpoints.models import Endpoint

MOST = 64
"""Trials claimed at once: few enough that a lost worker costs little."""
SUSPECT = 2
"""A trial whose lease ran out this often is called alone."""
MINUTE = timedelta(minutes=1)


def waiting() -> QuerySet[Trial]:
    return Trial.objects.filter(state=Trial.State.WAITING)


def _callable() -> QuerySet[Trial]:
    """Waiting trials but those whose endpoint is paused: they wait until it is resumed."""
    return waiting().filter(run__endpoint__paused_at__isnull=True)


def due() -> QuerySet[Trial]:
    """Waiting trials whose time has come, on endpoints that may be called now."""
    rested = Q(run__endpoint__not_before__isnull=True) | Q(run__endpoint__not_before__lte=Now())
    return _callable().filter(rested, due_at__lte=Now())


def seconds_until_due() -> float | None:
    """How long until some trial's time comes: 0 if it has, None if none waits or may be called."""
    rested = Coalesce("run__endpoint__not_before", "due_at")
    rows = _callable().annotate(ready=Greatest("due_at", rested), now=Now()).order_by("ready")
    first: tuple[datetime, datetime] | None = rows.values_list("ready", "now").first()
    return None if first is None else max(0.0, (first[0] - first[1]).total_seconds())


def suspects_wait() -> bool:
    """Whether a trial is due that should be called alone."""
    return due().filter(lost__gte=SUSPECT).exists()


def claim_trials(
    worker: str, limit: int, *, versions: Versions | None = None, idle: bool = True
) -> list[Call]:
    """Lease up to `limit` due trials to `worker`, in the order of their due times.

    `idle` says that the worker has nothing in flight; only then is a suspect trial claimed, alone.
    """
    limit = min(limit, MOST)
    if limit < 1 or not due().exists():  # asked without a write lock, as most turns find nothing
        return []
    with transaction.atomic():
        chosen = _choose(_endpoints(), limit, idle)
        with held({batch_id for _, batch_id in chosen}) as batches:
            return _lease([trial_id for trial_id, _ in chosen], worker, batches, versions or Versions())


def _endpoints() -> list[Endpoint]:
    """The endpoints with due trials, locked; those another worker is claiming from are left to it."""
    rows = Endpoint.objects.filter(pk__in=due().values("run__endpoint"))
    return list(rows.select_for_update(skip_locked=True, no_key=True).order_by("pk"))


def _choose(endpoints: Sequence[Endpoint], limit: int, idle: bool) -> list[tuple[int, UUID]]:
    """Pairs of trial and batch: one suspect trial if the worker is idle, else what the limits allow."""
    rooms = {endpoint.pk: room for endpoint in endpoints if (room := _room(endpoint)) > 0}
    if idle:
        suspect = due().filter(lost__gte=SUSPECT, run__endpoint__in=rooms).order_by("due_at", "pk")
        if found := list(suspect.values_list("pk", "run__batch")[:1]):
            return found
    chosen: list[tuple[int, UUID]] = []
    for endpoint_id, room in rooms.items():
        rows = due().filter(lost__lt=SUSPECT, run__endpoint=endpoint_id).order_by("due_at", "pk")
        chosen += rows.values_list("pk", "run__batch")[: min(room, limit - len(chosen))]
    return chosen


def _room(endpoint: Endpoint) -> int:
    """How many calls may begin now within the endpoint's concurrency and requests a minute."""
    leased = Trial.objects.filter(run__endpoint=endpoint, state=Trial.State.LEASED)
    room = endpoint.concurrency - leased.count()
    if endpoint.requests_per_minute is None:
        return room
    began = Attempt.objects.filter(trial__run__endpoint=endpoint, started_at__gt=Now() - MINUTE)
    recent = began.count() + leased.filter(leased_at__gt=Now() - MINUTE).count()
    return min(room, endpoint.requests_per_minute - recent)


def _lease(trial_ids: list[int], worker: str, batches: Held, versions: Versions) -> list[Call]:
    # the batches are held now: whoever cancelled or claimed one of these was here before
    still = list(waiting().filter(pk__in=trial_ids).values_list("pk", flat=True))
    Trial.objects.filter(pk__in=still).update(
        state=Trial.State.LEASED,
        tries=F("tries") + 1,
        lease_owner=worker,
        leased_at=Now(),
        lease_until=Now() + timedelta(seconds=settings.LEASE_SECONDS),
    )
    rows = Trial.objects.filter(pk__in=still).select_related("run__endpoint").order_by("due_at", "pk")
    trials = list(rows)
    versions.load(trial.run.version_id for trial in trials)
    for trial in trials:
        trial.seq = batches.next_seq(trial.run.batch_id)
    Trial.objects.bulk_update(trials, ["seq"])
    calls = [call_of(trial, alone=trial.lost >= SUSPECT) for trial in trials]
    _note_alterations(calls, versions)
    return calls


def _note_alterations(calls: Iterable[Call], versions: Versions) -> None:
    """An endpoint's settings may change while a run goes on: the run names all that it altered."""
    one_a_run = {call.run_id: call for call in calls if call.version_id in versions}
    for run in Run.objects.filter(pk__in=one_a_run):
        call = one_a_run[run.pk]
        request = versions[call.version_id].request(call)
        altered = sorted({*run.alters, *alterations(call.endpoint, *request)})
        if altered != sorted(run.alters):
            Run.objects.filter(pk=run.pk).update(alters=altered)
