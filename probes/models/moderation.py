"""What was taken from sight or erased: by whom, when and why. Append-only, as what it is about is."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from probes.models.run import Attempt, Batch
from registry.audit.domain import SITE_STAFF
from registry.immutability import frozen

LONGEST_REASON = 300


@frozen(erasable=())
class Moderation(models.Model):
    """One act on a batch; a redaction is of one attempt of it. The reason is for owners only.

    `as_staff`: by whoever runs the site, and not for the team.
    """

    class Act(models.TextChoices):
        HIDE = "hide", "hidden"
        UNHIDE = "unhide", "shown again"
        REDACT = "redact", "redacted"

    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, related_name="moderations")
    attempt = models.ForeignKey(Attempt, on_delete=models.PROTECT, null=True, related_name="moderations")
    act = models.CharField(max_length=6, choices=Act.choices)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="moderations")
    as_staff = models.BooleanField(default=False)
    reason = models.CharField(max_length=LONGEST_REASON)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(act="redact", attempt__isnull=False)
                | (~Q(act="redact") & Q(attempt__isnull=True)),
                name="redactions_are_of_attempts",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_act_display()}: {self.reason}"

    @property
    def who(self) -> str:
        return SITE_STAFF if self.as_staff else str(self.by)
