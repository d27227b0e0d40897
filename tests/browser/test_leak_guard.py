"""The guard itself: it finds what is planted, and lets innocent text be."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.leak_guard import leaks, page_leaks

PLANTED = [
    ("path", "/work/main/registry/settings.py"),
    ("path", "Stored under /var/lib/registry."),
    ("path", "see ~/registry"),
    ("path", "the server offers /models"),
    ("path", "('/tmp/x')"),
    ("path", "C:\\Users\\probe"),
    ("file", "attempts.jsonl"),
    ("file", "a .JSONL download"),
    ("host", "127.0.0.1:8000"),
    ("host", "localhost:5432 does not answer"),
    ("host", "http://model.example.org:8080"),
    ("host", "redis:6379"),
    ("host", "[::1]:8000"),
    ("name", "max_tokens"),
    ("name", "its sent_digest is"),
    ("name", "chat_template_kwargs"),
    ("name", "trial_id=3"),
    ("name", "(rate_limited)"),
    ("name", "_state_changed"),
    ("path", "kept in var/registry.sqlite3"),
    ("path", "kept in ./var/db"),
    ("path", "../x/y"),
    ("path", "dir/work/main/settings.py"),
    ("path", "file:///work/main/x.py"),
    ("path", "see:/etc/passwd"),
    ("file", "settings.py"),
    ("file", "registry.sqlite3 is locked"),
    ("host", "model-host:80"),
    ("host", "redis-server:443"),
    ("code", "probes.models.Run"),
    ("code", "django.db.utils.IntegrityError: no"),
    ("code", "Traceback (most recent call last)"),
    ("name", "sentDigest"),
    ("name", "MAX_TOKENS"),
    ("name", "set PROBE_HOME to another folder"),
]
INNOCENT = [
    "16:26",
    "2026-11-30 16:26 UTC",
    "at 16:26:03",
    "a ratio of 3:2, 11 / 10 words, 5-7-5 / 5-7-5 syllables",
    "14/14, and/or, only 0/1, n/m",
    "gpt-4o:free",
    "meta-llama/llama-3.1-70b-instruct:free",
    "llama3:70b and qwen:7b",
    "registry/emit-a-terminator",
    "https://api.example.com/v1",
    "rt=3200",
    "Rules passed / rules, from 0.00 to 1.00",
    "FAIL charset violation: '2', 'x'",
    "v1.2.3",
    "Repeat 3: fail",
    "e.g. a sentence. And another",
    "SHA-256 130bcc534794",
    "_emphasis_ and snake case, SCREAMING CASE",
    "Qwen/Qwen2.5-0.5B and HuggingFaceTB/SmolLM2-135M-Instruct",
    "OpenAI, llama.cpp, Node.js and vLLM; McDonald and iPhone",
    "the probes. Models are named; registry.",
    "score 3:45, probe-registry:v2",
    "either/or/both",
]


@pytest.mark.parametrize(("kind", "text"), PLANTED)
def test_a_planted_leak_is_found(kind: str, text: str):
    assert [leak.kind for leak in leaks(text)] == [kind]


@pytest.mark.parametrize("text", INNOCENT)
def test_innocent_text_is_let_be(text: str):
    assert [str(leak) for leak in leaks(text)] == []


@pytest.fixture(scope="module")
def blank(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    yield context.new_page()
    context.close()


PLACES = {
    "text": "<p>it is {}</p>",
    "folded": "<details><summary>More</summary><p>it is {}</p></details>",
    "option": "<select><option>a</option><option>{}</option></select>",
    "title": '<p title="{}">so</p>',
    "spoken": '<p><button aria-label="{}">so</button></p>',
    "hint": '<input placeholder="{}">',
    "picture": "<svg><g><title>{}</title><path d='M0,0 h9'/></g></svg>",
    "beside a literal": "<p><code data-literal>fine</code> {}</p>",
}


@pytest.mark.parametrize("place", PLACES)
def test_a_leak_is_found_wherever_it_is_said(blank: Page, place: str):
    blank.set_content(f"<!doctype html><title>Planted</title>{PLACES[place].format('max_tokens')}")
    assert [leak.what for leak in page_leaks(blank)] == ["max_tokens"]


SKIPPED = {
    "literal": "<pre data-literal>max_tokens</pre>",
    "inside a literal": '<div data-literal><p>a <b title="max_tokens">max_tokens</b></p></div>',
    "script": "<script>let max_tokens</script>",
    "not displayed": "<style>.gone {display: none}</style><p class=gone>max_tokens</p>",
    "typed": '<input value="max_tokens"><textarea>max_tokens</textarea>',
}


@pytest.mark.parametrize("place", SKIPPED)
def test_what_is_literal_or_not_said_is_skipped(blank: Page, place: str):
    blank.set_content(f"<!doctype html><title>Planted</title><p>so</p>{SKIPPED[place]}")
    assert page_leaks(blank) == []


def test_a_leak_in_the_name_of_the_page_is_found(blank: Page):
    blank.set_content("<!doctype html><title>max_tokens</title>")
    assert len(page_leaks(blank)) == 1
