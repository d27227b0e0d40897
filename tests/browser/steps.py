"""What a person does on the pages, step by step, and how what they see is read."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Locator, Page, StorageState, expect

from tests.served import Site

LADDER = "/ladders/registry/one-sentence-torture-test/"
RUNGS = range(1, 8)
Lane = tuple[str, str]
"""The name of an endpoint and a model at it."""


def words(text: str) -> str:
    return " ".join(text.split())


def sign_in(browser: Browser, site: Site) -> StorageState:
    """The administrator's cookies, got by the link that the site printed as it started."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(site.first_link)
    page.wait_for_url(lambda url: "/sign-in/" not in url)
    state = context.storage_state()
    context.close()
    return state


def add_endpoint(page: Page, site: Site, name: str, base_url: str, key: str, at_once: int = 0) -> None:
    """By the form, as its owner; `at_once` calls may be under way together, or as many as is usual."""
    page.goto(f"{site.url}/account/")
    page.get_by_role("link", name="Endpoints").first.click()
    page.get_by_role("link", name="Add an endpoint").first.click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Base URL", exact=True).fill(base_url)
    page.get_by_label("Key", exact=True).fill(key)
    if at_once:
        page.get_by_text("What this server does and does not accept").click()
        page.get_by_label("Calls at once").fill(str(at_once))
    page.get_by_role("button", name="Add the endpoint").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(name)


def pick(within: Page | Locator, endpoint: str, model: str) -> None:
    """Choose an endpoint by its name and write a model of it."""
    option = within.get_by_role("option").filter(has_text=endpoint).first.get_attribute("value")
    select = within.get_by_label("Endpoint", exact=True)
    select.select_option(option)
    # what the endpoint offers is fetched; while it lands, the button below would move under the mouse
    expect(select).not_to_have_class(re.compile("htmx-request"))
    within.get_by_label("Model at that endpoint").fill(model)


def fill_in_race(page: Page, site: Site, concept: str, a: Lane, b: Lane) -> None:
    page.goto(f"{site.url}{LADDER}")
    page.get_by_label("Concept").fill(concept)
    for letter, (endpoint, model) in (("A", a), ("B", b)):
        pick(page.get_by_role("group", name=f"Model {letter}"), endpoint, model)


def start_race(page: Page, site: Site, concept: str, a: Lane, b: Lane) -> str:
    """The address of the race."""
    fill_in_race(page, site, concept, a, b)
    page.get_by_role("button", name="Start the race").click()
    page.wait_for_url(re.compile(r"/races/[0-9a-f-]+/$"))
    return page.url


def await_closed(page: Page, closed: int, seconds: float = 30) -> None:
    """Until the page says, without being reloaded, that `closed` of the 14 trials are closed."""
    said = page.get_by_text(f"{closed} of 14 trials closed").first
    expect(said).to_be_visible(timeout=seconds * 1000)


def await_finish(page: Page, seconds: float = 30) -> None:
    await_closed(page, 14, seconds)
    expect(page.get_by_text("finished", exact=True).first).to_be_visible(timeout=10_000)


def settle(page: Page) -> None:
    """Until no transition is under way any more."""
    page.evaluate(
        "Promise.allSettled(document.getAnimations().filter((each) => each instanceof CSSTransition)"
        ".map((each) => each.finished)).then(() => true)"
    )


def cell(page: Page, index: int, letter: str) -> str:
    return words(page.locator(f"#rung-{index}-{letter}").inner_text())


def lane(page: Page, letter: str) -> list[str]:
    """The seven cells of one climb, from rung 1."""
    return [cell(page, index, letter) for index in RUNGS]


def scored(cells: list[str]) -> int:
    return sum("PASS" in line or "FAIL" in line for line in cells)
