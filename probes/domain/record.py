"""Record what landed: attempts, verdicts and the closing of trials, many in one transaction.

The fence: a trial moves on only with the call it was leased for. A reply that comes after its
lease was lost is kept, marked late, and closes nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from django.db import DatabaseError, OperationalError
from django.db.models import Count
from django.db.models.functions import Coalesce, Greatest, Now

from probes.domain.calls import Call, Versions
from probes.domain.events import held
from probes.domain.finish import finish
from probes.domain.judge import Judged, Then, judge
from probes.domain.settle import end_early, save, settle
from probes.engine import Landed
from probes.models import Attempt, Outcome, Trial
from registry.endpoints.chat import Answer
from registry.endpoints.models import Endpoint

logger = logging.getLogger(__name__)

MOST_FAILURES = 5
"""Failures that may pass, after which a trial ends with the last of them."""
NOT_FAILURES = ["interrupted", "worker_lost", "endpoint_paused"]


@dataclass(frozen=True)
class Recorded:
    """How many attempts were written, how many of them unscored, and how many too late."""

    attempts: int = 0
    errors: int = 0
    late: int = 0

    def __add__(self, other: Recorded) -> Recorded:
        attempts, errors = self.attempts + other.attempts, self.errors + other.errors
        return Recorded(attempts, errors, self.late + other.late)


def record(landed: Sequence[Landed[Call, Answer]], worker: str, versions: Versions) -> Recorded:
    """Write what landed. A result that the database refuses ends unscored and stops no other.

    Raises OperationalError when the database cannot be reached or is busy; it may then be called
    again with the same, as what is already recorded is left out.
    """
    try:
        return _write([judge(each, versions) for each in landed], worker)
    except OperationalError:
        raise
    except (DatabaseError, ValueError, TypeError) as refused:
        if len(landed) > 1:
            return sum((record([each], worker, versions) for each in landed), Recorded())
        logger.error("A result cannot be stored: %s", type(refused).__name__)
        bare = replace(landed[0], result=None, crash=RuntimeError("cannot be stored"), interrupted=False)
        return _write([judge(bare, versions)], worker)


def _write(judged: Sequence[Judged], worker: str) -> Recorded:
    fresh = _not_yet_recorded(judged)
    _rest_endpoints(fresh)
    with held({each.call.batch_id for each in fresh}) as batches:
        _mark_late(fresh, worker)
        _count_failures(fresh)
        save(fresh, batches)
        for each in fresh:
            settle(each, worker, batches)
        uncalled = end_early(fresh, batches)
        finish(batches, batches.keys())
    errors = sum(each.attempt.outcome == Outcome.ERROR for each in fresh)
    late = sum(each.attempt.late for each in fresh)
    return Recorded(len(fresh) + uncalled, errors + uncalled, late)


def _not_yet_recorded(judged: Sequence[Judged]) -> list[Judged]:
    """Without those that an earlier try has written, whose commit was not heard of."""
    rows = Attempt.objects.filter(trial__in=[each.call.trial_id for each in judged])
    written = set(rows.exclude(error="worker_lost").values_list("trial", "number"))
    return [each for each in judged if (each.call.trial_id, each.call.number) not in written]


def _rest_endpoints(judged: Sequence[Judged]) -> None:
    """Let every worker wait as long as an endpoint asks. Before batches are held: see `events`."""
    waits: dict[int, float] = {}
    for each in judged:
        if each.wait:
            endpoint = each.call.endpoint.pk
            waits[endpoint] = max(each.wait, waits.get(endpoint, 0.0))
    for endpoint, wait in sorted(waits.items()):
        until = Now() + timedelta(seconds=wait)
        later = Greatest(Coalesce("not_before", until), until)
        Endpoint.objects.filter(pk=endpoint).update(not_before=later)


def _mark_late(judged: Sequence[Judged], worker: str) -> None:
    trials = Trial.objects.filter(pk__in=[each.call.trial_id for each in judged])
    leased = trials.filter(lease_owner=worker, state=Trial.State.LEASED)
    mine = set(leased.values_list("pk", "tries"))
    for each in judged:
        each.attempt.late = (each.call.trial_id, each.call.number) not in mine


def _count_failures(judged: Sequence[Judged]) -> None:
    """How often each trial has failed in a way that may pass; one that did so too often ends."""
    again = {each.call.trial_id: each for each in judged if each.then == Then.AGAIN}
    rows = Attempt.objects.filter(trial__in=again, outcome=Outcome.ERROR, late=False)
    counted = rows.exclude(error__in=NOT_FAILURES).values("trial").annotate(times=Count("pk"))
    times = dict(counted.values_list("trial", "times")) if again else {}
    for trial_id, each in again.items():
        each.failures = times.get(trial_id, 0) + 1
        if each.failures >= MOST_FAILURES:
            each.then = Then.CLOSE
