"""Rows of runs that are over, or going on, without a model: what pages are shown."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils import timezone

from probes.core import Reply, score
from probes.models import Attempt, Batch, ProbeVersion, Run, State, Trial, Verdict
from registry.endpoints.models import Endpoint
from registry.immutability import erasure
from registry.teams.models import Team, User


def endpoint(team: Team, name: str = "Nimbus", *, practice: bool = False) -> Endpoint:
    return Endpoint.objects.create(
        team=team, slug=name.lower(), name=name, base_url="https://models.example.org/v1", practice=practice
    )


def batch(
    version: ProbeVersion,
    at: Endpoint,
    replies: Sequence[Reply | str | None],
    *,
    by: User | None = None,
    visibility: str = "public",
    finished: bool = True,
    model: str = "maker/one",
    binding: dict[str, str] | None = None,
) -> Batch:
    """One run whose repeats got these replies: None is an error; with `finished` off the last one waits."""
    now = timezone.now()
    made = Batch.objects.create(
        team=at.team,
        started_by=by,
        title=f"{model} on it",
        visibility=visibility,
        practice=at.practice,
        run_count=1,
    )
    run = Run.objects.create(
        batch=made, position=1, version=version, endpoint=at, endpoint_name=at.name, model=model,
        binding=binding or {}, repeats=len(replies) + (not finished),
    )  # fmt: skip
    for repeat, reply in enumerate(replies, 1):
        closed_trial(run, repeat, reply)
    if not finished:
        Trial.objects.create(run=run, repeat=len(replies) + 1, due_at=now)
    seq = 2 * len(replies) + 1
    over = {"state": State.FINISHED, "finished_at": now} if finished else {}
    Run.objects.filter(pk=run.pk).update(**over or {"state": State.RUNNING})
    Batch.objects.filter(pk=made.pk).update(seq=seq, **over)
    made.refresh_from_db()
    return made


def one_more_trial(run: Run, repeat: int, reply: Reply | str | None, **attempt: object) -> Trial:
    """A trial beyond the run's repeats, which nobody could add: planted for what it shows."""
    with erasure("a test plants one more trial"):
        return closed_trial(run, repeat, reply, **attempt)


def closed_trial(run: Run, repeat: int, reply: Reply | str | None, **attempt: object) -> Trial:
    now = timezone.now()
    trial = Trial.objects.create(run=run, repeat=repeat, due_at=now, state="leased", tries=1)
    made = _attempt(trial, repeat, reply, attempt)
    Trial.objects.filter(pk=trial.pk).update(state="closed", final=made, closed_at=now, seq=2 * repeat)
    return trial


TOKENS = {"prompt_tokens": 200, "completion_tokens": 24}


def _attempt(trial: Trial, repeat: int, reply: Reply | str | None, more: dict[str, object]) -> Attempt:
    run = trial.run
    common = {
        "batch": run.batch, "trial": trial, "number": 1, "seq": 2 * repeat,
        "endpoint_name": run.endpoint_name, "started_at": timezone.now(), "milliseconds": 1234,
        "sent_digest": "ab" * 32, "sent_parameters": {"max_tokens": 1400}, **more,
    }  # fmt: skip
    if reply is None:
        return Attempt.objects.create(
            **common,
            outcome="error",
            error="rate_limited",
            status=429,
            detail="Too many requests: slow down.",
        )
    reply = Reply(reply) if isinstance(reply, str) else reply
    result = score(run.version.parsed, reply)
    attempt = Attempt.objects.create(
        **TOKENS | common, outcome=result.outcome, output=result.output, output_is=reply.output_is,
        finish=reply.finish or "", passed=result.passed,
        reasoning_tokens=result.reasoning_tokens, total=result.total, scored_with=result.scored_with,
    )  # fmt: skip
    rules = {rule.name: rule for rule in run.version.rubric.rules.all()}
    for position, verdict in enumerate(result.verdicts, 1):
        found = verdict.finding
        Verdict.objects.create(
            attempt=attempt, rule=rules[verdict.rule], position=position, ok=found.ok, actual=found.actual,
            expected=found.expected, unit=found.unit, message=found.message,
            spans=[[s.start, s.end, s.mark, s.label] for s in found.spans],
        )  # fmt: skip
    return attempt
