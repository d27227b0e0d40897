"""Where a team reaches models, and what each server does and does not accept."""

from __future__ import annotations

from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone

from registry.endpoints import vault
from registry.teams.models import Team


class Endpoint(models.Model):
    """An OpenAI-compatible server. History keeps its name: it is closed, never deleted.

    Prices are what the team states, for a million tokens; None where it states none.
    """

    class Reasoning(models.TextChoices):
        LEAVE = "leave", "Leave alone"
        OFF = "off", "Off (chat_template_kwargs)"
        NONE = "none", "Effort none (reasoning_effort)"
        MINIMAL = "minimal", "Effort minimal (reasoning_effort)"
        LOW = "low", "Effort low (reasoning_effort)"
        MEDIUM = "medium", "Effort medium (reasoning_effort)"
        HIGH = "high", "Effort high (reasoning_effort)"

    class TokenLimit(models.TextChoices):
        MAX_TOKENS = "max_tokens", "max_tokens"
        MAX_COMPLETION_TOKENS = "max_completion_tokens", "max_completion_tokens"

    class SystemRole(models.TextChoices):
        SEND = "send", "Send as is"
        FOLD = "fold", "Put in front of the user message"

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="endpoints")
    slug = models.SlugField(max_length=60)
    name = models.CharField(max_length=100)
    base_url = models.CharField("base URL", max_length=500)
    practice = models.BooleanField(default=False, editable=False)
    key_cipher = models.TextField(blank=True, editable=False)
    key_last4 = models.CharField(max_length=4, blank=True, editable=False)
    key_set_at = models.DateTimeField(null=True, blank=True, editable=False)
    reasoning = models.CharField(max_length=10, choices=Reasoning.choices, default=Reasoning.LEAVE)
    inline_thinking = models.BooleanField(default=False)
    token_limit = models.CharField(max_length=30, choices=TokenLimit.choices, default=TokenLimit.MAX_TOKENS)
    send_temperature = models.BooleanField(default=True)
    system_role = models.CharField(max_length=10, choices=SystemRole.choices, default=SystemRole.SEND)
    extra_body = models.JSONField(default=dict, blank=True)
    concurrency = models.PositiveSmallIntegerField(
        default=8, validators=[MinValueValidator(1), MaxValueValidator(128)]
    )
    requests_per_minute = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1)]
    )
    deadline_seconds = models.PositiveIntegerField(
        default=120, validators=[MinValueValidator(1), MaxValueValidator(1800)]
    )
    owners_only = models.BooleanField(default=False)
    price_prompt = models.DecimalField(
        max_digits=12, decimal_places=6, null=True, blank=True, validators=[MinValueValidator(0)]
    )
    price_completion = models.DecimalField(
        max_digits=12, decimal_places=6, null=True, blank=True, validators=[MinValueValidator(0)]
    )
    currency = models.CharField(
        max_length=3,
        default="USD",
        validators=[RegexValidator(r"\A[A-Z]{3}\Z", "Write its three letters, such as USD.")],
    )
    models_offered = models.JSONField(default=list, blank=True, editable=False)
    models_listed_at = models.DateTimeField(null=True, blank=True, editable=False)
    not_before = models.DateTimeField(null=True, blank=True, editable=False)
    paused_at = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    closed_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["-practice", "slug"]
        constraints = [
            models.UniqueConstraint(fields=["team", "slug"], name="one_endpoint_a_slug"),
            models.UniqueConstraint(
                "team", Lower("name"), condition=models.Q(closed_at=None), name="one_open_endpoint_a_name"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def set_key(self, key: str) -> None:
        """Encrypt `key` into this row (not yet saved); an empty key removes it."""
        self.key_cipher = vault.seal(key) if key else ""
        self.key_last4 = key[-4:] if len(key) >= 12 else ""
        self.key_set_at = timezone.now() if key else None

    def key(self) -> str:
        """The key in clear, "" when none is set. Raises vault.Unreadable; never log what this returns."""
        return vault.open_sealed(self.key_cipher) if self.key_cipher else ""

    @property
    def unreadable(self) -> bool:
        """Whether its key was sealed with a secret that is gone: it cannot be sent, and is entered again."""
        try:
            self.key()
        except vault.Unreadable:
            return True
        return False
