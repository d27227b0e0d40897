"""Races at scale: real Celery workers over real brokers on PostgreSQL, one of them killed on the way."""

from __future__ import annotations

import os
import signal
import uuid
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from kombu import Connection

from ladder.domain import load_everything
from ladder.domain.start import start_race
from ladder.models import Ladder
from probes.domain import doorbell
from probes.models import Attempt, Batch, Outcome, State, Trial
from registry.endpoints.practice import ensure_practice_endpoints
from registry.teams.models import Team
from tests.processes import running
from tests.services import broker, require_postgresql
from tests.waiting import until

require_postgresql()

pytestmark = [
    pytest.mark.services,
    pytest.mark.django_db(transaction=True),
    pytest.mark.xdist_group("brokers"),
]

WORKER = ["-m", "celery", "-A", "registry", "worker", "--concurrency", "2"]
QUIET = ["--without-gossip", "--without-mingle"]
ONE_BROKER = pytest.mark.parametrize("bell", ["RabbitMQ"], indirect=True)
"""For what does not depend on which broker it is."""


@pytest.fixture(params=["Redis", "RabbitMQ"])
def bell(request, settings):
    """A queue of its own on a real broker, gone afterwards; the environment of its workers."""
    url, queue = broker(request.param), f"test-{uuid.uuid4().hex[:12]}"
    settings.BROKER_URL, settings.CELERY_TASK_DEFAULT_QUEUE = url, queue
    doorbell._sender.cache_clear()
    yield {"BROKER_URL": url, "TASK_QUEUE": queue, "SWEEP_SECONDS": "1"}
    doorbell._sender.cache_clear()
    with Connection(url) as held:
        channel: Any = held.default_channel
        channel.queue_delete(queue)
        channel.exchange_delete(queue)
        if request.param == "Redis":  # which keeps what it was told about a queue
            channel.client.delete(*channel.client.keys(f"*{queue}*"), "unacked")


def a_worker(name: str, log: Path, bell: dict[str, str], **extra: str):
    return running(
        *WORKER, *QUIET, "--hostname", f"{name}-{uuid.uuid4().hex[:6]}@%h", log=log, **bell | extra
    )


def a_race(repeats: int = 1) -> Batch:
    team = Team.objects.create(slug="acme", name="Acme")
    load_everything()
    first, second = ensure_practice_endpoints(team)
    lanes = [(first, "steady"), (second, "chatty")]
    ladder = Ladder.objects.get()
    race = start_race(
        team=team,
        by=None,
        ladder=ladder,
        concept="recursion",
        lanes=lanes,
        repeats=repeats,
        visibility="team",
    )
    return race.batch


def finished(batch: Batch) -> bool:
    return Batch.objects.get(pk=batch.pk).state == State.FINISHED


def each_closed_once(batch: Batch) -> int:
    trials = Trial.objects.filter(run__batch=batch)
    assert set(trials.values_list("state", flat=True)) == {Trial.State.CLOSED}
    answered = Attempt.objects.filter(batch=batch, outcome=Outcome.ANSWERED, late=False)
    assert set(Counter(answered.values_list("trial", flat=True)).values()) == {1}
    return answered.count()


def test_a_race_over_a_broker(bell, tmp_path):
    batch = a_race()
    log = tmp_path / "worker.log"
    with a_worker("one", log, bell, PRACTICE_DELAY_MS="20"):
        until(lambda: finished(batch), 60)
    assert each_closed_once(batch) == 14
    assert Trial.objects.filter(final__passed=1, run__model="steady").count() >= 5
    assert "Traceback" not in log.read_text()


def test_a_worker_killed_in_mid_race_loses_nothing(bell, tmp_path):
    """Two workers; one of them is killed with all its processes, without a word to the broker."""
    batch = a_race(repeats=10)
    log = tmp_path / "worker.log"
    with ExitStack() as stack:
        doomed = stack.enter_context(a_worker("doomed", log, bell, PRACTICE_DELAY_MS="60000"))
        until(lambda: Trial.objects.filter(state=Trial.State.LEASED).exists(), 60)
        stack.enter_context(a_worker("other", log, bell, PRACTICE_DELAY_MS="10"))
        os.killpg(doomed.pid, signal.SIGKILL)
        doomed.wait(5)
        until(lambda: finished(batch), 60)
    assert each_closed_once(batch) == 140
    assert Attempt.objects.filter(error="worker_lost").exists()
    assert "Traceback" not in log.read_text()


@ONE_BROKER
def test_a_stopped_worker_gives_back_what_is_in_flight(bell, tmp_path):
    batch = a_race()
    log = tmp_path / "worker.log"
    with a_worker("one", log, bell, PRACTICE_DELAY_MS="60000") as worker:
        until(lambda: Trial.objects.filter(state=Trial.State.LEASED).exists(), 60)
        worker.send_signal(signal.SIGTERM)
        worker.wait(15)
    assert not Trial.objects.filter(state=Trial.State.LEASED).exists()
    assert set(Attempt.objects.values_list("error", flat=True)) == {"interrupted"}
    assert not finished(batch)


@ONE_BROKER
def test_a_message_that_was_lost_costs_a_sweep(bell, tmp_path, settings):
    """The broker was away when the race was started: the worker's own sweep finds it."""
    settings.BROKER_URL = "redis://127.0.0.1:1/0"
    doorbell._sender.cache_clear()
    batch = a_race()
    with a_worker("one", tmp_path / "worker.log", bell, PRACTICE_DELAY_MS="20"):
        until(lambda: finished(batch), 60)
    assert each_closed_once(batch) == 14


@ONE_BROKER
def test_workers_hold_a_connection_only_while_they_work(bell, tmp_path):
    """One for each process at most, opened after the fork; the parent has none."""
    batch = a_race(repeats=5)
    with a_worker("one", tmp_path / "worker.log", bell, PRACTICE_DELAY_MS="20"):
        seen: set[int] = set()

        def watched() -> bool:
            seen.add(others())
            return finished(batch)

        until(watched, 60)
        assert max(seen) <= 2
        until(lambda: others() == 0)
    assert each_closed_once(batch) == 70


def others() -> int:
    """Connections to the test's database besides the test's own."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        return cursor.fetchone()[0]
