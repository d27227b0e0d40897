"""The stream of a live page when the network, the server or the reader's attention goes away.

A scripted server stands in for the site: each connection gets the next behaviour of the script.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import django_htmx
import pytest
from playwright.sync_api import Browser, Page, expect

ROOT = Path(__file__).resolve().parents[2]
HTMX = Path(django_htmx.__file__).parent / "static/django_htmx"
SCRIPTS = {
    "/htmx.js": HTMX / "htmx-2.min.js",
    "/sse.js": HTMX / "ext/hx-sse-2.min.js",
    "/stream.js": ROOT / "registry/static/registry/stream.js",
}
ROWS = 8


def row(n: int, words: str, swap: str = "") -> str:
    return f'<li id="row-{n}"{swap}><details id="more-{n}"><summary>{words}</summary></details></li>'


PAGE = f"""<!doctype html><title>Live</title><link rel="icon" href="data:,">
{"".join(f'<script src="{path}" defer></script>' for path in SCRIPTS)}
<p data-stream-status role="status">Without script</p>
<ul>{"".join(row(n, "waiting") for n in range(1, ROWS + 1))}</ul>
<div hx-ext="sse" sse-connect="/stream?after=0" sse-close="done">
<div sse-swap="message" hx-swap="none"></div></div>
"""


class Script(ThreadingHTTPServer):
    """Serves the page, and for each stream the next of `behaviours`; the last one is kept."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.behaviours: list[Callable[[_Handler], None]] = []
        self.asked: list[int] = []
        self.open = 0
        self.landed = threading.Condition()
        self.latest = 0
        self.over = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def was_asked_more_than(self, times: int) -> bool:
        return len(self.asked) > times

    def land(self, upto: int, *, over: bool = False) -> None:
        """Rows up to `upto` have their verdicts now."""
        with self.landed:
            self.latest, self.over = upto, over
            self.landed.notify_all()


