"""A ladder is an immutable ordered list of rungs; a race is a batch in which models climb it."""

from __future__ import annotations

from django.db import models
from django.urls import reverse
from django.utils import timezone

from probes.models import Batch, ProbeVersion, Run
from registry.endpoints.models import Endpoint
from registry.immutability import bounded, frozen
from registry.teams.models import Team


@frozen()
class Ladder(models.Model):
    """One published edition of a ladder; a changed list of rungs is the next `number`."""

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="ladders")
    slug = models.SlugField(max_length=80)
    number = models.PositiveIntegerField()
    title = models.CharField(max_length=200)
    summary = models.TextField()
    digest = models.CharField(max_length=64)
    rung_count = models.PositiveSmallIntegerField()
    published_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["team", "slug", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["team", "slug", "number"], name="one_ladder_a_number"),
            models.UniqueConstraint(fields=["team", "slug", "digest"], name="one_ladder_a_digest"),
        ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("ladder", args=[self.team.slug, self.slug])


@bounded("ladder", "rung_count")
@frozen()
class Rung(models.Model):
    """A probe version placed on a ladder. `key` is the published id (`ten-words`)."""

    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="rungs")
    index = models.PositiveSmallIntegerField()
    key = models.SlugField(max_length=40)
    label = models.CharField(max_length=80)
    constraint = models.CharField(max_length=200)
    version = models.ForeignKey(ProbeVersion, on_delete=models.PROTECT, related_name="rungs")

    class Meta:
        ordering = ["ladder", "index"]
        constraints = [
            models.UniqueConstraint(fields=["ladder", "index"], name="one_rung_an_index"),
            models.UniqueConstraint(fields=["ladder", "key"], name="one_rung_an_id"),
        ]

    def __str__(self) -> str:
        return f"{self.index} {self.key}"


@frozen()
class Race(models.Model):
    batch = models.OneToOneField(Batch, on_delete=models.PROTECT, primary_key=True, related_name="race")
    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="races")
    concept = models.CharField(max_length=200)
    climb_count = models.PositiveSmallIntegerField(default=0)

    def __str__(self) -> str:
        return self.concept

    def get_absolute_url(self) -> str:
        return reverse("race", args=[self.pk])


@bounded("race", "climb_count")
@frozen()
class Climb(models.Model):
    """One model's way up in a race: letter A, B, …"""

    race = models.ForeignKey(Race, on_delete=models.PROTECT, related_name="climbs")
    letter = models.CharField(max_length=1)
    endpoint = models.ForeignKey(Endpoint, on_delete=models.PROTECT, related_name="climbs")
    model = models.CharField(max_length=200)

    class Meta:
        ordering = ["race", "letter"]
        constraints = [models.UniqueConstraint(fields=["race", "letter"], name="one_climb_a_letter")]

    def __str__(self) -> str:
        return f"{self.letter}: {self.model}"


@frozen()
class Hold(models.Model):
    """Which run is a climb's try at a rung."""

    climb = models.ForeignKey(Climb, on_delete=models.PROTECT, related_name="holds")
    rung = models.ForeignKey(Rung, on_delete=models.PROTECT, related_name="holds")
    run = models.OneToOneField(Run, on_delete=models.PROTECT, related_name="hold")

    class Meta:
        ordering = ["climb", "rung"]
        constraints = [models.UniqueConstraint(fields=["climb", "rung"], name="one_hold_a_rung")]

    def __str__(self) -> str:
        return f"{self.climb} at {self.rung}"
