"""An endpoint that is changed between the claim of a trial and its call."""

from __future__ import annotations

import pytest

from probes.core.verification import verify_lines
from probes.domain import drain as drain_module
from probes.domain.drain import drain
from probes.domain.evidence import lines
from probes.models import Attempt, Trial
from registry.endpoints.domain import change_endpoint, delete_endpoint, pause_endpoint, resume_endpoint
from tests.probes.domain.test_drain import all_closed_once
from tests.probes.stage import Provider, a_batch, trials_of

pytestmark = pytest.mark.django_db(transaction=True)


def after_the_claim(monkeypatch, change) -> None:
    """Somebody changes the endpoint between a claim and its calls."""
    real = drain_module.claim_trials

    def claimed(*arguments, **options):
        made = real(*arguments, **options)
        if made:
            change()
        return made

    monkeypatch.setattr(drain_module, "claim_trials", claimed)


def test_what_was_claimed_is_not_sent_once_its_endpoint_is_deleted(team, version, endpoint, monkeypatch):
    batch = a_batch(team, version, endpoint, repeats=3)
    after_the_claim(monkeypatch, lambda: delete_endpoint(endpoint))
    provider = Provider()
    drain(complete=provider)
    assert provider.calls == []
    all_closed_once(batch)
    assert set(Attempt.objects.values_list("error", flat=True)) == {"endpoint_closed"}


def test_what_was_claimed_waits_once_its_endpoint_is_paused(team, version, endpoint, monkeypatch):
    batch = a_batch(team, version, endpoint, repeats=3)
    provider = Provider()
    after_the_claim(monkeypatch, lambda: pause_endpoint(endpoint))
    drain(complete=provider)
    assert provider.calls == []
    assert {trial.state for trial in trials_of(batch)} == {Trial.State.WAITING}
    assert set(Attempt.objects.values_list("error", "may_be_billed")) == {("endpoint_paused", False)}
    monkeypatch.undo()
    resume_endpoint(endpoint)
    drain(complete=provider)
    assert len(provider.calls) == 3
    all_closed_once(batch)
    found = verify_lines(f"{line}\n".encode() for line in lines(batch))
    assert {lie.about for lie in found.lies} == {"sent"}  # the provider of these tests makes up what was sent


def test_what_was_claimed_is_called_with_the_key_of_now(team, version, endpoint, monkeypatch):
    a_batch(team, version, endpoint)
    change_endpoint(endpoint, key="sk-old-0123")
    after_the_claim(monkeypatch, lambda: change_endpoint(endpoint, key="sk-new-0123"))
    provider = Provider()
    drain(complete=provider)
    assert [target.key for target in provider.targets] == ["sk-new-0123"]
