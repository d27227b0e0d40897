from __future__ import annotations

import asyncio

from django.http import HttpResponse, StreamingHttpResponse
from django.test import AsyncRequestFactory, RequestFactory

from registry.web.middleware import response_headers


def test_every_page_carries_the_headers(client):
    headers = client.get("/roles/").headers
    assert headers["Permissions-Policy"].startswith("accelerometer=()")
    assert "camera=()" in headers["Permissions-Policy"]
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Cache-Control"] == "private, no-cache"
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_what_a_view_set_itself_stays():
    middleware = response_headers(lambda request: HttpResponse(headers={"Cache-Control": "public"}))
    assert middleware(RequestFactory().get("/"))["Cache-Control"] == "public"


def test_a_stream_passes_through_unread():
    read = []

    async def body():
        read.append(True)
        yield b"x"

    async def view(request):
        return StreamingHttpResponse(body())

    answer = asyncio.run(response_headers(view)(AsyncRequestFactory().get("/")))
    assert answer["Cross-Origin-Resource-Policy"] == "same-origin"
    assert read == []
