"""NUL in an address or a cookie: PostgreSQL can store it nowhere, so that nothing can be found by it."""

from __future__ import annotations

from collections.abc import Callable
from inspect import iscoroutinefunction
from typing import Any

from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

from registry.api import problems

NUL = "\0"


def _require_legible(request: HttpRequest) -> None:
    """Raises SuspiciousOperation, which is answered with 400. What a form holds is refused at its fields."""
    query = request.META.get("QUERY_STRING", "")
    if ("%00" in query or NUL in query) and not problems.concerns(request):  # the API names the parameter
        raise SuspiciousOperation("The address holds a NUL character after its question mark.")
    if any(NUL in value for value in request.COOKIES.values()):
        raise SuspiciousOperation("A cookie holds a NUL character.")


@sync_and_async_middleware
def legible_requests(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Middleware that refuses what no view could look up, before the session is looked up by it."""
    if iscoroutinefunction(get_response):

        async def answer_later(request: HttpRequest) -> HttpResponseBase:
            _require_legible(request)
            return await get_response(request)

        return answer_later

    def answer(request: HttpRequest) -> HttpResponseBase:
        _require_legible(request)
        return get_response(request)

    return answer
