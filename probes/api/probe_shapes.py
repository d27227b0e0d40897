"""What the API shows of probes and their versions. Published text is public as its probe is."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from probes.models import Fixture, Probe, ProbeVersion, Rule
from probes.models.probe import Visibility
from registry.api.fields import Link, ListLink, PageLink, PersonName

VERSION = {"team": "probe.team.slug", "slug": "probe.slug", "number": "number"}


class ProbeShape(serializers.ModelSerializer[Probe]):
    """A named question. What it asks lives in its versions; `current` is the newest."""

    url = Link("api-probe", team="team.slug", slug="slug")
    page = PageLink()
    name = serializers.CharField(source="__str__", help_text="`team/slug`, as filters take it")
    team = serializers.CharField(source="team.slug")
    visibility = serializers.ChoiceField(choices=Visibility.choices)
    current = serializers.IntegerField(help_text="the number of the newest version")
    current_version = Link("api-version", team="team.slug", slug="slug", number="current")
    versions = ListLink("api-versions", probe=str)
    runs = ListLink("api-runs", probe=str)

    class Meta:
        model = Probe
        fields = [
            "url", "page", "name", "team", "slug", "title", "category", "summary", "visibility",
            "created_at", "current", "current_version", "versions", "runs",
        ]  # fmt: skip


class RuleShape(serializers.ModelSerializer[Rule]):
    check = serializers.JSONField(source="check_data", help_text="the check's kind and its parameters")

    class Meta:
        model = Rule
        fields = ["position", "name", "check", "why"]


class FixtureShape(serializers.ModelSerializer[Fixture]):
    fails = serializers.ListField(
        child=serializers.CharField(), allow_null=True, help_text="exactly the rules it fails, where stated"
    )

    class Meta:
        model = Fixture
        fields = ["position", "label", "expect", "fails", "output"]


class VersionShape(serializers.ModelSerializer[ProbeVersion]):
    """One published version; it never changes."""

    url = Link("api-version", **VERSION)
    page = PageLink()
    probe = serializers.CharField(source="probe.__str__")
    probe_url = Link("api-probe", team="probe.team.slug", slug="probe.slug")
    rubric_digest = serializers.CharField(source="rubric.rubric_digest")
    checks_digest = serializers.CharField(source="rubric.checks_digest")
    published_by = PersonName(allow_null=True)
    runs = ListLink("api-runs", digest="digest")

    class Meta:
        model = ProbeVersion
        fields = [
            "url", "page", "probe", "probe_url", "number", "digest", "request_digest", "rubric_digest",
            "checks_digest", "changelog", "published_by", "published_at", "runs",
        ]  # fmt: skip


class PromptShape(serializers.ModelSerializer[ProbeVersion]):
    """What every model receives, byte for byte."""

    class Meta:
        model = ProbeVersion
        fields = ["system", "user"]


class RubricShape(serializers.Serializer[Any]):
    prose = serializers.CharField()
    criteria = serializers.ListField(child=serializers.CharField())
    rules = RuleShape(many=True)


class VersionDetailShape(VersionShape):
    """One published version with its prompt, rules and worked examples; `document` is its canonical form."""

    prompt = PromptShape(source="*")
    variables = serializers.ListField(child=serializers.CharField())
    parameters = serializers.DictField()
    rubric = RubricShape()
    fixtures = FixtureShape(many=True)
    document = serializers.DictField()

    class Meta(VersionShape.Meta):
        fields = [
            *VersionShape.Meta.fields,
            "prompt", "variables", "parameters", "rubric", "fixtures", "document",
        ]  # fmt: skip
