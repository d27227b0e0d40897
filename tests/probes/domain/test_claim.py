"""Claiming: leases, limits, due times, and what is called alone."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from probes.domain import doorbell
from probes.domain.cancel import cancel_batch
from probes.domain.claim import MOST, suspects_wait
from probes.models import Attempt, Run, Trial
from registry.endpoints.domain import pause_endpoint, resume_endpoint
from registry.endpoints.models import Endpoint
from tests.probes.stage import (
    a_batch,
    a_version,
    an_endpoint,
    claim,
    failed,
    good,
    keep,
    only,
    trials_of,
    wait,
)


@pytest.fixture
def batch(team, endpoint):
    return a_batch(team, a_version(team), endpoint, repeats=5)


def test_a_claim_is_a_lease_with_a_numbered_call(batch, endpoint, settings):
    calls = claim("worker-1", limit=2)
    trials = trials_of(batch)
    assert [call.trial_id for call in calls] == [trial.pk for trial in trials[:2]]
    first = only(Trial, pk=trials[0].pk)
    assert (first.state, first.lease_owner, first.tries) == (Trial.State.LEASED, "worker-1", 1)
    assert first.lease_until - first.leased_at == timedelta(seconds=settings.LEASE_SECONDS)
    assert (calls[0].number, calls[0].begun_at, calls[0].endpoint) == (1, first.leased_at, endpoint)
    assert [trial.state for trial in trials[2:]] == [Trial.State.WAITING] * 3
    assert [call.trial_id for call in claim("worker-2")] == [trial.pk for trial in trials[2:]]
    assert claim("worker-3") == []


def test_every_claimed_trial_takes_the_next_event(batch):
    claim(limit=2)
    claim(limit=1)
    batch.refresh_from_db()
    assert (batch.seq, [trial.seq for trial in trials_of(batch)]) == (3, [1, 2, 3, 0, 0])


def test_nothing_is_claimed_before_its_time(batch):
    Trial.objects.update(due_at=Now() + timedelta(seconds=30))
    assert claim() == []
    assert 25 < wait() <= 30
    Trial.objects.filter(repeat=3).update(due_at=Now() - timedelta(seconds=1))
    assert [call.trial_id for call in claim()] == [trials_of(batch)[2].pk]


def test_what_is_due_first_goes_first(batch):
    Trial.objects.filter(repeat=4).update(due_at=Now() - timedelta(hours=1))
    assert claim(limit=1)[0].trial_id == trials_of(batch)[3].pk


def test_there_is_no_wait_when_nothing_waits(batch):
    assert wait() == 0
    claim()
    assert wait() is None


def test_concurrency_holds_across_workers(batch, endpoint):
    Endpoint.objects.update(concurrency=3)
    assert len(claim("worker-1", limit=2)) == 2
    [call] = claim("worker-2")
    assert claim("worker-3") == []
    keep(call, good(), "worker-2")
    assert len(claim("worker-3")) == 1


def test_one_endpoint_at_its_limit_holds_up_no_other(team, batch):
    Endpoint.objects.update(concurrency=1)
    other = a_batch(team, a_version(team), an_endpoint(team, "other"), repeats=4)
    claimed = {call.trial_id for call in claim()}
    assert claimed == {trials_of(batch)[0].pk, *(trial.pk for trial in trials_of(other))}


def test_requests_a_minute_hold_across_workers(batch, endpoint):
    Endpoint.objects.update(requests_per_minute=3)
    for call in claim("worker-1", limit=2):
        keep(call, good(), "worker-1")
    assert len(claim("worker-2")) == 1
    assert claim("worker-2") == []
    Trial.objects.filter(state=Trial.State.LEASED).update(leased_at=Now() - timedelta(seconds=61))
    assert len(claim("worker-2")) == 1


def test_a_resting_endpoint_is_left_alone(batch, endpoint):
    Endpoint.objects.update(not_before=Now() + timedelta(seconds=20))
    assert claim() == []
    assert 15 < wait() <= 20
    Endpoint.objects.update(not_before=Now())
    assert len(claim()) == 5


def test_a_paused_endpoint_is_left_alone_until_it_is_resumed(
    team, batch, endpoint, monkeypatch, django_capture_on_commit_callbacks
):
    other = a_batch(team, a_version(team), an_endpoint(team, "other"))
    pause_endpoint(endpoint)
    assert [call.trial_id for call in claim()] == [trials_of(other)[0].pk]
    assert wait() is None
    assert {trial.state for trial in trials_of(batch)} == {Trial.State.WAITING}
    rings: list[bool] = []
    monkeypatch.setattr(doorbell, "ring", lambda: rings.append(True))
    with django_capture_on_commit_callbacks(execute=True):
        resume_endpoint(endpoint)
    assert (wait(), rings) == (0, [True])
    assert len(claim()) == 5


def test_at_most_64_at_once(team, endpoint):
    Endpoint.objects.update(concurrency=128)
    a_batch(team, a_version(team), endpoint, repeats=MOST + 6)
    assert len(claim(limit=1000)) == MOST
    assert len(claim(limit=1000)) == 6


def test_a_cancelled_trial_is_not_claimed(batch):
    cancel_batch(batch, None)
    assert claim() == []


def test_a_suspect_trial_is_called_alone(batch):
    """It was in flight each time a worker died: it gets a worker to itself."""
    Trial.objects.filter(repeat__in=[2, 4]).update(lost=2)
    assert suspects_wait()
    busy = claim("busy", idle=False)
    assert [call.alone for call in busy] == [False] * 3
    [second] = claim("worker-1")
    assert (second.trial_id, second.alone) == (trials_of(batch)[1].pk, True)
    [fourth] = claim("worker-2")
    assert fourth.trial_id == trials_of(batch)[3].pk
    assert not suspects_wait()


def test_a_run_names_what_is_altered_while_it_goes_on(batch, endpoint):
    claim(limit=1)
    assert Run.objects.get().alters == []
    Endpoint.objects.update(send_temperature=False, system_role="fold")
    claim(limit=1)
    # the probe has no system message to fold
    assert Run.objects.get().alters == ["no temperature"]


def test_the_doubled_call_of_a_trial_is_its_second(batch):
    call = claim(limit=1)[0]
    keep(call, failed(retryable=True))
    Trial.objects.update(due_at=Now())
    again = next(each for each in claim() if each.trial_id == call.trial_id)
    assert again.number == 2
    assert Attempt.objects.get().number == 1


def test_an_empty_queue_takes_no_write_lock(team, endpoint):
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert claim() == []
    assert len(queries) == 1


def test_a_claim_takes_the_same_queries_for_5_and_for_60(team, endpoint):
    version = a_version(team)

    def queries_for(repeats: int) -> int:
        a_batch(team, version, endpoint, repeats=repeats)
        with CaptureQueriesContext(connection) as queries:
            assert len(claim()) == repeats
        Trial.objects.filter(state=Trial.State.LEASED).update(
            state=Trial.State.WAITING, due_at=Now() + timedelta(days=1)
        )
        return len(queries)

    assert queries_for(5) == queries_for(60)
