"""The Celery tasks, called in this process; real workers are in `tests/test_brokers.py`."""

from __future__ import annotations

import os
from typing import Any

import pytest

from probes import tasks
from probes.domain import doorbell


def test_the_tasks_have_the_names_that_are_rung():
    assert (tasks.drain_task.name, tasks.sweep_task.name) == (doorbell.DRAIN, doorbell.SWEEP)


def test_a_turn_has_a_budget_and_hears_the_sign_to_stop(monkeypatch, settings):
    settings.DRAIN_SECONDS = 7
    turns: list[dict[str, Any]] = []
    monkeypatch.setattr(tasks, "drain", lambda **options: turns.append(options))
    monkeypatch.setattr(tasks, "_stop", [])
    tasks.drain_task()
    tasks._hang_up()
    tasks.drain_task()
    tasks._shut_down()
    assert turns[0] == {"stop": None, "budget_seconds": 7, "grace_seconds": tasks.CELERY_GRACE}
    assert turns[1]["stop"].is_set()


def test_a_sweep_sweeps(monkeypatch):
    sweeps: list[bool] = []
    monkeypatch.setattr(tasks, "sweep", lambda: sweeps.append(True))
    tasks.sweep_task()
    assert sweeps == [True]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="workers are forked where there is a fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_sign_set_after_the_fork_is_seen_in_the_child():
    sign = tasks.SharedSign()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.read(reader, 1)
        os._exit(0 if sign.is_set() else 1)
    assert not sign.is_set()
    sign.set()
    os.write(writer, b"x")
    _, status = os.waitpid(child, 0)
    os.close(reader)
    os.close(writer)
    assert os.waitstatus_to_exitcode(status) == 0
