from __future__ import annotations

import asyncio
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import HttpResponse, StreamingHttpResponse
from django.test import AsyncRequestFactory, RequestFactory

from registry.teams.access import Person
from registry.teams.models import User
from registry.web import streams
from registry.web.hub import Hub
from registry.web.places import Places
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


def from_(
    address: str = "192.0.2.7", user: Any = None, accept: str = "text/event-stream", how: str = "get"
) -> Any:
    factory = AsyncRequestFactory()
    request = getattr(factory, how)("/board/a/stream", headers={"accept": accept})
    request.META["REMOTE_ADDR"] = address
    request.user = user or AnonymousUser()
    return request


async def opened(hub: Hub, **by: Any) -> Any:
    """A stream that is being read, or the answer that refuses it."""
    answer = await stream(from_(**by), "board", "a", anybody, hub)
    if isinstance(answer, StreamingHttpResponse):
        assert (await anext(aiter(answer))).startswith(b"retry:")
    return answer


@pytest.fixture
def _few(settings, monkeypatch):
    settings.STREAMS_PERSON, settings.STREAMS_ADDRESS = 2, 3
    monkeypatch.setattr(streams, "places", Places())


alice, bob = User(pk=1, email="alice@example.org"), User(pk=2, email="bob@example.org")
HELD = [
    ("visitors of one address", [{}] * 3, {}, 429),
    ("another address", [{}] * 3, {"address": "192.0.2.8"}, 200),
    ("an IPv6 network", [{"address": f"2001:db8::{n}"} for n in (1, 2, 3)], {"address": "2001:db8::4"}, 429),
    (
        "one person everywhere",
        [{"user": alice, "address": f"192.0.2.{n}"} for n in (1, 2)],
        {"user": alice},
        429,
    ),
    ("another person", [{"user": alice}] * 2, {"user": bob}, 200),
    ("people and visitors of one address", [{"user": alice}] * 2 + [{}], {"user": bob}, 429),
]


@pytest.mark.usefixtures("_few")
@pytest.mark.parametrize(
    ("held", "then", "status"), [case[1:] for case in HELD], ids=[case[0] for case in HELD]
)
def test_nobody_has_more_streams_than_people_look_at(held, then, status):
    async def scenario():
        hub = hub_of(Board())
        answers = [await opened(hub, **by) for by in held]
        assert {answer.status_code for answer in answers} == {200}
        last = await opened(hub, **then)
        assert last.status_code == status
        if status == 429:
            assert (last["Retry-After"], last["Content-Type"]) == ("30", "text/plain; charset=utf-8")
            assert "close some of the other pages" in last.content.decode()
            assert (await opened(hub, how="head", **then)).status_code == 429
            answers.pop().close()
            last = await opened(hub, **then)
            assert last.status_code == 200
        for answer in (*answers, last, last):
            answer.close()
        assert not streams.places._held
        await until(lambda: hub.viewers == 0)

    asyncio.run(scenario())


@pytest.mark.usefixtures("_few")
def test_of_many_that_come_at_once_no_more_are_read():
    async def scenario():
        hub = hub_of(Board())
        answers: list[Any] = [await stream(from_(), "board", "a", anybody, hub) for _ in range(5)]
        read = [[chunk async for chunk in cut(answer)] for answer in answers]
        assert [len(chunks) for chunks in read] == [1, 1, 1, 0, 0]
        for answer in answers:
            answer.close()
        assert not streams.places._held
        await until(lambda: hub.viewers == 0)

    async def cut(answer: Any) -> Any:
        async for chunk in answer:
            yield chunk
            return

    asyncio.run(scenario())


@pytest.mark.usefixtures("_few")
def test_whoever_reads_pages_is_shown_one():
    async def scenario():
        hub = hub_of(Board())
        answers = [await opened(hub) for _ in range(3)]
        page = await opened(hub, accept="text/html,*/*")
        assert (page.status_code, page["Retry-After"]) == (429, "30")
        assert "Too many live views are open from here" in page.content.decode()
        assert 'href="/board/a/"' in page.content.decode()
        for answer in answers:
            answer.close()

    asyncio.run(scenario())
