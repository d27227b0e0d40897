"""Who a worker is: a name for its leases that tells, on its own machine, whether it still lives."""

from __future__ import annotations

import hashlib
import os
import socket
import uuid
from functools import cache
from pathlib import Path


def worker_name() -> str:
    """A new name, `place/process-turn`: each turn of work has its own, so that no lease is mistaken."""
    return f"{_place()}/{os.getpid()}-{uuid.uuid4().hex[:12]}"


def is_gone(owner: str) -> bool:
    """Whether the owner of a lease surely lives no more; False for all that cannot be known from here."""
    place, _, rest = owner.partition("/")
    process = rest.partition("-")[0]
    if place != _place() or not process.isdecimal():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


@cache
def _place() -> str:
    """Names one set of process numbers: host, boot and namespace; two containers differ."""
    parts = [socket.gethostname()]
    for path in ("/proc/sys/kernel/random/boot_id", "/proc/self/ns/pid"):
        try:
            file = Path(path)
            parts.append(str(file.readlink()) if "/ns/" in path else file.read_text())
        except OSError:
            parts.append("")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
