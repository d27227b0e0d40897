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
