"""Reasoning text is found nowhere: what a model thought stands in no table, file, log, page or stream."""

from __future__ import annotations

from collections.abc import Iterable

import psycopg
import pytest
from playwright.sync_api import Page
from psycopg import sql

from registry.endpoints.personas import SILENT_REASONING_TOKENS, said
from registry.endpoints.practice import PRACTICE_CANARY
from tests.browser import steps
from tests.served import Site

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
