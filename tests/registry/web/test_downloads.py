from __future__ import annotations

import asyncio
import threading

import pytest
from django.test import AsyncRequestFactory, RequestFactory

from registry.web.downloads import PIECE, download, file_name

LINES = ["one", "two", "x" * PIECE, "three é\u2028"]
WHOLE = "".join(f"{line}\n" for line in LINES).encode()


async def body_of(answer) -> list[bytes]:
    return [piece async for piece in answer.streaming_content]


def test_lines_are_sent_in_pieces_and_none_is_lost():
    answer = download(AsyncRequestFactory().get("/"), iter(LINES), "a.txt", "text/plain")
    pieces = asyncio.run(body_of(answer))
    assert b"".join(pieces) == WHOLE
    assert len(pieces) == 2
    assert answer["Content-Type"] == "text/plain"
    assert answer["Content-Disposition"] == 'attachment; filename="a.txt"'
    assert "Content-Length" not in answer


def test_over_wsgi_the_same_is_sent():
    answer = download(RequestFactory().get("/"), iter(LINES), "a.txt", "text/plain")
    assert answer.getvalue() == WHOLE


def test_the_event_loop_does_not_make_the_lines():
    made = []

    def lines():
        made.append(threading.current_thread())
        yield "one"

    async def read():
        answer = download(AsyncRequestFactory().get("/"), lines(), "a.txt", "text/plain")
        return threading.current_thread(), await body_of(answer)

    loop, pieces = asyncio.run(read())
    assert pieces == [b"one\n"]
    assert made
    assert made != [loop]


def test_nothing_is_made_before_it_is_read():
    def lines():
        raise AssertionError("read too early")
        yield ""

    answer = download(AsyncRequestFactory().get("/"), lines(), "a.txt", "text/plain")
    with pytest.raises(AssertionError, match="read too early"):
        asyncio.run(body_of(answer))


def test_who_asks_for_the_head_alone_has_nothing_made():
    def lines():
        raise AssertionError("read for nothing")
        yield ""

    answer = download(AsyncRequestFactory().head("/"), lines(), "a.txt", "text/plain")
    assert asyncio.run(body_of(answer)) == []
    assert answer["Content-Disposition"] == 'attachment; filename="a.txt"'


NAMES = [
    (("evidence", "recursion: a × b", "0b7e"), "evidence-recursion-a-b-0b7e.jsonl"),
    (("evidence", "递归", "0b7e"), "evidence-0b7e.jsonl"),
    (("evidence", "../../etc/passwd\r\nX: y", "0b7e"), "evidence-etcpasswd-x-y-0b7e.jsonl"),
    (("evidence", '"; rm -rf /', "0b7e"), "evidence-rm-rf-0b7e.jsonl"),
    (("evidence", "_-.é\u202egnp.", "0b7e"), "evidence-egnp-0b7e.jsonl"),
    (("evidence", "x" * 400, "0b7e"), f"evidence-{'x' * 50}-0b7e.jsonl"),
]


@pytest.mark.parametrize(("parts", "name"), NAMES, ids=range(len(NAMES)))
def test_a_file_name_is_safe_everywhere(parts, name):
    assert file_name(*parts, ending="jsonl") == name
