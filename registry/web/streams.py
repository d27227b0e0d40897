"""A stream of server-sent events as a response: what a view returns once it has checked who asks."""

from __future__ import annotations

import re
from urllib.parse import urljoin

from asgiref.sync import SyncToAsync, sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.db import connections
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse

from registry.web import errors, sse
from registry.web.hub import Hub, May, Subscription
from registry.web.hub import hub as shared_hub
from registry.web.places import Holder, Places, holders
from registry.web.viewers import Check, Doorkeeper, StillMay, Visit

HEADERS = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-cache",
    "Content-Encoding": "identity",  # a compressing middleware or proxy would hold events back
    "X-Accel-Buffering": "no",
}
FULL = "Too many live views are open from here: close some of the other pages."
COME_BACK_SECONDS = 30
shared_hub.ask_by(Doorkeeper())
places = Places()
"""Of all streams of this process."""
_WHOLE_NUMBER = re.compile(r"[0-9]{1,18}")


async def stream(
    request: HttpRequest, kind: str, key: str, check: Check, hub: Hub = shared_hub
) -> HttpResponseBase:
    """Everything of the topic beyond what the browser has, as it happens, until it is done.

    The page says what it has by `?after=`, a browser that comes back by Last-Event-ID; the larger
    wins. `check` raises Http404 for who may not see it: it is asked before, and again all the while.
    """
    may, asking = await sync_to_async(_asks)(request, kind, str(key), check)
    if not isinstance(request, ASGIRequest):
        words = "This page streams over ASGI only: start the site with manage.py serve."
        return HttpResponse(words, status=503, content_type="text/plain")
    if places.full(asking):
        return await sync_to_async(_full)(request)
    if request.method == "HEAD":  # whether it may be seen: nobody would read a stream, nor end it
        return HttpResponse(headers=HEADERS)
    events = Events(hub, kind, str(key), last_seen(request), may, asking)
    return StreamingHttpResponse(events, headers=HEADERS)


def _asks(request: HttpRequest, kind: str, key: str, check: Check) -> tuple[StillMay, tuple[Holder, ...]]:
    visit = Visit.of(request)  # before the check: what changes meanwhile is seen the next time
    check(request.user)
    return StillMay(kind, key, visit, request.user, check), holders(request)


def _full(request: HttpRequest) -> HttpResponse:
    """429, as a page to whoever reads one: a browser's script is told the status alone."""
    if request.accepts("text/html"):
        return errors.too_many(request, FULL, COME_BACK_SECONDS, urljoin(request.path, "."))
    waits = {"Retry-After": str(COME_BACK_SECONDS)}
    return HttpResponse(FULL, status=429, content_type="text/plain; charset=utf-8", headers=waits)


def last_seen(request: HttpRequest) -> int:
    """The highest id that the browser says it has; what is not a whole number counts as none."""
    said = (request.GET.get("after", ""), request.headers.get("Last-Event-ID", ""))
    return max(int(text) if _WHOLE_NUMBER.fullmatch(text) else 0 for text in said)


class Events:
    """The body: it takes its place in the hub when first read and frees it when Django closes it.

    An object and not a generator: Django calls `close` on it however the response ends, while a
    generator that nobody resumes is freed only by the garbage collector.
    """

    def __init__(
        self,
        hub: Hub,
        kind: str,
        key: str,
        after: int,
        may: May | None = None,
        asking: tuple[Holder, ...] = (),
    ) -> None:
        self._hub, self._topic, self._after, self._may = hub, (kind, key), after, may
        self._asking, self._held = asking, False
        self._subscription: Subscription | None = None

    def __aiter__(self) -> Events:
        return self

    async def __anext__(self) -> bytes:
        if self._subscription is None:
            if not places.take(self._asking):  # of many at once, some came in between
                raise StopAsyncIteration
            self._held = True
            await sync_to_async(_release_connections)()
            _release_thread()
            self._subscription = self._hub.subscribe(*self._topic, self._after, self._may)
            return sse.OPENING
        return await anext(self._subscription)

    def close(self) -> None:
        held, self._held = self._held, False
        if held:
            places.free(self._asking)
        if self._subscription:
            self._subscription.close()


def _release_connections() -> None:
    """The view's queries are done: a viewer who waits must not hold a database connection."""
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close()


def _release_thread() -> None:
    """Nor a thread: asgiref keeps one for each request until it ends, which a stream does much later.

    When something synchronous runs once more, as at the end, asgiref makes another.
    """
    context = SyncToAsync.thread_sensitive_context.get(None)
    executor = SyncToAsync.context_to_thread_executor.pop(context, None) if context else None
    if executor:
        executor.shutdown(wait=False)
