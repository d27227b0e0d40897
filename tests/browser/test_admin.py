"""The admin in a browser: a probe is published by its form, and every page obeys the site's policy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, StorageState, expect

from tests.browser import steps
from tests.browser.test_try_it import axe
from tests.served import Site, running_site

BEFORE = "Write nothing after the terminator. Do not repeat it."
AFTER = "Write nothing at all after the terminator. Do not repeat it."


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A registry of its own: what is published here stays out of the other tests' pages."""
    with running_site(tmp_path_factory.mktemp("admin")) as running:
        yield running


@pytest.fixture(scope="module")
def signed_in(browser: Browser, site: Site) -> StorageState:
    return steps.sign_in(browser, site)


def run_once(page: Page, site: Site) -> None:
    """A finished practice run, so that every table has a row."""
    page.goto(f"{site.url}/probes/registry/emit-a-terminator/v1/#run")
    page.get_by_label("Endpoint", exact=True).select_option(index=0)
    page.get_by_label("Model at that endpoint").fill("steady")
    page.get_by_role("button", name="Run v1").click()
    page.wait_for_url(re.compile("/batches/"))
    expect(page.locator("main")).to_contain_text("1 of 1 trials closed", timeout=20_000)


def open_probe(page: Page, site: Site, slug: str) -> None:
    page.goto(f"{site.url}/admin/probes/probe/?q={slug}")
    page.locator("#result_list a").first.click()
    expect(page.locator(".probe-file-lines")).to_be_attached()


def rewrite(page: Page, before: str, after: str) -> str:
    """Replace words in the probe file, as an author would; the whole text comes back."""
    area = page.get_by_label("Probe file")
    text = area.input_value()
    assert before in text
    area.fill(text.replace(before, after))
    return area.input_value()


def put(area: Locator, text: str) -> None:
    """As by a paste of all of it; typing as much takes Chromium minutes."""
    put_in = """(area, text) => {
      area.value = text;
      area.dispatchEvent(new Event("input", { bubbles: true }));
    }"""
    area.evaluate(put_in, text)


def complaints(page: Page) -> list[str]:
    """What the browser will complain of: scripts, styles and sources that the policy refuses are errors."""
    heard: list[str] = []

    def listen(said: ConsoleMessage) -> None:
        if said.type in ("error", "warning"):
            heard.append(said.text)

    page.on("console", listen)
    page.on("pageerror", lambda error: heard.append(str(error)))
    return heard


def publish(page: Page) -> None:
    page.get_by_role("button", name="Publish", exact=True).click()


def test_the_admin_publishes_the_next_version(page: Page, site: Site):
    open_probe(page, site, "emit-a-terminator")
    rewrite(page, BEFORE, AFTER)
    publish(page)
    expect(page.locator(".messagelist .success")).to_have_text("Published registry/emit-a-terminator v2.")
    expect(page.locator(".probe-history li")).to_have_count(2)

    page.locator(".messagelist a").click()
    expect(page).to_have_url(f"{site.url}/probes/registry/emit-a-terminator/v2/")
    expect(page.locator("section[aria-labelledby=prompt]")).to_contain_text(AFTER)
    page.goto(f"{site.url}/probes/registry/emit-a-terminator/")
    assert page.locator(".history li a").all_inner_texts() == ["v2", "v1"]
    page.goto(f"{site.url}/probes/registry/emit-a-terminator/v1/")
    expect(page.locator("section[aria-labelledby=prompt]")).to_contain_text(BEFORE)


def test_problems_lead_to_their_lines_and_nothing_is_lost(page: Page, site: Site):
    open_probe(page, site, "ten-words")
    lines = page.get_by_label("Probe file").input_value().split("\n")
    text = rewrite(page, "category:", "categorie:")
    publish(page)
    problem = page.locator(".errorlist li", has_text="categorie")
    number = next(i for i, line in enumerate(lines, 1) if line.startswith("category:"))
    expect(problem).to_contain_text(f"line {number}, categorie: unknown key")
    assert page.get_by_label("Probe file").input_value() == text
    problem.get_by_role("button", name=f"line {number}").click()
    chosen = page.evaluate("getSelection().toString()")
    assert chosen.startswith("categorie:")
    assert page.locator(".probe-file-lines").inner_text().split()[-1] == str(len(lines))


