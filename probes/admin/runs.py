"""Batches, runs, trials, attempts and verdicts: what was run, to be looked up.

Attempts and verdicts grow without end: their lists are read along the primary key and nothing in
them sorts, counts or collects the values of a whole table.
"""

from __future__ import annotations

import json

from django.contrib import admin

from probes.domain.evidence import stated_parameters
from probes.models import Attempt, Batch, Run, Trial, Verdict
from registry.web.admin import ReadOnlyInline, ReadOnlyPage

PROBE = "version__probe__team"


class RunsInline(ReadOnlyInline):
    model = Run
    fields = ("position", "version", "endpoint_name", "model", "repeats", "state")
    joined = (PROBE,)


class TrialsInline(ReadOnlyInline):
    model = Trial
    fields = ("repeat", "state", "tries", "due_at", "closed_at")
    joined = (f"run__{PROBE}",)


class AttemptsInline(ReadOnlyInline):
    model = Attempt
    fk_name = "trial"
    fields = ("number", "seq", "outcome", "error", "status", "passed", "total", "late", "recorded_at")
    joined = (f"trial__run__{PROBE}",)


class VerdictsInline(ReadOnlyInline):
    model = Verdict
    fields = ("position", "rule", "ok", "message")
    joined = ("rule",)


@admin.register(Batch)
class BatchAdmin(ReadOnlyPage):
    list_display = ("title", "team", "started_by", "visibility", "practice", "state", "created_at")
    list_filter = ("state", "visibility", "practice")
    list_select_related = ("team", "started_by")
    ordering = ("-created_at",)
    search_fields = ("title", "=team__slug")
    inlines = (RunsInline,)


@admin.register(Run)
class RunAdmin(ReadOnlyPage):
    team_path = "batch__team"
    list_display = ("__str__", "endpoint_name", "repeats", "state", "finished_at")
    list_filter = ("state",)
    list_select_related = (PROBE,)
    search_fields = ("model", "endpoint_name", "=version__probe__slug")
    inlines = (TrialsInline,)


@admin.register(Trial)
class TrialAdmin(ReadOnlyPage):
    team_path = "run__batch__team"
    list_display = ("__str__", "state", "due_at", "lease_owner", "lease_until", "tries", "lost")
    list_filter = ("state",)
    list_select_related = (f"run__{PROBE}",)
    inlines = (AttemptsInline,)


@admin.register(Attempt)
class AttemptAdmin(ReadOnlyPage):
    team_path = "batch__team"
    list_display = ("__str__", "outcome", "error", "status", "endpoint_name", "late", "recorded_at")
    list_filter = ("outcome", "late")
    list_select_related = (f"trial__run__{PROBE}",)
    exclude = ("sent_parameters",)  # what an endpoint's owner adds is theirs
    readonly_fields = ("stated_parameters",)
    inlines = (VerdictsInline,)

    @admin.display(description="Sent parameters that the probe states")
    def stated_parameters(self, attempt: Attempt) -> str:
        return json.dumps(stated_parameters(attempt.trial.run.version, attempt), ensure_ascii=False)


@admin.register(Verdict)
class VerdictAdmin(ReadOnlyPage):
    team_path = "attempt__batch__team"
    list_display = ("message", "rule", "ok", "attempt_id")
    list_filter = ("ok",)
    list_select_related = ("rule",)
