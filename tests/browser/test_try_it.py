"""The try-it box as a visitor meets it: verdicts and marks as one types, and by a button without script."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect

from tests.browser.test_pages import AXE, TAGS
from tests.browser.world import TERMINATOR
from tests.served import Site

NO_E = "/probes/registry/no-e/v1/"


def axe(page: Page) -> list[str]:
    from axe_playwright_python.sync_playwright import Axe

    page.evaluate(Axe().axe_script)
    found = page.evaluate(AXE, {"runOnly": {"type": "tag", "values": TAGS}, "resultTypes": ["violations"]})
    return [each["id"] for each in found]


def test_a_visitor_tries_an_output(browser: Browser, site: Site):
    context = browser.new_context(viewport={"width": 390, "height": 900})
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text))
    page.goto(f"{site.url}{NO_E}")
    box, said, tried = (
        page.get_by_label("An output to check"),
        page.locator("#try-said"),
        page.locator("#tried"),
    )
    box.press_sequentially("A calm day, dear.")
    expect(said).to_contain_text("Scores 0.00")
    expect(tried.locator(".rule-verdicts li")).to_contain_text("1 / 0 'e' characters")
    expect(tried.locator("mark.m-forbidden").first).to_have_text("e")
    expect(tried.locator(".legend")).to_contain_text("1 forbidden character: ‘e’")
    tried.get_by_label("Show white space").check()
    box.fill("A calm day.")
    expect(said).to_contain_text("PASS")
    expect(tried.get_by_label("Show white space")).to_be_checked()
    assert page.url.endswith(NO_E)
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
    assert axe(page) == []
    assert [words for words in wrong if "Content Security Policy" not in words] == []
    box.fill("x" * 200_001)
    expect(said).to_contain_text("Not checked: the output has 200,001 characters")
    expect(tried).to_be_empty()
    context.set_offline(True)
    box.fill("A calm")
    expect(said).to_contain_text("The registry cannot be reached")
    context.close()


def test_the_box_needs_no_script(browser: Browser, site: Site):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site.url}{TERMINATOR}")
    page.get_by_label("An output to check").fill("It ran.\n<<END>>\nHope that helps!")
    page.get_by_role("button", name="Check the output").click()
    expect(page).to_have_url(re.compile(r"/v1/try/#try-it$"))
    expect(page.locator("#try-said")).to_contain_text("nothing_after_terminator")
    expect(page.get_by_label("An output to check")).to_have_value("It ran.\n<<END>>\nHope that helps!")
    context.close()


def answered(page: Page, status: int, body: str = "no", **headers: str) -> None:
    """From now on something before the registry answers the box."""
    page.route("**/try/", lambda route: route.fulfill(status=status, body=body, headers=headers))


LAYERS = {
    413: "That is far over 200,000 characters",
    429: "Too many outputs in a short time. This one will be checked by itself.",
    403: "This output could not be checked. Copy it",
    500: "Not checked: the registry failed",
    502: "The registry cannot be reached",
    200: "This output could not be checked. Copy it",
    204: "This output could not be checked. Copy it",
}


def test_no_verdict_outlives_its_text(browser: Browser, site: Site):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(f"{site.url}{NO_E}")
    box, said, tried = page.locator("#try-output"), page.locator("#try-said"), page.locator("#tried")
    for status, words in LAYERS.items():
        box.fill("A calm day.")
        expect(said).to_contain_text("PASS")
        answered(page, status)
        box.fill("A calm day, dear.")
        expect(said).to_contain_text(words)
        expect(said).not_to_contain_text("PASS")
        expect(tried).to_be_empty()
        page.unroute("**/try/")
    box.fill("A calm day.")
    expect(said).to_contain_text("PASS")
    box.evaluate(
        """box => {
          box.value = `${"x".repeat(99)}\\n`.repeat(4_001);
          box.dispatchEvent(new Event("input", { bubbles: true }));
        }"""
    )
    expect(said).to_have_text(re.compile("^That is far over 200,000 characters"))
    expect(tried).to_be_empty()
    context.close()


def test_what_is_awaited_is_pending_and_what_repeats_is_not_announced(browser: Browser, site: Site):
    context = browser.new_context(viewport={"width": 390, "height": 900})
    page = context.new_page()
    page.goto(f"{site.url}{NO_E}")
    box, said, note = page.locator("#try-output"), page.locator("#try-said"), page.locator("#try-note")
    box.fill("A calm day.")
    expect(said).to_contain_text("PASS")
    page.evaluate(
        """() => {
          window.heard = 0;
          const look = new MutationObserver(() => { window.heard += 1 });
          const all = { childList: true, subtree: true, characterData: true };
          look.observe(document.getElementById("try-said"), all);
        }"""
    )
    held = []
    page.route("**/try/", lambda route: held.append(route))
    box.fill("A calm old day.")
    pending = page.locator("#try-pending")
    expect(pending).to_be_visible()
    expect(pending).to_have_text(re.compile("◌ *pending"))
    for part in (said, page.locator("#tried")):
        expect(part).to_have_attribute("aria-busy", "true")
    expect(page.locator("#try-form")).to_have_class(re.compile("htmx-request"))
    box.fill("A calm, dull old day.")
    page.unroute("**/try/")
    expect(note).to_have_text("21 characters")
    expect(pending).to_be_hidden()
    expect(said).to_have_attribute("aria-busy", "false")
    assert page.evaluate("window.heard") == 0
    context.close()


def test_it_is_tried_again_once_the_registry_answers(browser: Browser, site: Site):
    context = browser.new_context()
    page = context.new_page()
    page.clock.install()
    page.goto(f"{site.url}{NO_E}")
    box, said, note = page.locator("#try-output"), page.locator("#try-said"), page.locator("#try-note")
    context.set_offline(True)
    box.fill("A calm day.")
    page.clock.run_for(400)
    expect(said).to_have_text(
        "The registry cannot be reached, so nothing was checked. It is tried again by itself."
    )
    expect(note).to_have_text("In 2 s.")
    page.clock.run_for(2_100)
    expect(note).to_have_text("In 4 s.")
    context.set_offline(False)
    expect(said).to_contain_text("PASS")
    answered(page, 429, **{"Retry-After": "27"})
    box.fill("A calm day!")
    page.clock.run_for(400)
    expect(note).to_have_text("In 27 s.")
    page.clock.run_for(7_100)
    expect(note).to_have_text("In 20 s.")
    page.unroute("**/try/")
    page.clock.run_for(20_100)
    expect(said).to_contain_text("PASS")
    context.close()