def test_the_second_of_two_authors_publishes_on_top(page: Page, site: Site):
    open_probe(page, site, "five-words")
    second = page.context.new_page()
    heard = complaints(second)
    open_probe(second, site, "five-words")
    rewrite(page, "max_tokens: ", "max_tokens: 1")
    publish(page)
    expect(page.locator(".messagelist .success")).to_contain_text("v2.")

    text = rewrite(second, "max_tokens: ", "max_tokens: 2")
    publish(second)
    expect(second.locator(".errornote + .errorlist")).to_contain_text("v2 was published by Administrator")
    expect(second.locator(".stale")).to_contain_text("You began on v1")
    expect(second.locator(".diff-added")).to_have_count(2)
    assert second.get_by_label("Probe file").input_value() == text
    second.get_by_role("button", name="Publish my text on top of v2").click()
    expect(second.locator(".messagelist .success")).to_contain_text("v3.")
    second.close()
    assert heard == []


def test_the_form_is_accessible(page: Page, site: Site):
    looked_at = page.context.new_page()  # axe's own styles are refused, which its console says
    looked_at.goto(f"{site.url}/admin/probes/probe/add/")
    expect(looked_at.get_by_role("combobox", name="Team")).to_be_visible()
    assert axe(looked_at) == []


def test_a_team_is_found_by_typing(page: Page, site: Site):
    page.goto(f"{site.url}/admin/probes/probe/add/")
    page.locator(".select2-selection").click()
    page.locator(".select2-search__field").fill("probe")
    page.get_by_role("option", name="Probe Registry").click()
    combobox = page.get_by_role("combobox", name="Team")
    expect(combobox).to_be_visible()
    area = page.get_by_label("Probe file")
    starter = area.input_value()
    large = starter + f"# {'x' * 98}\n" * 2_700
    put(area, large)
    publish(page)
    expect(page.get_by_role("alert")).to_contain_text("bytes and may have 262,144")
    assert area.input_value() == large
    put(area, starter.replace("user: Write exactly three words.", "user: Write some words."))
    expect(page.get_by_role("alert")).to_be_empty()
    publish(page)
    expect(page.locator(".messagelist .success")).to_have_text("Published registry/three-words v1.")
    remark = page.locator(".messagelist li li").first
    remark.get_by_role("button", name=re.compile(r"^line \d+$")).click()
    assert "check:" in page.evaluate("getSelection().toString()")


PAGES = [
    "",
    "probes/",
    *(
        f"probes/{model}/"
        for model in (
            "probe",
            "probeversion",
            "rubric",
            "rule",
            "fixture",
            "batch",
            "run",
            "trial",
            "attempt",
        )
    ),
    "probes/verdict/",
    "ladder/ladder/",
    "ladder/race/",
    "endpoints/endpoint/",
    "teams/user/",
    "teams/user/add/",
    "teams/team/",
    "teams/membership/add/",
]


FILLED = [f"probes/{model}/" for model in ("batch", "run", "trial", "attempt", "verdict", "fixture")]


SCHEMES: list[Literal["light", "dark"]] = ["light", "dark"]


def test_every_page_obeys_the_policy(browser: Browser, signed_in: StorageState, site: Site):
    """Nothing inline, nothing from elsewhere, in either scheme; and the first row of each list opens."""
    page = browser.new_page(storage_state=signed_in)
    heard = complaints(page)
    run_once(page, site)
    for path in PAGES:
        page.goto(f"{site.url}/admin/{path}")
        expect(page.locator("#content")).to_be_visible()
        in_both_schemes(page)
        first = page.locator("#result_list tbody th a")
        assert first.count() or path not in FILLED, path
        if first.count():
            first.first.click()
            page.wait_for_url(re.compile("/change/"))
            in_both_schemes(page)
            assert page.locator("h1").count() == 1
            ids = page.locator("[id]").evaluate_all("each => each.map(element => element.id)")
            assert len(ids) == len(set(ids)), sorted(each for each in ids if ids.count(each) > 1)
    page.close()
    assert heard == []


def in_both_schemes(page: Page) -> None:
    """It was loaded in one; what the other brings is asked for as it is seen, without loading it again."""
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    page.emulate_media(color_scheme=SCHEMES[not dark])
    steps.settle(page)
