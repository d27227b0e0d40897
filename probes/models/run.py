"""What was run: batches, runs, trials (the queue), attempts and verdicts (the evidence)."""

from __future__ import annotations

import uuid
from typing import get_args

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from probes.core.scoring import OutputIs
from probes.models.probe import Visibility
from probes.models.version import ProbeVersion, Rule
from registry.endpoints.models import Endpoint
from registry.immutability import bounded, frozen
from registry.teams.models import Team

REASONS = {"connect": "no connection", "not_json": "not JSON", "interrupted": "interrupted in flight"}
"""Words for error codes that do not read as words themselves."""


class State(models.TextChoices):
    """Of a batch and of a run; derived from their trials, and final once `finished_at` is set."""

    RUNNING = "running", "running"
    FINISHED = "finished", "finished"
    CANCELLED = "cancelled", "cancelled"


@frozen("team", "started_by", "visibility", "practice", "created_at", "idempotency_key", "run_count")
@frozen(
    "title", "state", "finished_at", "cancelled_at", when="finished_at"
)  # seq goes on: a late reply takes one
class Batch(models.Model):
    """What one person started at once; the unit of streaming, visibility and download.

    `seq` is the last event number given out; every change a viewer can see takes the next one.
    Visibility is chosen at the start and never changes: nobody publishes only the runs they liked.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="batches")
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="batches"
    )
    title = models.CharField(max_length=300)
    visibility = models.CharField(max_length=6, choices=Visibility.choices)
    practice = models.BooleanField(default=False)
    run_count = models.PositiveSmallIntegerField(default=0)
    idempotency_key = models.CharField(max_length=100, null=True)  # noqa: DJ001 - null is "none given"
    state = models.CharField(max_length=10, choices=State.choices, default=State.RUNNING)
    seq = models.PositiveBigIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    hidden_at = models.DateTimeField(null=True, help_text="while set, only members of the team see it")
    cancelled_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        verbose_name_plural = "batches"
        constraints = [
            models.UniqueConstraint(fields=["team", "idempotency_key"], name="one_batch_a_key"),
            models.CheckConstraint(
                condition=Q(state="running", finished_at__isnull=True)
                | (~Q(state="running") & Q(finished_at__isnull=False)),
                name="finished_batches_say_when",
            ),
        ]
        indexes = [models.Index(fields=["-created_at"], name="batches_latest")]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("batch", args=[self.pk])

    @property
    def hidden(self) -> bool:
        return self.hidden_at is not None


@bounded("batch", "run_count")
@frozen("batch", "position", "version", "endpoint", "endpoint_name", "model", "binding", "repeats")
@frozen(when="finished_at")
class Run(models.Model):
    """One model answering one probe version with one binding of its variables, `repeats` times.

    `alters` names what the endpoint does to messages or parameters (`no temperature`): such a run
    says so wherever it is shown, and is never pooled with unaltered ones.
    """

    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, related_name="runs")
    position = models.PositiveSmallIntegerField()
    version = models.ForeignKey(ProbeVersion, on_delete=models.PROTECT, related_name="runs")
    endpoint = models.ForeignKey(Endpoint, on_delete=models.PROTECT, related_name="runs")
    endpoint_name = models.CharField(max_length=100)
    model = models.CharField(max_length=200)
    binding = models.JSONField(default=dict)
    repeats = models.PositiveSmallIntegerField(default=1)
    alters = models.JSONField(default=list)
    state = models.CharField(max_length=10, choices=State.choices, default=State.RUNNING)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["batch", "position"]
        constraints = [
            models.UniqueConstraint(fields=["batch", "position"], name="one_run_a_position"),
            models.CheckConstraint(
                condition=Q(state="running", finished_at__isnull=True)
                | (~Q(state="running") & Q(finished_at__isnull=False)),
                name="finished_runs_say_when",
            ),
        ]
        indexes = [models.Index(fields=["batch"], condition=Q(state="running"), name="runs_running")]

    def __str__(self) -> str:
        return f"{self.model} on {self.version}"

    def get_absolute_url(self) -> str:
        return reverse("run", args=[self.batch_id, self.position])


@bounded("run", "repeats")
@frozen("run", "repeat")
@frozen("state", "final", "closed_at", when="closed_at")  # a late reply still moves its seq
class Trial(models.Model):
    """One repeat of a run: a mutable row of the queue. The database is the queue.

    `tries` numbers the calls: a worker may only close the trial with the call it was leased for.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "waiting"
        LEASED = "leased", "calling"
        CLOSED = "closed", "closed"
        CANCELLED = "cancelled", "cancelled"

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="trials")
    repeat = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    due_at = models.DateTimeField()
    lease_owner = models.CharField(max_length=80, blank=True)
    lease_until = models.DateTimeField(null=True)
    leased_at = models.DateTimeField(null=True, help_text="when the latest call began")
    lost = models.PositiveSmallIntegerField(default=0, help_text="leases that ran out with their worker")
    tries = models.PositiveSmallIntegerField(default=0, help_text="calls begun; committed before each call")
    doubled = models.BooleanField(default=False, help_text="the next call has twice the token limit")
    seq = models.PositiveBigIntegerField(default=0, help_text="the batch's seq at this row's last change")
    final = models.OneToOneField("Attempt", on_delete=models.PROTECT, null=True, related_name="closes")
    closed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["run", "repeat"]
        constraints = [
            models.UniqueConstraint(fields=["run", "repeat"], name="one_trial_a_repeat"),
            models.CheckConstraint(
                condition=Q(closed_at__isnull=True, state__in=["waiting", "leased"])
                | Q(closed_at__isnull=False, state__in=["closed", "cancelled"]),
                name="closed_trials_are_over",
            ),
            models.CheckConstraint(
                condition=~Q(state="closed") | Q(final__isnull=False), name="closed_trials_have_an_attempt"
            ),
        ]
        indexes = [
            models.Index(fields=["due_at"], condition=Q(state="waiting"), name="trials_due"),
            models.Index(fields=["lease_until"], condition=Q(state="leased"), name="trials_leased"),
        ]

    def __str__(self) -> str:
        return f"repeat {self.repeat} of {self.run}"


