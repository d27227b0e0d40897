"""Immutable published text: versions, rubrics, rules and fixtures. Triggers refuse every change."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone

from probes.core import Document
from probes.models.probe import Probe
from registry.immutability import bounded, frozen

DIGEST_LENGTH = 64


@frozen()
class Rubric(models.Model):
    """Published prose, criteria and ordered rules; shared by the versions that did not change it."""

    probe = models.ForeignKey(Probe, on_delete=models.PROTECT, related_name="rubrics")
    rubric_digest = models.CharField(max_length=DIGEST_LENGTH)
    checks_digest = models.CharField(max_length=DIGEST_LENGTH)
    prose = models.TextField()
    criteria = models.JSONField(default=list)
    rule_count = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["probe", "rubric_digest"], name="one_rubric_a_digest")]

    def __str__(self) -> str:
        return f"rubric {self.rubric_digest[:12]}"


@bounded("rubric", "rule_count")
@frozen()
class Rule(models.Model):
    rubric = models.ForeignKey(Rubric, on_delete=models.PROTECT, related_name="rules")
    position = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=80)
    check_data = models.JSONField()
    why = models.TextField()

    class Meta:
        ordering = ["rubric", "position"]
        constraints = [
            models.UniqueConstraint(fields=["rubric", "position"], name="one_rule_a_position"),
            models.UniqueConstraint(fields=["rubric", "name"], name="one_rule_a_name"),
        ]

    def __str__(self) -> str:
        return self.name


@frozen()
class ProbeVersion(models.Model):
    """One published version. `document` is the canonical form: all other columns follow from it."""

    probe = models.ForeignKey(Probe, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    rubric = models.ForeignKey(Rubric, on_delete=models.PROTECT, related_name="versions")
    digest = models.CharField(max_length=DIGEST_LENGTH)
    request_digest = models.CharField(max_length=DIGEST_LENGTH)
    system = models.TextField(null=True)  # noqa: DJ001 - no system message is not an empty one
    user = models.TextField()
    variables = models.JSONField(default=list)
    parameters = models.JSONField(default=dict)
    changelog = models.TextField(blank=True)
    document = models.JSONField()
    fixture_count = models.PositiveSmallIntegerField()
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    published_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["probe", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["probe", "number"], name="one_version_a_number"),
            models.UniqueConstraint(fields=["probe", "digest"], name="one_version_a_digest"),
        ]

    def __str__(self) -> str:
        return f"{self.probe} v{self.number}"

    def get_absolute_url(self) -> str:
        return reverse("version", args=[self.probe.team.slug, self.probe.slug, self.number])

    @cached_property
    def parsed(self) -> Document:
        """The version as the core reads it: what scores, renders and exports it."""
        document: dict[str, Any] = self.document
        return Document.from_json(document)


@bounded("version", "fixture_count")
@frozen()
class Fixture(models.Model):
    version = models.ForeignKey(ProbeVersion, on_delete=models.PROTECT, related_name="fixtures")
    position = models.PositiveSmallIntegerField()
    label = models.CharField(max_length=200)
    expect = models.CharField(max_length=4, choices=[("pass", "pass"), ("fail", "fail")])
    fails = models.JSONField(null=True)
    output = models.TextField()

    class Meta:
        ordering = ["version", "position"]
        constraints = [models.UniqueConstraint(fields=["version", "position"], name="one_fixture_a_position")]

    def __str__(self) -> str:
        return self.label
