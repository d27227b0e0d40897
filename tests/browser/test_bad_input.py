"""What people and servers get wrong: said where it was entered, once, with nothing lost; the rest goes on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
from playwright.sync_api import Browser, Page, StorageState, expect

from tests.browser import steps
from tests.browser.counterparties import KEY, NO_CHOICES, UNKNOWN, WEB_PAGE, gated
from tests.browser.world import World, start_runs
from tests.served import Site

STEADY = ("Practice A", "steady")
CHATTY = ("Practice B", "chatty")


@pytest.fixture
def form(browser: Browser, signed_in: StorageState) -> Iterator[Page]:
    """A page whose console says no more than that a form was refused."""
    context = browser.new_context(storage_state=signed_in, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    yield page
    context.close()
    assert [words for words in said if "status of 422" not in words] == []


CONCEPTS = {
    "blank": ("   ", "Write a concept, such as recursion, love or a for loop."),
    "long": ("x" * 201, "The concept has 201 characters: shorten it to 200 or fewer."),
    "braces": ("{{x}}", "The concept holds {{, which marks a variable in a prompt: leave the braces out."),
    "HTML": ("a <b>tree</b>", "The concept holds HTML (<b>): write plain words."),
    "unprintable": (
        "a\x07tree",
        "The concept holds a character that cannot be printed (U+0007): take it out.",
    ),
}


def said_once(page: Page, message: str) -> None:
    expect(page.get_by_text(message)).to_have_count(1)
    expect(page.get_by_text(message)).to_be_visible()


@pytest.mark.parametrize("kind", CONCEPTS)
def test_a_concept_that_cannot_be_raced(form: Page, site: Site, kind: str):
    concept, message = CONCEPTS[kind]
    steps.fill_in_race(form, site, concept, STEADY, CHATTY)
    form.get_by_label("Repeats").fill("3")
    form.get_by_label("team", exact=False).last.check()
    form.get_by_role("button", name="Start the race").click()
    said_once(form, message)
    box = form.get_by_label("Concept")
    expect(box).to_have_accessible_description(re.compile(re.escape(message)))
    expect(box).to_have_attribute("aria-invalid", "true")
    expect(box).to_be_focused()
    expect(box).to_have_value(concept)
    kept = [form.get_by_label("Model at that endpoint").nth(place).input_value() for place in (0, 1)]
    assert kept == ["steady", "chatty"]
    chosen = form.get_by_label("Endpoint", exact=True).locator("option:checked").all_inner_texts()
    assert [words.split(" (")[0] for words in chosen] == ["Practice A", "Practice B"]
    expect(form.get_by_label("Repeats")).to_have_value("3")
    expect(form.get_by_label("team", exact=False).last).to_be_checked()


def test_a_line_break_that_no_field_would_send(form: Page, site: Site):
    steps.fill_in_race(form, site, "one", STEADY, CHATTY)
    form.evaluate(
        """() => {
          const box = document.getElementById("id_concept");
          const area = document.createElement("textarea");
          area.name = "concept";
          area.value = "one\\ntwo";
          box.replaceWith(area);
        }"""
    )
    form.get_by_role("button", name="Start the race").click()
    said_once(form, "The concept holds a line break: write it on one line.")


def test_everything_wrong_at_once_is_said_at_once(form: Page, site: Site):
    steps.fill_in_race(form, site, "", STEADY, CHATTY)
    for place in (0, 1):
        form.get_by_label("Model at that endpoint").nth(place).fill("")
    form.get_by_label("Repeats").fill("21")
    form.get_by_role("button", name="Start the race").click()
    said_once(form, CONCEPTS["blank"][1])
    said_once(form, "Write the model to call at Practice A.")
    said_once(form, "Write the model to call at Practice B.")
    said_once(form, "Write a whole number from 1 to 20.")
    expect(form.get_by_label("Repeats")).to_have_value("21")


def test_a_model_that_a_practice_endpoint_does_not_have(form: Page, site: Site):
    steps.fill_in_race(form, site, "a typing error", STEADY, ("Practice B", "chaty"))
    form.get_by_role("button", name="Start the race").click()
    said_once(form, "Practice B has no model chaty: write one of steady, chatty, silent, flaky.")
    box = form.get_by_label("Model at that endpoint").nth(1)
    expect(box).to_be_focused()
    expect(box).to_have_value("chaty")
    expect(form.get_by_label("Concept")).to_have_value("a typing error")


def test_a_run_that_cannot_be_started_keeps_what_was_written(form: Page, site: Site):
    form.goto(f"{site.url}/probes/registry/no-e/v1/")
    steps.pick(form.locator("#main"), *CHATTY)
    concept = form.locator("form[method=post]").get_by_label("concept", exact=True)
    concept.fill("{{x}}")
    form.get_by_label("Repeats", exact=True).fill("0")
    form.get_by_role("button", name=re.compile("^Run v1")).click()
    said_once(form, "This holds {{, which marks a variable in a prompt: leave the braces out.")
    said_once(form, "Write a whole number of repeats from 1 to 100.")
    expect(concept).to_have_value("{{x}}")
    expect(form.get_by_label("Repeats", exact=True)).to_have_value("0")
    expect(form.get_by_label("Model at that endpoint")).to_have_value("chatty")


FAULTS = {
    "unknown model": 'The endpoint does not know the model "nonesuch"',
    "wrong key": "The endpoint refused the key (401): Incorrect API key provided.",
    "not JSON": "The endpoint did not answer with JSON.",
    "missing field": "The reply lacks",
    "unreachable": '"Nowhere" cannot be reached. Check that its server is running',
}


@contextmanager
def faulty_endpoints(page: Page, site: Site) -> Iterator[dict[str, steps.Lane]]:
    """By fault: an endpoint that has it, and a model there."""
    with ExitStack() as stack:
        pages = stack.enter_context(gated(answers={"": WEB_PAGE}, shut=False))
        lacking = stack.enter_context(gated(answers={"": NO_CHOICES}, shut=False))
        steps.add_endpoint(page, site, "Locked", pages.base_url, "sk-another-1234567890", at_once=8)
        steps.add_endpoint(page, site, "Pages", pages.base_url, KEY, at_once=8)
        steps.add_endpoint(page, site, "Lacking", lacking.base_url, KEY, at_once=8)
        yield {
            "unknown model": ("Lacking", UNKNOWN),
            "wrong key": ("Locked", "tester"),
            "not JSON": ("Pages", "tester"),
            "missing field": ("Lacking", "tester"),
        }


@pytest.fixture(scope="module", autouse=True)
def races(browser: Browser, site: Site, signed_in: StorageState, world: World) -> Iterator[dict[str, str]]:
    """By fault: a race whose B has it. All are begun before anything else, as some take their time."""
    context = browser.new_context(storage_state=signed_in)
    page = context.new_page()
    with faulty_endpoints(page, site) as lanes:
        begun = {fault: steps.start_race(page, site, fault, STEADY, lane) for fault, lane in lanes.items()}
        yield begun | {"unreachable": world.unreachable}
    context.close()


@pytest.mark.parametrize("fault", FAULTS)
def test_one_lane_fails_and_the_other_goes_on(page: Page, races: dict[str, str], fault: str):
    page.goto(races[fault])
    expect(page.get_by_text("14 of 14 trials closed, 7 unscored")).to_be_visible(timeout=60_000)
    assert steps.scored(steps.lane(page, "A")) == 7
    cells = steps.lane(page, "B")
    assert ["UNSCORED" in line for line in cells] == [True] * 7
    assert steps.scored(cells) == 0
    expect(page.locator(".part-B.part-unscored .hatch")).to_have_count(7)
    reason = page.locator("#lane-B .problem")
    expect(reason).to_have_count(1)
    expect(reason).to_contain_text(FAULTS[fault])
    assert KEY not in page.content()


def test_runs_of_one_probe_say_it_too(page: Page, site: Site, races: dict[str, str]):
    start_runs(page, site, ("Lacking", UNKNOWN))
    expect(page.get_by_text("1 of 1 trials closed").first).to_be_visible(timeout=20_000)
    page.locator("summary").first.click()
    expect(page.get_by_text(FAULTS["unknown model"]).first).to_be_visible()
