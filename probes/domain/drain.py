"""A turn of work: claim what is due, call it, record it, until nothing is due.

One event loop with one client makes the calls; one thread does all that touches the database.
The loop of `manage.py work` and the Celery task both wrap this.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any, Protocol

from django.conf import settings
from django.db import InterfaceError, OperationalError, transaction
from django.db.models.functions import Now

from probes.domain.calls import Call, Versions
from probes.domain.claim import claim_trials, due, seconds_until_due, suspects_wait
from probes.domain.doorbell import ring
from probes.domain.judge import PAUSED, UNASKED, EndpointClosed, NotNow
from probes.domain.record import Recorded, record
from probes.domain.sweep import sweep
from probes.domain.worker import worker_name
from probes.domain.writer import Writer
from probes.engine import Landed, Pool
from probes.models import Trial
from registry.endpoints.chat import Answer, Caller, Target, target_of
from registry.endpoints.models import Endpoint

Complete = Callable[[Target, str, Sequence[Mapping[str, Any]], Mapping[str, Any]], Awaitable[Answer]]
"""`complete(target, model, messages, parameters)`, as `Caller.complete`."""

TICK = 0.1
"""Seconds between two looks at the stop sign, and at what has become due meanwhile."""
IDLE_TICK = 0.25
"""The same while nothing is in flight: what is due may have to wait for its endpoint's limits."""
GATHER = 0.05
MOST_AT_ONCE = 32
LINGER = 3.0
"""A turn does not end while a trial comes due within these seconds."""
GRACE = 1.0
"""Seconds that calls in flight have to land when the worker is told to stop."""


class Stop(Protocol):
    """A sign to end the turn soon: `threading.Event` and its kind."""

    def is_set(self) -> bool: ...


@dataclass
class DrainReport:
    """What one turn did. `left`: trials are due that it did not take; it has rung for another turn."""

    claimed: int = 0
    recorded: int = 0
    errors: int = 0
    late: int = 0
    interrupted: int = 0
    left: bool = False


def ring_if_due() -> bool:
    """Ring for another turn if trials are due; whether they are."""
    waiting = due().exists()
    if waiting:
        ring()
    return waiting


class Never:
    def is_set(self) -> bool:
        return False


def drain(
    *,
    worker: str | None = None,
    stop: Stop | None = None,
    budget_seconds: float | None = None,
    complete: Complete | None = None,
    grace_seconds: float = GRACE,
) -> DrainReport:
    """Work until nothing is due, `stop` is set, or `budget_seconds` are over; what was claimed is recorded.

    After the budget nothing more is claimed, and what is in flight lands. On `stop` it has
    `grace_seconds`; the rest is recorded as interrupted and is due again. `complete` stands in for
    the network.
    """
    turn = Turn(worker or worker_name(), stop or Never(), budget_seconds, grace_seconds)
    return asyncio.run(turn.run(complete))


