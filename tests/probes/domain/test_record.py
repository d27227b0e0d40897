"""Recording: what an answer becomes, what its trial does next, and the fence around closing it."""

from __future__ import annotations

import itertools

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from probes.core import Reply
from probes.domain import judge
from probes.domain.calls import Versions
from probes.domain.events import held
from probes.domain.finish import finish
from probes.domain.judge import EndpointClosed
from probes.domain.record import MOST_FAILURES, record
from probes.engine import Landed
from probes.models import Attempt, Batch, Outcome, Run, State, Trial, Verdict
from registry.endpoints import vault
from registry.endpoints.chat import Answer
from registry.endpoints.models import Endpoint
from tests.probes.stage import (
    a_batch,
    an_endpoint,
    claim,
    failed,
    good,
    keep,
    only,
    trials_of,
    wait,
)


def due_now() -> None:
    Trial.objects.filter(state=Trial.State.WAITING).update(due_at=Now())
    Endpoint.objects.update(not_before=None)


def test_an_answer_closes_its_trial_with_verdicts(batch, version):
    [call] = claim()
    answer = good(
        prompt_tokens=7,
        completion_tokens=3,
        reasoning_tokens=0,
        served_model="m-served",
        status=200,
        sent_parameters={"max_tokens": 40},
        repaired=True,
    )
    recorded = keep(call, answer)
    assert (recorded.attempts, recorded.errors, recorded.late) == (1, 0, 0)
    trial, attempt, verdict = only(Trial), Attempt.objects.get(), Verdict.objects.get()
    assert (trial.state, trial.final, trial.lease_owner, trial.lease_until) == ("closed", attempt, "", None)
    assert (attempt.trial, attempt.number, attempt.outcome) == (trial, 1, Outcome.ANSWERED)
    assert (attempt.output, attempt.passed, attempt.total) == ("one two three", 1, 1)
    assert (attempt.endpoint_name, attempt.served_model, attempt.status) == ("Lab", "m-served", 200)
    assert (attempt.prompt_tokens, attempt.completion_tokens, attempt.reasoning_tokens) == (7, 3, 0)
    assert (attempt.started_at, attempt.repaired, attempt.late) == (call.begun_at, True, False)
    assert attempt.scored_with.startswith("core/")
    assert (verdict.ok, verdict.message, verdict.actual, verdict.expected) == (True, "3 / 3 words", 3, 3)
    assert verdict.rule == version.rubric.rules.get()
    assert verdict.spans[0][:3] == [0, 3, "word"]


def test_the_last_trial_ends_run_and_batch(batch):
    keep(claim()[0], good("four words are wrong"))
    batch.refresh_from_db()
    run = Run.objects.get()
    assert (batch.state, run.state) == (State.FINISHED, State.FINISHED)
    assert batch.finished_at
    assert run.finished_at
    assert not Verdict.objects.get().ok


def test_each_change_takes_the_next_event(team, version, endpoint):
    batch = a_batch(team, version, endpoint, repeats=2)
    first, second = claim()
    keep(second, good())
    keep(first, good())
    batch.refresh_from_db()
    assert [trial.seq for trial in trials_of(batch)] == [4, 3]
    assert list(Attempt.objects.values_list("seq", flat=True)) == [3, 4]
    assert batch.seq == 5  # the fifth says that it is over


OUTCOMES = [
    (good("one two"), "answered", 0),
    (good("  \n "), "empty", 0),
    (good("", no_text=True), "empty", 0),
    (Answer(text="one two three", finish="length"), "truncated", 1),
    (Answer(text="", finish="stop", refusal="I will not."), "refused", 1),
    (Answer(text="", no_text=True, finish="content_filter"), "filtered", 0),
]


@pytest.mark.parametrize(("answer", "outcome", "passed"), OUTCOMES)
def test_outcomes_are_the_cores_own(batch, answer, outcome, passed):
    keep(claim()[0], answer)
    attempt = only(Attempt)
    assert (attempt.outcome, attempt.passed, attempt.total) == (outcome, passed, 1)
    assert Verdict.objects.count() == 1
    kept = Reply.stored(attempt.output, attempt.output_is, attempt.finish, None)
    assert kept.outcome == outcome


