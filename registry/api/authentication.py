"""Who a program is, by `Authorization: Bearer prt_…`. Without the header it is a visitor."""

from __future__ import annotations

from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from registry.teams import tokens
from registry.teams.models import ApiToken, User

SCHEME = "Bearer"
MALFORMED = "Write the header as “Authorization: Bearer prt_…”, with one token and nothing after it."


class TokenAuthentication(BaseAuthentication):
    """A token that does not work is refused, also where a visitor would be let in."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        header = get_authorization_header(request).decode("latin-1")
        if not header:
            return None
        scheme, _, secret = header.partition(" ")
        if scheme.lower() != SCHEME.lower() or not secret or " " in secret.strip():
            raise AuthenticationFailed(MALFORMED)
        try:
            token = tokens.redeem(secret.strip())
        except tokens.TokenRefused as refused:
            raise AuthenticationFailed(str(refused)) from None
        token.user.came_with = token
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return f'{SCHEME} realm="api"'
