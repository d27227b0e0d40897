"""The one event sequence of a batch: every change a viewer can see takes its next number.

Whoever changes trials, runs or attempts of a batch holds its row first (`held`), so that numbers
are committed in order and a stream that reads `seq > last` passes nothing over. Rows are always
locked in one order: endpoints, then batches by id, then trials.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from uuid import UUID

from django.db import transaction

from probes.models import Batch
from registry.web.hub import wake


class Held(dict[UUID, Batch]):
    """The locked batches by id, and which of them have news."""

    def __init__(self, batches: Collection[Batch]) -> None:
        super().__init__({batch.pk: batch for batch in batches})
        self._before = {batch.pk: batch.seq for batch in batches}

    def next_seq(self, batch_id: UUID) -> int:
        """The next event number of that batch."""
        self[batch_id].seq += 1
        return self[batch_id].seq

    def news(self) -> Iterator[Batch]:
        return (batch for batch in self.values() if batch.seq != self._before[batch.pk])


@contextmanager
def held(batch_ids: Collection[UUID]) -> Iterator[Held]:
    """A transaction that holds those batches; at its end their new `seq` is written and viewers are woken."""
    with transaction.atomic():
        rows = Batch.objects.select_for_update(no_key=True).filter(pk__in=set(batch_ids)).order_by("pk")
        batches = Held(list(rows))
        yield batches
        for batch in batches.news():
            Batch.objects.filter(pk=batch.pk).update(seq=batch.seq)
            wake(str(batch.pk))
