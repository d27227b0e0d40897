"""Marks as they are drawn: whatever stands on one stretch together, its text can be read."""

from __future__ import annotations

import json
from itertools import combinations

from playwright.sync_api import Browser

from tests.served import Site

KINDS = ("word", "sentence", "line", "match", "forbidden", "lookalike", "entry", "after")
DRAWN = """(kinds) => kinds.map((names) => {
  const shown = document.querySelector("pre.literal").appendChild(document.createElement("mark"));
  shown.className = ["m", ...names.map((name) => `m-${name}`), "m-match-start", "m-match-end"].join(" ");
  shown.textContent = "text";
  const own = getComputedStyle(shown), around = getComputedStyle(shown.parentElement);
  const clear = own.backgroundColor === "rgba(0, 0, 0, 0)";
  return [own.color, clear ? around.backgroundColor : own.backgroundColor, own.backgroundImage, clear];
})"""
EDGES = """(drawn) => drawn.map(([names, text]) => {
  const shown = document.querySelector("pre.literal").appendChild(document.createElement("mark"));
  shown.className = names;
  shown.textContent = text;
  const own = getComputedStyle(shown);
  return [own.borderLeftWidth, own.borderRightWidth].map(parseFloat);
})"""
BRACKETS = {
    "m m-match m-match-start": (2, 0),
    "m m-match m-match-end": (0, 2),
    "m m-match m-match-start m-match-end": (2, 2),
    "m m-match m-match-start m-match-starts": (6, 0),
    "m m-match m-match-start m-match-end m-match-starts m-match-ends": (6, 6),
    "m m-match m-match-start m-match-end m-match-ends": (2, 6),
}
TEXT_CONTRAST = 4.5


def luminance(colour: str) -> float:
    red, green, blue = (
        int(part) / 255 for part in colour[colour.index("(") + 1 : -1].replace(",", " ").split()[:3]
    )
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (red, green, blue)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_all_marks_can_stand_together(browser: Browser, site: Site):
    together = [list(names) for size in (1, 2, 3) for names in combinations(KINDS, size)]
    page = browser.new_page()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        page.goto(f"{site.url}/docs/")
        drawn = page.evaluate(DRAWN, together)
        unread = [
            (names, colour, behind)
            for names, (colour, behind, *_) in zip(together, drawn, strict=True)
            if contrast(colour, behind) < TEXT_CONTRAST
        ]
        assert unread == [], json.dumps(unread, indent=1)
        for names, (_, _, image, clear) in zip(together, drawn, strict=True):
            assert clear is ("forbidden" not in names)
            assert ("repeating-linear-gradient" in image) is ("after" in names and "forbidden" not in names)
            assert image.count("linear-gradient") - image.count("repeating-linear-gradient") == 4
    page.close()


def test_brackets_open_where_the_text_begins_and_are_double_where_several_do(browser: Browser, site: Site):
    page = browser.new_page()
    page.goto(f"{site.url}/docs/")
    rightwards = page.evaluate(EDGES, [[names, "text"] for names in BRACKETS])
    leftwards = page.evaluate(EDGES, [[f"{names} m-rtl", "שלום"] for names in BRACKETS])
    page.close()
    assert [tuple(edges) for edges in rightwards] == list(BRACKETS.values())
    assert [tuple(reversed(edges)) for edges in leftwards] == list(BRACKETS.values())
