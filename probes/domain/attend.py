"""See a batch through: work on what waits until it is over, whoever else works on it."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread

from probes.domain.embedded import work
from probes.models import Batch, State

LOOK_EVERY = 0.2
"""Seconds between two looks at the batch."""
OTHERS = 30.0
"""Seconds that calls of other batches, taken along, have to land when this one is over."""


def see_through(batch: Batch, tell: Callable[[], None]) -> None:
    """Return once the batch is over; `tell` is called at every look, in this thread.

    A worker of its own runs beside others: leases keep two from making one call. What interrupts
    this stops the worker; what it had in flight is recorded as it lands.
    """
    stop = Event()
    worker = Thread(target=work, args=(stop, OTHERS), name="worker", daemon=True)
    worker.start()
    try:
        while Batch.objects.filter(pk=batch.pk, state=State.RUNNING).exists():
            tell()
            worker.join(LOOK_EVERY)
    finally:
        stop.set()
    worker.join()
    tell()
