"""The pages for what went wrong: each says what happened and what to do.

400 and 500 stand alone: what broke may be the database, the session or the page's own frame.
Whoever asked the API is told as a problem, in JSON.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.core.exceptions import BadRequest, RequestDataTooBig, SuspiciousOperation
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.template import TemplateDoesNotExist, loader
from django.template.loader import render_to_string
from django.utils.http import escape_leading_slashes
from django.views.decorators.csrf import requires_csrf_token

from registry.api import problems


def _with_token(handler: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """The page's forms get their secret; for that the body is read, which may be what cannot be."""
    guarded = requires_csrf_token(handler)

    @wraps(handler)
    def answer(request: HttpRequest, *given: Any, **named: Any) -> HttpResponse:
        try:
            return guarded(request, *given, **named)
        except (SuspiciousOperation, BadRequest) as error:
            return bad_request(request, error)

    return answer


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400: a request that cannot be read, such as a name this site does not go by, or a form too large."""
    too_big = isinstance(exception, RequestDataTooBig)
    largest = f"{settings.DATA_UPLOAD_MAX_MEMORY_SIZE:,}" if too_big else ""
    return _alone(request, "errors/400.html", 400, {"largest": largest})


def too_large(path: str, most: int) -> str:
    """The page of a 413, for who sent more than `most` bytes to `path`; there is no request to speak of."""
    context = {"path": escape_leading_slashes(quote(path)), "most": most}
    return loader.get_template("errors/413.html").render(context)


def server_error(request: HttpRequest) -> HttpResponse:
    """500: our fault."""
    return _alone(request, "errors/500.html", 500)


@_with_token
def denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403: the reader is known, and may not. The exception says what."""
    return _framed(request, "errors/403.html", 403, {"reason": str(exception)})


@_with_token
def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404: nothing there, or nothing that this reader may know of; the two look alike."""
    return _framed(request, "errors/404.html", 404, {"path": request.path})


@_with_token
def not_allowed(request: HttpRequest, refused: HttpResponseNotAllowed) -> HttpResponse:
    """405: an address that takes only forms was opened, or a form was sent to one that takes none."""
    answer = _framed(request, "errors/405.html", 405, {"path": request.path})
    answer["Allow"] = refused["Allow"]
    return answer


@_with_token
def too_many(request: HttpRequest, reason: str, wait: int, back: str) -> HttpResponse:
    """429: the reader did something too often; it can be done again in `wait` seconds."""
    answer = _framed(request, "errors/429.html", 429, {"reason": reason, "back": back})
    answer["Retry-After"] = str(wait)
    return answer


@_with_token
def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403: a form whose secret does not match the browser's cookie."""
    return _framed(request, "errors/csrf.html", 403, {"has_cookies": bool(request.COOKIES)})


def _framed(request: HttpRequest, template: str, status: int, context: dict[str, Any]) -> HttpResponse:
    if problems.concerns(request):
        return problems.answer(status, context.get("reason", ""))
    return HttpResponse(render_to_string(template, context, request), status=status)


def _alone(
    request: HttpRequest, template: str, status: int, context: dict[str, Any] | None = None
) -> HttpResponse:
    if problems.concerns(request):
        return problems.answer(status)
    try:
        return HttpResponse(loader.get_template(template).render(context), status=status)
    except (TemplateDoesNotExist, OSError):  # even the disk may be what broke
        words = f"{status}: something went wrong, and so did the page that explains it."
        return HttpResponse(words, status=status, content_type="text/plain")
