"""How often a thing may be done, counted for all web processes; and how often runs may be started.

Starts, and calls of endpoints by hand, are counted per person and address, as their owner pays them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from threading import Lock
from typing import Any

from django.conf import settings
from django.core.cache import DEFAULT_CACHE_ALIAS, caches
from django.core.cache.backends.db import DatabaseCache
from django.db import connection, transaction
from django.http import HttpRequest
from django.utils import timezone
from rest_framework.throttling import BaseThrottle, SimpleRateThrottle

from registry.web.models import Count

_counting = Lock()
_LONGEST_KEY = 200
_NO_WAIT = "SELECT set_config('synchronous_commit', 'off', true)"
_WITH_PORT = re.compile(r"\[([^\]]+)\](?::[0-9]+)?|([0-9.]+):[0-9]+")
UNKNOWN = "unknown"
"""Whatever is said instead of an address is one address: else everybody could be as many as they like."""
_ONE_SITE = 64
"""Leading bits of an IPv6 address that one household or server shares: the rest it chooses at will."""


def address_of(request: Any) -> str:
    """The address that a request comes from, or UNKNOWN; PROXIES says how many of its hops are ours."""
    return plain(BaseThrottle().get_ident(request) or "")


def plain(address: str) -> str:
    """An address alone: some proxies write the port after it, by which each call would be another's."""
    bracketed = _WITH_PORT.fullmatch(address.strip())
    try:
        found = ip_address((bracketed[1] or bracketed[2]) if bracketed else address.strip())
    except ValueError:
        return UNKNOWN
    if isinstance(found, IPv4Address):
        return str(found)
    return str(found.ipv4_mapped or IPv6Address(int(found)))


def network(address: str) -> str:
    """What a plain address is counted as: its own for IPv4, its /64 for IPv6; all that are none as one."""
    alone = plain(address)
    return str(IPv6Network((alone, _ONE_SITE), strict=False)) if ":" in alone else alone


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

    def seconds_to_wait(self, request: HttpRequest) -> int:
        """Note a request; 0, or how long its sender has to wait as there were too many."""
        if self.allow_request(request, view=None):  # it looks at no view
            return 0
        return int(self.wait() or 0) + 1


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
        return self.cache_format % {"scope": self.scope, "ident": network(address_of(request))}


def seconds_to_wait(request: HttpRequest) -> int:
    """Note a start by the request's person; 0, or how long they have to wait as they started too many."""
    return _PersonStarts().seconds_to_wait(request) or _AddressStarts().seconds_to_wait(request)


def too_many(wait: int) -> str:
    return f"Too many starts in a short time: the next one can be made in {wait} s."
