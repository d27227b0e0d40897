"""Headers that every answer carries, streams included: they are set, and the body is left alone."""

from __future__ import annotations

from collections.abc import Callable
from inspect import iscoroutinefunction
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

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
