"""An invitation from its making to its acceptance, as the two people meet it, on a phone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from tests.browser import steps
from tests.browser.leak_guard import page_leaks
from tests.browser.test_pages import faults, overflows, violations
from tests.served import Site
from tests.thorough import thorough

TEAM = "/teams/zoo/"
PHONE: ViewportSize = {"width": 390, "height": 844}
MAKE = "from registry.teams.models import User; User.objects.create_user('nina@example.org', name='Nina')"


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Page]:
    """Nobody yet, on a phone."""
    context: BrowserContext = browser.new_context(viewport=PHONE, reduced_motion="reduce")
    yield context.new_page()
    context.close()


def look(page: Page) -> None:
    """Nothing is wrong with what is shown, light and dark, with everything open."""
    page.wait_for_load_state()
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    page.evaluate(Axe().axe_script)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        steps.settle(page)
        assert violations(page) == [], scheme
    assert (overflows(page, 390), faults(page)) == (False, [])
    assert [str(leak) for leak in page_leaks(page)] == []


@thorough
def test_who_is_invited_joins_is_promoted_and_removed(page: Page, visitor: Page, site: Site):
    page.set_viewport_size(PHONE)
    page.goto(f"{site.url}/account/")
    page.get_by_role("link", name="Create a team").click()
    page.get_by_label("Name").fill("Zoo")
    page.get_by_role("button", name="Create the team").click()
    expect(page).to_have_url(f"{site.url}{TEAM}")
    page.get_by_label("Role", exact=True).select_option("runner")
    page.get_by_role("button", name="Invite").click()
    link = page.locator("#invitation-link").inner_text()
    look(page)

    visitor.goto(link)
    expect(visitor.get_by_role("heading", name="Join Zoo")).to_be_visible()
    assert "#" not in visitor.url
    assert link.partition("#")[2] not in visitor.content()
    expect(visitor.get_by_text("invites you to the team Zoo as runner")).to_be_visible()
    look(visitor)
    site.manage("shell", "-c", MAKE)
    code = site.manage("signin_link", "--email", "nina@example.org").strip().rpartition("#")[2]
    visitor.get_by_role("link", name="Sign in to accept").click()
    visitor.get_by_label("Sign-in code").fill(code)
    visitor.get_by_role("button", name="Sign in with the code").click()
    look(visitor)
    visitor.get_by_role("button", name="Join as runner").press("Enter")
    expect(visitor.get_by_text("You are in Zoo now, as runner.")).to_be_visible()
    expect(visitor.get_by_role("rowheader", name="Nina (you)")).to_be_visible()
    look(visitor)

    page.goto(f"{site.url}{TEAM}")
    look(page)
    page.get_by_label("Role of Nina", exact=True).select_option("author")
    page.get_by_role("button", name="Change the role of Nina").click()
    expect(page.get_by_text("Nina is author of Zoo now.")).to_be_visible()
    visitor.reload()
    expect(visitor.get_by_text("Your role here is author")).to_be_visible()
    page.locator("summary").filter(has_text="Remove").click()
    page.get_by_role("button", name="Remove Nina").click()
    expect(page.get_by_text("Nina is no longer in Zoo.")).to_be_visible()
    assert (answer := visitor.reload())
    assert answer.status == 404
    visitor.goto(link)
    expect(visitor.get_by_text("This invitation was used on")).to_be_visible()

    page.get_by_role("textbox", name="Name").fill("Z" * 100)
    page.get_by_role("button", name="Rename").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Z" * 100)
    look(page)
