"""What came of a run, ready to be shown: one cell a trial. No number on a page is computed elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from django.db.models import Count, F, Prefetch, Q, QuerySet

from probes.models import Attempt, Batch, ProbeVersion, Run, Trial, Verdict
from probes.models.run import Outcome

SHOWN = 20
"""So many trials of a run stand on the page of its batch; the run's own page has all."""

PER_PAGE = 50
"""Trials on one page of a run."""

Mark = Literal["pass", "fail", "unscored", "pending", "calling", "cancelled"]


@dataclass(frozen=True)
class Cell:
    """One trial as a reader sees it: its mark, what was seen against what was expected, and the cost.

    `attempt` is the one that closed the trial, else the latest; `attempts` are all, in order.
    """

    trial: Trial
    attempt: Attempt | None
    attempts: tuple[Attempt, ...]
    verdicts: tuple[Verdict, ...]
    mark: Mark

    @property
    def run(self) -> Run:
        return self.trial.run

    @property
    def place(self) -> str:
        """Where the trial stands on the page of its run."""
        page = (self.trial.repeat - 1) // PER_PAGE + 1
        return f"{self.run.get_absolute_url()}?page={page}#trial-{self.trial.pk}"

    @property
    def shown(self) -> bool:
        """Whether it stands on the page of its batch."""
        return self.trial.repeat <= SHOWN

    @property
    def failed(self) -> tuple[Verdict, ...]:
        return tuple(verdict for verdict in self.verdicts if not verdict.ok)

    @property
    def message(self) -> str:
        """`11 / 10 words`: of the rules that failed, else of the rule that passed, else why unscored."""
        if self.mark == "unscored" and self.attempt:
            return self.attempt.detail or self.attempt.error
        shown = self.failed or self.verdicts
        messages = list(dict.fromkeys(verdict.message for verdict in shown))
        if self.mark == "pass" and len(messages) > 1:
            return f"{len(self.verdicts)} / {len(self.verdicts)} rules"
        return "; ".join(messages)

    @property
    def milliseconds(self) -> int:
        """How long its calls took together."""
        return sum(attempt.milliseconds for attempt in self.attempts if not attempt.late)

    @property
    def costs(self) -> tuple[str, ...]:
        """What it took, in words: `9,515 ms`, `24 tokens`, `rt=3200`, `2 attempts`."""
        in_time = [attempt for attempt in self.attempts if not attempt.late]
        if not in_time:
            return ()
        words = [f"{self.milliseconds:,} ms"]
        tokens = [a.completion_tokens for a in in_time if a.completion_tokens is not None]
        if tokens:
            words.append(f"{sum(tokens):,} token{'' if sum(tokens) == 1 else 's'}")
        if self.attempt and self.attempt.reasoning_tokens:
            words.append(f"rt={self.attempt.reasoning_tokens}")
        if len(in_time) > 1:
            words.append(f"{len(in_time)} attempts")
        return tuple(words)


@dataclass(frozen=True)
class Tally:
    """How the trials of one thing came out; `pending` holds those waiting or being called."""

    passed: int
    failed: int
    unscored: int
    pending: int
    cancelled: int

    @property
    def scored(self) -> int:
        return self.passed + self.failed

    @property
    def total(self) -> int:
        return self.scored + self.unscored + self.pending + self.cancelled

    @property
    def coverage(self) -> float | None:
        """How much of it is scored, 0 to 1; None where there is nothing to score."""
        return self.scored / self.total if self.total else None

    @property
    def closed(self) -> int:
        """Those that nothing more will come of."""
        return self.total - self.pending


def tally(cells: Iterable[Cell]) -> Tally:
    counts = Counter(cell.mark for cell in cells)
    return Tally(
        passed=counts["pass"],
        failed=counts["fail"],
        unscored=counts["unscored"],
        pending=counts["pending"] + counts["calling"],
        cancelled=counts["cancelled"],
    )


def tallies(batches: Iterable[Batch]) -> dict[UUID, Tally]:
    """The tally of each batch by its id, in one query; what `tally` says of its cells."""
    rows = Trial.objects.filter(run__batch__in=[batch.pk for batch in batches]).values_list("run__batch")
    counted = rows.annotate(**{name: Count("pk", filter=where) for name, where in COUNTED.items()})
    return {pk: Tally(**dict(zip(COUNTED, counts, strict=True))) for pk, *counts in counted}


SCORED = Q(state=Trial.State.CLOSED, final__isnull=False) & ~Q(final__outcome=Outcome.ERROR)
_PASSED = Q(final__total__gt=0, final__passed=F("final__total"))
_OVER = [Trial.State.CLOSED, Trial.State.CANCELLED]
COUNTED = {
    "passed": SCORED & _PASSED,
    "failed": SCORED & (~_PASSED | Q(final__total__isnull=True)),
    "unscored": Q(state=Trial.State.CLOSED) & (Q(final__isnull=True) | Q(final__outcome=Outcome.ERROR)),
    "pending": ~Q(state__in=_OVER),
    "cancelled": Q(state=Trial.State.CANCELLED),
}


def cells_of(batch: Batch, after: int = -1) -> list[Cell]:
    """The batch's cells in run and repeat order; only those that changed after event `after`."""
    return cells(Trial.objects.filter(run__batch=batch, seq__gt=after))


def cells(trials: QuerySet[Trial]) -> list[Cell]:
    """One cell for each of `trials`, in six queries however many there are."""
    verdicts = Verdict.objects.order_by("position").prefetch_related("rule")
    attempts = Attempt.objects.order_by("number", "seq").prefetch_related(Prefetch("verdicts", verdicts))
    # Joined, a version would be read and parsed anew for every repeat of it.
    versions = ProbeVersion.objects.select_related("probe__team", "rubric")
    runs = Run.objects.select_related("endpoint", "batch__team").prefetch_related(
        Prefetch("version", versions)
    )
    rows = trials.order_by("run__position", "repeat").prefetch_related(
        Prefetch("run", runs), Prefetch("attempts", attempts)
    )
    return [_cell(trial, list(trial.attempts.all())) for trial in rows]


def _cell(trial: Trial, attempts: list[Attempt]) -> Cell:
    in_time = [attempt for attempt in attempts if not attempt.late]
    final = next((attempt for attempt in attempts if attempt.pk == trial.final_id), None)
    shown = final or (in_time[-1] if in_time else None)
    own = tuple(shown.verdicts.all()) if shown else ()
    return Cell(trial, shown, tuple(attempts), own, _mark(trial, final, own))


def _mark(trial: Trial, final: Attempt | None, verdicts: Sequence[Verdict]) -> Mark:
    if trial.state == Trial.State.CANCELLED:
        return "cancelled"
    if trial.state != Trial.State.CLOSED:
        return "calling" if trial.state == Trial.State.LEASED else "pending"
    if final is None or final.outcome == Outcome.ERROR:
        return "unscored"
    return "pass" if verdicts and all(verdict.ok for verdict in verdicts) else "fail"
