"""How often a call can be made in a second: the best of several rounds, in which all calls take turns."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

Call = Callable[[], object]


def rates(calls: Sequence[Call], *, rounds: int, seconds: float) -> list[float]:
    """Calls a second for each of `calls`, whose turns alternate so that a busy machine hinders all alike."""
    best = [0.0] * len(calls)
    for _ in range(rounds):
        for i, call in enumerate(calls):
            best[i] = max(best[i], _rate(call, seconds))
    return best


def _rate(call: Call, seconds: float) -> float:
    count, batch = 0, 1
    started = time.perf_counter()
    while (taken := time.perf_counter() - started) < seconds or count == 0:
        for _ in range(batch):
            call()
        count += batch
        batch = min(2 * batch, 64)
    return count / taken