def test_what_cannot_be_stored_is_made_storable(batch):
    """The provider's counts and names may be anything; both databases then hold the same row."""
    answer = good(
        "a\x00b \ud83d c",
        prompt_tokens=10**30,
        completion_tokens=-1,
        status=99_999,
        served_model="\x00" + "m" * 300,
        reasoning_tokens=2**31 - 1,
    )
    keep(claim()[0], answer)
    attempt = Attempt.objects.get()
    assert (attempt.output, attempt.outcome) == ("a\ufffdb \ufffd c", "answered")
    assert (attempt.prompt_tokens, attempt.completion_tokens, attempt.status) == (None, None, None)
    assert attempt.reasoning_tokens == 2**31 - 1
    assert len(attempt.served_model) == 200
    assert Verdict.objects.get().message == "3 / 3 words"


def test_what_still_cannot_be_stored_stops_no_other(team, version, endpoint):
    a_batch(team, version, endpoint, repeats=3)
    first, second, third = claim()
    bad = good(sent_parameters={"x": object()})
    landed = [Landed(first, good()), Landed(second, bad), Landed(third, good())]
    versions = Versions()
    versions.load([version.pk])
    record(landed, "w", versions)
    outcomes = dict(Attempt.objects.values_list("trial", "error"))
    assert outcomes == {first.trial_id: "", second.trial_id: "internal_error", third.trial_id: ""}


def test_a_too_long_output_is_kept_unscored(batch):
    keep(claim()[0], good("x" * 200_001))
    attempt = Attempt.objects.get()
    assert (attempt.outcome, attempt.error, len(attempt.output)) == ("error", "too_large", 200_001)
    assert attempt.passed is None


def test_a_crash_in_the_scorer_is_unscored_and_stops_no_other(team, version, endpoint, monkeypatch, caplog):
    batch = a_batch(team, version, endpoint, repeats=5)
    real = judge.score

    def crashing(document, reply):
        if reply.text == "crash sk-secret":
            raise ValueError(f"in {reply.text}")
        return real(document, reply)

    monkeypatch.setattr(judge, "score", crashing)
    calls = claim()
    versions = Versions()
    versions.load([version.pk])
    answers = [good("crash sk-secret") if i == 2 else good() for i in range(5)]
    record([Landed(call, answer) for call, answer in zip(calls, answers, strict=True)], "w", versions)
    errors = list(Attempt.objects.order_by("trial").values_list("error", "passed"))
    assert errors == [("", 1), ("", 1), ("scorer_error", None), ("", 1), ("", 1)]
    assert Attempt.objects.get(error="scorer_error").output == "crash sk-secret"
    assert {trial.state for trial in trials_of(batch)} == {Trial.State.CLOSED}
    assert "ValueError" in caplog.text
    assert "sk-secret" not in caplog.text


def test_a_failure_that_may_pass_is_tried_again_later(batch):
    keep(claim()[0], failed(retryable=True, status=500))
    trial = only(Trial)
    assert (trial.state, trial.lease_owner, trial.final) == (Trial.State.WAITING, "", None)
    assert 0 < wait() <= 2
    due_now()
    [again] = claim()
    assert again.number == 2
    keep(again, good())
    assert list(Attempt.objects.values_list("number", "error")) == [(1, "endpoint_error"), (2, "")]
    assert only(Trial).final.number == 2


def test_the_wait_doubles_and_ends_after_five_failures(batch):
    waits = []
    for number in range(1, MOST_FAILURES + 1):
        due_now()
        [call] = claim()
        assert call.number == number
        keep(call, failed(retryable=True))
        waits.append(wait())
    assert waits[-1] is None
    assert all(later > 1.5 * earlier for earlier, later in itertools.pairwise(waits[:-1]))
    trial = only(Trial)
    assert (trial.state, trial.final.error, trial.final.number) == ("closed", "endpoint_error", 5)
    batch.refresh_from_db()
    assert batch.state == State.FINISHED


def test_interruptions_are_no_failures(batch):
    for _ in range(MOST_FAILURES):
        keep(claim()[0], interrupted=True)
        assert wait() == 0
    keep(claim()[0], failed(retryable=True))
    assert only(Trial).state == Trial.State.WAITING


