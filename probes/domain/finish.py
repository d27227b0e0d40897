"""Close runs and batches whose trials are all over: their states follow from the trials."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from probes.domain.events import Held
from probes.models import Batch, Run, State, Trial

OPEN = [Trial.State.WAITING, Trial.State.LEASED]


def finish(batches: Held, batch_ids: Collection[UUID]) -> int:
    """Finish what is over of those held batches; how many batches came to their end.

    The updates are conditional: a run and a batch finish once, whoever comes first.
    """
    ids = list(batch_ids)
    for run in _over(Run.objects.filter(batch__in=ids), Trial.objects.filter(run=OuterRef("pk"))):
        _close(Run.objects.filter(pk=run.pk), run.any_cancelled)
    ended = 0
    for batch in _over(Batch.objects.filter(pk__in=ids), Trial.objects.filter(run__batch=OuterRef("pk"))):
        if _close(Batch.objects.filter(pk=batch.pk), batch.any_cancelled):
            batches.next_seq(batch.pk)
            ended += 1
    return ended


def unfinished() -> list[UUID]:
    """Batches still running of which a run, or all, is over: a worker died between the two."""
    trials = Trial.objects.filter(run=OuterRef("pk"), state__in=OPEN)
    over = Run.objects.filter(~Exists(trials), batch=OuterRef("pk"), state=State.RUNNING)
    going = Trial.objects.filter(run__batch=OuterRef("pk"), state__in=OPEN)
    rows = Batch.objects.filter(Q(Exists(over)) | ~Exists(going), state=State.RUNNING)
    return list(rows.values_list("pk", flat=True))


def _over(rows: QuerySet, trials: QuerySet[Trial]) -> QuerySet:
    """Those of `rows` still running of whose `trials` none is open."""
    cancelled = Exists(trials.filter(state=Trial.State.CANCELLED))
    running = rows.filter(~Exists(trials.filter(state__in=OPEN)), state=State.RUNNING)
    return running.annotate(any_cancelled=cancelled).only("pk")


def _close(row: QuerySet, cancelled: bool) -> bool:
    state = State.CANCELLED if cancelled else State.FINISHED
    return row.filter(finished_at__isnull=True).update(state=state, finished_at=Now()) == 1
