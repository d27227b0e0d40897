"""What every answer goes through: its headers, and a page for a refused method, which Django leaves empty."""

from __future__ import annotations

from collections.abc import Callable
from inspect import iscoroutinefunction
from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponseBase, HttpResponseNotAllowed
from django.utils.decorators import sync_and_async_middleware

from registry.api import problems
from registry.web import errors

UNUSED = (
    "accelerometer",
    "camera",
    "display-capture",
    "geolocation",
    "gyroscope",
    "magnetometer",
    "microphone",
    "midi",
    "payment",
    "publickey-credentials-get",
    "screen-wake-lock",
    "usb",
    "xr-spatial-tracking",
)
HEADERS = {
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in UNUSED),
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Permitted-Cross-Domain-Policies": "none",
    # a page shows what its reader may see: it is asked for again, and never kept by a shared cache
    "Cache-Control": "private, no-cache",
}


def _with_headers(response: HttpResponseBase) -> HttpResponseBase:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    return response


@sync_and_async_middleware
def response_headers(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Middleware that adds the headers which a view did not set itself."""
    if iscoroutinefunction(get_response):

        async def answer_later(request: HttpRequest) -> HttpResponseBase:
            return _with_headers(await get_response(request))

        return answer_later

    def answer(request: HttpRequest) -> HttpResponseBase:
        return _with_headers(get_response(request))

    return answer


def _bare(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Whether `response` refuses the method without a word to a person, or to a program of the API's."""
    refused = isinstance(response, HttpResponseNotAllowed) and not response.content
    return refused and (problems.concerns(request) or request.accepts("text/html"))


@sync_and_async_middleware
def method_pages(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Middleware that says what to do where an address is asked for in a way it does not answer to."""
    if iscoroutinefunction(get_response):

        async def answer_later(request: HttpRequest) -> HttpResponseBase:
            response = await get_response(request)
            if not _bare(request, response):
                return response
            return await sync_to_async(errors.not_allowed)(request, response)

        return answer_later

    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        return errors.not_allowed(request, response) if _bare(request, response) else response

    return answer
