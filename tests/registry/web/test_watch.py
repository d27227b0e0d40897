"""The hub against the real database: a commit elsewhere rings at once, whatever happened before."""

from __future__ import annotations

import asyncio
import logging
import time

import psycopg
import pytest
from django.db import connection, transaction
from django.db.models import Max

from registry.teams.models import Team
from registry.web import watch as watch_module
from registry.web.hub import Hub, Replayed, wake
from registry.web.sse import Frame
from tests.registry.web.board import ids, until

pytestmark = pytest.mark.usefixtures("listening")
postgresql = pytest.mark.skipif("connection.vendor != 'postgresql'")
sqlite = pytest.mark.skipif("connection.vendor != 'sqlite'")


def replay(key: str, after: int) -> Replayed:
    return Replayed([Frame(team.pk, team.name) for team in Team.objects.filter(pk__gt=after).order_by("pk")])


def commit(name: str, key: str = "teams") -> int:
    """Write a row as a worker would; called in a thread, which closes its connection."""
    try:
        with transaction.atomic():
            made = Team.objects.create(slug=name, name=name)
            wake(key)
        return made.pk
    finally:
        connection.close()


def last_id() -> int:
    try:
        return Team.objects.aggregate(last=Max("pk"))["last"] or 0
    finally:
        connection.close()


def hub_that_only_listens() -> Hub:
    hub = Hub(least_gap=0.001, poll_every=3600)
    hub.register("teams", replay)
    return hub


def test_a_commit_in_another_connection_arrives_within_a_moment():
    async def scenario() -> float:
        hub = hub_that_only_listens()
        viewer = hub.subscribe("teams", "teams", await asyncio.to_thread(last_id))
        took = []
        for name in ("one", "two", "three"):
            began = time.monotonic()
            made = await asyncio.to_thread(commit, name)
            assert await ids(viewer, 1) == [made]
            took.append(time.monotonic() - began)
        return min(took)

    assert asyncio.run(scenario()) < 1.0


def test_a_rollback_shows_nothing():
    def roll_back() -> None:
        try:
            with transaction.atomic():
                Team.objects.create(slug="gone", name="gone")
                wake("teams")
                transaction.set_rollback(True)
        finally:
            connection.close()

    async def scenario():
        hub = hub_that_only_listens()
        viewer = hub.subscribe("teams", "teams", await asyncio.to_thread(last_id))
        await asyncio.to_thread(roll_back)
        made = await asyncio.to_thread(commit, "kept")
        assert await ids(viewer, 1) == [made]

    asyncio.run(scenario())


@postgresql
def test_a_dropped_listener_listens_again(monkeypatch, caplog, settings):
    monkeypatch.setattr(watch_module, "RETRY_AFTER", 0.05)

    def drop_listeners() -> int:
        end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'registry hub'"
        with psycopg.connect(settings.LISTEN_URL, autocommit=True) as other:
            return len(other.execute(end + " AND datname = current_database()").fetchall())

    async def scenario():
        hub = hub_that_only_listens()
        viewer = hub.subscribe("teams", "teams", await asyncio.to_thread(last_id))
        made = await asyncio.to_thread(commit, "before")
        assert await ids(viewer, 1) == [made]
        assert await asyncio.to_thread(drop_listeners) == 1
        made = await asyncio.to_thread(commit, "meanwhile")
        assert await ids(viewer, 1) == [made]
        made = await asyncio.to_thread(commit, "after")
        assert await ids(viewer, 1) == [made]

    with caplog.at_level(logging.WARNING, "registry.web.watch"):
        asyncio.run(scenario())
    assert "hear of no change" in caplog.text


@postgresql
def test_the_listener_leaves_with_the_last_viewer(settings):
    def listeners() -> int:
        count = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'registry hub'"
        with psycopg.connect(settings.LISTEN_URL) as other:
            (found,) = other.execute(count + " AND datname = current_database()").fetchall()
        return found[0]

    async def scenario():
        hub = hub_that_only_listens()
        viewer = hub.subscribe("teams", "teams", 0)
        async with asyncio.timeout(10):
            while await asyncio.to_thread(listeners) != 1:
                pass
            viewer.close()
            while await asyncio.to_thread(listeners) != 0:
                pass

    asyncio.run(scenario())


@postgresql
def test_without_a_listener_the_poll_still_shows_it(settings, caplog):
    settings.LISTEN_URL = "postgresql://nobody@127.0.0.1:1/nothing"

    async def scenario():
        hub = Hub(least_gap=0.001, poll_every=0.05)
        hub.register("teams", replay)
        viewer = hub.subscribe("teams", "teams", await asyncio.to_thread(last_id))
        await until(lambda: "hear of no change" in caplog.text)
        made = await asyncio.to_thread(commit, "polled")
        assert await ids(viewer, 1) == [made]

    asyncio.run(scenario())


@sqlite
def test_the_onlooker_cannot_write():
    import sqlite3
    from contextlib import closing

    name = connection.settings_dict["NAME"]
    with closing(watch_module._onlooker(name)) as onlooker, pytest.raises(sqlite3.OperationalError):
        onlooker.execute("DELETE FROM teams_team")


@sqlite
def test_a_missing_file_is_not_made_and_is_waited_for(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(watch_module, "RETRY_AFTER", 0.01)
    path = tmp_path / "later.sqlite3"
    monkeypatch.setitem(connection.settings_dict, "NAME", path)
    woken: list[str | None] = []

    async def scenario():
        task = asyncio.create_task(watch_module.watch(woken.append))
        await until(lambda: len(woken) > 2)
        assert not path.exists()
        task.cancel()

    asyncio.run(scenario())
    assert len(caplog.records) == 1
