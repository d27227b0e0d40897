"""How often a thing may be done, counted for all web processes; and how often runs may be started.

Starts, and calls of endpoints by hand, are counted per person and address, as their owner pays them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import IPv4Address, IPv6Network, ip_address
from threading import Lock
from typing import Any, cast

from django.conf import settings
from django.core.cache import DEFAULT_CACHE_ALIAS, caches
from django.core.cache.backends.db import DatabaseCache
from django.db import connection, transaction
from django.http import HttpRequest
from django.utils import timezone
from rest_framework.throttling import SimpleRateThrottle

from registry.web.models import Count

_counting = Lock()
_LONGEST_KEY = 200
_NO_WAIT = "SELECT set_config('synchronous_commit', 'off', true)"
_ONE_SITE = 64
"""Leading bits of an IPv6 address that one household or server shares: the rest it chooses at will."""


def network(address: str) -> str:
    """What an address is counted as: its own for IPv4, its /64 for IPv6; what is no address as it is."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv4Address):
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(IPv6Network((int(found), _ONE_SITE), strict=False))


def key_of(key: str, prefix: str, version: int) -> str:
    """The cache's key, fit for its column whatever an address looks like."""
    plain = len(key) <= _LONGEST_KEY and key.isascii() and key.isprintable()
    return f"{version}:{key}" if plain else hashlib.sha256(key.encode(errors="replace")).hexdigest()


def shared() -> bool:
    """Whether several web processes count together."""
    return isinstance(caches[DEFAULT_CACHE_ALIAS], DatabaseCache)


@contextmanager
def one_at_a_time(key: str) -> Iterator[None]:
    """Of those who count for `key` at the same moment each sees what the others did."""
    if not shared() or connection.vendor != "postgresql":
        with _counting:
            yield
        return
    with transaction.atomic(), connection.cursor() as cursor:
        # a count that a crash takes back does no harm: nobody waits for the disk
        cursor.execute(f"{_NO_WAIT}, pg_advisory_xact_lock(hashtextextended(%s, 0))", [key])
        yield


def forget_counts() -> int:
    """Drop what was counted so long ago that it holds nobody back; of how many keys."""
    expired = Count.objects.filter(expires__lt=timezone.now())
    return expired.delete()[0] if shared() and expired.exists() else 0


class Throttle(SimpleRateThrottle):
    """REST framework's, exact among threads and processes that ask at once."""

    def allow_request(self, request: Any, view: Any) -> bool:
        key = self.get_cache_key(request, view)
        if key is None:
            return True
        with one_at_a_time(key):
            return bool(super().allow_request(request, view))


class _PersonStarts(Throttle):
    scope = "start-person"

    def get_rate(self) -> str:
        return settings.START_RATE_PERSON

    def get_cache_key(self, request: Any, view: Any) -> str:
        return self.cache_format % {"scope": self.scope, "ident": request.user.pk}


class _AddressStarts(Throttle):
    scope = "start-address"

    def get_rate(self) -> str:
        return settings.START_RATE_ADDRESS

    def get_cache_key(self, request: Any, view: Any) -> str:
        return self.cache_format % {"scope": self.scope, "ident": network(self.get_ident(request))}


def seconds_to_wait(request: HttpRequest) -> int:
    """Note a start by the request's person; 0, or how long they have to wait as they started too many."""
    for throttle in (_PersonStarts(), _AddressStarts()):
        if not throttle.allow_request(cast("Any", request), view=cast("Any", None)):  # it looks at no view
            return int(throttle.wait() or 0) + 1
    return 0


def too_many(wait: int) -> str:
    return f"Too many starts in a short time: the next one can be made in {wait} s."
