"""One-time sign-in codes: signed, good for an hour, and dead once used.

A code stands after the `#` of a link, which browsers keep to themselves, so that none reaches an
access log, a proxy or a Referer header.
"""

from __future__ import annotations

from datetime import UTC, datetime

from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.utils.encoding import force_str
from django.utils.http import base36_to_int, urlsafe_base64_decode, urlsafe_base64_encode

from registry.teams.models import User

GOOD_FOR_SECONDS = 3600


class SignInCodes(PasswordResetTokenGenerator):
    """A code is bound to the last sign-in: the next one, by whatever way, kills it."""

    key_salt = "registry.teams.signin"

    def _make_hash_value(self, user: User, timestamp: int) -> str:
        # Django's own drops the microseconds: a code could be used twice within one second
        last = user.last_login.isoformat() if user.last_login else ""
        return f"{user.pk}{user.password}{last}{timestamp}{user.email}"

    def _in_time(self, token: str) -> bool:
        made = base36_to_int(token.split("-")[0])
        return 0 <= self._num_seconds(self._now()) - made <= GOOD_FOR_SECONDS

    def check_token(self, user: User | None, token: str | None) -> bool:
        return super().check_token(user, token) and self._in_time(str(token))


codes = SignInCodes()


def make_code(user: User) -> str:
    """A code that signs `user` in once, within the hour."""
    return f"{urlsafe_base64_encode(str(user.pk).encode())}.{codes.make_token(user)}"


def redeem(code: str) -> User | None:
    """The person that `code` signs in, and the code's end; None when it is not, or no longer, good."""
    name, _, token = code.strip().rpartition("#")[2].partition(".")
    user = _named(name)
    if user is None or not codes.check_token(user, token):
        return None
    # of two that come at the same moment, one wins
    unused = User.objects.filter(pk=user.pk, last_login=user.last_login)
    return user if unused.update(last_login=datetime.now(UTC)) else None


def _named(name: str) -> User | None:
    try:
        return User.objects.get(pk=int(force_str(urlsafe_base64_decode(name))), is_active=True)
    except (User.DoesNotExist, ValueError, OverflowError):
        return None
