"""Cancelling: what waits is never called, what is in flight is recorded."""

from __future__ import annotations

import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404

from probes.domain.cancel import cancel_batch
from probes.models import Batch, Run, State
from tests.probes.stage import (
    a_batch,
    claim,
    failed,
    good,
    keep,
    trials_of,
)


def test_cancelling_stops_what_waits_and_records_what_is_in_flight(team, version, endpoint, bob):
    batch = a_batch(team, version, endpoint, repeats=4)
    first, second = claim(limit=2)
    assert cancel_batch(batch, bob)
    batch.refresh_from_db()
    assert (batch.state, batch.cancelled_at is None) == (State.RUNNING, False)
    assert [trial.state for trial in trials_of(batch)] == ["leased", "leased", "cancelled", "cancelled"]
    keep(first, good())
    keep(second, failed(retryable=True))  # it is not called again
    batch.refresh_from_db()
    assert [trial.state for trial in trials_of(batch)] == ["closed", "cancelled", "cancelled", "cancelled"]
    assert (batch.state, Run.objects.get().state) == (State.CANCELLED, State.CANCELLED)
    assert len({trial.seq for trial in trials_of(batch)}) == 4


def test_cancelling_twice_or_too_late_changes_nothing(batch, bob):
    assert cancel_batch(batch, bob)
    batch.refresh_from_db()
    assert batch.state == State.CANCELLED
    seq = batch.seq
    assert not cancel_batch(batch, bob)
    batch.refresh_from_db()
    assert batch.seq == seq


def test_a_batch_whose_calls_all_land_after_the_cancel_is_finished(batch):
    [call] = claim()
    cancel_batch(batch, None)
    keep(call, good())
    batch.refresh_from_db()
    assert batch.state == State.FINISHED


@pytest.mark.parametrize("person", ["vera", "charlie"])
def test_only_runners_cancel(batch, person, request):
    with pytest.raises((PermissionDenied, Http404)):
        cancel_batch(batch, request.getfixturevalue(person))
    assert Batch.objects.get().cancelled_at is None
