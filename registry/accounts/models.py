"""When and from where a person signed in, for that person to look over."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from registry.teams.models import User

AGENT_LENGTH = 120


class SignIn(models.Model):
    """One sign-in that succeeded. Only the latest of a person are kept, and none of who left."""

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="sign_ins")
    at = models.DateTimeField(default=timezone.now)
    address = models.GenericIPAddressField(null=True)
    agent = models.CharField(max_length=AGENT_LENGTH, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.user} from {self.address or 'an unknown address'}"
