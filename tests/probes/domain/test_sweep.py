"""The sweep: what dead workers leave behind."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.db.models.functions import Now
from django.utils import timezone

from probes.domain import doorbell
from probes.domain.cancel import cancel_batch
from probes.domain.sweep import MOST_LOSSES, Swept, sweep
from probes.domain.worker import is_gone, worker_name
from probes.models import Attempt, Batch, Run, State, Trial
from registry.accounts import domain as accounts
from registry.immutability import erasure
from tests.probes.stage import a_batch, a_version, an_endpoint, claim, good, keep, only, trials_of


@pytest.fixture
def batch(team):
    return a_batch(team, a_version(team), an_endpoint(team), repeats=3)


def expire(**where) -> None:
    Trial.objects.filter(state=Trial.State.LEASED, **where).update(lease_until=Now() - timedelta(seconds=1))


def test_live_leases_are_left_alone(batch):
    claim()
    assert sweep() == Swept(0, 0)
    assert Trial.objects.filter(state=Trial.State.LEASED).count() == 3


def test_an_expired_lease_is_recorded_and_due_again(batch):
    calls = claim("lost", limit=2)
    expire(pk=calls[0].trial_id)
    assert sweep() == Swept(1, 0)
    trial, attempt = only(Trial, pk=calls[0].trial_id), Attempt.objects.get()
    assert (trial.state, trial.lease_owner, trial.lost, trial.tries) == (Trial.State.WAITING, "", 1, 1)
    assert (attempt.trial, attempt.number, attempt.error) == (trial, 1, "worker_lost")
    assert (attempt.started_at, attempt.may_be_billed, attempt.outcome) == (calls[0].begun_at, True, "error")
    assert trial.seq == attempt.seq == Batch.objects.get().seq


def test_the_reply_of_a_lost_worker_is_kept_as_late(batch):
    [call] = claim("lost", limit=1)
    expire()
    sweep()
    keep(call, good(), "lost")
    assert list(Attempt.objects.values_list("number", "error", "late")) == [
        (1, "worker_lost", False),
        (1, "", True),
    ]


def test_after_three_lost_workers_a_trial_ends(batch):
    """Something in it kills workers; the other trials are scored and the batch ends."""
    deadly = trials_of(batch)[1].pk
    for turn in range(MOST_LOSSES):
        for call in claim(f"w{turn}"):
            if call.trial_id != deadly:
                keep(call, good(), f"w{turn}")
        expire()
        sweep()
    trial = only(Trial, pk=deadly)
    assert (trial.state, trial.final.error, trial.lost, trial.tries) == ("closed", "worker_lost", 3, 3)
    assert "not made again" in trial.final.detail
    assert Attempt.objects.filter(error="worker_lost").count() == 3
    batch.refresh_from_db()
    assert batch.state == State.FINISHED
    assert claim() == []


def test_trials_that_died_together_are_then_called_apart(batch):
    for turn in range(MOST_LOSSES - 1):
        assert len(claim(f"w{turn}")) == 3
        expire()
        sweep()
    for turn in range(3):
        [call] = claim(f"alone{turn}")
        assert call.alone
        keep(call, good(), f"alone{turn}")
    batch.refresh_from_db()
    assert batch.state == State.FINISHED
    assert Trial.objects.filter(final__outcome="answered").count() == 3


def test_a_cancelled_batch_is_not_called_again(batch):
    claim(limit=1)
    cancel_batch(batch, None)
    expire()
    sweep()
    batch.refresh_from_db()
    assert batch.state == State.CANCELLED
    assert {trial.state for trial in trials_of(batch)} == {Trial.State.CANCELLED}


def test_a_worker_known_to_be_gone_loses_its_leases_at_once(batch):
    script = "from probes.domain.worker import worker_name; print(worker_name())"
    env = os.environ | {"DJANGO_SETTINGS_MODULE": "registry.settings"}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=env)
    dead = done.stdout.strip()
    assert is_gone(dead)
    claim(dead, limit=2)
    claim(worker_name(), limit=1)
    assert sweep().returned == 2


def test_nobody_is_called_gone_who_may_live():
    place, _, rest = worker_name().partition("/")
    assert not is_gone(worker_name())
    assert not is_gone("elsewhere/" + rest)
    assert not is_gone(f"{place}/1-abc")
    assert not is_gone("")
    assert not is_gone("w")
    assert len(worker_name()) <= 80
    assert worker_name() != worker_name()


def test_what_a_worker_died_before_finishing_is_finished_once(batch):
    for call in claim():
        keep(call, good())
    ended = Batch.objects.get()
    with erasure("the worker died between its last trial and the end"):
        Run.objects.update(state=State.RUNNING, finished_at=None)
        Batch.objects.update(state=State.RUNNING, finished_at=None)
    assert sweep() == Swept(0, 1)
    assert sweep() == Swept(0, 0)
    batch.refresh_from_db()
    assert (batch.state, Run.objects.get().state) == (State.FINISHED, State.FINISHED)
    assert batch.seq == ended.seq + 1


def test_the_bell_rings_while_trials_are_due(batch, monkeypatch):
    rings: list[bool] = []
    monkeypatch.setattr(doorbell, "ring", lambda: rings.append(True))
    sweep()
    assert rings == [True]
    claim()
    sweep()
    assert rings == [True]


def test_a_failing_batch_would_hold_up_no_other(team, batch):
    other = a_batch(team, a_version(team), an_endpoint(team, "other"))
    claim()
    expire()
    assert sweep().returned == 4
    assert trials_of(other)[0].state == Trial.State.WAITING


def test_sessions_that_expired_are_forgotten(client, bob, monkeypatch):
    monkeypatch.setattr(accounts, "MOST_FORGOTTEN", 2)
    client.force_login(bob)
    for number in range(3):
        Session.objects.create(session_key=f"old{number}", expire_date=timezone.now() - timedelta(seconds=1))
    sweep()
    assert Session.objects.count() == 2, "some at a time"
    sweep()
    sweep()
    assert [session.pk for session in Session.objects.all()] == [client.session.session_key]
    assert client.get("/account/").status_code == 200
