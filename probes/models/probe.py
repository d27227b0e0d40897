"""A probe: a named question owned by a team. What it asks lives in its versions."""

from __future__ import annotations

from django.db import models
from django.urls import reverse
from django.utils import timezone

from registry.immutability import frozen
from registry.teams.models import Team


class Visibility(models.TextChoices):
    PUBLIC = "public", "Public"
    TEAM = "team", "Team only"


@frozen("team", "slug", "created_at")
class Probe(models.Model):
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="probes")
    slug = models.SlugField(max_length=80)
    title = models.CharField(max_length=200)
    category = models.CharField(max_length=80)
    summary = models.TextField(blank=True)
    visibility = models.CharField(max_length=6, choices=Visibility.choices, default=Visibility.PUBLIC)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["team__slug", "slug"]
        constraints = [models.UniqueConstraint(fields=["team", "slug"], name="one_probe_a_slug")]

    def __str__(self) -> str:
        return f"{self.team.slug}/{self.slug}"

    def get_absolute_url(self) -> str:
        return reverse("probe", args=[self.team.slug, self.slug])
