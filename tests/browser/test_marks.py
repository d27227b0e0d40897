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