def test_an_interrupted_call_is_recorded_and_due_again(batch):
    [call] = claim()
    keep(call, interrupted=True, seconds=1.5)
    attempt = Attempt.objects.get()
    assert (attempt.error, attempt.may_be_billed, attempt.milliseconds) == ("interrupted", True, 1500)
    [again] = claim("other")
    assert (again.trial_id, again.number) == (call.trial_id, 2)


def test_a_final_failure_closes_at_once(batch):
    keep(claim()[0], failed("not_json", status=200))
    trial = only(Trial)
    assert (trial.state, trial.final.error, trial.final.detail) == (
        "closed",
        "not_json",
        "It failed. Try again.",
    )
    assert not Verdict.objects.exists()


def test_retry_after_rests_the_endpoint_for_every_worker(team, version, endpoint):
    a_batch(team, version, endpoint, repeats=3)
    call = claim(limit=1)[0]
    keep(call, failed("rate_limited", status=429, retryable=True, retry_after=30.0))
    endpoint.refresh_from_db()
    assert 25 < (endpoint.not_before - timezone.now()).total_seconds() <= 31
    assert 25 < wait() <= 31
    assert claim("other") == []
    trial = only(Trial, pk=call.trial_id)
    assert 25 < (trial.due_at - timezone.now()).total_seconds() <= 31


def test_a_shorter_wait_does_not_cut_a_longer_one_short(team, version, endpoint):
    a_batch(team, version, endpoint, repeats=2)
    first, second = claim()
    keep(first, failed("rate_limited", retryable=True, retry_after=60.0))
    keep(second, failed("rate_limited", retryable=True, retry_after=2.0))
    endpoint.refresh_from_db()
    assert (endpoint.not_before - timezone.now()).total_seconds() > 50


def test_a_wait_over_ten_minutes_ends_the_run_instead(team, version, endpoint):
    batch = a_batch(team, version, endpoint, repeats=3)
    keep(claim(limit=1)[0], failed("rate_limited", status=429, retryable=True, retry_after=3600.0))
    endpoint.refresh_from_db()
    assert endpoint.not_before is None
    details = list(Attempt.objects.order_by("seq").values_list("error", "detail"))
    assert [error for error, _ in details] == ["rate_limited"] * 3
    assert "asks to wait 3,600 seconds" in details[0][1]
    assert details[1][1].startswith("Not called: It failed.")
    batch.refresh_from_db()
    assert batch.state == State.FINISHED


def test_a_config_error_ends_the_rest_of_its_run_without_calling(team, version, endpoint):
    other = an_endpoint(team, "other")
    batch = a_batch(team, version, endpoint, other, repeats=4)
    first = next(call for call in claim(limit=1) if call.endpoint == endpoint)
    recorded = keep(first, failed("unsupported_parameter", status=400, final_for_endpoint=True))
    assert (recorded.attempts, recorded.errors) == (4, 4)
    rows = Attempt.objects.order_by("seq").values_list("number", "error", "detail", "sent_messages")
    assert [row[1] for row in rows] == ["unsupported_parameter"] * 4
    assert [row[0] for row in rows] == [1, 1, 1, 1]
    assert all(row[2] == "Not called: It failed. Try again." for row in rows[1:])
    assert Trial.objects.filter(run__endpoint=endpoint, tries=0, state="closed").count() == 3
    assert Trial.objects.filter(run__endpoint=other, state="waiting").count() == 4
    seqs = sorted(Trial.objects.filter(run__endpoint=endpoint).values_list("seq", flat=True))
    assert len(set(seqs)) == 4
    batch.refresh_from_db()
    assert batch.state == State.RUNNING
    assert Run.objects.get(endpoint=endpoint).state == State.FINISHED


@pytest.mark.parametrize(("error", "ended"), [("unauthorized", 2), ("bad_request", 1)])
def test_a_wrong_key_ends_all_runs_of_the_model(team, version, endpoint, error, ended):
    a_batch(team, version, endpoint, endpoint, repeats=2)
    keep(claim(limit=1)[0], failed(error, final_for_endpoint=True))
    assert Run.objects.filter(state=State.FINISHED).count() == ended
    other = a_batch(team, version, endpoint)  # another batch makes its own experience
    assert trials_of(other)[0].state == Trial.State.WAITING


