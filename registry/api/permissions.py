"""What a token was made for. What its person may do is decided by registry.teams.access alone."""

from __future__ import annotations

from typing import Any

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from registry.teams.models import ApiToken, Scope


class InScope(BasePermission):
    """A token needs the scope that the view states in `scope`: to read, unless it says otherwise."""

    def has_permission(self, request: Request, view: Any) -> bool:
        needed = getattr(view, "scope", Scope.READ)
        if not isinstance(request.auth, ApiToken) or needed in request.auth.scopes:
            return True
        may = ", ".join(request.auth.scopes) or "nothing"
        self.message = f"This token may {may}, and “{needed}” is needed. Make another on your account's page."
        return False
