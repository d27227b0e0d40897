"""The admin's view of probes and of what was run: everything can be looked up, nothing changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from probes.models import Attempt, Batch, Fixture, Probe, ProbeVersion, Rubric, Rule, Run, Trial, Verdict

if TYPE_CHECKING:
    Admin = admin.ModelAdmin[Any]
    Inline = admin.TabularInline[Any, Any]
else:
    Admin, Inline = admin.ModelAdmin, admin.TabularInline


class ReadOnly:
    """Mixed into an admin or an inline: rows are shown, and every way to change them is closed."""

    extra = 0
    can_delete = False
    show_change_link = True

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class VersionsInline(ReadOnly, Inline):
    model = ProbeVersion
    fields = ("number", "digest", "changelog", "published_by", "published_at")


class RulesInline(ReadOnly, Inline):
    model = Rule
    fields = ("position", "name", "check_data", "why")


class FixturesInline(ReadOnly, Inline):
    model = Fixture
    fields = ("position", "label", "expect", "fails", "output")


class RunsInline(ReadOnly, Inline):
    model = Run
    fields = ("position", "version", "endpoint_name", "model", "repeats", "state")


class AttemptsInline(ReadOnly, Inline):
    model = Attempt
    fields = ("number", "seq", "outcome", "error", "status", "passed", "total", "late", "recorded_at")


class VerdictsInline(ReadOnly, Inline):
    model = Verdict
    fields = ("position", "rule", "ok", "message")


@admin.register(Probe)
class ProbeAdmin(ReadOnly, Admin):
    list_display = ("__str__", "title", "category", "visibility")
    list_select_related = ("team",)
    search_fields = ("slug", "title", "team__slug")
    inlines = (VersionsInline,)


@admin.register(ProbeVersion)
class ProbeVersionAdmin(ReadOnly, Admin):
    list_display = ("__str__", "digest", "published_by", "published_at")
    list_select_related = ("probe__team", "published_by")
    inlines = (FixturesInline,)


@admin.register(Rubric)
class RubricAdmin(ReadOnly, Admin):
    list_display = ("__str__", "probe")
    list_select_related = ("probe__team",)
    inlines = (RulesInline,)


@admin.register(Batch)
class BatchAdmin(ReadOnly, Admin):
    list_display = ("title", "team", "started_by", "visibility", "practice", "state", "created_at")
    list_filter = ("state", "visibility", "practice")
    list_select_related = ("team", "started_by")
    inlines = (RunsInline,)


@admin.register(Trial)
class TrialAdmin(ReadOnly, Admin):
    list_display = ("__str__", "state", "due_at", "lease_owner", "lease_until", "tries", "lost")
    list_filter = ("state",)
    list_select_related = ("run__version__probe__team",)
    inlines = (AttemptsInline,)


@admin.register(Attempt)
class AttemptAdmin(ReadOnly, Admin):
    list_display = ("__str__", "outcome", "error", "status", "endpoint_name", "late", "recorded_at")
    list_filter = ("outcome", "error", "late")
    list_select_related = ("trial__run__version__probe__team",)
    inlines = (VerdictsInline,)
