"""What Celery runs: a turn of work, and a sweep. Neither takes arguments; the rows say what to do."""

from __future__ import annotations

import mmap
from typing import Any

from celery import shared_task
from celery.signals import worker_init, worker_shutting_down
from django.conf import settings

from probes.domain import doorbell
from probes.domain.drain import drain
from probes.domain.sweep import sweep

CELERY_GRACE = 5.0
"""Seconds that calls in flight have to land when a worker is asked to stop."""


class SharedSign:
    """A sign to stop that the processes forked later see as well.

    One byte of shared memory and no lock: a process killed while it looked would hold that for ever.
    """

    def __init__(self) -> None:
        self._byte = mmap.mmap(-1, 1)

    def set(self) -> None:
        self._byte[0] = 1

    def is_set(self) -> bool:
        return self._byte[0] == 1


_stop: list[SharedSign] = []


@worker_init.connect
def _hang_up(**_: Any) -> None:
    _stop[:] = [SharedSign()]


@worker_shutting_down.connect
def _shut_down(**_: Any) -> None:
    for sign in _stop:
        sign.set()


@shared_task(name=doorbell.DRAIN)
def drain_task() -> None:
    stop = _stop[0] if _stop else None
    drain(stop=stop, budget_seconds=settings.DRAIN_SECONDS, grace_seconds=CELERY_GRACE)


@shared_task(name=doorbell.SWEEP)
def sweep_task() -> None:
    sweep()
