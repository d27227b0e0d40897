"""One of everything: a registry with endpoints, races, runs and a token, for looking at its pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from playwright.sync_api import Browser, Page, StorageState, expect

from tests.browser import steps
from tests.browser.counterparties import ANSWERS, KEY, WEB_PAGE, Gated, gated
from tests.served import Site, free_port
from tests.waiting import until

TERMINATOR = "/probes/registry/emit-a-terminator/v1/"
STEADY = ("Practice A", "steady")
MIXED = ANSWERS | {
    "haiku": WEB_PAGE,
    "exactly 10 words": "one two three four five six seven eight nine ten",
    "incident": "The migration ran.\n<<END>> and more",
}


@dataclass
class World:
    """Where each thing is; `running` stays as it is until the world ends."""

    unreachable: str = ""
    """A race whose B cannot be reached, begun first: it is tried again for a quarter of a minute."""
    practice: str = ""
    """A race of practice models, finished: passes, fails."""
    silent: str = ""
    """A race with a model that says nothing."""
    mixed: str = ""
    """A race that counts: passes, fails and an unscored rung."""
    refused: str = ""
    """A race against a wrong key: one lane unscored throughout."""
    running: str = ""
    """A race whose A is through while B waits for answers."""
    cancelled: str = ""
    """A race of two repeats, cancelled while B's first calls were under way."""
    batch: str = ""
    """Three repeats of a probe, finished."""
    runs_running: str = ""
    """Runs that wait for answers."""
    attempt: str = ""
    """The number of an attempt of the batch."""
    endpoint: str = ""


@contextmanager
def made_world(browser: Browser, site: Site, signed_in: StorageState) -> Iterator[World]:
    context = browser.new_context(storage_state=signed_in, viewport={"width": 1280, "height": 900})
    with gated(answers=MIXED, shut=False) as quick, gated() as slow:
        page = context.new_page()
        world = World()
        nowhere = f"http://127.0.0.1:{free_port()}/v1"
        steps.add_endpoint(page, site, "Nowhere", nowhere, KEY, at_once=8)
        world.unreachable = steps.start_race(page, site, "a lost host", STEADY, ("Nowhere", "tester"))
        steps.add_endpoint(page, site, "Mixed", quick.base_url, KEY)
        world.endpoint = page.url
        steps.add_endpoint(page, site, "Slow", slow.base_url, KEY)
        steps.add_endpoint(page, site, "Wrong key", quick.base_url, "sk-wrong-1234567890")
        _make_races(page, site, world, slow)
        world.batch = start_runs(page, site, ("Mixed", "tester"), repeats=3)
        expect(page.get_by_text("3 of 3 trials closed").first).to_be_visible(timeout=20_000)
        world.attempt = an_attempt(page, world.batch)
        world.runs_running = start_runs(page, site, ("Slow", "tester"), repeats=2)
        make_token(page, site)
        page.close()
        yield world
    context.close()


def _make_races(page: Page, site: Site, world: World, slow: Gated) -> None:
    world.practice = steps.start_race(page, site, "recursion", STEADY, ("Practice B", "chatty"))
    steps.await_finish(page)
    world.silent = steps.start_race(page, site, "love", STEADY, ("Practice B", "silent"))
    steps.await_finish(page)
    world.mixed = steps.start_race(page, site, "a for loop", ("Mixed", "small"), ("Mixed", "large"))
    steps.await_finish(page)
    world.refused = steps.start_race(page, site, "a closure", STEADY, ("Wrong key", "tester"))
    steps.await_finish(page)
    world.cancelled = _cancelled_race(page, site, slow)
    world.running = steps.start_race(page, site, "a queue", STEADY, ("Slow", "tester"))
    steps.await_closed(page, 7)


def _cancelled_race(page: Page, site: Site, slow: Gated) -> str:
    """Of B's 14 trials some were called, which land; the others never are."""
    steps.fill_in_race(page, site, "a pointer", STEADY, ("Slow", "tester"))
    page.get_by_label("Repeats").fill("2")
    page.get_by_role("button", name="Start the race").click()
    expect(page.get_by_text("14 of 28 trials closed").first).to_be_visible(timeout=20_000)
    until(lambda: slow.waiting)
    page.get_by_role("button", name="Cancel the race").click()
    expect(page.get_by_text("Cancelled: calls already under way")).to_be_visible()
    slow.gate.set()
    expect(page.locator("#race-state")).to_have_text("cancelled", timeout=20_000)
    slow.gate.clear()
    return page.url


def start_runs(page: Page, site: Site, lane: steps.Lane, repeats: int = 1) -> str:
    """The address of a batch of the shipped terminator probe."""
    page.goto(f"{site.url}{TERMINATOR}")
    steps.pick(page.locator("#main"), *lane)
    page.get_by_label("Repeats", exact=True).fill(str(repeats))
    page.get_by_role("button", name=re.compile("^Run v1")).click()
    page.wait_for_url(re.compile(r"/batches/[0-9a-f-]+/(#run)?$"))
    return page.url.removesuffix("#run")


def an_attempt(page: Page, batch: str) -> str:
    """The number of one that can be redacted, as its link has it."""
    page.goto(f"{batch}moderate/")
    link = page.get_by_role("link", name=re.compile("^Redact repeat 1")).get_attribute("href")
    return str(link).split("/")[-3]


def make_token(page: Page, site: Site) -> None:
    page.goto(f"{site.url}/account/tokens/")
    page.get_by_label("Name").fill("a notebook")
    page.get_by_role("button", name="Make the token").click()
    expect(page.get_by_text("“a notebook” is ready")).to_be_visible()
