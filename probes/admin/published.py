"""Versions, rubrics, rules and fixtures: published text, to be looked up."""

from __future__ import annotations

import json

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from probes.models import Fixture, ProbeVersion, Rubric, Rule
from registry.web.admin import ReadOnlyInline, ReadOnlyPage


class PublishedPage(ReadOnlyPage):
    right = "publish probes"
    why_kept = (
        "What is published is never edited, copied or deleted. "
        "To change a probe, open the probe itself and publish its next version."
    )

    class Media:
        css = {"all": ["probes/admin.css"]}


class RulesInline(ReadOnlyInline):
    model = Rule
    fields = ("position", "name", "check_data", "why")


class FixturesInline(ReadOnlyInline):
    model = Fixture
    fields = ("position", "label", "expect", "fails", "output")


@admin.register(ProbeVersion)
class ProbeVersionAdmin(PublishedPage):
    team_path = "probe__team"
    list_display = ("__str__", "short_digest", "published_by", "published_at")
    list_select_related = ("probe__team", "published_by")
    search_fields = ("probe__slug", "probe__team__slug", "=digest")
    fields = (
        ("probe", "number"),
        ("published_by", "published_at"),
        "changelog",
        ("digest", "request_digest"),
        "file",
        "rubric",
        "rules",
    )
    inlines = (FixturesInline,)

    @admin.display(description="digest")
    def short_digest(self, version: ProbeVersion) -> str:
        return version.digest[:12]

    @admin.display(description="document")
    def file(self, version: ProbeVersion) -> SafeString:
        """The whole version as a probe file."""
        shown = '<pre class="probe-file" data-literal tabindex="0">{}</pre>'
        return format_html(shown, version.parsed.to_yaml())

    @admin.display(description="rules, in order")
    def rules(self, version: ProbeVersion) -> SafeString:
        rows = [
            (rule.name, json.dumps(rule.check_data, ensure_ascii=False), rule.why)
            for rule in version.rubric.rules.all()
        ]
        items = format_html_join("", "<li><code>{}</code>: <code>{}</code><br>{}</li>", rows)
        return format_html('<ol class="probe-rules" data-literal>{}</ol>', items)

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        return ("file", "rules")


@admin.register(Rubric)
class RubricAdmin(PublishedPage):
    team_path = "probe__team"
    list_display = ("__str__", "probe")
    list_select_related = ("probe__team",)
    search_fields = ("probe__slug", "probe__team__slug", "=rubric_digest")
    inlines = (RulesInline,)


@admin.register(Rule)
class RuleAdmin(PublishedPage):
    team_path = "rubric__probe__team"
    list_display = ("name", "probe", "rubric", "position")
    list_select_related = ("rubric__probe__team",)
    search_fields = ("name", "rubric__probe__slug")

    def probe(self, rule: Rule) -> str:
        return str(rule.rubric.probe)


@admin.register(Fixture)
class FixtureAdmin(PublishedPage):
    team_path = "version__probe__team"
    list_display = ("label", "version", "position", "expect")
    list_filter = ("expect",)
    list_select_related = ("version__probe__team",)
    search_fields = ("label", "version__probe__slug")
