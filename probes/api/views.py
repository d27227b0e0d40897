"""The API's lists and rows of probes and of what was run. What a person may see is decided elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db.models import Max, QuerySet
from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from probes.api.filters import (
    BatchFilters,
    ModelFilters,
    ProbeFilters,
    RunFilters,
    TrialFilters,
    VersionFilters,
)
from probes.api.probe_shapes import ProbeShape, VersionDetailShape, VersionShape
from probes.api.run_shapes import BatchShape, ModelShape, RunShape, TrialShape
from probes.domain.results import Cell, Tally, cells, tallies
from probes.domain.runs import RunResult, models_with_results, run_results
from probes.domain.visible import (
    visible_batches,
    visible_probes,
    visible_runs,
    visible_trials,
    visible_versions,
)
from probes.models import Batch, Probe, ProbeVersion, Run, Trial
from probes.views.evidence import evidence_file
from registry.api.views import Read, ReadRows
from registry.teams import access
from registry.teams.access import Person


class Probes(ReadRows):
    """Published probes, the newest first."""

    order = ("-created_at", "-id")
    lookups = {"team": "team__slug", "slug": "slug"}
    queryset = Probe.objects.none()
    serializer_class = ProbeShape
    filterset_class = ProbeFilters

    def rows(self, person: Person) -> QuerySet[Probe]:
        return visible_probes(person).filter(versions__isnull=False).annotate(current=Max("versions__number"))


class Versions(ReadRows):
    """Published versions, the newest first; one alone comes with its rules and worked examples."""

    order = ("-published_at", "-id")
    lookups = {"team": "probe__team__slug", "slug": "probe__slug", "number": "number"}
    queryset = ProbeVersion.objects.none()
    serializer_class = VersionShape
    detail_serializer_class = VersionDetailShape
    filterset_class = VersionFilters

    def rows(self, person: Person) -> QuerySet[ProbeVersion]:
        found = visible_versions(person).select_related("probe__team", "rubric", "published_by")
        return found if self.action == "list" else found.prefetch_related("rubric__rules", "fixtures")


class Batches(ReadRows):
    """What was started, the newest first."""

    order = ("-created_at", "-id")
    queryset = Batch.objects.none()
    serializer_class = BatchShape
    filterset_class = BatchFilters

    def rows(self, person: Person) -> QuerySet[Batch]:
        return visible_batches(person)

    def present(self, rows: Sequence[Batch]) -> Sequence[Batch]:
        found = tallies(rows)
        for batch in rows:
            batch.tally = found.get(batch.pk, Tally(0, 0, 0, 0, 0))  # type: ignore[attr-defined]
        return rows


class Lines(JSONRenderer):
    """One JSON object a line. What goes wrong is a problem all the same."""

    media_type = "application/x-ndjson"
    format = "ndjson"


class BatchEvidence(Read):
    """The evidence of a batch as a file: one JSON object a line, from which every verdict recomputes.

    It holds the documents, what was sent, the outputs and the verdicts, and whoever sees the batch may
    keep it. `python -m probes.core verify FILE` recomputes it, without a server.
    """

    renderer_classes = [Lines, JSONRenderer]

    @extend_schema(operation_id="batches_evidence", responses={(200, Lines.media_type): OpenApiTypes.STR})
    def get(self, request: Request, pk: UUID) -> StreamingHttpResponse:
        return evidence_file(request._request, access.get_or_404(visible_batches(request.user), pk=pk))


class Runs(ReadRows):
    """One model on one probe version, the newest first. What counts as a result: `?counts=true`."""

    order = ("-id",)
    queryset = Run.objects.none()
    serializer_class = RunShape
    filterset_class = RunFilters

    def rows(self, person: Person) -> QuerySet[Run]:
        return visible_runs(person).select_related("batch__team", "endpoint", "version__probe__team")

    def present(self, rows: Sequence[Run]) -> Sequence[RunResult]:
        return run_results(rows)


class Trials(ReadRows):
    """Each repeat of a run with its attempts and their verdicts, the oldest first."""

    order = ("id",)
    queryset = Trial.objects.none()
    serializer_class = TrialShape
    filterset_class = TrialFilters

    def rows(self, person: Person) -> QuerySet[Trial]:
        return visible_trials(person)

    def present(self, rows: Sequence[Trial]) -> Sequence[Cell]:
        keys = [trial.pk for trial in rows]
        return sorted(cells(Trial.objects.filter(pk__in=keys)), key=lambda cell: cell.trial.pk)


class Models(ReadRows):
    """The models that have results, by name."""

    order = ("model",)
    queryset = Run.objects.none()
    serializer_class = ModelShape
    filterset_class = ModelFilters

    def rows(self, person: Person) -> QuerySet[Any, Any]:
        return models_with_results()
