"""What happens when somebody signs in, and when an address turns out to be theirs."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from allauth.account.signals import email_confirmed
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest

from registry.accounts import domain
from registry.accounts.models import SignIn
from registry.teams.domain import ensure_personal_team
from registry.teams.models import User


@receiver(user_logged_in)
def note_sign_in(request: HttpRequest, user: User, **_: Any) -> None:
    if "REMOTE_ADDR" in request.META:  # else nobody came: a program signed itself in
        domain.note(request, user, SignIn.What.ENTERED)


@receiver(email_confirmed)
def found_personal_team(email_address: EmailAddress, **_: Any) -> None:
    """Not sooner: whoever types in other people's addresses founds nothing."""
    ensure_personal_team(email_address.user)
