"""Seal with the first of ENDPOINT_KEYS what they seal: endpoints' keys, and people's second factors."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.accounts.domain import reseal_second_factors
from registry.endpoints.keys import reseal_keys
from registry.endpoints.models import Endpoint

BACK = (
    "Put the secret that sealed them back into ENDPOINT_KEYS, and run this again. "
    "The key of an endpoint can also be entered anew on its page."
)


class Command(BaseCommand):
    help = (
        "Seal endpoints' keys and people's second factors with the first of ENDPOINT_KEYS. "
        "Put the new secret first and keep the others, restart the site and its workers, "
        "run this, then take the others out and restart again."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        done, lost = reseal_keys(), reseal_second_factors()
        print(f"Sealed anew: {done.anew}. Sealed with the first secret already: {done.already}.")
        problems = _unreadable(done.unreadable)
        if lost:
            problems.append(f"Second factors that cannot be read: {lost}.")
        if problems:
            raise CommandError("\n".join([*problems, BACK]))


def _unreadable(endpoints: list[Endpoint]) -> list[str]:
    if not endpoints:
        return []
    named = [f"  {each.name} ({each.team.slug}/{each.slug})" for each in endpoints]
    return [f"Endpoints whose keys cannot be read: {len(named)}:", *named]
