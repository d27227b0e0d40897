"""The main job, as a person does it: add an endpoint by the form, race two models, read the verdicts."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.served import Counterparty, Site, counterparty

KEY = "sk-counterparty-1234567890"
ANSWERS = {
    "exactly one sentence.": "It is a function that calls itself.",
    "exactly 10 words": "one two three four five six seven eight nine ten eleven",
    "exactly 5 words": "one two three four five",
    "pirate": "A tale of the sea.",
    "0 and 1": "0101 2 x",
    "haiku": "too short\nby far\nno",
    "no letter e": "Three e's here.",
}
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


@pytest.fixture(scope="module")
def endpoint(server: Counterparty) -> str:
    return "Counterparty"


def words(text: str) -> str:
    return " ".join(text.split())


def add_endpoint(page: Page, site: Site, name: str, base_url: str, key: str) -> None:
    page.goto(f"{site.url}/account/")
    page.get_by_role("link", name="Endpoints").first.click()
    page.get_by_role("link", name="Add an endpoint").first.click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Base URL", exact=True).fill(base_url)
    page.get_by_label("Key", exact=True).fill(key)
    page.get_by_role("button", name="Add the endpoint").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(name)


def start_race(page: Page, site: Site, concept: str, a: tuple[str, str], b: tuple[str, str]) -> None:
    page.goto(f"{site.url}/ladders/registry/one-sentence-torture-test/")
    page.get_by_label("Concept").fill(concept)
    for letter, (endpoint, model) in (("A", a), ("B", b)):
        lane = page.get_by_role("group", name=f"Model {letter}")
        option = lane.get_by_role("option").filter(has_text=endpoint).first.get_attribute("value")
        lane.get_by_label("Endpoint", exact=True).select_option(option)
        lane.get_by_label("Model at that endpoint").fill(model)
    page.get_by_role("button", name="Start the race").click()
    page.wait_for_url(re.compile(r"/races/[0-9a-f-]+/$"))


def await_finish(page: Page) -> None:
    expect(page.get_by_text("14 of 14 trials closed").first).to_be_visible(timeout=30_000)
    expect(page.get_by_text("finished", exact=True).first).to_be_visible(timeout=10_000)


def cell(page: Page, index: int, letter: str) -> str:
    return words(page.locator(f"#rung-{index}-{letter}").inner_text())


def test_a_race_against_an_endpoint_added_by_the_form(page: Page, site: Site, server: Counterparty):
    add_endpoint(page, site, "Counterparty", server.base_url + "/", KEY)
    assert KEY not in page.content()
    server.received.clear()

    start_race(page, site, "recursion", ("Practice A", "steady"), ("Counterparty", "tester"))
    await_finish(page)

    for index, (key, line) in enumerate(EXPECTED.items(), start=1):
        assert line in cell(page, index, "B"), key
    passed = sum("PASS" in cell(page, index, letter) for index in range(1, 8) for letter in "AB")
    failed = sum("FAIL" in cell(page, index, letter) for index in range(1, 8) for letter in "AB")
    assert (passed, failed) == (8, 6)
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
    before = [cell(page, index, letter) for index in range(1, 8) for letter in "AB"]
    page.reload()
    assert [cell(page, index, letter) for index in range(1, 8) for letter in "AB"] == before
    assert "FAIL 11 / 10 words" in before[2]


def test_a_silent_model_fails_every_rung_with_empty_output(page: Page, site: Site):
    start_race(page, site, "love", ("Practice A", "steady"), ("Practice B", "silent"))
    await_finish(page)
    for index in range(1, 8):
        line = cell(page, index, "B")
        assert "FAIL empty output" in line
        assert "rt=3200" in line
        assert "2 attempts" in line
