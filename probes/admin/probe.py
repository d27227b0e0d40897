"""The probe's own page in the admin: its document in a form, and saving publishes."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import admin, messages
from django.db.models import ForeignKey, Model, OuterRef, QuerySet, Subquery
from django.forms import ModelChoiceField
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.utils.decorators import method_decorator
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from probes.admin.editing import Current, current
from probes.admin.forms import ProbeFileForm
from probes.core import Document
from probes.domain.advice import Advice, advice
from probes.domain.publish import Publication, StaleBase, publish
from probes.models import Probe, ProbeVersion
from registry.teams import access
from registry.teams.models import User
from registry.web.admin import StaffPage
from registry.web.large_forms import large_form

SHOWN = 20
"""Versions listed on the probe's page; the others are a search away."""


@admin.register(Probe)
class ProbeAdmin(StaffPage):
    form = ProbeFileForm
    right = "publish probes"
    why_kept = "A probe stays, with its versions and all that was run of them."
    list_display = ("__str__", "title", "category", "visibility", "newest")
    list_filter = ("visibility",)
    list_select_related = ("team",)
    search_fields = ("slug", "title", "=team__slug")
    add_form_template = change_form_template = "admin/probes/probe/change_form.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Probe]:
        newest = ProbeVersion.objects.filter(probe=OuterRef("pk")).order_by("-number").values("number")[:1]
        return super().get_queryset(request).annotate(newest_number=Subquery(newest))

    @admin.display(description="current version")
    def newest(self, probe: Any) -> str:
        return f"v{probe.newest_number}" if probe.newest_number else "none"

    @admin.display(description="versions")
    def history(self, probe: Probe) -> SafeString:
        versions = list(probe.versions.select_related("probe__team", "published_by")[: SHOWN + 1])
        context = {"versions": versions[:SHOWN], "more": len(versions) > SHOWN, "probe": probe}
        return render_to_string("admin/probes/_history.html", context)

    # --- who may ---------------------------------------------------------------------------------
    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.has_view_permission(request)

    def get_autocomplete_fields(self, request: HttpRequest) -> tuple[str, ...]:
        """A superuser may choose among all teams: too many for a select."""
        return ("team",) if cast("User", request.user).is_superuser else ()

    def formfield_for_foreignkey(
        self, db_field: ForeignKey[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> ModelChoiceField[Any] | None:
        if db_field.name == "team":
            kwargs["queryset"] = access.staff_teams(request.user, self.right)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    # --- the form --------------------------------------------------------------------------------
    def get_fieldsets(self, request: HttpRequest, obj: Probe | None = None) -> Any:
        shown = ("address", "visibility", "history") if obj else ("team",)
        return [(None, {"fields": (*shown, "document", "_base")})]

    def get_readonly_fields(self, request: HttpRequest, obj: Probe | None = None) -> tuple[str, ...]:
        return ("address", "visibility", "history") if obj else ()

    @admin.display(description="probe")
    def address(self, probe: Probe) -> str:
        return str(probe)

    @method_decorator(large_form)
    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return super().add_view(request, form_url, extra_context)

    @method_decorator(large_form)
    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        return super().change_view(request, object_id, form_url, extra_context)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        if "_saveasnew" in request.POST:
            return self.refuse(request, "No probe is copied: publish its text as a new one, of its own slug.")
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except StaleBase:  # two new probes of one name at once: the form says now what became of it
            return super().changeform_view(request, object_id, form_url, extra_context)

    def save_model(self, request: HttpRequest, obj: Probe, form: ProbeFileForm, change: bool) -> None:
        """Publish, and say which version holds the text."""
        before = form.now
        assert form.read is not None  # noqa: S101 - a valid form has read its document
        publication = publish(
            form.team,
            form.read,
            by=cast("User", request.user),
            as_staff=True,
            base_version=before.number if before else 0,
        )
        form.publication = publication
        obj.pk, obj._state.adding = publication.version.probe_id, False
        obj.refresh_from_db()
        said, changed = _what_came_of_it(publication, before, form)
        level = messages.SUCCESS if changed else messages.INFO
        self.message_user(request, said, level)
        shown = Document.parse(current(obj).text)  # its lines are those of the form that follows
        if (found := advice(shown)).lines():
            self.message_user(request, _to_look_at(found), messages.WARNING)

    def construct_change_message(
        self, request: HttpRequest, form: Any, formsets: Any, add: bool = False
    ) -> Any:
        """For the admin's own history: never the text itself."""
        publication: Publication = form.publication
        number = publication.version.number
        return f"Published v{number}." if publication.created else f"Sent a file that v{number} says already."

    def response_add(
        self, request: HttpRequest, obj: Probe, post_url_continue: str | None = None
    ) -> HttpResponse:
        return redirect("admin:probes_probe_change", obj.pk)

    def response_change(self, request: HttpRequest, obj: Probe) -> HttpResponse:
        return redirect("admin:probes_probe_change", obj.pk)


def _what_came_of_it(
    publication: Publication, before: Current | None, form: ProbeFileForm
) -> tuple[str, bool]:
    """The message for the author, and whether anything was written."""
    version = publication.version
    link = format_html('<a href="{}">{}</a>', version.get_absolute_url(), version)
    if publication.created:
        return format_html("Published {}.", link), True
    edited = _edited(before, form)
    if edited:
        words = "Saved the {} of {} without a new version: v{} stays as it is."
        return format_html(words, edited, version.probe, version.number), True
    kept = form.read is not None and form.read.changelog != version.changelog
    note = " Its changelog is published too; another one goes with the next version." if kept else ""
    return f"Nothing changed: v{version.number} already says this.{note}", False


def _to_look_at(found: Advice) -> SafeString:
    """Each remark with its words first; `line 7` begins it, which a script makes a way to that line."""
    small = "<li>{} <small class='advice-code'>{}</small></li>"
    coded = format_html_join("", small, ((each.problem, each.code) for each in found.shown))
    more = format_html_join("", "<li>{}</li>", ((line,) for line in found.more))
    words = "Worth another look, though nothing refuses it. The lines are those of the file below."
    return format_html("{} <ul>{}{}</ul>", words, coded, more)


def _edited(before: Current | None, form: ProbeFileForm) -> str:
    """`title and summary`: what the text says otherwise than the probe did."""
    if before is None or form.read is None:
        return ""
    names = ("title", "category", "summary")
    changed = [name for name in names if getattr(before.probe, name) != getattr(form.read, name)]
    return " and ".join([", ".join(changed[:-1]), changed[-1]] if len(changed) > 1 else changed)
