"""Reasoning text and keys are found nowhere: in no table, file, log, page or stream of a running registry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import psycopg
import pytest
from playwright.sync_api import Page, expect
from psycopg import sql

from registry.endpoints.personas import SILENT_REASONING_TOKENS, said
from registry.endpoints.practice import PRACTICE_CANARY
from tests.browser import steps
from tests.served import Site, running
from tests.test_key_search import KEY, NAME, Echoing, hits

CONCEPT = "a control that must be found"
"""Stands wherever the canary could: a search that misses it would miss the canary."""


def stored(site: Site) -> Iterable[str]:
    """All that the site has written: the rows of its database, or every file of its home as it is."""
    if url := site.environment.get("DATABASE_URL"):
        with psycopg.connect(url) as connection:
            tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
            for (table,) in tables.fetchall():
                rows = sql.SQL("SELECT row::text FROM {} AS row").format(sql.Identifier(table))
                yield from (text for (text,) in connection.execute(rows))
    for path in site.home.rglob("*"):
        if path.is_file():
            yield path.read_bytes().decode("latin-1")


def seen(page: Page, site: Site, race: str) -> dict[str, str]:
    """What the site answers about the race, by where it was asked."""
    pk = race.rstrip("/").rsplit("/", 1)[1]
    addresses = {
        "page": race,
        "stream": f"{race}stream?after=0",
        "evidence": f"{race}evidence",
        "API": f"{site.url}/api/v1/races/{pk}/",
        "API, trials": f"{site.url}/api/v1/trials/?batch={pk}",
    }
    return {name: page.request.get(address).text() for name, address in addresses.items()}


@pytest.fixture
def race(page: Page, site: Site) -> str:
    at = steps.start_race(page, site, CONCEPT, ("Practice A", "steady"), ("Practice B", "silent"))
    steps.await_finish(page)
    return at


def test_the_canary_is_found_nowhere(page: Page, site: Site, race: str):
    assert PRACTICE_CANARY in said("silent", [{"role": "user", "content": "x"}]).reasoning
    rows = list(stored(site))
    assert any(CONCEPT in text for text in rows)
    assert [text[:200] for text in rows if PRACTICE_CANARY in text] == []
    answers = seen(page, site, race)
    controls = {"stream": f"rt={SILENT_REASONING_TOKENS}", "API, trials": str(SILENT_REASONING_TOKENS)}
    assert [name for name, body in answers.items() if controls.get(name, CONCEPT) not in body] == []
    assert [name for name, body in answers.items() if PRACTICE_CANARY in body] == []
    assert "DEBUG" in site.log
    assert PRACTICE_CANARY not in site.log


@pytest.fixture
def refused_race(page: Page, site: Site) -> Iterator[str]:
    """A race at a server that echoes the key in all that it says. Its endpoint is deleted at the end."""
    with running(Echoing()) as server:
        steps.add_endpoint(page, site, NAME, server.base_url, KEY, at_once=8)
        endpoint = page.url
        at = steps.start_race(page, site, NAME, (NAME, "refused"), (NAME, "m"))
        steps.await_finish(page)
        assert {each["bearer"] for each in server.received} == {f"Bearer {KEY}"}
        page.goto(endpoint)
        yield at
    page.goto(endpoint)
    page.get_by_text("Delete this endpoint").click()
    page.get_by_role("button", name=f"Delete {NAME} for good").click()
    expect(page.get_by_text(f"{NAME} is deleted, and its key destroyed.")).to_be_visible()
    page.goto(at)
    expect(page.get_by_text(f"at {NAME}").first).to_be_visible()


def test_an_echoed_key_is_found_nowhere(page: Page, site: Site, refused_race: str):
    answers = seen(page, site, refused_race) | {"endpoint": page.content()}
    places = answers | {f"stored {at}": text for at, text in enumerate(stored(site))} | {"log": site.log}
    assert hits(places) == []
    assert [name for name, body in answers.items() if NAME not in body] == []
    assert any(NAME in text for name, text in places.items() if name.startswith("stored"))
