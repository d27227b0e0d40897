"""How often runs are started and endpoints called by hand, which their owner pays: per person and address."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Network, ip_address
from typing import Any, cast

from django.conf import settings
from django.http import HttpRequest
from rest_framework.throttling import SimpleRateThrottle

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


class _PersonStarts(SimpleRateThrottle):
    scope = "start-person"

    def get_rate(self) -> str:
        return settings.START_RATE_PERSON

    def get_cache_key(self, request: Any, view: Any) -> str:
        return self.cache_format % {"scope": self.scope, "ident": request.user.pk}


class _AddressStarts(SimpleRateThrottle):
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
