"""The ladder as it is really drawn: its pixels say what the verdicts say, by colour and by shape."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, StorageState

from tests.browser import steps
from tests.browser.world import World
from tests.served import Site

MARKS = {"PASS": "pass", "FAIL": "fail", "UNSCORED": "unscored", "pending": "pending", "calling": "pending"}
LOOKS = [("light", "no-preference"), ("dark", "no-preference"), ("light", "reduce"), ("dark", "reduce")]


@contextmanager
def looking(
    browser: Browser, scheme: str, motion: str, state: StorageState | None = None, near: int = 2
) -> Iterator[Page]:
    """A page seen from so `near` that what is drawn on it has a shape."""
    context = browser.new_context(
        storage_state=state,
        device_scale_factor=near,
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce" if motion == "reduce" else "no-preference",
    )
    yield context.new_page()
    context.close()


def picture(page: Page, svg: Locator) -> Image.Image:
    steps.settle(page)
    return Image.open(io.BytesIO(svg.screenshot())).convert("RGB")


def halves(svg: Locator, drawn: Image.Image) -> list[Image.Image]:
    """Each half of each rung cut out of the picture: 1 A, 1 B, 2 A …"""
    boxes = svg.evaluate(
        """(svg) => {
          const own = svg.getBoundingClientRect();
          const relative = (box) => [
            (box.left - own.left) / own.width, (box.top - own.top) / own.height,
            (box.right - own.left) / own.width, (box.bottom - own.top) / own.height,
          ];
          return [...svg.querySelectorAll(".part")].map((half) => relative(half.getBoundingClientRect()));
        }"""
    )
    wide, high = drawn.size
    return [
        drawn.crop((round(x * wide), round(y * high), round(to * wide), round(foot * high)))
        for x, y, to, foot in boxes
    ]


def hue(pixel: tuple[int, ...]) -> str:
    red, green, blue = pixel[:3]
    if green - max(red, blue) > 20:
        return "green"
    return "red" if red - max(green, blue) > 50 else ""


def drawn_as(half: Image.Image) -> str:
    """What the pixels of one half say, whatever its class is called."""
    wide, high = half.size
    columns = [
        [hue(half.getpixel((x, y))) for y in range(high)]  # type: ignore[arg-type]
        for x in range(wide // 10, wide - wide // 10)
    ]
    seen = {shade for column in columns for shade in column}
    if "green" in seen:
        return "pass" if "red" not in seen and all("green" in column for column in columns) else "odd"
    if "red" in seen:
        return "fail" if any("red" not in column for column in columns) else "odd"
    return "unscored" if strokes(half) >= 4 else "pending"


def strokes(half: Image.Image) -> int:
    """How often something is drawn on the ground along the middle of the half; dashes of its edge are not."""
    middle = half.height // 2
    return min(_strokes(half, y) for y in (middle - 1, middle, middle + 1))


def _strokes(half: Image.Image, y: int) -> int:
    wide = half.width
    grey = half.convert("L")
    row = [int(grey.getpixel((x, y))) for x in range(wide // 10, wide - wide // 10)]  # type: ignore[arg-type]
    ground = sorted(row)[len(row) // 2]
    apart = [abs(value - ground) > 25 for value in row]
    return sum(now and not before for before, now in pairwise(apart))


def verdicts(page: Page) -> list[str]:
    """What the scoreboard says in words: 1 A, 1 B, 2 A …"""
    cells = [steps.cell(page, index, letter) for index in steps.RUNGS for letter in "AB"]
    return [next(mark for word, mark in MARKS.items() if word in line) for line in cells]


@pytest.mark.parametrize(("scheme", "motion"), LOOKS)
def test_the_pixels_say_what_the_verdicts_say(
    browser: Browser, site: Site, world: World, scheme: str, motion: str
):
    seen: set[str] = set()
    with looking(browser, scheme, motion) as page:
        for race in (world.mixed, world.running, world.refused, world.silent):
            page.goto(race)
            svg = page.locator("svg.ladder")
            said = verdicts(page)
            assert [drawn_as(half) for half in halves(svg, picture(page, svg))] == said
            seen.update(said)
    assert seen == {"pass", "fail", "unscored", "pending"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_thumbnail_says_the_same(browser: Browser, site: Site, world: World, scheme: str):
    with looking(browser, scheme, "reduce", near=4) as page:
        for race in (world.mixed, world.running):
            page.goto(race)
            said = verdicts(page)
            page.goto(f"{site.url}/results/")
            svg = page.locator(f"a.thumb[href='{race.removeprefix(site.url)}'] svg")
            drawn = [drawn_as(half) for half in halves(svg, picture(page, svg))]
            page.goto(race)  # one that runs may have moved on meanwhile
            assert all(half in both for half, *both in zip(drawn, said, verdicts(page), strict=True))


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_what_lands_live_is_drawn_as_a_reload_draws_it(
    browser: Browser, site: Site, signed_in: StorageState, motion: str
):
    with looking(browser, "light", motion, signed_in) as page:
        steps.start_race(page, site, "a heap", ("Practice A", "steady"), ("Practice B", "chatty"))
        steps.await_finish(page)
        live = picture(page, page.locator("svg.ladder"))
        name = page.locator("svg.ladder").aria_snapshot()
        page.reload()
        again = picture(page, page.locator("svg.ladder"))
        assert live.tobytes() == again.tobytes()
        assert name == page.locator("svg.ladder").aria_snapshot()


def test_a_bare_ladder_has_empty_rungs(browser: Browser, site: Site):
    with looking(browser, "light", "reduce") as page:
        page.goto(site.url + steps.LADDER)
        svg = page.locator("svg.ladder").first
        assert {drawn_as(half) for half in halves(svg, picture(page, svg))} == {"pending"}


GREEN, RED, GREY = (27, 127, 69), (194, 42, 47), (143, 139, 130)
PAINTED = {
    "pass": [(GREEN, 0, 100)],
    "fail": [(RED, 0, 45), (RED, 55, 100)],
    "unscored": [(GREY, x, x + 4) for x in range(2, 100, 8)],
    "pending": [],
    "red without a gap": [(RED, 0, 100)],
    "green with a gap": [(GREEN, 0, 45), (GREEN, 55, 100)],
    "half and half": [(GREEN, 0, 50), (RED, 50, 100)],
}


@pytest.mark.parametrize("painted", PAINTED)
def test_the_eye_tells_shapes_and_colours_apart(painted: str):
    half = Image.new("RGB", (100, 20), (252, 251, 248))
    for colour, start, end in PAINTED[painted]:
        half.paste(colour, (start, 0, end, 20))
    assert drawn_as(half) == (painted if " " not in painted else "odd")
