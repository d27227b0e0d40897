"""Chromium, driven by Playwright, against a registry that `manage.py serve` started."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, StorageState, sync_playwright

from tests.browser import steps
from tests.browser.world import World, made_world
from tests.served import Site, running_site
from tests.thorough import thorough

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")
"""The first is the same engine without windows: a new context costs it a fifth of the time."""
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
APART = {"test_accounts", "test_admin", "test_leak_guard", "test_live", "test_stream"}
"""Tests that need no site, or have one of their own: another worker may take them."""


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/browser/" in item.nodeid:
            item.add_marker(pytest.mark.browser)
            apart = item.path.stem in APART
            item.add_marker(pytest.mark.xdist_group("browser-apart" if apart else "browser"))
            item.add_marker(thorough)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    if not CHROMIUM:
        if os.environ.get("REQUIRE_BROWSER") == "1":
            pytest.fail("REQUIRE_BROWSER=1 and no chromium: apt-get install chromium-headless-shell")
        pytest.skip(
            "No chromium: the browser tests are skipped (Debian: apt-get install chromium-headless-shell)"
        )
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    rates = dict.fromkeys(["START_RATE_PERSON", "START_RATE_ADDRESS"], "6000/minute")
    with running_site(tmp_path_factory.mktemp("home"), LOG_LEVEL="DEBUG", **rates) as running:
        yield running


@pytest.fixture(scope="package")
def signed_in(browser: Browser, site: Site) -> StorageState:
    """The administrator's cookies, got by the one-time link."""
    return steps.sign_in(browser, site)


@pytest.fixture(scope="package")
def world(browser: Browser, site: Site, signed_in: StorageState) -> Iterator[World]:
    """One of everything there is a page for; made once, for looking at."""
    with made_world(browser, site, signed_in) as made:
        yield made


class Console:
    """What a page said to the console; silence is asserted at the end of each test."""

    def __init__(self, page: Page) -> None:
        self.said: list[str] = []
        page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.said.append(f"error: {error}"))


@pytest.fixture
def page(browser: Browser, signed_in: StorageState) -> Iterator[Page]:
    """A signed-in page whose console must stay silent."""
    context = browser.new_context(storage_state=signed_in, viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    console = Console(opened)
    yield opened
    context.close()
    assert console.said == []
