"""Ask the API as a program does: by its addresses, with a token or without."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.test import Client

from registry.teams.models import Team, User
from registry.teams.tokens import make_token

API = "/api/v1/"


def bearer(user: User, *scopes: str, team: Team | None = None, days: float = 1) -> dict[str, str]:
    """The headers of a program with a new token of `user`, to read unless said otherwise."""
    made = make_token(user, f"token {user.tokens.count()}", scopes or ["read"], team, timedelta(days=days))
    return {"Authorization": f"Bearer {made.secret}"}


def ask(client: Client, path: str, headers: dict[str, str] | None = None, **query: Any) -> Any:
    """The JSON of an answer that must be good."""
    address = path if "://" in path or path.startswith("/") else API + path
    answer = client.get(address, query, headers=headers or {})
    assert answer.status_code == 200, answer.content
    assert answer["Content-Type"] == "application/json"
    return answer.json()


def rows(client: Client, path: str, headers: dict[str, str] | None = None, **query: Any) -> list[Any]:
    """The first page of a list."""
    found: list[Any] = ask(client, path, headers, **query)["results"]
    return found


def problem(answer: Any, status: int) -> dict[str, Any]:
    """The problem details of an answer that must be bad."""
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    said: dict[str, Any] = answer.json()
    assert said["status"] == status
    assert said["type"] == "about:blank"
    assert said["title"]
    assert said["detail"]
    return said


def pages(client: Client, address: str, way: str = "next") -> Iterator[dict[str, Any]]:
    """Each page from `address` on, following `next` or `previous` to the end."""
    seen = set()
    while address:
        assert address not in seen, "the pages go round"
        seen.add(address)
        page = ask(client, address)
        yield page
        address = page[way]
