"""What was done in a team that its owners may want to look up: a line each, which nobody can change."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from registry.audit.actions import ACTIONS
from registry.immutability import frozen
from registry.teams.models import Team, User


@frozen(erasable=("by_name", "about", "details"))  # where they name somebody whose account was closed
class Entry(models.Model):
    """One thing done. `by` None is the operator; `by_name` is what the person was called then.

    `whom` is who else is named: in `about`, as the owner of a token, or as who invited. `about` names
    what it was done to, as it was called then. `details` are words for the page.
    """

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="audit_entries")
    by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="audit_entries")
    whom = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="told_of")
    by_name = models.CharField(max_length=300, blank=True)
    at = models.DateTimeField(default=timezone.now)
    action = models.CharField(max_length=40)
    about = models.CharField(max_length=400)
    details = models.JSONField(default=dict)

    class Meta:
        verbose_name_plural = "entries"
        ordering = ["-at", "-id"]
        indexes = [
            models.Index(fields=["team", "-at", "-id"], name="log_of_a_team"),
            models.Index(fields=["team", "by"], name="people_of_a_log"),
        ]

    def __str__(self) -> str:
        return f"{self.who} {self.said} {self.about}"

    @property
    def who(self) -> str:
        return self.by_name or "the operator"

    @property
    def said(self) -> str:
        """The action in words."""
        return ACTIONS.get(self.action, self.action)

    @property
    def shown(self) -> list[tuple[str, str]]:
        """The details as words."""
        return [(name.replace("_", " "), _words(value)) for name, value in self.details.items()]


def _words(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
