"""The evidence of a batch, line by line: every verdict can be recomputed from it, offline.

The format is `probes.core.evidence`'s. Names of people are in it, and no address of theirs; names
of endpoints, and neither where they are, what opens them nor what their owner adds to a request.
The same rows give the same bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from django.db.models import Prefetch

from probes.core.evidence import FORMAT, Chain
from probes.core.recomputing import mark_of
from probes.core.verification import MARKS
from probes.models import Attempt, Batch, ProbeVersion, Run, Trial, Verdict

Record = Mapping[str, Any]

AT_ONCE = 20
"""Trials whose attempts are held at once."""

ABOUT: list[Callable[[Batch], Iterable[Record]]] = []
"""What else can be said of a batch, right after the header: an app that stands on this one adds to it."""


def lines(batch: Batch) -> Iterator[str]:
    """The lines of the evidence file, without line breaks.

    Of a batch that goes on, they say how it stands: rows are read in the order in which they can
    only be added to.
    """
    chain, counted = Chain(), Counter[str]()
    marks = dict.fromkeys(MARKS, 0)
    for record in _records(batch, marks):
        counted[record["kind"]] += 1
        yield chain.seal(record)
    counts = {f"{kind}s": counted[kind] for kind in ("document", "run", "trial", "attempt", "verdict")}
    yield chain.seal({"kind": "end", **counts, "marks": marks})


def _records(batch: Batch, marks: dict[str, int]) -> Iterator[Record]:
    yield _header(batch)
    for about in ABOUT:
        yield from about(batch)
    runs: dict[int, list[Run]] = {}
    for run in batch.runs.select_related("endpoint").order_by("position"):
        runs.setdefault(run.version_id, []).append(run)
    for version_id, own in runs.items():
        version = ProbeVersion.objects.select_related("probe__team", "rubric").get(pk=version_id)
        yield _document(version)
        yield from _run_records(version, own, marks)


def _header(batch: Batch) -> Record:
    starter = batch.started_by
    return {
        "kind": "evidence",
        "format": FORMAT,
        "batch": str(batch.pk),
        "title": batch.title,
        "team": {"slug": batch.team.slug, "name": batch.team.name},
        "started_by": (starter.name or None) if starter else None,
        "visibility": batch.visibility,
        "practice": batch.practice,
        "state": batch.state,
        "started_at": _time(batch.created_at),
        "cancelled_at": _time(batch.cancelled_at),
        "finished_at": _time(batch.finished_at),
    }


def _document(version: ProbeVersion) -> Record:
    """As stored: whether the digests are those of the document is for the reader to recompute."""
    return {
        "kind": "document",
        "probe": f"{version.probe.team.slug}/{version.probe.slug}",
        "version": version.number,
        "digest": version.digest,
        "request_digest": version.request_digest,
        "checks_digest": version.rubric.checks_digest,
        "rubric_digest": version.rubric.rubric_digest,
        "document": version.document,
    }


def _run_records(version: ProbeVersion, runs: Sequence[Run], marks: dict[str, int]) -> Iterator[Record]:
    """The runs of one version, each with its trials."""
    ahead = {run.pk: run for run in runs}
    for trial, attempts in _trials(runs):
        run = next(each for each in runs if each.pk == trial.run_id)
        if ahead.pop(run.pk, None):
            yield _run(run, version)
        records = [_attempt(run, version, trial, attempt) for attempt in attempts]
        closing = [i for i, each in enumerate(attempts) if each.pk == trial.final_id and not each.late]
        final = records[closing[0]] if closing else None
        shown = _trial(run, trial, final)
        marks[mark_of(shown, final)] += 1
        yield shown
        for attempt, record in zip(attempts, records, strict=True):
            yield record
            yield from (_verdict(record, verdict) for verdict in attempt.verdicts.all())


def _trials(runs: Sequence[Run]) -> Iterator[tuple[Trial, Sequence[Attempt]]]:
    """The trials with their attempts in order. What closed a trial is read after it, so it is there.

    What landed for a trial after it was read, while it was open, is left out: it stands as it was.
    """
    rows = Trial.objects.filter(run__in=[run.pk for run in runs]).order_by("run__position", "repeat")
    trials = list(rows)
    for start in range(0, len(trials), AT_ONCE):
        some = trials[start : start + AT_ONCE]
        verdicts = Prefetch("verdicts", Verdict.objects.select_related("rule").order_by("position"))
        found = Attempt.objects.filter(trial__in=some).prefetch_related(verdicts)
        grouped: dict[int, list[Attempt]] = {}
        for attempt in found.order_by("number", "late", "seq"):
            grouped.setdefault(attempt.trial_id, []).append(attempt)
        yield from ((trial, _until(trial, grouped.get(trial.pk, []))) for trial in some)


def _until(trial: Trial, attempts: Sequence[Attempt]) -> Sequence[Attempt]:
    return [each for each in attempts if trial.closed_at or each.seq <= trial.seq]


def _run(run: Run, version: ProbeVersion) -> Record:
    return {
        "kind": "run",
        "position": run.position,
        "document": version.digest,
        "endpoint": run.endpoint_name,
        "practice": run.endpoint.practice,
        "model": run.model,
        "binding": run.binding,
        "repeats": run.repeats,
        "alters": run.alters,
        "state": run.state,
    }


def _trial(run: Run, trial: Trial, final: Record | None) -> Record:
    return {
        "kind": "trial",
        "run": run.position,
        "repeat": trial.repeat,
        "state": trial.state,
        "final": final["number"] if final else None,
    }


SAME = (
    "number", "seq", "late", "outcome", "error", "detail", "status", "output", "output_is", "repaired",
    "finish", "served_model", "prompt_tokens", "completion_tokens", "reasoning_tokens", "sent_messages",
    "sent_digest", "may_be_billed", "milliseconds", "passed", "total", "scored_with",
)  # fmt: skip
"""What an attempt says under the name of its column."""


def _attempt(run: Run, version: ProbeVersion, trial: Trial, attempt: Attempt) -> Record:
    return {
        "kind": "attempt",
        "run": run.position,
        "repeat": trial.repeat,
        **{name: getattr(attempt, name) for name in SAME},
        "sent_parameters": stated_parameters(version, attempt),
        "endpoint": attempt.endpoint_name,
        "started_at": _time(attempt.started_at),
        "recorded_at": _time(attempt.recorded_at),
        **_redacted(attempt),
    }


def _redacted(attempt: Attempt) -> Record:
    """Of an output that was redacted: that it was, and what it was by its digest."""
    if attempt.redacted_at is None:
        return {}
    digest = {"output_digest": attempt.output_digest} if attempt.output_digest else {}
    return {"redacted": True, "redacted_at": _time(attempt.redacted_at), **digest}


TOKEN_LIMITS = ("max_tokens", "max_completion_tokens")


def stated_parameters(version: ProbeVersion, attempt: Attempt) -> dict[str, Any]:
    """Those of the sent parameters that the probe states, under the names they were sent by.

    What else an endpoint adds is named in the run's `alters`: the values are its owner's.
    """
    stated = {*version.parameters, *TOKEN_LIMITS}
    return {name: value for name, value in attempt.sent_parameters.items() if name in stated}


def _verdict(attempt: Record, verdict: Verdict) -> Record:
    return {
        "kind": "verdict",
        "run": attempt["run"],
        "repeat": attempt["repeat"],
        "number": attempt["number"],
        "rule": verdict.rule.name,
        "ok": verdict.ok,
        "actual": verdict.actual,
        "expected": verdict.expected,
        "unit": verdict.unit,
        "message": verdict.message,
        "spans": verdict.spans,
    }


def _time(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).isoformat() if moment else None