class Outcome(models.TextChoices):
    """Decided from provider fields before any rule runs; all but `error` are scored."""

    ANSWERED = "answered", "answered"
    EMPTY = "empty", "empty"
    TRUNCATED = "truncated", "truncated"
    REFUSED = "refused", "refused"
    FILTERED = "filtered", "filtered"
    ERROR = "error", "error"


@frozen()
class Attempt(models.Model):
    """One call made for a trial: append-only evidence. Reasoning text is never here, only its tokens.

    `number` is the trial's count of calls when this one began. A call whose worker was lost is
    recorded as such; if its reply arrives all the same, that is a second row with `late` set.
    """

    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, related_name="attempts")
    trial = models.ForeignKey(Trial, on_delete=models.PROTECT, related_name="attempts")
    number = models.PositiveSmallIntegerField()
    seq = models.PositiveBigIntegerField()
    outcome = models.CharField(max_length=10, choices=Outcome.choices)
    error = models.CharField(max_length=40, blank=True, help_text="why it is unscored, as a code")
    detail = models.TextField(blank=True, help_text="what the server said, scrubbed and shortened")
    status = models.PositiveSmallIntegerField(null=True)
    output = models.TextField(blank=True)
    output_is = models.CharField(
        max_length=8,
        blank=True,
        choices=[(kind, kind) for kind in get_args(OutputIs)],
        help_text="beside the finish, what the outcome was decided from",
    )
    repaired = models.BooleanField(default=False, help_text="NUL or lone surrogates were replaced")
    finish = models.CharField(max_length=60, blank=True)
    served_model = models.CharField(max_length=200, blank=True)
    endpoint_name = models.CharField(max_length=100)
    prompt_tokens = models.PositiveIntegerField(null=True)
    completion_tokens = models.PositiveIntegerField(null=True)
    reasoning_tokens = models.PositiveIntegerField(null=True)
    sent_messages = models.JSONField(null=True, help_text="captured at the transport")
    sent_parameters = models.JSONField(default=dict)
    sent_digest = models.CharField(max_length=64, blank=True)
    late = models.BooleanField(default=False, help_text="arrived after its lease was lost")
    may_be_billed = models.BooleanField(default=False)
    milliseconds = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField()
    recorded_at = models.DateTimeField(default=timezone.now)
    passed = models.PositiveSmallIntegerField(null=True)
    total = models.PositiveSmallIntegerField(null=True)
    scored_with = models.CharField(max_length=200, blank=True)
    redacted_at = models.DateTimeField(null=True)
    output_digest = models.CharField(
        max_length=64, blank=True, help_text="SHA-256 of the output as it was before it was redacted"
    )

    class Meta:
        ordering = ["batch", "seq"]
        constraints = [
            models.UniqueConstraint(fields=["batch", "seq"], name="one_attempt_a_seq"),
            models.UniqueConstraint(fields=["trial", "number", "late"], name="one_attempt_a_call"),
        ]
        indexes = [models.Index(fields=["started_at"], name="attempts_begun")]

    def __str__(self) -> str:
        return f"attempt {self.number} of {self.trial}"

    @property
    def reason(self) -> str:
        """Why it is unscored, in words."""
        return REASONS.get(self.error, self.error.replace("_", " "))


@bounded("attempt", "total")
@frozen()
class Verdict(models.Model):
    """One rule's finding on one attempt, as the core reported it."""

    attempt = models.ForeignKey(Attempt, on_delete=models.PROTECT, related_name="verdicts")
    rule = models.ForeignKey(Rule, on_delete=models.PROTECT, related_name="verdicts")
    position = models.PositiveSmallIntegerField()
    ok = models.BooleanField()
    actual = models.JSONField(null=True)
    expected = models.JSONField(null=True)
    unit = models.CharField(max_length=60, blank=True)
    message = models.TextField()
    spans = models.JSONField(default=list)

    class Meta:
        ordering = ["attempt", "position"]
        constraints = [models.UniqueConstraint(fields=["attempt", "rule"], name="one_verdict_a_rule")]

    def __str__(self) -> str:
        return self.message
