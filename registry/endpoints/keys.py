"""Seal all keys with the newest secret, so that an old one can be thrown away."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.db import transaction

from registry.endpoints import vault
from registry.endpoints.models import Endpoint


@dataclass
class Resealed:
    """How many keys were sealed anew, how many were already, and the endpoints whose keys cannot be read."""

    anew: int = 0
    already: int = 0
    unreadable: list[Endpoint] = field(default_factory=list)


def reseal_keys() -> Resealed:
    """Seal every stored key with the first of ENDPOINT_KEYS. Twice changes nothing more; no key is kept."""
    done = Resealed()
    for pk in list(Endpoint.objects.exclude(key_cipher="").order_by("pk").values_list("pk", flat=True)):
        _reseal(pk, done)
    return done


@transaction.atomic
def _reseal(pk: int, done: Resealed) -> None:
    """One endpoint a transaction: who replaces a key at the same time waits, and seals it anew."""
    endpoint = Endpoint.objects.select_for_update(of=("self",)).select_related("team").get(pk=pk)
    try:
        cipher = vault.resealed(endpoint.key_cipher) if endpoint.key_cipher else ""
    except vault.Unreadable:
        done.unreadable.append(endpoint)
        return
    if cipher == endpoint.key_cipher:
        done.already += 1
        return
    Endpoint.objects.filter(pk=pk).update(key_cipher=cipher)
    done.anew += 1
