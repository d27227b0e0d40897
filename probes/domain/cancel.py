"""Cancel a batch: nothing more is called; what is in flight is recorded as it lands."""

from __future__ import annotations

from django.db.models.functions import Now

from probes.domain.events import held
from probes.domain.finish import finish
from probes.domain.start import RIGHT
from probes.models import Batch, State, Trial
from registry.audit.domain import record
from registry.teams import access
from registry.teams.models import User


def cancel_batch(batch: Batch, by: User | None) -> bool:
    """Cancel the trials that wait; False if the batch was over or cancelled already.

    `by` None is the operator at the command line. Raises what `access.require` does.
    """
    if by:
        access.require(by, batch.team, RIGHT)
    with held([batch.pk]) as batches:
        row = batches[batch.pk]
        if row.state != State.RUNNING or row.cancelled_at is not None:
            return False
        Batch.objects.filter(pk=row.pk).update(cancelled_at=Now())
        batches.next_seq(row.pk)
        trials = list(Trial.objects.filter(run__batch=row, state=Trial.State.WAITING).order_by("pk"))
        for trial in trials:
            trial.state, trial.seq = Trial.State.CANCELLED, batches.next_seq(row.pk)
            trial.closed_at = Now()
        Trial.objects.bulk_update(trials, ["state", "seq", "closed_at"], batch_size=100)
        finish(batches, [row.pk])
        record(batch.team, by, "batch-cancelled", batch.title, trials_not_called=len(trials))
    return True
