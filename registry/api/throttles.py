"""How often the API may be asked: per address by visitors, per person by whoever is known."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from rest_framework.request import Request

from registry.teams.models import User
from registry.web.limits import Throttle, address_of, network


class AddressThrottle(Throttle):
    """Visitors, and whoever brings a token that opens nothing, by the address they come from."""

    scope = "address"

    def get_rate(self) -> str:
        return settings.API_RATE_ADDRESS

    def get_cache_key(self, request: Request, view: Any) -> str | None:
        if isinstance(request.user, User):
            return None
        return self.cache_format % {"scope": self.scope, "ident": network(address_of(request))}


class PersonThrottle(Throttle):
    """People, by all their tokens and browsers together."""

    scope = "person"

    def get_rate(self) -> str:
        return settings.API_RATE_PERSON

    def get_cache_key(self, request: Request, view: Any) -> str | None:
        if not isinstance(request.user, User):
            return None
        return self.cache_format % {"scope": self.scope, "ident": request.user.pk}
