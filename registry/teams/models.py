"""People and teams. A person is anonymised in place, never deleted: what they published stays."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.crypto import salted_hmac

from registry.immutability import frozen

RESERVED_DOMAIN = "invalid"
"""The top-level domain that nobody has (RFC 2606), which addresses of closed accounts end in."""
NOBODYS = "Addresses that end in .invalid are those of closed accounts: write one that mail can reach."


def check_address(email: str) -> None:
    """Refuse an address that only a closed account has. Raises ValidationError."""
    if email.strip().lower().replace("@", ".").endswith(f".{RESERVED_DOMAIN}"):
        raise ValidationError(NOBODYS)


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        """A person who signs in with `email`; without a password only a sign-in link lets them in."""
        if not email:
            raise ValueError("A user needs an e-mail address.")
        check_address(email)
        user = self.model(email=email.strip().lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> User:
        return self.create_user(email, password, **{"is_staff": True, "is_superuser": True, **fields})

    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(email=(username or "").strip().lower())


class User(AbstractBaseUser, PermissionsMixin):
    email = models.EmailField(unique=True, validators=[check_address])
    name = models.CharField(max_length=100, blank=True)
    is_staff = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    joined_at = models.DateTimeField(default=timezone.now)
    sessions_ended = models.PositiveIntegerField(default=0, help_text="how often all of them were")

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    came_with: ApiToken | None = None
    """The token of this very request: what it does not allow, its owner may not do by it."""

    class Meta:
        constraints = [models.UniqueConstraint(Lower("email"), name="one_account_an_address")]

    def __str__(self) -> str:
        return self.name or self.email

    def clean(self) -> None:
        super().clean()
        self.email = self.email.strip().lower()  # as it is looked up when signing in

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """What a session is good for: this password, and until all are ended."""
        bound = f"{self.sessions_ended}.{self.password}"
        return salted_hmac("registry.teams.session", bound, secret=secret, algorithm="sha256").hexdigest()


class Role(models.TextChoices):
    """What a member may do; each role may do what the ones before it may."""

    VIEWER = "viewer", "viewer"
    RUNNER = "runner", "runner"
    AUTHOR = "author", "author"
    OWNER = "owner", "owner"


class Team(models.Model):
    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=100)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices)
    joined_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "user"], name="one_role_a_member")]

    def __str__(self) -> str:
        return f"{self.user} is {self.role} of {self.team}"


@frozen("team", "role", "digest", "invited_by", "created_at", "expires_at")
@frozen("accepted_at", "accepted_by", when="accepted_at")
@frozen("revoked_at", when="revoked_at")
@frozen("signed_up_at", when="signed_up_at")
class Invitation(models.Model):
    """Lets one person into the team with a role, once. Only the secret's SHA-256 is kept: it is shown once.

    `email` is the address that it was sent to; nothing for a link that is passed on by hand.
    """

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="invitations")
    role = models.CharField(max_length=10, choices=Role.choices)
    email = models.EmailField(blank=True)
    digest = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="invitations_made")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)
    accepted_by = models.ForeignKey(
        User, on_delete=models.PROTECT, null=True, related_name="invitations_accepted"
    )
    revoked_at = models.DateTimeField(null=True)
    signed_up_at = models.DateTimeField(null=True, help_text="when an account was made by it")

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"{self.role} of {self.team}"


class Scope(models.TextChoices):
    """What a token may be used for; no token manages endpoints or members."""

    READ = "read", "Read"
    RUN = "run", "Run"
    AUTHOR = "author", "Author"


@frozen("user", "digest", "scopes", "team", "expires_at", "created_at")
@frozen("revoked_at", when="revoked_at")
class ApiToken(models.Model):
    """Opens the API for a program of `user`. Only the secret's SHA-256 is kept: it is shown once.

    `team` narrows it to one of the user's teams; none means all of them. What it allows is never
    widened, nor a revoked one opened again: another is made.
    """

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="tokens")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True)
    prefix = models.CharField(max_length=12, help_text="how the secret begins, to tell tokens apart")
    scopes = models.JSONField()
    team = models.ForeignKey(Team, on_delete=models.PROTECT, null=True, related_name="tokens")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "name"],
                condition=models.Q(revoked_at__isnull=True),
                name="one_open_token_a_name",
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def expired(self) -> bool:
        return self.expires_at <= timezone.now()
