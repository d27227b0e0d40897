"""The main job, as a person does it: add an endpoint by the form, race two models, read the verdicts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.counterparties import ANSWERS, KEY
from tests.browser.steps import RUNGS, add_endpoint, await_finish, cell, lane, scored, start_race
from tests.served import Counterparty, Site, counterparty

EXPECTED = {
    "one-sentence": "PASS 1 / 1 sentences",
    "ten-words": "FAIL 11 / 10 words",
    "five-words": "PASS 5 / 5 words",
    "pirate": "FAIL 0 / 2 pirate words",
    "binary": "FAIL charset violation: '2', 'x'",
    "haiku": "FAIL 2-2-1 / 5-7-5 syllables",
    "no-e": "FAIL 5 / 0 'e' characters",
}


@pytest.fixture(scope="module")
def server() -> Iterator[Counterparty]:
    with counterparty(KEY, ANSWERS) as running:
        yield running


def test_a_race_against_an_endpoint_added_by_the_form(page: Page, site: Site, server: Counterparty):
    add_endpoint(page, site, "Counterparty", server.base_url + "/", KEY)
    assert KEY not in page.content()
    server.received.clear()

    start_race(page, site, "recursion", ("Practice A", "steady"), ("Counterparty", "tester"))
    await_finish(page)

    for index, (key, line) in enumerate(EXPECTED.items(), start=1):
        assert line in cell(page, index, "B"), key
    cells = lane(page, "A") + lane(page, "B")
    assert scored(cells) == 14
    assert sum("PASS" in line for line in cells) == 8
    expect(page.get_by_text("Both models received identical messages on 7 of 7 rungs.")).to_be_visible()

    calls = [call for call in server.received if call["path"] == "/v1/chat/completions"]
    assert len(calls) == 7
    assert {call["bearer"] for call in server.received} == {f"Bearer {KEY}"}
    assert {"recursion" in call["body"]["messages"][-1]["content"] for call in calls} == {True}
    assert {call["path"] for call in server.received} <= {"/v1/chat/completions", "/v1/models"}


def test_a_race_seen_live_needs_no_reload(page: Page, site: Site):
    start_race(page, site, "a for loop", ("Practice A", "steady"), ("Practice B", "chatty"))
    page.evaluate("window.untouched = true")
    await_finish(page)
    assert page.evaluate("window.untouched") is True
    before = lane(page, "A") + lane(page, "B")
    page.reload()
    assert lane(page, "A") + lane(page, "B") == before
    assert "FAIL 11 / 10 words" in before[1]


def test_a_silent_model_fails_every_rung_with_empty_output(page: Page, site: Site):
    start_race(page, site, "love", ("Practice A", "steady"), ("Practice B", "silent"))
    await_finish(page)
    for index in RUNGS:
        line = cell(page, index, "B")
        assert "FAIL empty output" in line
        assert "rt=3200" in line
        assert "2 attempts" in line
