"""Tell those who watch runs that what they wait for was paused, or goes on."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from probes.domain import doorbell
from probes.domain.events import held
from probes.models import Batch, State
from registry.endpoints.models import Endpoint


def tell_of_pause(endpoint: Endpoint, **_: Any) -> None:
    """A new event in every batch that runs there, and a ring for what may be due again.

    Called in the transaction that holds the endpoint's row.
    """
    running = Batch.objects.filter(runs__endpoint=endpoint, state=State.RUNNING)
    with held(list(running.order_by().values_list("pk", flat=True).distinct())) as batches:
        for batch_id in batches:
            batches.next_seq(batch_id)
    transaction.on_commit(doorbell.ring)
