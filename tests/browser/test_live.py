"""A race watched while things go wrong: nothing is lost, nothing comes twice, and nobody has to help."""

from __future__ import annotations

import json
import os
import re
import signal
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, StorageState, expect

from tests.browser import steps
from tests.browser.counterparties import KEY, Gated, gated
from tests.browser.line import line_to
from tests.served import Site, running_site
from tests.waiting import until

STEADY = ("Practice A", "steady")
SLOW = ("Slow", "tester")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One whose leases are short, so that a lost worker is missed soon."""
    home = tmp_path_factory.mktemp("live")
    with running_site(home, LEASE_SECONDS="3", SWEEP_SECONDS="1") as running:
        yield running


@pytest.fixture(scope="module")
def signed_in(browser: Browser, site: Site) -> StorageState:
    return steps.sign_in(browser, site)


@pytest.fixture(scope="module")
def slow(browser: Browser, site: Site, signed_in: StorageState) -> Iterator[Gated]:
    context = browser.new_context(storage_state=signed_in)
    with gated() as server:
        steps.add_endpoint(context.new_page(), site, "Slow", server.base_url, KEY, at_once=8)
        context.close()
        yield server


@pytest.fixture
def gate(slow: Gated) -> Iterator[Gated]:
    """B answers only once the test lets it."""
    slow.gate.clear()
    slow.received.clear()
    yield slow
    slow.gate.set()


@pytest.fixture
def shaky(browser: Browser, signed_in: StorageState) -> Iterator[Page]:
    """A page of which nothing is heard in the console but that the network failed."""
    context = browser.new_context(storage_state=signed_in, viewport={"width": 1280, "height": 900})
    said: list[str] = []
    page = context.new_page()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    yield page
    context.close()
    assert [words for words in said if "net::ERR_" not in words] == []


def start_and_wait_for_a(page: Page, site: Site, concept: str) -> str:
    """A race of which A is through and B waits; the page must not be loaded again after this."""
    at = steps.start_race(page, site, concept, STEADY, SLOW)
    steps.await_closed(page, 7)
    page.evaluate("window.untouched = true")
    return at


def calls(server: Gated) -> int:
    return sum(call["path"] == "/v1/chat/completions" for call in server.received)


def check_whole(page: Page) -> None:
    """All 14 are there, scored, and each once."""
    assert steps.scored(steps.lane(page, "A") + steps.lane(page, "B")) == 14
    counts = {selector: page.locator(selector).count() for selector in (".race-cell", ".trial", ".part")}
    assert counts == {".race-cell": 14, ".trial": 14, ".part": 14}
    twice = page.evaluate(
        "[...document.querySelectorAll('[id]')].map((each) => each.id)"
        ".filter((id, at, all) => all.indexOf(id) !== at)"
    )
    assert twice == []


def fetched(url: str) -> str:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read().decode()


def child(site: Site, role: str) -> int:
    """The process id of the site's web or work process."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            status = (entry / "status").read_text()
            command = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if f"PPid:\t{site.process.pid}\n" in status and role.encode() in command:
            return int(entry.name)
    raise AssertionError(f"the site has no {role} process")


def test_a_reload_loses_nothing(page: Page, site: Site, gate: Gated):
    start_and_wait_for_a(page, site, "a reload")
    before = steps.lane(page, "A")
    page.reload()
    assert steps.lane(page, "A") == before
    expect(page.get_by_text("7 of 14 trials closed")).to_be_visible()
    gate.gate.set()
    steps.await_finish(page)
    check_whole(page)
    assert calls(gate) == 7


def test_a_second_tab_sees_the_same(page: Page, site: Site, gate: Gated):
    at = start_and_wait_for_a(page, site, "a second tab")
    other = page.context.new_page()
    other.goto(at)
    gate.gate.set()
    for tab in (page, other):
        steps.await_finish(tab)
        check_whole(tab)
    assert steps.lane(page, "B") == steps.lane(other, "B")
    assert page.evaluate("window.untouched")


