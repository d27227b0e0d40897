"""An account from sign-up to its end in a real browser, by mails that the site prints."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Console
from tests.browser.leak_guard import page_leaks
from tests.browser.test_pages import faults, overflows, violations
from tests.registry.accounts.people import app_codes
from tests.served import Site, running_site
from tests.thorough import thorough
from tests.waiting import until

EMAIL, OTHER = "nora@example.org", "nora@new.example"
FIRST, SECOND = "heron-over-still-water", "egret-in-the-long-reeds"
pytestmark = thorough


@pytest.fixture
def open_site(tmp_path):
    with running_site(tmp_path / "home", SIGN_UP="open") as site:
        yield site


def test_an_account_from_its_first_day_to_its_last(browser: Browser, open_site: Site):
    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    console = Console(page)
    sign_up(page, open_site)
    another_password(page, open_site)
    enter(page, open_site, SECOND)
    secret, recovery = turn_on(page, open_site)
    sign_out(page, open_site)
    enter(page, open_site, SECOND)
    expect(page.get_by_role("heading", level=1)).to_have_text("One more step")
    look_at(page, "second step")
    page.get_by_label("Code").fill("000000")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    assert [said for said in console.said if "status of 422" not in said] == []
    console.said.clear()
    page.get_by_label("Code").fill(app_codes(secret)[2])
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{open_site.url}/")
    sign_out(page, open_site)
    enter(page, open_site, SECOND)
    page.get_by_label("Code").fill(recovery[0])
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{open_site.url}/")
    go(page, open_site, "/account/sign-ins/")
    look_at(page, "sign-ins")
    assert page.get_by_role("row").count() == 6
    expect(page.get_by_role("cell", name="Refused: right password, wrong code")).to_be_visible()
    another_address(page, open_site)
    close(page, open_site)
    assert console.said == []
    context.close()


def sign_up(page: Page, site: Site) -> None:
    go(page, site, "/sign-in/")
    follow(page, "Make an account")
    look_at(page, "sign-up")
    page.get_by_label("E-mail address").fill(EMAIL)
    page.get_by_label("Your name").fill("Nora")
    page.get_by_label("New password").fill(FIRST)
    page.get_by_role("button", name="Make the account").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Look for a mail")
    page.goto(mailed(site, "sign-up/verify"))
    look_at(page, "verify")
    page.get_by_role("button", name="Yes, this is my address").click()
    page.wait_for_url(f"{site.url}/")
    expect(page.get_by_role("link", name="Nora")).to_be_visible()
    sign_out(page, site)


def another_password(page: Page, site: Site) -> None:
    go(page, site, "/sign-in/")
    page.get_by_role("link", name="Forgot the password?").click()
    page.get_by_label("E-mail address").fill(EMAIL)
    page.get_by_role("button", name="Send me a link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Look for a mail")
    page.goto(mailed(site, "password/reset/key"))
    look_at(page, "another password")
    page.get_by_label("New password", exact=True).fill(SECOND)
    page.get_by_label("New password, once more").fill(SECOND)
    page.get_by_role("button", name="Change the password").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your password is changed")


def enter(page: Page, site: Site, password: str) -> None:
    go(page, site, "/sign-in/")
    page.get_by_label("E-mail address").fill(EMAIL)
    page.get_by_role("textbox", name="Password").fill(password)
    page.get_by_role("button", name="Sign in with the password").click()
    page.wait_for_url(lambda url: not url.endswith("/sign-in/"))


def turn_on(page: Page, site: Site) -> tuple[str, list[str]]:
    """The secret, and the recovery codes."""
    go(page, site, "/account/two-factor/")
    follow(page, "Turn it on")
    look_at(page, "who are you")
    page.get_by_role("textbox", name="Password").fill(SECOND)
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("img", name="The key, as a picture")).to_be_visible()
    look_at(page, "turn on")
    secret = page.locator("#secret").inner_text().replace(" ", "")
    page.get_by_label("Code").fill(app_codes(secret)[1])
    page.get_by_role("button", name="Turn it on").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Recovery codes")
    look_at(page, "recovery codes")
    recovery = page.locator("#recovery").inner_text().split()
    for path in ("", "off/", "recovery/", "recovery/new/"):
        go(page, site, f"/account/two-factor/{path}")
        look_at(page, f"two-factor/{path}")
    go(page, site, "/account/password/")
    look_at(page, "change the password")
    return secret, recovery


def another_address(page: Page, site: Site) -> None:
    """By the link in the mail to the new one, after the password."""
    go(page, site, "/account/")
    follow(page, "Change your e-mail address")
    follow(page, "Use authenticator app or code")
    look_at(page, "who are you, by code")
    page.go_back()
    page.get_by_role("textbox", name="Password").fill(SECOND)
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Change your e-mail address")
    look_at(page, "another address")
    page.get_by_label("New e-mail address").fill(OTHER)
    page.get_by_role("button", name="Send a link to it").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Look for a mail")
    look_at(page, "another address, sent")
    page.goto(mailed(site, "account/email/confirm"))
    look_at(page, "another address, confirm")
    page.get_by_role("button", name="Yes, use this address").click()
    expect(page.get_by_text(f"The address of your account is {OTHER} now.")).to_be_visible()
    look_at(page, "another address, done")
    go(page, site, "/account/sign-ins/")
    expect(page.get_by_role("cell", name="Changed the e-mail address")).to_be_visible()


def close(page: Page, site: Site) -> None:
    go(page, site, "/account/close/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Close your account")
    look_at(page, "close")
    page.get_by_label("Your e-mail address").fill(OTHER)
    page.get_by_role("button", name="Close my account for good").click()
    expect(page.get_by_text("Your account is closed.")).to_be_visible()


def sign_out(page: Page, site: Site) -> None:
    go(page, site, "/account/")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in").first).to_be_visible()


def go(page: Page, site: Site, path: str) -> None:
    answer = page.goto(site.url + path)
    assert answer
    assert answer.ok, path


def mailed(site: Site, path: str) -> str:
    """The latest link below `path` in a mail that the site printed."""
    link = re.compile(rf"{site.url}/{path}\S+")
    until(lambda: link.search(site.log))
    return link.findall(site.log)[-1]


def follow(page: Page, link: str) -> None:
    """Returns when the page that the link leads to is there: a click alone returns before."""
    with page.expect_navigation():
        page.get_by_role("link", name=link).click()


def look_at(page: Page, name: str) -> None:
    """Axe, in both schemes; its narrowest width; and what leaks."""
    page.wait_for_load_state()
    assert faults(page) == [], name
    assert [str(leak) for leak in page_leaks(page)] == [], name
    assert not overflows(page, 390), name
    policed = page.evaluate("document.querySelectorAll('[style], style, script:not([src])').length")
    assert policed == 0, name
    page.evaluate(Axe().axe_script)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert violations(page) == [], f"{name}, {scheme}"
    page.set_viewport_size({"width": 1280, "height": 900})
