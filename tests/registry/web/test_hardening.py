"""What every answer carries, and what is refused before it costs anything."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from datetime import timedelta

import pytest
from django.test import Client, override_settings

from registry.teams import invitations
from registry.teams.models import Role, Team
from registry.web.bodies import MOST_BYTES, bounded
from registry.web.logs import LineFormatter

ANSWERS = [
    ("/roles/", 200),
    ("/account/", 302),
    ("/nothing/here/", 404),
    ("/healthz", 200),
    ("/docs/probe-file.schema.json", 200),
    ("/races/not-one/", 404),
    ("/api/v1/", 200),
    ("/api/v1/probes/?page=x", 400),
    ("/api/v1/nothing/", 404),
    ("/admin/", 302),
    ("/roles/?x=%00", 400),
]
KEPT = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
POLICY = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
]


@pytest.mark.django_db
@pytest.mark.parametrize(("address", "status"), ANSWERS)
def test_every_kind_of_answer_carries_the_headers(client, address, status):
    answer = client.get(address)
    assert answer.status_code == status
    assert {name: answer.headers.get(name) for name in KEPT} == KEPT
    policy = answer.headers["Content-Security-Policy"]
    assert [part for part in POLICY if part not in policy] == []
    assert "unsafe" not in policy
    assert "camera=()" in answer.headers["Permissions-Policy"]


@pytest.mark.django_db
def test_over_https_it_is_said_to_stay_there_and_cookies_do(bob):
    kept = {"SESSION_COOKIE_SECURE": True, "CSRF_COOKIE_SECURE": True, "SECURE_HSTS_SECONDS": 31_536_000}
    kept["SESSION_SAVE_EVERY_REQUEST"] = True  # so that an answer sets the cookie
    with override_settings(**kept, SECURE_HSTS_INCLUDE_SUBDOMAINS=True, SECURE_HSTS_PRELOAD=True):
        client = Client()
        client.force_login(bob)
        answer = client.get("/account/", secure=True)
        assert answer.headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains; preload"
        assert "Strict-Transport-Security" not in client.get("/account/").headers
        session, csrf = client.cookies["sessionid"], client.cookies["csrftoken"]
        assert (session["secure"], session["httponly"], session["samesite"]) == (True, True, "Lax")
        assert (csrf["secure"], csrf["samesite"]) == (True, "Lax")


@pytest.mark.django_db
@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "a b", "127.0.0.1@evil.example"])
def test_another_host_is_not_answered(client, host):
    answer = client.get("/roles/", headers={"host": host})
    assert answer.status_code == 400
    assert "evil" not in answer.content.decode()


@pytest.mark.django_db
def test_json_of_any_depth_is_refused_unread(client):
    deep = "[" * 100_000
    assert client.post("/api/v1/probes/", deep, content_type="application/json").status_code == 405


# --- bodies --------------------------------------------------------------------------------------
def carried(
    pieces: list[bytes], *, stated: int | None = None, path: str = "/sign-in/", accept: str = "*/*"
) -> tuple[list, int]:
    """What is sent in answer to a body in these pieces, and how many bytes of it the site received."""
    sent, received = [], 0
    left = [
        {"type": "http.request", "body": piece, "more_body": place < len(pieces)}
        for place, piece in enumerate(pieces, 1)
    ]

    async def receive():
        return left.pop(0) if left else {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    async def site(scope, receive, send):
        nonlocal received
        while (message := await receive())["type"] == "http.request":
            received += len(message["body"])
            if not message["more_body"]:
                await send({"type": "http.response.start", "status": 200, "headers": []})
                return

    headers = [] if stated is None else [(b"content-length", str(stated).encode())]
    headers.append((b"accept", accept.encode()))
    asyncio.run(bounded(site, {"type": "http", "path": path, "headers": headers}, receive, send))
    return sent, received


PIECE = b"x" * 1_000_000


def test_a_body_that_fits_is_passed_on():
    sent, received = carried([PIECE] * 4, stated=MOST_BYTES)
    assert (sent[0]["status"], received) == (200, MOST_BYTES)


@pytest.mark.parametrize(
    ("pieces", "stated", "most"),
    [
        ([PIECE] * 5, MOST_BYTES + 1, 0),
        ([], 10**30, 0),
        ([PIECE] * 6, None, MOST_BYTES),
        ([PIECE] * 6, 5, MOST_BYTES),
        ([PIECE] * 100, 10**8, 0),
    ],
    ids=["stated", "stated beyond all numbers", "in chunks", "with a lie", "without end"],
)
def test_a_body_that_is_too_large_is_refused_before_it_is_gathered(pieces, stated, most):
    sent, received = carried(pieces, stated=stated)
    assert sent[0]["status"] == 413
    assert sent[1]["body"] == b"This is too large: send at most 4,000,000 bytes."
    assert received <= most


def test_a_program_is_told_so_as_a_problem():
    sent, _ = carried([], stated=10**9, path="/api/v1/probes/")
    assert json.loads(sent[1]["body"])["status"] == 413
    assert (b"content-type", b"application/problem+json") in sent[0]["headers"]


def test_a_browser_may_finish_sending_before_it_is_answered_with_a_page():
    sent, _ = carried([PIECE] * 5, stated=5 * len(PIECE), path="//evil/<b>", accept="text/html,*/*")
    headers, page = dict(sent[0]["headers"]), sent[1]["body"].decode()
    assert sent[0]["status"] == 413
    assert headers[b"content-type"] == b"text/html; charset=utf-8"
    assert b"default-src 'none'" in headers[b"content-security-policy"]
    assert "4,000,000 bytes" in page
    assert '<a href="/%2Fevil/%3Cb%3E">open the form again</a>' in page


# --- logs and mail -------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "sent",
    [
        "a\nFORGED INFO all is well",
        "a\r\nFORGED",
        "\x1b[2J",
        "\x9b2J",
        "a\u2028b",
        "\u202egnp.exe",
        "\x00",
        "\x7f",
    ],
)
def test_a_line_of_the_log_stays_one_line(sent):
    record = logging.LogRecord("site", logging.WARNING, "", 1, "Not Found: %s", (sent,), None)
    line = LineFormatter("{levelname} {message}", style="{").format(record)
    assert line.isprintable()
    assert len(line.splitlines()) == 1


def test_a_traceback_keeps_its_lines_and_nothing_else():
    try:
        raise ValueError("a\x1b[2J\u202e")
    except ValueError:
        record = logging.LogRecord("site", logging.ERROR, "", 1, "It failed", (), sys.exc_info())
    text = LineFormatter("{message}", style="{").format(record)
    assert "ValueError: a\\x1b[2J\\u202e" in text
    assert len(text.splitlines()) > 2


@pytest.mark.django_db
def test_a_name_puts_no_header_into_a_mail(team, alice, mailoutbox):
    Team.objects.filter(pk=team.pk).update(name="Acme\r\nBcc: eve@evil.example")
    team.refresh_from_db()
    invitations.send(alice, team, Role.VIEWER, timedelta(days=1), "guest@example.org")
    [mail] = mailoutbox
    assert mail.subject == "Join Acme Bcc: eve@evil.example on Probe Registry"
    assert mail.recipients() == ["guest@example.org"]
    assert "Bcc" not in mail.message()
