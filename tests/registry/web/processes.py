"""What the kernel says of processes."""

from __future__ import annotations

import subprocess


def ended(process: int) -> bool:
    """Gone, or waiting to be reaped."""
    return state(process) in {"", "Z"}


def state(process: int) -> str:
    """One letter; "" when there is no such process."""
    shown = subprocess.run(
        ["ps", "-o", "state=", "-p", str(process)], capture_output=True, text=True, check=False
    )
    return shown.stdout.strip()[:1]


def children(process: int) -> dict[str, int]:
    """The processes that `process` started: the last word of the command to the id."""
    shown = subprocess.run(["ps", "-eo", "ppid=,pid=,args="], capture_output=True, text=True, check=True)
    rows = [line.split() for line in shown.stdout.splitlines()]
    return {row[-1]: int(row[1]) for row in rows if row[0] == str(process)}
