"""What a team does with its endpoints: add, change, try, list their models. Synchronous, for pages."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import Any, TypeVar
from urllib.parse import urlsplit

from django.db import transaction
from django.utils import timezone

from registry.audit.domain import record
from registry.endpoints import vault
from registry.endpoints.chat import Answer, Caller, ModelsUnavailable, Target, target_of
from registry.endpoints.egress import check_base_url
from registry.endpoints.models import Endpoint
from registry.endpoints.naming import free_slug
from registry.endpoints.redaction import SHORTEST_KEY
from registry.endpoints.request import check_extra_body
from registry.endpoints.signals import pause_changed
from registry.teams.members import hold
from registry.teams.models import Team, User

Result = TypeVar("Result")

TEST_MESSAGES = [{"role": "user", "content": "Reply with the single word: ready"}]
TEST_PARAMETERS = {"max_tokens": 64, "temperature": 0}
PRACTICE_STAYS = "A practice endpoint stays as it is: add an endpoint instead."
PAUSED = "This endpoint is paused, and is not called: an owner of its team can resume it."
TOO_SHORT = f"A key has at least {SHORTEST_KEY} characters. Leave it empty if the server asks for none."
_TEST_SECONDS = 60.0
_KEY = re.compile(r"[!-~]{1,500}\Z")


class EndpointError(ValueError):
    """Something about an endpoint cannot be; `field` is where, the message what to do."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@transaction.atomic
def add_endpoint(team: Team, *, by: User | None = None, key: str = "", **values: Any) -> Endpoint:
    """A new endpoint of the team; `by` None is the operator.

    Raises EndpointError, egress.BaseUrlError or ValueError (extra body).
    """
    values = _checked(values)
    if values.get("concurrency") is None:
        values["concurrency"] = usual_concurrency(values["base_url"])
    hold(team)
    check_name(team, values["name"])
    endpoint = Endpoint(team=team, **values)
    endpoint.slug = free_slug(team, endpoint.name)
    endpoint.set_key(check_key(key))
    endpoint.save()
    record(team, by, "endpoint-added", endpoint.name, server=urlsplit(endpoint.base_url).hostname)
    return endpoint


def change_endpoint(
    endpoint: Endpoint, *, by: User | None = None, key: str | None = None, **values: Any
) -> Endpoint:
    """Change what is given; key None keeps the key as it is stored, "" forgets it.

    A key never follows its endpoint to another server: a new host needs the key entered again.
    Raises as add_endpoint does.
    """
    values = _checked(values)
    with transaction.atomic():
        hold(endpoint.team)
        stored = Endpoint.objects.select_for_update().get(pk=endpoint.pk)
        check_change(stored, values, key)
        check_name(stored.team, values.get("name", stored.name), stored)
        changed = [name for name, value in values.items() if getattr(stored, name) != value]
        for name in changed:
            setattr(stored, name, values[name])
        if key is not None:
            stored.set_key(check_key(key))
        stored.save()
        _note_change(stored, by, changed, key)
    return stored


def _note_change(endpoint: Endpoint, by: User | None, changed: list[str], key: str | None) -> None:
    if changed:
        names = [str(Endpoint._meta.get_field(name).verbose_name) for name in changed]  # type: ignore[union-attr]
        record(endpoint.team, by, "endpoint-changed", endpoint.name, what=names)
    if key is not None:
        done = "endpoint-key-replaced" if key else "endpoint-key-forgotten"
        record(endpoint.team, by, done, endpoint.name)


def pause_endpoint(endpoint: Endpoint, by: User | None = None) -> bool:
    """Call it no more until it is resumed: what waits for it waits on. False where it is paused or gone."""
    return _set_paused(endpoint, by, pause=True)


def resume_endpoint(endpoint: Endpoint, by: User | None = None) -> bool:
    """Call it again; what waited goes on within seconds. False where it is not paused."""
    return _set_paused(endpoint, by, pause=False)


@transaction.atomic
def _set_paused(endpoint: Endpoint, by: User | None, *, pause: bool) -> bool:
    rows = Endpoint.objects.filter(pk=endpoint.pk, closed_at=None, practice=False, paused_at__isnull=pause)
    changed = bool(rows.update(paused_at=timezone.now() if pause else None))
    if changed:
        record(endpoint.team, by, f"endpoint-{'paused' if pause else 'resumed'}", endpoint.name)
        pause_changed.send(Endpoint, endpoint=endpoint)
    return changed


