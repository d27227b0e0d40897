"""How runs came out, beside one another: tally, score, the rules that broke, and what was really sent."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Max, OuterRef, Q, QuerySet, Subquery, Sum

from probes.domain.results import COUNTED, SCORED, Tally
from probes.domain.visible import visible_runs
from probes.models import Batch, ProbeVersion, Run, Trial, Verdict
from probes.models.run import Visibility


@dataclass(frozen=True)
class RunResult:
    """One run as a table shows it. `broken` counts the trials that failed each rule, in rubric order."""

    run: Run
    tally: Tally
    points: int
    of_points: int
    broken: tuple[tuple[str, int], ...]

    @property
    def score(self) -> float | None:
        """Rules passed / rules, the mean over the scored trials, 0 to 1; None while nothing is scored."""
        return self.points / self.of_points if self.of_points else None

    @property
    def counts(self) -> bool:
        """What `counts_as_result` says of the run."""
        batch = self.run.batch
        shown = batch.visibility == Visibility.PUBLIC and not batch.hidden
        return shown and not self.run.endpoint.practice


_would_count = Q(batch__visibility=Visibility.PUBLIC, endpoint__practice=False)


def public_runs(version: ProbeVersion) -> QuerySet[Run]:
    """The runs that count as results of a version: public, and not on a practice endpoint. Newest first."""
    return _runs(version).filter(counts_as_result())


def with_public_runs(versions: QuerySet[ProbeVersion]) -> QuerySet[ProbeVersion]:
    """Each version with `results`, the number of its runs that count as results; None for none."""
    runs = Run.objects.filter(counts_as_result(), version=OuterRef("pk")).order_by()
    return versions.annotate(results=Subquery(runs.values("version").annotate(n=Count("pk")).values("n")))


def hidden_runs(version: ProbeVersion) -> QuerySet[Run]:
    """Runs that would count as results, had no owner hidden them: their number is public."""
    return _runs(version).filter(_would_count, batch__hidden_at__isnull=False)


def public_practice_runs(version: ProbeVersion) -> QuerySet[Run]:
    """Public runs that never count as results."""
    public = {"batch__visibility": Visibility.PUBLIC, "batch__hidden_at": None}
    return _runs(version).filter(endpoint__practice=True, **public)


def _runs(version: ProbeVersion) -> QuerySet[Run]:
    return version.runs.select_related("batch__team").order_by("-batch__created_at", "-batch", "position")


def run_results(runs: Iterable[Run]) -> list[RunResult]:
    """The result of each run, in two queries however many there are."""
    runs = list(runs)
    keys = [run.pk for run in runs]
    counted = {row["run"]: row for row in _counts(keys)}
    broken: dict[int, list[tuple[str, int]]] = {}
    for run, name, count in _broken(keys):
        broken.setdefault(run, []).append((name, count))
    return [_result(run, counted.get(run.pk, {}), broken.get(run.pk, [])) for run in runs]


def _result(run: Run, counts: Mapping[str, Any], broken: Sequence[tuple[str, int]]) -> RunResult:
    marks = {name: counts.get(name, 0) for name in COUNTED}
    return RunResult(
        run, Tally(**marks), counts.get("points") or 0, counts.get("of_points") or 0, tuple(broken)
    )


def _counts(keys: Sequence[int]) -> Iterable[Mapping[str, Any]]:
    marks = {name: Count("pk", filter=where) for name, where in COUNTED.items()}
    points = {"points": Sum("final__passed", filter=SCORED), "of_points": Sum("final__total", filter=SCORED)}
    rows: Iterable[Mapping[str, Any]] = (
        Trial.objects.filter(run__in=keys).values("run").annotate(**points, **marks)
    )
    return rows


def _broken(keys: Sequence[int]) -> Iterable[tuple[int, str, int]]:
    rows = Verdict.objects.filter(attempt__closes__run__in=keys, ok=False)
    grouped = rows.values_list("attempt__closes__run", "rule__name").annotate(n=Count("pk"))
    return grouped.order_by("attempt__closes__run", "rule__position")


@dataclass(frozen=True)
class Sent:
    """What was sent for one version and binding: the digests of the messages, with how many attempts each."""

    version: ProbeVersion
    digests: tuple[tuple[str, int], ...]

    @property
    def attempts(self) -> int:
        return sum(count for _, count in self.digests)

    @property
    def identical(self) -> bool:
        return len(self.digests) == 1


def messages_sent(batch: Batch) -> list[Sent]:
    """What the transport captured, grouped by what should have been the same."""
    rows = batch.attempts.exclude(sent_digest="").order_by("trial__run__position", "sent_digest")
    counted = rows.values_list("trial__run", "sent_digest").annotate(n=Count("pk"))
    runs = {run.pk: run for run in batch.runs.select_related("version__probe")}
    found: dict[tuple[int, str], tuple[ProbeVersion, Counter[str]]] = {}
    for run_id, digest, count in counted:
        run = runs[run_id]
        _, digests = found.setdefault((run.version_id, json.dumps(run.binding)), (run.version, Counter()))
        digests[digest] += count
    return [Sent(version, tuple(digests.most_common())) for version, digests in found.values()]


def counts_as_result() -> Q:
    """Of runs: public, not hidden and not practice. A practice endpoint answers by script."""
    return _would_count & Q(batch__hidden_at=None)


def models_with_results() -> QuerySet[Run, Any]:
    """Each model by its name, with how many results it has, on how many probes, and of when the newest is.

    `altered_runs` are those whose endpoint altered what was sent. Everybody sees the same ones.
    """
    rows = visible_runs(AnonymousUser()).filter(counts_as_result()).order_by().values("model")
    return rows.annotate(
        runs=Count("pk"),
        altered_runs=Count("pk", filter=~Q(alters=[])),
        probes=Count("version__probe", distinct=True),
        latest=Max("batch__created_at"),
    )