CRASHES = [
    (vault.Unreadable("k"), "key_unreadable", 2),
    (EndpointClosed("Lab"), "endpoint_closed", 2),
    (RuntimeError("Bearer sk-secret"), "internal_error", 1),
]


@pytest.mark.parametrize(("crash", "error", "closed"), CRASHES)
def test_a_call_that_could_not_be_made(team, version, endpoint, caplog, crash, error, closed):
    a_batch(team, version, endpoint, repeats=2)
    keep(claim(limit=1)[0], crash=crash)
    assert list(Attempt.objects.values_list("error", flat=True)) == [error] * closed
    assert "sk-secret" not in caplog.text + Attempt.objects.all()[0].detail


def cut_off(**fields):
    return good("", reasoning_tokens=3200).__class__(
        text=" ", finish="length", reasoning_tokens=3200, **fields
    )


def test_a_blank_cut_off_reply_gets_twice_the_limit_once(batch, version):
    [call] = claim()
    versions = Versions()
    versions.load([version.pk])
    assert versions[version.pk].request(call)[1]["max_tokens"] == 40
    keep(call, cut_off())
    assert not Verdict.objects.exists()
    [again] = claim()
    assert again.doubled
    assert versions[version.pk].request(again)[1]["max_tokens"] == 80
    keep(again, cut_off())
    attempts = list(Attempt.objects.values_list("number", "outcome", "passed", "reasoning_tokens"))
    assert attempts == [(1, "empty", None, 3200), (2, "empty", 0, 3200)]
    assert only(Trial).final.number == 2
    assert Verdict.objects.get().message == "empty output"


def test_a_doubled_call_that_answers_is_scored(batch):
    keep(claim()[0], cut_off())
    keep(claim()[0], good())
    assert only(Trial).final.passed == 1


def test_a_late_reply_is_kept_and_closes_nothing(batch):
    [call] = claim("slow")
    Trial.objects.update(state=Trial.State.WAITING, lease_owner="", due_at=Now())  # taken back
    [again] = claim("quick")
    recorded = keep(call, good("late late late"), "slow")
    assert recorded.late == 1
    trial = only(Trial)
    late = Attempt.objects.get()
    assert (late.late, late.output, late.passed) == (True, "late late late", 1)
    assert (trial.state, trial.lease_owner, trial.tries) == (Trial.State.LEASED, "quick", 2)
    assert trial.seq == late.seq
    keep(again, good(), "quick")
    assert only(Trial).final.output == "one two three"


def test_a_reply_later_than_the_end_of_its_batch_still_gets_an_event(batch):
    [call] = claim("slow")
    Trial.objects.update(state=Trial.State.WAITING, lease_owner="", due_at=Now())
    keep(claim("quick")[0], good(), "quick")
    batch.refresh_from_db()
    assert batch.state == State.FINISHED
    keep(call, good(), "slow")
    late = Attempt.objects.get(late=True)
    assert late.seq == batch.seq + 1 == Batch.objects.get().seq
    assert only(Trial).final != late


def test_the_same_worker_cannot_close_with_an_earlier_call(batch):
    [first] = claim("w")
    Trial.objects.update(state=Trial.State.WAITING, lease_owner="", due_at=Now())
    [second] = claim("w")
    keep(first, good("from the first call"))
    assert only(Trial).state == Trial.State.LEASED
    keep(second, good())
    assert only(Trial).final.number == 2


def test_recording_the_same_twice_records_it_once(batch):
    """The commit went through and its answer was lost: the writer tries again."""
    [call] = claim()
    keep(call, good())
    assert keep(call, good()).attempts == 0
    assert Attempt.objects.count() == Verdict.objects.count() == 1


def test_finishing_happens_once(batch):
    keep(claim()[0], good())
    first = Batch.objects.values_list("finished_at", "seq").get()
    with held([batch.pk]) as batches:
        assert finish(batches, [batch.pk]) == 0
    assert Batch.objects.values_list("finished_at", "seq").get() == first
