"""A file to keep, made line by line while it is sent: however long it is, little of it is held at once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.utils.text import slugify

PIECE = 64 * 1024
"""Characters that are gathered before anything is sent."""


def download(
    request: HttpRequest, lines: Iterator[str], name: str, content_type: str
) -> StreamingHttpResponse:
    """`lines`, each with a line break added, as a file called `name`. Permissions are the view's to check."""
    pieces = _pieces(iter(()) if request.method == "HEAD" else lines)
    body = _later(pieces) if isinstance(request, ASGIRequest) else pieces
    disposition = content_disposition_header(True, name)
    return StreamingHttpResponse(
        body, content_type=content_type, headers={"Content-Disposition": disposition}
    )


def file_name(*parts: str, ending: str) -> str:
    """A name that is safe everywhere: ASCII letters, digits and hyphens of `parts`, and the ending."""
    return "-".join(filter(None, (slugify(part)[:50].strip("-_") for part in parts))) + f".{ending}"


def _pieces(lines: Iterator[str]) -> Iterator[str]:
    gathered: list[str] = []
    size = 0
    for line in lines:
        gathered.append(f"{line}\n")
        size += len(line)
        if size >= PIECE:
            yield "".join(gathered)
            gathered.clear()
            size = 0
    if gathered:
        yield "".join(gathered)


async def _later(pieces: Iterator[str]) -> AsyncIterator[str]:
    """The pieces, each made in the request's own thread: the event loop never waits for the database."""
    while (piece := await sync_to_async(_next)(pieces)) is not None:
        yield piece


def _next(pieces: Iterator[str]) -> str | None:
    return next(pieces, None)
