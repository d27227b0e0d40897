"""Marks as they are drawn: whatever stands on one stretch together, its text can be read."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.served import Site

KINDS = ("word", "sentence", "line", "match", "forbidden", "lookalike", "entry", "after")
DRAWN = """(kinds) => {
  const output = document.querySelector("main").appendChild(document.createElement("figure"));
  output.className = "output";
  output.innerHTML = `<label class="ws-toggle"><input type="checkbox" checked></label>
    <pre class="literal"></pre>`;
  const literal = output.querySelector("pre");
  const seen = (element, pseudo, behind) => [getComputedStyle(element, pseudo).color, behind];
  return kinds.map((names) => {
    const mark = literal.appendChild(document.createElement("mark"));
    mark.className = ["m", ...names.map((name) => `m-${name}`), "m-match-start", "m-match-end"].join(" ");
    mark.title = "8 syllables, not 7";
    mark.innerHTML = 'text<i class="ws ws-over" data-ws="·"> </i><i class="m-unseen" data-code="U+200B"></i>';
    const number = literal.appendChild(document.createElement("i"));
    number.className = "m-number";
    number.dataset.n = "8 syllables, not 7";
    const own = getComputedStyle(mark), paper = getComputedStyle(literal).backgroundColor;
    const clear = own.backgroundColor === "rgba(0, 0, 0, 0)";
    const behind = clear ? paper : own.backgroundColor;
    const said = [seen(mark, null, behind), seen(mark.children[0], "::before", behind),
      seen(mark.children[1], "::before", behind), seen(number, "::after", paper)];
    return { said, image: own.backgroundImage, clear, printed: own.printColorAdjust };
  });
}"""
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


@pytest.mark.parametrize("media", [("light", "screen"), ("dark", "screen"), ("light", "print")])
def test_all_marks_can_stand_together(browser: Browser, site: Site, media: tuple[Any, Any]):
    together = [list(names) for size in (1, 2, 3) for names in combinations(KINDS, size)]
    page = browser.new_page(color_scheme=media[0])
    page.goto(f"{site.url}/docs/")
    page.emulate_media(media=media[1])
    drawn = page.evaluate(DRAWN, together)
    page.close()
    unread = [
        (names, which, colours)
        for names, mark in zip(together, drawn, strict=True)
        for which, colours in zip(("text", "white space", "unseen", "number"), mark["said"], strict=True)
        if contrast(*colours) < TEXT_CONTRAST
    ]
    assert unread == [], json.dumps(unread, indent=1)
    for names, mark in zip(together, drawn, strict=True):
        image = mark["image"]
        assert mark["clear"] is ("forbidden" not in names)
        assert mark["printed"] == "exact"
        assert ("repeating-linear-gradient" in image) is ("after" in names and "forbidden" not in names)
        assert image.count("linear-gradient") - image.count("repeating-linear-gradient") == 4


def test_brackets_open_where_the_text_begins_and_are_double_where_several_do(browser: Browser, site: Site):
    page = browser.new_page()
    page.goto(f"{site.url}/docs/")
    rightwards = page.evaluate(EDGES, [[names, "text"] for names in BRACKETS])
    leftwards = page.evaluate(EDGES, [[f"{names} m-rtl", "שלום"] for names in BRACKETS])
    page.close()
    assert [tuple(edges) for edges in rightwards] == list(BRACKETS.values())
    assert [tuple(reversed(edges)) for edges in leftwards] == list(BRACKETS.values())
