"""A form whose text may be larger than any that is accepted, so that it is given back with what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.csrf import csrf_exempt, csrf_protect

View = Callable[..., HttpResponseBase]


def large_form(view: View) -> View:
    """The view of a form for the staff, up to what `registry.web.bodies` lets in.

    The secret is asked for all the same, once the body is read: Django refuses to read one beyond
    DATA_UPLOAD_MAX_MEMORY_SIZE, and then nobody has the text that was in it.
    """
    protected = csrf_protect(view)

    @csrf_exempt
    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **named: Any) -> HttpResponseBase:
        if request.method == "POST" and getattr(request.user, "is_staff", False):
            request._body = request.read()  # what `body` keeps once it has read
        return protected(request, *args, **named)

    return answer
