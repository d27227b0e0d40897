"""A turn of work, with a provider that obeys; the database is a file, as the writer has its own thread."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent import futures
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connections, transaction
from django.db.models.functions import Now

from probes.core import DocumentError, Problem
from probes.domain import calls, settle, writer
from probes.domain import drain as drain_module
from probes.domain.cancel import cancel_batch
from probes.domain.drain import DrainReport, drain, renew
from probes.domain.start import RunRequest, start_batch
from probes.domain.sweep import sweep
from probes.models import Attempt, Batch, Outcome, Probe, Run, State, Trial, Verdict
from registry.endpoints.models import Endpoint
from registry.endpoints.practice import ensure_practice_endpoints
from registry.teams.models import Team
from tests.probes.stage import Provider, a_batch, a_version, an_endpoint, claim, failed, good, only, trials_of
from tests.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def team():
    return Team.objects.create(slug="acme", name="Acme")


@pytest.fixture
def background():
    """Runs drains in other threads; whatever becomes of the test, they are stopped with it."""
    stops: list[threading.Event] = []
    with ThreadPoolExecutor(8) as pool:

        def run(**options: Any) -> Future[DrainReport]:
            stop = options.setdefault("stop", threading.Event())
            stops.append(stop)

            def turn() -> DrainReport:
                try:
                    return drain(**options)
                finally:
                    connections.close_all()

            return pool.submit(turn)

        yield run
        for stop in stops:
            stop.set()


def all_closed_once(batch: Batch) -> None:
    trials = trials_of(batch)
    assert {trial.state for trial in trials} == {Trial.State.CLOSED}
    finals = [trial.final_id for trial in trials]
    assert len(set(finals)) == len(finals)
    seqs = list(Attempt.objects.filter(batch=batch).values_list("seq", flat=True))
    assert len(set(seqs)) == len(seqs)
    batch.refresh_from_db()
    assert batch.state == State.FINISHED
    assert batch.seq >= max(seqs)


def test_a_turn_does_all_that_is_due(team, version, endpoint):
    batch = a_batch(team, version, endpoint, endpoint, repeats=100)
    provider = Provider()
    report = drain(complete=provider)
    assert report == DrainReport(claimed=200, recorded=200)
    assert len(provider.calls) == 200
    all_closed_once(batch)
    assert Verdict.objects.count() == 200


def test_there_is_nothing_to_do(team):
    assert drain(complete=Provider()) == DrainReport()


def test_what_is_sent_is_the_probes_own(team, endpoint):
    version = a_version(team, user='"Say {{concept}}."', variables="[concept]")
    seen: list[object] = []

    def script(model, messages, parameters, times):
        seen.append((model, list(messages), dict(parameters)))
        return good()

    run = RunRequest(version, endpoint, "m-1", {"concept": "{braces} & $x"})
    start_batch(team=team, by=None, runs=[run], title="T", visibility="team")
    endpoint.set_key("sk-0123456789abcdef")
    endpoint.save()
    provider = Provider(script)
    drain(complete=provider)
    messages = [{"role": "user", "content": "Say {braces} & $x."}]
    assert seen == [("m-1", messages, {"max_tokens": 40, "temperature": 0})]
    assert provider.targets[0].key == "sk-0123456789abcdef"


def test_concurrency_is_never_exceeded_by_two_workers(team, version, background):
    narrow = an_endpoint(team, "narrow", concurrency=3)
    batch = a_batch(team, version, narrow, repeats=30)
    provider = Provider()
    turns = [background(complete=provider) for _ in range(2)]
    claimed = [turn.result(30).claimed for turn in turns]
    assert sum(claimed) == len(provider.calls) == 30
    assert provider.most <= 3
    all_closed_once(batch)


def test_leases_that_run_out_under_two_workers_close_each_trial_once(team, version, endpoint, background):
    """Leases expire at random while two workers go on; late replies are kept, nothing is closed twice."""
    batch = a_batch(team, version, endpoint, endpoint, repeats=100)
    gate = threading.Event()
    turns = [background(complete=Provider(gate=gate)) for _ in range(2)]
    until(lambda: Trial.objects.filter(state=Trial.State.LEASED).count() >= 60)
    third = [trial.pk for trial in trials_of(batch) if trial.state == Trial.State.LEASED][::3]
    Trial.objects.filter(pk__in=third).update(lease_until=Now() - timedelta(seconds=1))
    assert sweep().returned > 10
    gate.set()
    for turn in turns:
        turn.result(30)
    drain(complete=Provider())
    all_closed_once(batch)
    assert Attempt.objects.filter(late=True).count() > 0
    closing = Counter(Attempt.objects.filter(late=False, error="").values_list("trial", flat=True))
    assert set(closing.values()) == {1}


def test_a_stopped_turn_records_what_it_interrupts(team, version, endpoint, background):
    batch = a_batch(team, version, endpoint, repeats=5)
    gate, stop = threading.Event(), threading.Event()
    provider = Provider(gate=gate)
    turn = background(complete=provider, stop=stop, grace_seconds=0.05)
    until(lambda: len(provider.calls) == 5)
    stop.set()
    report = turn.result(3)
    assert (report.recorded, report.interrupted, report.left) == (5, 5, True)
    rows = Attempt.objects.values_list("error", "may_be_billed", "outcome")
    assert set(rows) == {("interrupted", True, Outcome.ERROR)}
    assert {trial.state for trial in trials_of(batch)} == {Trial.State.WAITING}
    gate.set()
    drain(complete=provider)
    all_closed_once(batch)


def test_a_stopped_turn_lets_land_what_lands_in_time(team, version, endpoint, background):
    batch = a_batch(team, version, endpoint)
    gate, stop = threading.Event(), threading.Event()
    provider = Provider(gate=gate)
    turn = background(complete=provider, stop=stop, grace_seconds=10)
    until(lambda: provider.calls)
    stop.set()
    gate.set()
    assert turn.result(10).interrupted == 0
    all_closed_once(batch)


def test_a_crash_in_one_call_touches_no_other(team, version, endpoint):
    batch = a_batch(team, version, endpoint, repeats=5)

    def script(model, messages, parameters, times):
        if times == 3:
            raise ValueError("broken")
        return good()

    report = drain(complete=Provider(script))
    assert (report.recorded, report.errors) == (5, 1)
    all_closed_once(batch)
    assert Attempt.objects.filter(error="internal_error").count() == 1


def test_a_flaky_provider_is_called_again_in_its_time(team, version, endpoint, monkeypatch):
    monkeypatch.setattr(settle, "LONGEST_BACKOFF", 0.2)
    batch = a_batch(team, version, endpoint)

    def script(model, messages, parameters, times):
        if times == 1:
            return failed("rate_limited", status=429, retryable=True, retry_after=0.2)
        return failed(status=500, retryable=True) if times == 2 else good()

    assert drain(complete=Provider(script)).recorded == 3
    all_closed_once(batch)
    assert list(Attempt.objects.values_list("number", "error")) == [
        (1, "rate_limited"),
        (2, "endpoint_error"),
        (3, ""),
    ]


def test_a_wrong_key_is_one_call_and_one_error_a_run(team, version):
    narrow = an_endpoint(team, "narrow", concurrency=1)
    batch = a_batch(team, version, narrow, repeats=20)
    provider = Provider(lambda *_: failed("unauthorized", status=401, final_for_endpoint=True))
    assert drain(complete=provider).recorded == 20
    assert len(provider.calls) == 1
    all_closed_once(batch)


def test_an_unreadable_key_is_never_sent(team, version, endpoint):
    batch = a_batch(team, version, endpoint, repeats=3)
    Endpoint.objects.update(key_cipher="sealed with another secret")
    provider = Provider()
    drain(complete=provider)
    assert provider.calls == []
    all_closed_once(batch)
    assert set(Attempt.objects.values_list("error", flat=True)) == {"key_unreadable"}


def test_a_closed_endpoint_is_not_called(team, version, endpoint):
    batch = a_batch(team, version, endpoint, repeats=3)
    Endpoint.objects.update(closed_at=Now())
    provider = Provider()
    drain(complete=provider)
    assert provider.calls == []
    all_closed_once(batch)


def test_a_version_that_cannot_be_read_stops_no_other(team, version, endpoint, monkeypatch):
    batch = a_batch(team, version, endpoint)
    fine = a_batch(team, a_version(team, slug="other"), endpoint)
    real = vars(calls.ProbeVersion)["parsed"].func

    def parsed(self):
        if self.pk == version.pk:
            raise DocumentError([Problem(None, (), "unknown kind")])
        return real(self)

    monkeypatch.setattr(calls.ProbeVersion, "parsed", property(parsed))
    drain(complete=Provider())
    assert only(Attempt, batch=batch).error == "internal_error"
    assert only(Attempt, batch=fine).outcome == Outcome.ANSWERED
    all_closed_once(batch)


def test_cancelling_in_mid_run(team, version, background):
    narrow = an_endpoint(team, "narrow", concurrency=2)
    batch = a_batch(team, version, narrow, repeats=10)
    gate = threading.Event()
    provider = Provider(gate=gate)
    turn = background(complete=provider)
    until(lambda: len(provider.calls) == 2)
    cancel_batch(batch, None)
    gate.set()
    assert turn.result(20).recorded == 2
    batch.refresh_from_db()
    assert batch.state == State.CANCELLED
    assert Counter(trial.state for trial in trials_of(batch)) == {"closed": 2, "cancelled": 8}


def test_after_its_budget_a_turn_hands_over(team, version, background, monkeypatch):
    narrow = an_endpoint(team, "narrow", concurrency=2)
    a_batch(team, version, narrow, repeats=6)
    gate = threading.Event()
    rings: list[bool] = []
    monkeypatch.setattr(drain_module, "ring", lambda: rings.append(True))
    provider = Provider(gate=gate)
    turn = background(complete=provider, budget_seconds=0.2)
    until(lambda: rings)
    assert len(provider.calls) == 2
    gate.set()
    assert turn.result(20).claimed == 2
    assert rings == [True]
    assert Trial.objects.filter(state=Trial.State.WAITING).count() == 4


def test_leases_are_renewed_while_a_call_goes_on(team, version, endpoint, background, settings):
    settings.LEASE_SECONDS = 2
    a_batch(team, version, endpoint)
    gate = threading.Event()
    turn = background(complete=Provider(gate=gate))
    first = until(lambda: Trial.objects.values_list("lease_until", flat=True)[0])
    until(lambda: Trial.objects.filter(lease_until__gt=first).exists())
    gate.set()
    assert turn.result(20).late == 0


def test_only_own_leases_are_renewed(team, version, endpoint):
    a_batch(team, version, endpoint, repeats=2)
    mine, other = claim("mine", limit=1)[0], claim("other", limit=1)[0]
    assert renew("mine", [mine.trial_id, other.trial_id]) == 1


def test_a_busy_database_is_asked_again(team, version, endpoint, monkeypatch):
    batch = a_batch(team, version, endpoint)
    monkeypatch.setattr(writer, "PAUSES", (0, 0, 0))
    real, refusals = drain_module.record, iter([True, True])

    def busy(*arguments):
        if next(refusals, False):
            raise OperationalError("database is locked")
        return real(*arguments)

    monkeypatch.setattr(drain_module, "record", busy)
    assert drain(complete=Provider()).recorded == 1
    all_closed_once(batch)


def test_a_turn_leaves_no_thread_and_no_connection(team, version, endpoint):
    before = set(threading.enumerate())
    for _ in range(2):  # one client a loop: the second turn's loop is another one
        a_batch(team, version, endpoint, repeats=3)
        drain(complete=Provider())
    assert set(threading.enumerate()) == before


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files are counted in /proc")
def test_a_turn_with_the_real_client_leaves_no_open_file(team, version, settings):
    """Three turns, three event loops, a client in each; the practice provider answers."""
    settings.PRACTICE_DELAY_MS = 0
    first, second = ensure_practice_endpoints(team)

    def open_files() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    counts = []
    for _ in range(3):
        batch = a_batch(team, version, first, second, repeats=3, model="steady")
        drain()
        all_closed_once(batch)
        counts.append(open_files())
    assert counts[1] == counts[2]  # SQLite itself keeps one file of the first for later
    assert Attempt.objects.filter(outcome=Outcome.ANSWERED).count() == 18


def test_a_suspect_trial_is_called_with_nothing_beside_it(team, version, endpoint):
    batch = a_batch(team, version, endpoint, repeats=12)
    Trial.objects.filter(repeat__lte=3).update(lost=2)
    provider = Provider()
    together: list[int] = []

    def script(model, messages, parameters, times):
        together.append(provider.now)
        return good()

    provider.script = script
    drain(complete=provider)
    assert together[:3] == [1, 1, 1]
    all_closed_once(batch)
    assert Run.objects.get().state == State.FINISHED


def test_eight_workers_and_an_editor_never_find_the_database_locked(team, version, background, caplog):
    """Each transaction reads and then writes; on SQLite it takes the write lock at its beginning."""
    endpoints = [an_endpoint(team, f"lab-{number}", concurrency=20) for number in range(4)]
    batch = a_batch(team, version, *endpoints, repeats=50)
    turns = [background(complete=Provider()) for _ in range(8)]
    edits = 0
    while futures.wait(turns, timeout=0.02).not_done:
        edits += 1
        with transaction.atomic():
            probe = Probe.objects.get()
            probe.title = f"Edit {edits}"
            probe.save()
    assert sum(turn.result().recorded for turn in turns) == 200
    assert edits
    assert "database did not take it" not in caplog.text
    all_closed_once(batch)