@pytest.mark.parametrize("silently", [False, True], ids=["the line is cut", "the line falls silent"])
def test_a_tab_that_was_offline_catches_up(shaky: Page, site: Site, gate: Gated, silently: bool):
    with line_to(site) as line:
        at = start_and_wait_for_a(shaky, line.site, "a tunnel")
        line.fail(silently=silently)
        shaky.context.set_offline(True)
        if not silently:
            expect(shaky.locator("[data-stream-status]")).to_contain_text("The live view is down")
        gate.gate.set()
        until(lambda: "14 of 14 trials closed" in fetched(at.replace(line.site.url, site.url)))
        expect(shaky.get_by_text("7 of 14 trials closed")).to_be_visible()
        line.mend()
        shaky.context.set_offline(False)
        steps.await_finish(shaky)
        check_whole(shaky)
        assert shaky.evaluate("window.untouched")


def test_a_killed_web_process_comes_back_and_the_page_catches_up(shaky: Page, site: Site, gate: Gated):
    start_and_wait_for_a(shaky, site, "a killed web process")
    os.kill(child(site, "web"), signal.SIGKILL)
    gate.gate.set()
    steps.await_finish(shaky)
    check_whole(shaky)
    assert shaky.evaluate("window.untouched")
    assert calls(gate) == 7
    assert "The web process was ended by SIGKILL; it is started again" in site.log


COUNT = """
import json, sys
from ladder.models import Race
from probes.models import Attempt, Trial
batch = Race.objects.latest("batch__created_at").batch
trials = Trial.objects.filter(run__batch=batch)
closing = Attempt.objects.filter(trial__in=trials, late=False).exclude(outcome="error")
print(json.dumps({
    "states": sorted(trials.values_list("state", flat=True)),
    "each once": sorted(closing.values_list("trial", flat=True)) == sorted(t.pk for t in trials),
    "lost": Attempt.objects.filter(trial__in=trials, error="worker_lost", may_be_billed=True).count(),
}))
"""


def test_a_killed_worker_is_started_again_and_its_work_resumed(page: Page, site: Site, gate: Gated):
    start_and_wait_for_a(page, site, "a killed worker")
    until(lambda: gate.waiting == 7)
    os.kill(child(site, "work"), signal.SIGKILL)
    gate.gate.set()
    steps.await_finish(page, seconds=60)
    check_whole(page)
    assert page.evaluate("window.untouched")
    assert calls(gate) == 14
    counted = json.loads(site.manage("shell", "--no-imports", "-c", COUNT))
    assert counted == {"states": ["closed"] * 14, "each once": True, "lost": 7}


def test_a_race_cancelled_in_the_middle_calls_nobody_any_more(page: Page, site: Site, gate: Gated):
    steps.fill_in_race(page, site, "a change of mind", STEADY, SLOW)
    page.get_by_label("Repeats").fill("2")
    page.get_by_role("button", name="Start the race").click()
    expect(page.get_by_text("14 of 28 trials closed")).to_be_visible(timeout=20_000)
    until(lambda: gate.waiting == 8)
    page.get_by_role("button", name="Cancel the race").click()
    expect(page.get_by_text("Cancelled: calls already under way are recorded as they land.")).to_be_visible()
    page.evaluate("window.untouched = true")
    gate.gate.set()
    expect(page.get_by_text("22 of 28 trials closed, 6 cancelled")).to_be_visible(timeout=20_000)
    expect(page.locator("#race-state")).to_have_text("cancelled")
    assert page.evaluate("window.untouched")
    assert calls(gate) == 8
    page.get_by_role("link", name="Race again").click()
    expect(page.get_by_label("Concept")).to_have_value("a change of mind")


