"""What an ASGI server serves; `manage.py serve` starts one."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from django.core.asgi import get_asgi_application
from django.core.handlers.asgi import ASGIHandler

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")


@cache
def _handler() -> ASGIHandler:
    return get_asgi_application()


async def application(scope: Any, receive: Any, send: Any) -> None:
    """The site. It is built with the first request: building it looks at every static file, in threads."""
    from registry.web.bodies import bounded  # what it stands on needs the settings

    await bounded(_handler(), scope, receive, send)
