"""Tokens that open the API: made once, kept as a digest, refused with a reason."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from registry.audit.domain import record
from registry.teams.models import ApiToken, Scope, Team, User

START = "prt_"
"""How every token begins, so that it is known for one wherever it turns up."""
SHOWN = 8
"""Characters of a token that lists show."""
MOST_OPEN = 50
NOTED_EVERY = timedelta(minutes=1)


class TokenRefused(Exception):
    """The token opens nothing; the message says why and what to do."""


@dataclass(frozen=True)
class Made:
    """A new token with its secret, which is nowhere else."""

    token: ApiToken
    secret: str

    def __repr__(self) -> str:
        return f"Made({self.token.prefix}…)"


@transaction.atomic
def make_token(
    user: User, name: str, scopes: Collection[str], team: Team | None, good_for: timedelta
) -> Made:
    """A token of `user` for one of their teams, or for all."""
    secret = START + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        user=user,
        name=name,
        digest=digest_of(secret),
        prefix=secret[:SHOWN],
        scopes=[scope for scope in Scope.values if scope in scopes],
        team=team,
        expires_at=timezone.now() + good_for,
    )
    _note(token, "token-made")
    return Made(token, secret)


def _note(token: ApiToken, action: str, by: User | None = None) -> None:
    """In the log of the token's team; of one for all teams, in that of every team it reaches now."""
    teams = [token.team] if token.team else Team.objects.filter(memberships__user=token.user)
    until = f"{token.expires_at:%Y-%m-%d}"
    for team in teams:
        said = {"may": token.scopes, "all_teams": not token.team, "until": until}
        record(team, by or token.user, action, token.name, whom=token.user, **said)


def digest_of(secret: str) -> str:
    """A plain SHA-256 is enough: the secret is 256 random bits, and cannot be guessed from it."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def open_tokens(user: User) -> QuerySet[ApiToken]:
    """Those not revoked, expired ones too, the newest first."""
    return ApiToken.objects.filter(user=user, revoked_at=None).select_related("team")


@transaction.atomic
def revoke(token: ApiToken, by: User | None = None) -> None:
    """End it for good; `by` is whoever did it, if not the token's own person."""
    if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
        _note(token, "token-revoked", by)


def revoke_in(team: Team, user: User, by: User) -> None:
    """Revoke the tokens of `user` that are for this team alone, as they leave it."""
    for token in ApiToken.objects.filter(user=user, team=team, revoked_at=None).select_related(
        "team", "user"
    ):
        revoke(token, by)


def redeem(secret: str) -> ApiToken:
    """The token, with its user and team; its use is noted. Raises TokenRefused."""
    token = ApiToken.objects.select_related("user", "team").filter(digest=digest_of(secret)).first()
    if token is None:
        raise TokenRefused("No such token. Copy it whole; it was shown once, when it was made.")
    if problem := _problem(token):
        raise TokenRefused(problem)
    _note_use(token)
    return token


def _problem(token: ApiToken) -> str:
    if token.revoked_at:
        return f"This token was revoked on {token.revoked_at:%Y-%m-%d}. Make another on your account's page."
    if token.expired:
        return f"This token expired on {token.expires_at:%Y-%m-%d}. Make another on your account's page."
    return "" if token.user.is_active else "The account of this token is closed."


def _note_use(token: ApiToken) -> None:
    """At most once a minute: reading should not cost a write."""
    now = timezone.now()
    if token.last_used_at and now - token.last_used_at < NOTED_EVERY:
        return
    stale = Q(last_used_at=None) | Q(last_used_at__lte=now - NOTED_EVERY)
    ApiToken.objects.filter(stale, pk=token.pk).update(last_used_at=now)
