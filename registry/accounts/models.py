"""What a person is shown of their own door: when and from where it was used, and by which address before."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from registry.teams.models import User

AGENT_LENGTH = 120


class SignIn(models.Model):
    """A sign-in, or what else was done at an account's door. Only the latest are kept, none of who left.

    `user` None is for an address that nobody has: a try at it takes as long as at one that somebody has.
    """

    class What(models.TextChoices):
        ENTERED = "entered", "Signed in"
        ADDRESS_ASKED = "address-asked", "Asked for another e-mail address"
        ADDRESS_CHANGED = "address-changed", "Changed the e-mail address"
        WRONG_PASSWORD = "wrong-password", "Refused: wrong password"
        WRONG_CODE = "wrong-code", "Refused: right password, wrong code"
        TOO_OFTEN = "too-often", "Refused: tried too often"

    user = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="sign_ins")
    what = models.CharField(max_length=20, choices=What.choices, default=What.ENTERED)
    at = models.DateTimeField(default=timezone.now)
    address = models.GenericIPAddressField(null=True)
    agent = models.CharField(max_length=AGENT_LENGTH, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.user or 'Nobody'} from {self.address or 'an unknown address'}"

    @property
    def refused(self) -> bool:
        return self.what in REFUSALS


REFUSALS = (SignIn.What.WRONG_PASSWORD, SignIn.What.WRONG_CODE, SignIn.What.TOO_OFTEN)


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
