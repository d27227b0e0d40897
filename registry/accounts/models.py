"""What a person is shown of their own door: when and from where it was used, and by which address before."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from registry.teams.models import User

AGENT_LENGTH = 120


class SignIn(models.Model):
    """A sign-in, or what else was done at an account's door. Only the latest are kept, none of who left."""

    class What(models.TextChoices):
        ENTERED = "entered", "Signed in"
        ADDRESS_ASKED = "address-asked", "Asked for another e-mail address"
        ADDRESS_CHANGED = "address-changed", "Changed the e-mail address"

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="sign_ins")
    what = models.CharField(max_length=20, choices=What.choices, default=What.ENTERED)
    at = models.DateTimeField(default=timezone.now)
    address = models.GenericIPAddressField(null=True)
    agent = models.CharField(max_length=AGENT_LENGTH, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.user} from {self.address or 'an unknown address'}"


class FormerAddress(models.Model):
    """An e-mail address that a person had before: logs still know them by it. It lets nobody in.

    It is forgotten with their account.
    """

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="former_addresses")
    email = models.EmailField(db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "email"], name="one_former_address")]

    def __str__(self) -> str:
        return self.email
