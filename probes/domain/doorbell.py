"""The doorbell: tells workers that trials wait. It may fail or ring twice; the database is the queue.

Embedded there is no bell: the worker notices the commit itself. With a broker, one message asks any
worker for a turn of work. A lost message costs the seconds until the next sweep, nothing else.
"""

from __future__ import annotations

import logging
from functools import cache
from typing import TYPE_CHECKING, Any

from django.conf import settings

if TYPE_CHECKING:
    from celery import Celery

logger = logging.getLogger(__name__)

DRAIN = "probes.drain"
SWEEP = "probes.sweep"
"""The tasks' names: a turn of work, and a sweep. Neither takes arguments."""

IMPATIENT = {
    "max_retries": 0,
    "interval_start": 0,
    "connect_retries_timeout": 2,
    "socket_connect_timeout": 2,
    "socket_timeout": 2,
}
"""Kombu would try for ever to reach a broker that is down, and a page would wait with it."""


def ring() -> bool:
    """Ask for a turn of work; False if the broker could not be told. Call it after the commit."""
    return _send(DRAIN)


def ring_for_sweep() -> bool:
    """Ask for a sweep. The message is void when the next one is due."""
    return _send(SWEEP, expires=settings.SWEEP_SECONDS)


def _send(task: str, **options: Any) -> bool:
    if not settings.BROKER_URL:
        return True
    try:
        _sender().send_task(task, ignore_result=True, retry=False, **options)
    except Exception as error:  # noqa: BLE001 - whatever fails in the broker, the rows are safe
        logger.warning("The broker was not reached (%s): the next sweep asks again.", type(error).__name__)
        return False
    return True


@cache
def _sender() -> Celery:
    from celery import Celery  # only where a broker is: it takes a while to load

    app: Any = Celery("doorbell", broker=settings.BROKER_URL, set_as_current=False)
    app.conf.update(
        broker_connection_timeout=2,
        broker_transport_options=_options(settings.BROKER_URL),
        task_default_queue=settings.CELERY_TASK_DEFAULT_QUEUE,
    )
    return app


def _options(url: str) -> dict[str, float]:
    """What the transport understands: only Redis knows socket options."""
    redis = url.startswith(("redis", "rediss"))
    return {key: value for key, value in IMPATIENT.items() if redis or not key.startswith("socket")}
