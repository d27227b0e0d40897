"""A person with a password, the codes that their app would show, and the links that they were mailed."""

from __future__ import annotations

import re

from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.core import mail
from django.test import Client

from registry.teams.models import User

PASSWORD = "heron-over-still-water"
SECRET = "JBSWY3DPEHPK3PXP"


def app_codes(secret: str) -> list[str]:
    """What an app shows before now, now and next."""
    return [format_hotp_value(hotp_value(secret, counter)) for counter in yield_hotp_counters_from_time()]


def with_password(user: User) -> User:
    user.set_password(PASSWORD)
    user.save()
    return user


def with_second_factor(user: User) -> list[str]:
    """Gives `user` a second factor; its recovery codes."""
    from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
    from allauth.mfa.totp.internal.auth import TOTP

    TOTP.activate(user, SECRET)
    assert Authenticator.objects.filter(user=user).exists()
    return RecoveryCodes.activate(user).get_unused_codes()


def sign_in(client: Client, user: User, **more: str):
    return client.post("/sign-in/", {"login": user.email, "password": PASSWORD} | more)


def who(client: Client) -> str | None:
    return client.session.get("_auth_user_id")


def mailed_link() -> str:
    """The path of the link in the latest mail."""
    [path] = re.findall(r"http://[^/\s]+(/(?:password|sign-up)/\S+)", str(mail.outbox[-1].body))
    return path
