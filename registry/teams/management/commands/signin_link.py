from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from registry.teams.domain import ensure_administrator, sign_in_link
from registry.teams.models import User

NOT_EMBEDDED = (
    "This registry is open to others (SITE_URL is set), so no administrator is made up here: name an "
    "account with --email, or make one with manage.py createsuperuser."
)


class Command(BaseCommand):
    help = "Print a link that signs in once, within the hour: for the administrator, or for --email."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--email", help="whose link; needed unless the registry runs on loopback only")

    def handle(self, *args: Any, email: str | None = None, **options: Any) -> None:
        self.stdout.write(sign_in_link(self._account(email) if email else self._administrator()))

    def _account(self, email: str) -> User:
        try:
            return User.objects.get(email=email.strip().lower(), is_active=True)
        except User.DoesNotExist:
            raise CommandError(f"No open account has the address {email}.") from None

    def _administrator(self) -> User:
        if not settings.EMBEDDED:
            raise CommandError(NOT_EMBEDDED)
        return ensure_administrator()
