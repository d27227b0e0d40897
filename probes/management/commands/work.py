"""`manage.py work`: the embedded worker, until it is told to stop."""

from __future__ import annotations

import signal
from threading import Event
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand

from probes.domain.embedded import work


class Command(BaseCommand):
    help = "Make the calls that wait, and score what comes back, until Ctrl-C or SIGTERM."

    def handle(self, *_: Any, **__: Any) -> None:
        stop = Event()

        def told(_signal: int, _frame: FrameType | None) -> None:
            stop.set()

        signal.signal(signal.SIGTERM, told)
        signal.signal(signal.SIGINT, told)
        self.stdout.write("The worker is ready.")
        work(stop)