def tab_to(page: Page, name: str) -> None:
    """Tab on until what has the focus is called `name`; it must be seen to have it."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate(NAME) == name:
            assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none", name
            return
    raise AssertionError(f"no way to {name} by the Tab key")


NAME = """() => {
  const { activeElement: at } = document;
  const group = at.closest("fieldset")?.querySelector("legend").textContent.trim();
  const own = (at.labels?.[0] || at).textContent.replace(/\\s+/g, " ").trim();
  return group ? `${group}: ${own}` : own;
}"""


def test_a_race_is_started_and_read_by_the_keyboard_alone(page: Page, site: Site, slow: Gated):
    page.goto(site.url + steps.LADDER)
    tab_to(page, "Concept")
    page.keyboard.type("the keyboard")
    for letter, endpoint, model in (("A", "Practice A", "steady"), ("B", "Practice B", "chatty")):
        tab_to(page, f"Model {letter}: Endpoint")
        page.keyboard.type(endpoint)
        tab_to(page, f"Model {letter}: Model at that endpoint")
        page.keyboard.press("Control+A")
        page.keyboard.type(model)
    tab_to(page, "Start the race")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/races/[0-9a-f-]+/$"))
    steps.await_finish(page)
    summary = steps.words(page.locator("#rung-2-A summary").inner_text())
    tab_to(page, summary)
    page.keyboard.press("Enter")
    expect(page.locator("#rung-2-A .output")).to_be_visible()
    expect(page.get_by_text("chatty").first).to_be_visible()


@pytest.fixture
def scriptless(browser: Browser, signed_in: StorageState) -> Iterator[BrowserContext]:
    context = browser.new_context(storage_state=signed_in, java_script_enabled=False)
    yield context
    context.close()


def test_a_race_is_started_and_read_without_script(scriptless: BrowserContext, site: Site, gate: Gated):
    page = scriptless.new_page()
    steps.start_race(page, site, "no script", STEADY, SLOW)
    expect(page.get_by_text("reload it to see what has landed")).to_be_visible()
    gate.gate.set()

    def closed() -> bool:
        page.reload()
        return page.get_by_text("14 of 14 trials closed").count() > 0

    until(closed)
    assert steps.scored(steps.lane(page, "A") + steps.lane(page, "B")) == 14
    page.locator("#rung-2-B summary").click()
    expect(page.locator("#rung-2-B .output")).to_contain_text("one two three")


def test_a_pause_is_seen_without_a_reload_and_what_waits_goes_on(page: Page, site: Site, gate: Gated):
    start_and_wait_for_a(page, site, "a pause")
    other = page.context.new_page()
    other.goto(f"{site.url}/teams/administrator/endpoints/slow/")
    other.get_by_role("button", name="Pause Slow").click()
    expect(page.locator("#lane-B")).to_contain_text("Paused since")
    expect(page.locator("#lane-A")).not_to_contain_text("Paused")
    other.get_by_role("button", name="Resume Slow").click()
    expect(page.locator("#lane-B")).not_to_contain_text("Paused")
    gate.gate.set()
    steps.await_finish(page)
    check_whole(page)
    assert page.evaluate("window.untouched")


def move_members(site: Site, frm: str, to: str) -> None:
    """Take everybody from one team into another."""
    found = f"Membership.objects.filter(team__slug='{frm}').update(team=Team.objects.get(slug='{to}'))"
    site.manage("shell", "-c", f"from registry.teams.models import Membership, Team; {found}")


@pytest.mark.parametrize("way", ["signed out elsewhere", "left the team"])
def test_who_may_not_see_it_any_more_is_told(browser: Browser, site: Site, gate: Gated, way: str):
    """Without a reload, and without waiting for a sign of life from the server."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(site.sign_in_link())
    page.wait_for_url(lambda url: "/sign-in/" not in url)
    steps.fill_in_race(page, site, "the team alone", STEADY, SLOW)
    page.get_by_label("Team only").check()
    page.get_by_role("button", name="Start the race").click()
    steps.await_closed(page, 7)
    expect(page.get_by_text("Live: what lands is shown")).to_be_visible()
    if way == "left the team":
        move_members(site, "administrator", "registry")
    else:
        other = context.new_page()
        other.goto(f"{site.url}/account/")
        other.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("You may not see this any more")).to_be_visible(timeout=10_000)
    if way == "left the team":
        move_members(site, "registry", "administrator")
    context.close()