@transaction.atomic
def delete_endpoint(endpoint: Endpoint, by: User | None = None) -> None:
    """Close it for good and destroy its key. Results keep its name; what waits for it ends unscored.

    Raises EndpointError for a practice endpoint.
    """
    stored = Endpoint.objects.select_for_update().get(pk=endpoint.pk)
    if stored.practice:
        raise EndpointError("name", PRACTICE_STAYS)
    if stored.closed_at:
        return
    stored.set_key("")
    stored.closed_at, stored.paused_at = timezone.now(), None
    stored.save()
    record(stored.team, by, "endpoint-deleted", stored.name)


def usual_concurrency(base_url: str) -> int:
    """Calls at once where nothing is said: a model on this machine mostly answers one at a time.

    Calls that queue in the server spend their deadline there, and end unscored.
    """
    return 1 if urlsplit(base_url).hostname in {"localhost", "127.0.0.1", "::1"} else 8


def check_change(stored: Endpoint, values: dict[str, Any], key: str | None) -> None:
    """Refuse to move a key to another server, and to turn a practice endpoint into another one.

    What was deleted meanwhile stays deleted: no key may lie there.
    """
    if stored.closed_at:
        raise EndpointError("name", "This endpoint was deleted meanwhile: add it anew.")
    moved = "base_url" in values and origin(values["base_url"]) != origin(stored.base_url)
    if stored.practice and (moved or key is not None):
        raise EndpointError("base_url", PRACTICE_STAYS)
    if moved and stored.key_cipher and key is None:
        raise EndpointError("key", "The server changed: enter its key. The old one is not sent to another.")


def check_name(team: Team, name: str, besides: Endpoint | None = None) -> None:
    """Refuse the name of another open endpoint of the team; held with the team, it stays free."""
    others = Endpoint.objects.filter(team=team, name__iexact=name, closed_at=None)
    if others.exclude(pk=besides.pk if besides and besides.pk else 0).exists():
        raise EndpointError("name", f'The team has an endpoint named "{name}": choose another name.')


def origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc


def check_key(key: str) -> str:
    """A key that fits into a header and is no mere word. Raises EndpointError, which does not quote it."""
    if key.lower().startswith("bearer "):
        raise EndpointError("key", 'Leave out "Bearer": write the key alone.')
    if key and not _KEY.match(key):
        raise EndpointError("key", "A key has no spaces and no characters outside ASCII: paste it again.")
    if key and len(key) < SHORTEST_KEY:
        raise EndpointError("key", TOO_SHORT)
    return key


def _checked(values: dict[str, Any]) -> dict[str, Any]:
    if "base_url" in values:
        values = {**values, "base_url": check_base_url(values["base_url"])}
    if "extra_body" in values:
        check_extra_body(values["extra_body"])
    return values


def test_call(endpoint: Endpoint, model: str, by: User | None = None) -> Answer:  # noqa: PT028 - no test
    """One tiny real call, as a run would make it. Its failure is in the Answer."""
    if endpoint.paused_at:
        return Answer(error="endpoint_paused", detail=PAUSED)
    try:
        target = target_of(endpoint)
    except vault.Unreadable as problem:
        return Answer(error="key_unreadable", detail=str(problem), final_for_endpoint=True)
    _note_call(endpoint, by, "endpoint-tested", model)
    quick = _within(target, _TEST_SECONDS)
    return _run(lambda caller: caller.complete(quick, model, TEST_MESSAGES, TEST_PARAMETERS))


test_call.__test__ = False  # type: ignore[attr-defined]  # its name looks like a test's


def list_models(endpoint: Endpoint, by: User | None = None) -> list[str]:
    """Ask for the models and keep them with the endpoint. Raises ModelsUnavailable."""
    if endpoint.paused_at:
        raise ModelsUnavailable(PAUSED)
    try:
        target = target_of(endpoint)
    except vault.Unreadable as problem:
        raise ModelsUnavailable(str(problem)) from None
    _note_call(endpoint, by, "endpoint-listed")
    models = _run(lambda caller: caller.models(target))
    Endpoint.objects.filter(pk=endpoint.pk).update(models_offered=models, models_listed_at=timezone.now())
    endpoint.refresh_from_db(fields=["models_offered", "models_listed_at"])
    return models


@transaction.atomic
def _note_call(endpoint: Endpoint, by: User | None, action: str, model: str = "") -> None:
    """Before it is made: the owner may pay for it whatever comes back."""
    record(endpoint.team, by, action, endpoint.name, model=model)


def _within(target: Target, seconds: float) -> Target:
    return replace(target, deadline=min(seconds, target.deadline))


def _run(call: Callable[[Caller], Awaitable[Result]]) -> Result:
    """Await `call` on an event loop of its own: a synchronous view has a thread, but no loop."""

    async def opened() -> Result:
        async with Caller() as caller:
            return await call(caller)

    running: Coroutine[Any, Any, Result] = opened()
    return asyncio.run(running)
