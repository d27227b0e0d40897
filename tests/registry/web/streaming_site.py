"""A site of one stream over one table, served as the real one is: `python -m … FD`.

Tests run it as a process of its own; what they write into the table is what the stream shows.
"""

from __future__ import annotations

import os
import socket
import sys

import django
from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import path

from registry.web.sse import Frame

TABLE = "CREATE TABLE board (id integer PRIMARY KEY, html text NOT NULL)"


def replay(key: str, after: int):
    from registry.web.hub import Replayed

    with connection.cursor() as cursor:
        cursor.execute("SELECT id, html FROM board WHERE id > %s ORDER BY id", [after])
        rows = cursor.fetchall()
    frames = [Frame(number, html) for number, html in rows if html != "done"]
    return Replayed(frames, done=any(html == "done" for _, html in rows))


async def watch(request: HttpRequest) -> HttpResponseBase:
    from registry.web.streams import stream

    # as a check of permissions would ask the database
    return await stream(request, "board", "all", lambda person: replay("all", 0))


async def viewers(request: HttpRequest) -> HttpResponse:
    from registry.web.hub import hub

    return HttpResponse(str(hub.viewers))


urlpatterns = [path("watch", watch), path("viewers", viewers)]
handler400 = handler404 = "registry.web.errors.bad_request"


def main(descriptor: str) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
    settings.ROOT_URLCONF = "tests.registry.web.streaming_site"
    django.setup()
    from registry.web.hub import hub
    from registry.web.server import serve

    hub.register("board", replay)
    serve(socket.socket(fileno=int(descriptor)))


if __name__ == "__main__":
    main(*sys.argv[1:])
