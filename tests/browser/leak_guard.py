"""The leak guard: nothing of the machine room in what a reader sees.

A path, a file of the code or the data, a host with its port, a raw field name of the API or the
database, a setting, a dotted Python name or a traceback in the words of a page has leaked out of the
code. True literals (a prompt, an output, a command, a pattern, a rule's name, an owner's own base
URL) stand in an element marked `data-literal`, which is skipped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from playwright.sync_api import Page

NUMBER = r"[0-9]{2,5}(?![\w.:])"
HOST = r"(?:localhost|(?:[a-z0-9-]+\.)+[a-z0-9-]+|\[[0-9a-f:]*:[0-9a-f:]*\])"
ENDINGS = "py|pyc|sqlite3|db|html|yaml|yml|toml|cfg|ini|log|txt|json|jsonl|js|css|sh"
FILES = "py|pyc|sqlite3|db|log|toml|ini|cfg"
FOLDERS = "home|root|etc|var|tmp|usr|opt|work|proc|dev|mnt|srv"
PACKAGES = "registry|probes|ladder|django|tests|httpx|aiohttp|celery|rest_framework"
KINDS = {
    "path": re.compile(
        r"(?<![\w<./:~])~?/[A-Za-z_.][\w.-]*(?:/[\w.-]*)*"  # not and/or, 5/7, </b> or https://…
        r"|(?<![\w.])\.\.?/[\w.-]+(?:/[\w.-]*)*"
        rf"|(?<=:)/(?:{FOLDERS})\b[\w./-]*|\bfile:/\S+"
        rf"|(?<![\w./:-])(?:[\w-]+/)+[\w.-]+\.(?:{ENDINGS})\b"
        r"|(?<![\w])[A-Za-z]:\\\w"
    ),
    "file": re.compile(rf"\.jsonl\b|(?<![\w./-])[\w-]+\.(?:{FILES})(?![\w/-]|\.\w)", re.IGNORECASE),
    "host": re.compile(
        rf"(?<![\w.-]){HOST}:{NUMBER}"
        r"|(?<![\w.-])[a-z][a-z0-9-]*:[0-9]{4,5}(?![\w.:])"
        r"|(?<![\w.-])[a-z][a-z0-9]*-(?:host|server|db|redis|worker|proxy):[0-9]{2,3}(?![\w.:])",
        re.IGNORECASE,
    ),
    "name": re.compile(
        r"(?<![\w-])_?[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?![\w-])"
        r"|(?<![\w-])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![\w-])"
        r"|(?<![\w.-])[a-z]{2,}(?:[A-Z][a-z]+)+(?![\w-])"
    ),
    "code": re.compile(
        rf"(?<![\w./-])(?:{PACKAGES})(?:\.(?!(?:{FILES})(?![\w.]))[A-Za-z_]\w*)+"
        r'|Traceback \(most recent call last\)|\bFile "[^"]+", line'
    ),
}


@dataclass(frozen=True)
class Leak:
    kind: str
    what: str
    where: str

    def __str__(self) -> str:
        return f"{self.kind} {self.what!r} in {self.where[:80]!r}"


def leaks(text: str) -> list[Leak]:
    """Every leak in one piece of text."""
    return [Leak(kind, hit[0], text) for kind, pattern in KINDS.items() for hit in pattern.finditer(text)]


def page_leaks(page: Page) -> list[Leak]:
    """The leaks in all that `page` says or would say once what is folded is opened: text, names, titles."""
    return [leak for text in page.evaluate(_SAID) for leak in leaks(text)]


_SAID = """() => {
  const skipped = "[data-literal], script, style, noscript, template, datalist, textarea";
  const shown = (element) => {
    for (let each = element; each; each = each.parentElement) {
      if (getComputedStyle(each).display === "none" && !each.closest("svg, select, details")) return false;
    }
    return true;
  };
  const said = [document.title];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const words = node.data.replace(/\\s+/g, " ").trim();
    if (words && !node.parentElement.closest(skipped) && shown(node.parentElement)) said.push(words);
  }
  for (const name of ["title", "alt", "aria-label", "placeholder", "data-label"]) {
    for (const element of document.body.querySelectorAll(`[${name}]`)) {
      if (!element.closest("[data-literal]")) said.push(element.getAttribute(name));
    }
  }
  return said;
}"""
