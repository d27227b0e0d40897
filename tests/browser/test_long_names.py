"""What people and providers name may be one long word: on a phone nothing makes a page scroll sideways."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, StorageState, expect

from tests.browser import steps
from tests.browser.counterparties import ANSWERS, KEY, gated
from tests.browser.world import TERMINATOR, start_runs
from tests.served import Site

MODEL, NAME, CONCEPT = "m" * 200, "N" * 100, "c" * 80
STEADY = ("Practice A", "steady")

GROW = """() => {
  const written = "main :is([data-literal], code, .title, h1, .eyebrow, .note a)";
  for (const each of document.querySelectorAll(written))
    for (const node of each.closest("svg, .label, .wide") ? [] : each.childNodes)
      if (node.nodeType === Node.TEXT_NODE && node.data.trim()) node.data = "w".repeat(300);
}"""
"""Each thing that a person or a provider may have written becomes one long word."""

TOO_WIDE = """() => [...document.querySelectorAll("body *")]
  .filter((each) => each.getBoundingClientRect().right > innerWidth + 1 && !each.closest(".sr, .wide, svg"))
  .map((each) => `${each.tagName} ${each.className}`).slice(0, 5)"""


@pytest.fixture(scope="module")
def shown(browser: Browser, site: Site, signed_in: StorageState) -> Iterator[dict[str, str]]:
    """Pages by name: some of a race and of runs of a model with a long name at an endpoint with one."""
    context = browser.new_context(storage_state=signed_in)
    page = context.new_page()
    with gated(answers=ANSWERS, shut=False) as server:
        steps.add_endpoint(page, site, NAME, server.base_url, KEY)
        endpoint = page.url
        race = steps.start_race(page, site, CONCEPT, STEADY, (NAME, MODEL))
        steps.await_finish(page)
        batch = start_runs(page, site, (NAME, MODEL))
        expect(page.get_by_text("1 of 1 trials closed").first).to_be_visible(timeout=20_000)
        again = f"{race}again/"
        site_pages = {name: f"{site.url}{name}" for name in ("/", "/results/", "/probes/", TERMINATOR)}
        yield site_pages | {"race": race, "batch": batch, "endpoint": endpoint, "again": again}
    context.close()


WRITE = """() => {
  const field = document.getElementById("id_a-model");
  field.value = "mine";
  field.dispatchEvent(new Event("input", {bubbles: true}));
}"""
"""Someone writes a model, before the server's answer is there."""


PAGES = ["/", "/results/", "/probes/", TERMINATOR, "race", "batch", "endpoint", "again"]


@pytest.mark.parametrize("name", PAGES)
def test_a_long_word_breaks(page: Page, shown: dict[str, str], name: str):
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(shown[name])
    for _ in ("as it is", page.evaluate(GROW)):
        width = page.evaluate("document.scrollingElement.scrollWidth")
        assert width <= 390, page.evaluate(TOO_WIDE)


def test_another_endpoint_brings_a_model_of_its_own(page: Page, site: Site):
    """But never over what was written since."""
    page.goto(f"{site.url}{steps.LADDER}")
    group = page.get_by_role("group", name="Model A")
    endpoint, model = group.get_by_label("Endpoint", exact=True), group.get_by_label("Model at that endpoint")
    model.fill("gpt-9")
    with page.expect_response("**/endpoints/models/**"):
        endpoint.select_option(label="Practice B (practice)")
    expect(model).to_have_value("steady")
    page.evaluate("document.getElementById('a-model-offered').classList.add('before')")
    page.route("**/endpoints/models/**", lambda route: (page.evaluate(WRITE), route.continue_()))
    endpoint.select_option(label="Practice A (practice)")
    expect(page.locator("#a-model-offered:not(.before)")).to_contain_text("Offers")
    expect(page.locator(".htmx-added, .htmx-settling, .htmx-request")).to_have_count(0)
    expect(model).to_have_value("mine")
