from __future__ import annotations

import asyncio
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import HttpResponse, StreamingHttpResponse
from django.test import AsyncRequestFactory, RequestFactory

from registry.teams.access import Person
from registry.web.streams import Events, last_seen, stream
from tests.registry.web.board import Board, hub_of, ids, until


def asked(address: str, factory: Any = None) -> Any:
    request = (factory or AsyncRequestFactory()).get(address)
    request.user = AnonymousUser()
    return request


def anybody(person: Person) -> None:
    """Everybody may see it."""


@pytest.mark.parametrize(
    ("after", "last_event_id", "seen"),
    [
        ("", None, 0),
        ("5", None, 5),
        ("", "7", 7),
        ("5", "7", 7),
        ("7", "5", 7),
        ("0", "0", 0),
        ("-1", "", 0),
        ("1.5", "x", 0),
        ("٣", "²", 0),
        (" 4", "4 ", 0),
        ("1e3", "0x10", 0),
        ("9" * 18, "1", int("9" * 18)),
        ("9" * 19, "1", 1),
        ("9" * 10_000, "1", 1),
        ("1'; DROP TABLE board; --", None, 0),
    ],
)
def test_the_larger_whole_number_says_what_the_browser_has(after, last_event_id, seen):
    headers = {} if last_event_id is None else {"Last-Event-ID": last_event_id.encode().decode("latin1")}
    assert last_seen(RequestFactory().get("/", {"after": after}, headers=headers)) == seen


def test_without_after_there_is_none():
    assert last_seen(RequestFactory().get("/")) == 0


def test_over_wsgi_it_says_so_and_pins_no_thread():
    answer = asyncio.run(stream(asked("/", RequestFactory()), "board", "a", anybody, hub_of(Board())))
    assert isinstance(answer, HttpResponse)
    assert answer.status_code == 503
    assert "ASGI" in answer.content.decode()


def test_who_only_asks_whether_takes_no_place():
    async def scenario():
        hub = hub_of(Board())
        request = AsyncRequestFactory().head("/")
        request.user = AnonymousUser()
        answer = await stream(request, "board", "a", anybody, hub)
        assert isinstance(answer, HttpResponse)
        assert (answer.status_code, answer.content) == (200, b"")
        assert answer["Content-Type"] == "text/event-stream"

    asyncio.run(scenario())


def test_a_place_is_taken_by_the_first_reading_and_freed_by_the_answer():
    async def scenario():
        board = Board()
        board.add(2)
        hub = hub_of(board)
        unread = await stream(asked("/"), "board", "a", anybody, hub)
        assert hub.viewers == 0
        unread.close()
        answer = await stream(asked("/?after=1"), "board", "a", anybody, hub)
        assert isinstance(answer, StreamingHttpResponse)
        body = aiter(answer)
        assert await anext(body) == b"retry: 2000\n: open\n\n"
        assert await anext(body) == b"id: 2\ndata: <p>2</p>\n\n"
        assert hub.viewers == 1
        answer.close()
        await until(lambda: hub.viewers == 0)

    asyncio.run(scenario())


def test_a_reader_who_is_cancelled_frees_its_place_too():
    async def scenario():
        hub = hub_of(Board())
        events = Events(hub, "board", "a", 0)
        await anext(events)
        waiting = asyncio.create_task(ids(events, 1))
        await until(lambda: hub.viewers == 1)
        waiting.cancel()
        events.close()
        await until(lambda: hub.viewers == 0)

    asyncio.run(scenario())
