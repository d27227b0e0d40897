"""What goes wrong, as RFC 9457 problem details: what, where, and what to do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied, Throttled
from rest_framework.response import Response
from rest_framework.views import exception_handler

CONTENT_TYPE = "application/problem+json"
PREFIX = "/api/"
"""Below this path whatever goes wrong is said as a problem, by the site's own error pages too."""

SAID = {
    400: "The request cannot be read.",
    403: "You may not do this.",
    404: "There is nothing here, or nothing that you may see. The routes are listed at /api/v1/.",
    405: "This address is only read: ask with GET or HEAD.",
    406: "This API answers in JSON only: accept application/json.",
    415: "Send JSON, with the header Content-Type: application/json.",
    500: "Something went wrong on our side. Nothing that you sent can mend it; try again later.",
}
"""What to say where whoever raised it said nothing better."""
GENERIC = {"Not found.", "You do not have permission to perform this action.", ""}


def problem(status: int, detail: str = "", errors: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The members of a problem. `errors` says by parameter or field what is wrong with it."""
    title = HTTPStatus(status).phrase
    said = {
        "type": "about:blank",
        "title": title,
        "status": status,
        "detail": detail or SAID.get(status, title),
    }
    return said | ({"errors": dict(errors)} if errors else {})


def answer_exception(exception: Exception, context: Mapping[str, Any]) -> Response | None:
    """REST framework's exception handler. None, for what nobody expected, ends as the site's own 500."""
    response = exception_handler(_held_back(exception, context), dict(context))
    if response is None:
        return None
    response.data = _told(response.status_code, response.data)
    response.content_type = CONTENT_TYPE
    return response


def _held_back(exception: Exception, context: Mapping[str, Any]) -> Exception:
    """Who is refused before they are counted is counted here, and told to wait as everybody is."""
    if isinstance(exception, (AuthenticationFailed, PermissionDenied)):
        try:
            context["view"].check_throttles(context["request"])
        except Throttled as too_often:
            return too_often
    return exception


def _told(status: int, data: Any) -> dict[str, Any]:
    if isinstance(data, Mapping) and set(data) == {"detail"}:
        detail = str(data["detail"])
        return problem(status, "" if detail in GENERIC or status in (406, 415) else detail)
    errors = _by_field(data)
    first = next(iter(errors.items()))
    return problem(status, f"{first[0]}: {first[1][0]}", errors)


def _by_field(data: Any) -> dict[str, list[str]]:
    fields = data if isinstance(data, Mapping) else {"request": data}
    return {
        str(name): [str(one) for one in (said if isinstance(said, list) else [said])]
        for name, said in fields.items()
    }


def concerns(request: HttpRequest) -> bool:
    """Whether `request` was for the API, so that an error must be a problem and not a page."""
    return request.path.startswith(PREFIX)


def answer(status: int, detail: str = "") -> HttpResponse:
    """A problem from outside REST framework: an unknown route, a host we do not answer to, a crash."""
    return HttpResponse(json.dumps(problem(status, detail)), status=status, content_type=CONTENT_TYPE)