class _Handler(BaseHTTPRequestHandler):
    server: Script

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path == "/stream":
            self.server.asked.append(int(parse_qs(parts.query)["after"][0]))
            behaviours = self.server.behaviours
            (behaviours.pop(0) if len(behaviours) > 1 else behaviours[0])(self)
        elif parts.path in SCRIPTS:
            self.answer(200, "text/javascript", SCRIPTS[parts.path].read_bytes())
        else:
            self.answer(200, "text/html", PAGE.encode())

    def do_HEAD(self) -> None:
        self.answer(REFUSALS.get(self.server.behaviours[0], 502), "text/plain", b"")

    def answer(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        pass


def follow(handler: _Handler, until: int = 0) -> None:
    """Everything after what was asked for, as it lands; with `until`, the line breaks there."""
    server = handler.server
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.end_headers()
    sent = server.asked[-1]
    server.open += 1
    try:
        while True:
            with server.landed:
                if server.latest == sent and not server.over:
                    server.landed.wait(timeout=0.05)
                latest, over = server.latest, server.over
            for n in range(sent + 1, latest + 1):
                frame = row(n, f"verdict {n}", ' hx-swap-oob="true"')
                handler.wfile.write(f"id: {n}\ndata: {frame}\n\n".encode())
            sent = max(sent, latest)
            handler.wfile.write(b": still here\n\n" if not over else b"event: done\ndata: done\n\n")
            handler.wfile.flush()
            if over or (until and sent >= until):
                return
    except OSError:
        pass  # the browser let go
    finally:
        server.open -= 1


def bad_gateway(handler: _Handler) -> None:
    handler.answer(502, "text/plain", b"bad gateway")


def gone(handler: _Handler) -> None:
    handler.answer(404, "text/html", b"<h1>Nothing here</h1>")


def full(handler: _Handler) -> None:
    handler.answer(429, "text/plain", b"Too many live views are open from here.")


REFUSALS: dict[Callable[[_Handler], None], int] = {gone: 404, full: 429}


def sign_in_page(handler: _Handler) -> None:
    handler.answer(200, "text/html", b"<h1>Sign in</h1>")


@pytest.fixture
def server() -> Iterator[Script]:
    with Script() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.land(ROWS, over=True)
        server.shutdown()
        thread.join()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    page = context.new_page()
    page.clock.install()
    page.add_init_script(
        "addEventListener('DOMContentLoaded', () => { window.said = [];"
        " new MutationObserver(() => said.push(document.querySelector('[data-stream-status]').textContent))"
        " .observe(document.querySelector('[data-stream-status]'), {childList: true}) })"
    )
    yield page
    context.close()


def hide(page: Page, hidden: bool) -> None:
    page.evaluate(
        "hidden => { Object.defineProperty(document, 'hidden', {configurable: true, get: () => hidden});"
        " document.dispatchEvent(new Event('visibilitychange')) }",
        hidden,
    )


def until(page: Page, holds: Callable[[], bool]) -> None:
    for _ in range(500):
        if holds():
            return
        page.evaluate("1")
        threading.Event().wait(0.01)
    raise AssertionError("it never came about")


def test_a_broken_line_and_a_502_lose_nothing_and_double_nothing(page, server):
    server.behaviours = [lambda handler: follow(handler, until=5), bad_gateway, follow]
    server.land(5)
    page.goto(server.url)
    expect(page.locator("summary", has_text="verdict")).to_have_count(5)
    server.land(8, over=True)
    until(page, lambda: "down" in " ".join(page.evaluate("said")))
    page.clock.run_for(3000)
    expect(page.locator("summary", has_text="verdict")).to_have_count(ROWS)
    expect(page.get_by_role("status")).to_have_text("Finished: nothing more will arrive.")
    assert page.locator("li").count() == ROWS
    assert server.asked == [0, 5, 5]
    page.clock.run_for(120_000)
    assert server.asked == [0, 5, 5]


def test_a_hidden_tab_lets_go_and_catches_up_when_shown(page, server):
    server.behaviours = [follow]
    server.land(2)
    page.goto(server.url)
    expect(page.locator("summary", has_text="verdict")).to_have_count(2)
    hide(page, True)
    page.clock.run_for(1000)
    assert server.open == 1  # a glance elsewhere costs nothing
    page.clock.run_for(3000)
    until(page, lambda: server.open == 0)
    server.land(6)
    hide(page, False)
    expect(page.locator("summary", has_text="verdict")).to_have_count(6)
    assert server.asked == [0, 2]


def test_a_tab_that_opens_hidden_opens_no_stream(page, server):
    server.behaviours = [follow]
    server.land(3)
    page.add_init_script("Object.defineProperty(document, 'hidden', {configurable: true, get: () => true})")
    page.goto(server.url)
    page.clock.run_for(60_000)
    page.evaluate("fetch('/').then((answer) => answer.text())")  # a stream would have been asked for before
    assert server.asked == []
    hide(page, False)
    expect(page.locator("summary", has_text="verdict")).to_have_count(3)


def given_up(said: str) -> bool:
    return said.startswith("The live view could not")


def test_a_session_that_ended_does_not_loop_and_is_told(page, server):
    server.behaviours = [sign_in_page]
    page.goto(server.url)
    said = page.get_by_role("status").text_content

    def moved(tries: int) -> bool:
        return given_up(said()) or server.was_asked_more_than(tries)

    for tries in range(13):
        until(page, partial(moved, tries))
        until(page, lambda: given_up(said()) or "down" in said())
        if given_up(said()):
            break
        page.clock.run_for(30_000)
    expect(page.get_by_role("status")).to_contain_text("Reload the page to see what has landed.")
    asked = len(server.asked)
    assert asked <= 13
    page.clock.run_for(600_000)
    assert len(server.asked) == asked


def test_who_comes_back_and_may_not_see_it_any_more_is_told(page, server):
    server.behaviours = [follow, gone]
    server.land(2)
    page.goto(server.url)
    expect(page.locator("summary", has_text="verdict")).to_have_count(2)
    hide(page, True)
    page.clock.run_for(4000)
    until(page, lambda: server.open == 0)
    hide(page, False)
    expect(page.get_by_role("status")).to_contain_text("You may not see this any more")
    page.clock.run_for(600_000)
    assert server.asked == [0, 2]


def test_what_a_reader_opened_stays_open_when_it_is_replaced(page, server):
    server.behaviours = [follow]
    page.goto(server.url)
    page.locator("#more-3 > summary").click()
    server.land(3)
    expect(page.locator("#more-3 > summary")).to_have_text("verdict 3")
    assert page.locator("#more-3").get_attribute("open") is not None
    assert page.locator("#more-2").get_attribute("open") is None


def test_whoever_has_too_many_open_is_told_and_gets_in_when_one_is_closed(page, server):
    server.behaviours = [full]
    page.goto(server.url)
    expect(page.get_by_role("status")).to_contain_text("Too many live views are open from here")
    server.behaviours = [follow]
    server.land(3)
    page.clock.run_for(2_000)
    expect(page.locator("summary", has_text="verdict")).to_have_count(3)
    expect(page.get_by_role("status")).to_contain_text("Live:")
