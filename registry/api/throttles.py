"""How often the API may be asked: per address without a token, per token or person with one."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from rest_framework.request import Request

from registry.teams.models import ApiToken, User
from registry.web.limits import Throttle, network


class AddressThrottle(Throttle):
    """Visitors, by the address they come from. PROXIES says how many of its hops are ours."""

    scope = "address"

    def get_rate(self) -> str:
        return settings.API_RATE_ADDRESS

    def get_cache_key(self, request: Request, view: Any) -> str | None:
        if isinstance(request.user, User):
            return None
        return self.cache_format % {"scope": self.scope, "ident": network(self.get_ident(request))}


class PersonThrottle(Throttle):
    """Each token by itself, and people who are signed in."""

    scope = "person"

    def get_rate(self) -> str:
        return settings.API_RATE_PERSON

    def get_cache_key(self, request: Request, view: Any) -> str | None:
        if not isinstance(request.user, User):
            return None
        token = request.auth if isinstance(request.auth, ApiToken) else None
        ident = f"token-{token.pk}" if token else f"user-{request.user.pk}"
        return self.cache_format % {"scope": self.scope, "ident": ident}
