"""The embedded worker: woken by commits, stopped within seconds, and killed in mid-batch."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.management import call_command
from django.db import connection, connections

from probes.domain import embedded
from probes.domain.start import RunRequest, start_batch
from probes.models import Attempt, Batch, Outcome, State, Trial, Verdict
from registry.endpoints.practice import ensure_practice_endpoints
from registry.teams.models import Team
from registry.web.supervisor import STOP_SECONDS
from tests.probes.stage import Provider, a_batch, a_version, an_endpoint, only, trials_of
from tests.processes import running
from tests.thorough import thorough
from tests.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def team():
    return Team.objects.create(slug="acme", name="Acme")


def practice_batch(team: Team, repeats: int = 7) -> Batch:
    """What a race is to the queue: two models, seven trials each."""
    version = a_version(team)
    first, second = ensure_practice_endpoints(team)
    runs = [
        RunRequest(version, first, "steady", repeats=repeats),
        RunRequest(version, second, "chatty", repeats=repeats),
    ]
    return start_batch(team=team, by=None, runs=runs, title="Practice", visibility="public")


def leased() -> int:
    return Trial.objects.filter(state=Trial.State.LEASED).count()


def finished(batch: Batch) -> bool:
    return Batch.objects.get(pk=batch.pk).state == State.FINISHED


def each_closed_once(batch: Batch) -> None:
    assert {trial.state for trial in trials_of(batch)} == {Trial.State.CLOSED}
    answered = Attempt.objects.filter(batch=batch, outcome=Outcome.ANSWERED, late=False)
    assert set(Counter(answered.values_list("trial", flat=True)).values()) == {1}
    assert answered.count() == Trial.objects.filter(run__batch=batch).count()
    assert Verdict.objects.filter(attempt__in=answered).count() == answered.count()


def test_a_worker_killed_in_mid_batch_is_resumed_by_the_next(team, tmp_path):
    batch = practice_batch(team)
    log = tmp_path / "work.log"
    slow = {"PRACTICE_DELAY_MS": "60000"}
    with running("manage.py", "work", log=log, **slow) as worker:
        until(lambda: leased() >= 4)
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait(5)
    in_flight = leased()
    assert not finished(batch)
    with running("manage.py", "work", log=log, PRACTICE_DELAY_MS="10"):
        until(lambda: finished(batch), 30)
    each_closed_once(batch)
    assert len(trials_of(batch)) == 14
    assert Attempt.objects.filter(error="worker_lost", may_be_billed=True).count() == in_flight
    assert "Traceback" not in log.read_text()


DEADLY = """
import os, signal, django
django.setup()
from probes.domain.drain import drain
from probes.domain.sweep import sweep
from tests.probes.stage import good

async def complete(target, model, messages, parameters):
    if model == "deadly":
        os.kill(os.getpid(), signal.SIGKILL)
    return good()

sweep()
drain(complete=complete)
"""


@thorough
def test_a_trial_that_kills_its_worker_ends_and_the_others_are_scored(team, tmp_path):
    """All ten are in flight when it strikes, twice; then each is called alone, and only one strikes again."""
    version, endpoint = a_version(team), an_endpoint(team)
    models = ["m"] * 6 + ["deadly"] + ["m"] * 3
    runs = [RunRequest(version, endpoint, model) for model in models]
    batch = start_batch(team=team, by=None, runs=runs, title="Ten", visibility="public")
    codes = []
    for _ in range(4):
        with running("-c", DEADLY, log=tmp_path / "log") as worker:
            codes.append(worker.wait(20))
    assert codes == [-signal.SIGKILL] * 3 + [0]
    assert finished(batch)
    outcomes = list(Trial.objects.order_by("pk").values_list("final__outcome", "final__error"))
    assert outcomes == [("answered", "")] * 6 + [("error", "worker_lost")] + [("answered", "")] * 3


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=thorough)])
def test_a_worker_told_to_stop_does_so_before_it_would_be_killed(team, tmp_path, number):
    batch = practice_batch(team, repeats=2)
    log = tmp_path / "work.log"
    with running("manage.py", "work", log=log, PRACTICE_DELAY_MS="60000") as worker:
        until(lambda: leased() == 4)
        began = time.monotonic()
        os.kill(worker.pid, number)
        assert worker.wait(10) == 0
        assert time.monotonic() - began < STOP_SECONDS  # 1.4 s on a machine that does nothing else
    assert {trial.state for trial in trials_of(batch)} == {Trial.State.WAITING}
    assert set(Attempt.objects.values_list("error", flat=True)) == {"interrupted"}
    assert "Traceback" not in log.read_text()


@pytest.fixture
def at_work(monkeypatch):
    """The embedded loop in a thread, with a provider that answers at once."""
    provider, stop = Provider(), threading.Event()
    real = embedded.drain
    monkeypatch.setattr(embedded, "drain", lambda **options: real(complete=provider, **options))

    def loop() -> None:
        try:
            embedded.work(stop)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(loop)
        yield provider
        stop.set()
        done.result(5)


def test_a_commit_wakes_the_worker(team, at_work, settings):
    """Long before the next sweep."""
    settings.SWEEP_SECONDS = 600
    version, endpoint = a_version(team), an_endpoint(team)
    for _ in range(3):
        batch = a_batch(team, version, endpoint)
        until(lambda: finished(batch), 3)  # noqa: B023 - awaited in this very turn
    assert len(at_work.calls) == 3


def test_a_turn_that_fails_is_followed_by_another(team, at_work, monkeypatch, caplog):
    monkeypatch.setattr(embedded, "AFTER_TROUBLE", 0.01)
    real, troubles = embedded.sweep, iter([True])

    def sweep():
        if next(troubles, False):
            raise RuntimeError("trouble")
        return real()

    monkeypatch.setattr(embedded, "sweep", sweep)
    monkeypatch.setattr(embedded.settings, "SWEEP_SECONDS", 0.05)
    batch = a_batch(team, a_version(team), an_endpoint(team))
    until(lambda: finished(batch))
    until(lambda: "A turn of work failed" in caplog.text)


def test_the_command_works_until_it_is_stopped(team, monkeypatch):
    stopped: list[bool] = []
    monkeypatch.setattr("probes.management.commands.work.work", lambda stop: stopped.append(stop.is_set()))
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    try:
        call_command("work")
    finally:
        signal.signal(signal.SIGTERM, before[0])
        signal.signal(signal.SIGINT, before[1])
    assert stopped == [False]


def test_the_data_version_tells_of_other_connections_only(team):
    if connection.vendor != "sqlite":
        assert embedded.data_version() is None
        return
    before = embedded.data_version()
    Team.objects.update(name="Own")
    assert embedded.data_version() == before

    def elsewhere() -> None:
        Team.objects.update(name="Other")
        connections.close_all()

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert embedded.data_version() != before
    assert only(Team).name == "Other"