@dataclass
class Turn:
    """One event loop's worth of work; see `drain`."""

    worker: str
    stop: Stop
    budget: float | None
    grace: float
    clearing: bool = False
    """A suspect trial waits: nothing is claimed until it can be called alone."""
    rung: bool = False
    report: DrainReport = field(default_factory=DrainReport)
    versions: Versions = field(default_factory=Versions)

    async def run(self, complete: Complete | None) -> DrainReport:
        async with AsyncExitStack() as stack:
            self.writer = await stack.enter_async_context(Writer())
            if complete is None:
                complete = (await stack.enter_async_context(Caller())).complete
            self.complete = complete
            self.pool: Pool[Call, Answer] = Pool(self.call, settings.MAX_IN_FLIGHT)
            try:
                await self.work()
            finally:
                await self.keep(await self.pool.close(self.grace if self.stop.is_set() else 0))
            if not self.rung:
                self.report.left = await self.writer.do(ring_if_due)
        return self.report

    async def work(self) -> None:
        end = None if self.budget is None else time.monotonic() + self.budget
        upkeep = Upkeep(self)
        while not self.stop.is_set():
            if end is not None and time.monotonic() >= end:
                await self.hand_over()
            elif not await self.claim() and not self.pool.in_flight and not await self.soon():
                return
            if self.rung and not self.pool.in_flight:
                return
            tick = TICK if self.pool.in_flight else IDLE_TICK
            await self.keep(await self.pool.landed(tick, GATHER, MOST_AT_ONCE))
            await upkeep.due()

    async def hand_over(self) -> None:
        """Ask for another turn, once: this one claims no more."""
        if not self.rung:
            self.rung = True
            await self.writer.do(ring_if_due)

    async def claim(self) -> int:
        """Begin as many calls as there is room for; a suspect trial has the pool to itself."""
        in_flight = self.pool.in_flight
        if in_flight and (self.clearing or in_flight[0].alone):
            return 0
        calls = await self.writer.do(self._claim, self.pool.room, not in_flight)
        for call in calls:
            self.pool.start(call)
        self.report.claimed += len(calls)
        return len(calls)

    def _claim(self, room: int, idle: bool) -> list[Call]:
        return claim_trials(self.worker, room, versions=self.versions, idle=idle)

    async def soon(self) -> bool:
        """Whether a trial comes due so soon that it is worth waiting for."""
        seconds = await self.writer.do(seconds_until_due)
        return seconds is not None and seconds <= LINGER

    async def call(self, call: Call) -> Answer:
        """One call. The key is read here, and nowhere before: since the claim it may have been replaced."""
        messages, parameters = self.versions[call.version_id].request(call)
        endpoint = await self.writer.do(callable_endpoint, call)
        return await self.complete(target_of(endpoint), call.model, messages, parameters)

    async def keep(self, landed: list[Landed[Call, Answer]]) -> None:
        """Record what landed, so much at once that no transaction gets long."""
        for start in range(0, len(landed), MOST_AT_ONCE):
            some = landed[start : start + MOST_AT_ONCE]
            done: Recorded = await self.writer.do(record, some, self.worker, self.versions)
            self.report.recorded += done.attempts
            self.report.errors += done.errors
            self.report.late += done.late
            self.report.interrupted += sum(each.interrupted for each in some)


def callable_endpoint(call: Call) -> Endpoint:
    """The endpoint as it is now. Raises EndpointClosed, or NotNow: the call is then made another time."""
    try:
        endpoint = Endpoint.objects.get(pk=call.endpoint.pk)
    except (OperationalError, InterfaceError):
        raise NotNow("interrupted", UNASKED) from None
    if endpoint.closed_at:
        raise EndpointClosed(endpoint.name)
    if endpoint.paused_at:
        raise NotNow("endpoint_paused", PAUSED)
    return endpoint


class Upkeep:
    """What a turn does from time to time: renew its leases, and sweep."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._renew_every = settings.LEASE_SECONDS / 3
        self._renew_at = time.monotonic() + self._renew_every
        self._sweep_at = time.monotonic() + settings.SWEEP_SECONDS

    async def due(self) -> None:
        now = time.monotonic()
        if now >= self._renew_at:
            self._renew_at = now + self._renew_every
            ids = [call.trial_id for call in self._turn.pool.in_flight]
            await self._turn.writer.do(renew, self._turn.worker, ids)
        if now >= self._sweep_at:
            self._sweep_at = now + settings.SWEEP_SECONDS
            await self._turn.writer.do(partial(sweep, ring=False))
            self._turn.clearing = await self._turn.writer.do(suspects_wait)


def renew(worker: str, trial_ids: Sequence[int]) -> int:
    """Lengthen the leases that `worker` still holds; how many. A lease once taken back stays lost.

    Rows that somebody is just taking back are passed over: waiting for them could be a deadlock.
    """
    mine = Trial.objects.filter(pk__in=trial_ids, lease_owner=worker, state=Trial.State.LEASED)
    with transaction.atomic():
        held = mine.select_for_update(skip_locked=True, no_key=True).order_by("pk")
        until = Now() + timedelta(seconds=settings.LEASE_SECONDS)
        return Trial.objects.filter(pk__in=list(held.values_list("pk", flat=True))).update(lease_until=until)
