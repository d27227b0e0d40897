"""Workers as processes of their own, on the database that the test uses."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from django.conf import settings
from django.db import connection

ROOT = Path(__file__).resolve().parent.parent


def database_url() -> str:
    """The test database as a process of its own is told of it."""
    held = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{held['NAME']}"
    person = quote(held["USER"]) + (f":{quote(held['PASSWORD'])}" if held["PASSWORD"] else "")
    return f"postgres://{person}@{held['HOST']}:{held['PORT']}/{held['NAME']}"


def environment(**extra: str) -> dict[str, str]:
    """What a worker of this registry is told: the same database and the same secrets."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("DJANGO", "BROKER"))}
    own = {
        "DATABASE_URL": database_url(),
        "PROBE_HOME": str(settings.PROBE_HOME),
        "DJANGO_SETTINGS_MODULE": "registry.settings",
        "PYTHONUNBUFFERED": "1",
    }
    return kept | own | extra


@contextmanager
def running(*command: str, log: Path, **extra: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process with its output in `log`; whatever happens, it and its children end with the block."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env=environment(**extra),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        kill_all(process)


def kill_all(process: subprocess.Popen[bytes]) -> None:
    """SIGKILL for a process and all that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
