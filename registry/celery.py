"""Celery for a registry at scale: `celery -A registry worker`. Apps are named as strings only."""

from __future__ import annotations

import os
from typing import Any

from celery import Celery, bootsteps
from celery.utils.imports import symbol_by_name
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")

app = Celery("registry")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["probes"])


class Sweeping(bootsteps.StartStopStep):
    """Asks for a sweep whenever this worker reaches the broker, and every few seconds from then on.

    It only sends a message: the parent process, whose children are forks, opens no database.
    """

    requires = ("celery.worker.consumer:Tasks",)

    def start(self, parent: Any) -> None:
        ring = symbol_by_name("probes.domain.doorbell:ring_for_sweep")
        ring()
        self.timer = parent.timer.call_repeatedly(settings.SWEEP_SECONDS, ring)

    def stop(self, parent: Any) -> None:
        if timer := getattr(self, "timer", None):
            timer.cancel()
            self.timer = None


app.steps["consumer"].add(Sweeping)
