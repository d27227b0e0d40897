"""Seal every endpoint's key with the first of ENDPOINT_KEYS."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.endpoints.keys import reseal_keys
from registry.endpoints.models import Endpoint


class Command(BaseCommand):
    help = (
        "Seal every endpoint's key with the first of ENDPOINT_KEYS. Put the new secret first and keep the "
        "others, restart the site and its workers, run this, then take the others out and restart again."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        done = reseal_keys()
        print(f"Sealed anew: {done.anew}. Sealed with the first secret already: {done.already}.")
        if done.unreadable:
            raise CommandError(_unreadable(done.unreadable))


def _unreadable(endpoints: list[Endpoint]) -> str:
    named = [f"  {each.name} ({each.team.slug}/{each.slug})" for each in endpoints]
    return "\n".join(
        [
            f"Cannot be read: {len(named)}. No secret in ENDPOINT_KEYS opens the keys of:",
            *named,
            "Put the secret that sealed them back into ENDPOINT_KEYS, or enter these keys again.",
        ]
    )
