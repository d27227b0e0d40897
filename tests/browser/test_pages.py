"""Every page, in both widths and both schemes, as a visitor or signed in: nothing wrong with any."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.db import connection
from django.urls import URLPattern, URLResolver, get_resolver
from playwright.sync_api import Browser, BrowserContext, Page, StorageState

from tests.browser import steps
from tests.browser.leak_guard import page_leaks
from tests.browser.world import TERMINATOR, World
from tests.served import Site

WIDTHS = (390, 1280)
Scheme = Literal["light", "dark"]
VARIANTS: list[tuple[int, Scheme]] = [(1280, "light"), (390, "dark")]
"""Each width and each scheme: a scheme changes colours only, and a width never does."""
SOME, ALL = 6, 10_000
"""How many foldings are open while axe looks; a race has many that are alike."""
UNFOLD = "(most) => [...document.querySelectorAll('details')].slice(0, most).forEach((e) => (e.open = true))"
AXE = "(options) => axe.run({exclude: [['#api']]}, options).then((found) => found.violations)"
"""What stands in #api is drawn by Swagger's own script."""
TAGS = ["wcag2a", "wcag2aa", "wcag21aa", "best-practice"]


@dataclass(frozen=True)
class Shown:
    """A page: its route, its path or where the world has it, and who looks at it."""

    name: str
    route: str
    at: str | Callable[[World], str]
    signed_in: bool = True
    status: int = 200
    foreign: bool = False
    """Whether its words are those of the API: no leak guard."""


PAGES = [
    Shown("home", "home", "/"),
    Shown("home, visitor", "home", "/", signed_in=False),
    Shown("probes", "probes", "/probes/"),
    Shown("probes of a category", "probes", "/probes/?category=Constraint+ladder", signed_in=False),
    Shown("no such category", "probes", "/probes/?category=None"),
    Shown("probe", "probe", "/probes/registry/emit-a-terminator/"),
    Shown("probe, visitor", "probe", "/probes/registry/emit-a-terminator/", signed_in=False),
    Shown("version", "version", TERMINATOR),
    Shown("a rung's probe", "version", "/probes/registry/no-e/v1/"),
    Shown("ladders", "ladders", "/ladders/"),
    Shown("ladder", "ladder", steps.LADDER),
    Shown("ladder, visitor", "ladder", steps.LADDER, signed_in=False),
    Shown("race in progress", "race", lambda world: world.running),
    Shown("race in progress, visitor", "race", lambda world: world.running, signed_in=False),
    Shown("race of practice models", "race", lambda world: world.practice),
    Shown("race with a silent model", "race", lambda world: world.silent),
    Shown("race, mixed verdicts", "race", lambda world: world.mixed, signed_in=False),
    Shown("race, wrong key", "race", lambda world: world.refused),
    Shown("race, cancelled", "race", lambda world: world.cancelled),
    Shown("race again", "race-again", lambda world: f"{world.mixed}again/"),
    Shown("batch", "batch", lambda world: world.batch),
    Shown("batch, visitor", "batch", lambda world: world.batch, signed_in=False),
    Shown("batch in progress", "batch", lambda world: world.runs_running),
    Shown("run", "run", lambda world: f"{world.batch}runs/0/"),
    Shown("hide or redact", "batch-moderate", lambda world: f"{world.batch}moderate/"),
    Shown("redact", "attempt-redact", lambda world: f"{world.batch}attempts/{world.attempt}/redact/"),
    Shown("results", "results", "/results/"),
    Shown("results, visitor", "results", "/results/", signed_in=False),
    Shown("docs", "docs", "/docs/", signed_in=False),
    Shown("sign-in", "sign-in", "/sign-in/", signed_in=False),
    Shown("sign-in, signed in", "sign-in", "/sign-in/"),
    Shown("sign-up, closed", "account_signup", "/sign-up/", signed_in=False),
    Shown("look for a mail", "account_email_verification_sent", "/sign-up/verify/", signed_in=False),
    Shown("no such address to verify", "account_confirm_email", "/sign-up/verify/none/", signed_in=False),
    Shown("forgot the password", "account_reset_password", "/password/reset/", signed_in=False),
    Shown("reset sent", "account_reset_password_done", "/password/reset/sent/", signed_in=False),
    Shown("reset, bad", "account_reset_password_from_key", "/password/reset/key/1-a-b/", signed_in=False),
    Shown("reset done", "account_reset_password_from_key_done", "/password/reset/done/", signed_in=False),
    Shown("account", "account", "/account/"),
    Shown("change the address", "account_email", "/account/email/"),
    Shown("no such new address", "account_email_confirm", "/account/email/confirm/none/"),
    Shown("sign-ins", "sign-ins", "/account/sign-ins/"),
    Shown("set a password", "account_set_password", "/account/password/set/"),
    Shown("second factor", "mfa_index", "/account/two-factor/"),
    Shown("turn it on", "mfa_activate_totp", "/account/two-factor/on/"),
    Shown("close the account", "account-close", "/account/close/"),
    Shown("tokens", "tokens", "/account/tokens/"),
    Shown("roles", "roles", "/roles/", signed_in=False),
    Shown("team", "team", "/teams/administrator/"),
    Shown("new team", "team-new", "/teams/new/"),
    Shown("invitation, visitor", "invitation", "/invitation/", signed_in=False),
    Shown("endpoints", "endpoints", "/teams/administrator/endpoints/"),
    Shown("new endpoint", "endpoint-new", "/teams/administrator/endpoints/new/"),
    Shown("endpoint", "endpoint", lambda world: world.endpoint),
    Shown("practice endpoint", "endpoint", "/teams/administrator/endpoints/practice-a/"),
    Shown("audit log", "audit-log", "/teams/administrator/log/"),
    Shown("nothing there", "", "/nothing/here_at/all/", status=404),
    Shown("no way to ask", "", lambda world: f"{world.running}cancel/", status=405),
    Shown("endpoints, visitor", "sign-in", "/teams/administrator/endpoints/", signed_in=False),
    Shown("admin", "", "/admin/", foreign=True),
    Shown("admin, probes", "", "/admin/probes/probe/", foreign=True),
    Shown("admin, a probe", "", "/admin/probes/probe/1/change/", foreign=True),
    Shown("API docs", "api-docs", "/api/v1/docs/", signed_in=False, foreign=True),
]

NO_PAGES = {
    "run-version": "takes a form; by GET it leads to its version's page",
    "try-it": "takes a form; by GET it leads to its version's page",
    "race-new": "takes a form; by GET it leads to its ladder's page",
    "race-cancel": "takes a form",
    "batch-cancel": "takes a form",
    "batch-hide": "takes a form",
    "batch-unhide": "takes a form",
    "batch-again": "takes a form",
    "endpoint-test": "takes a form",
    "endpoint-pause": "takes a form",
    "endpoint-resume": "takes a form",
    "endpoint-delete": "takes a form",
    "endpoint-list-models": "takes a form",
    "token-revoke": "takes a form",
    "sign-out": "takes a form",
    "team-rename": "takes a form",
    "team-invite": "takes a form",
    "team-transfer": "takes a form",
    "team-leave": "takes a form",
    "member-role": "takes a form",
    "member-remove": "takes a form",
    "invitation-accept": "takes a form",
    "invitation-revoke": "takes a form",
    "account_login": "another name of sign-in",
    "mfa_authenticate": "a step of signing in: tests/browser/test_accounts.py",
    "mfa_deactivate_totp": "for who has a second factor: tests/browser/test_accounts.py",
    "mfa_generate_recovery_codes": "for who has a second factor: tests/browser/test_accounts.py",
    "mfa_view_recovery_codes": "for who has a second factor: tests/browser/test_accounts.py",
    "mfa_reauthenticate": "for who has a second factor: tests/browser/test_accounts.py",
    "account_change_password": "for who has a password: tests/browser/test_accounts.py",
    "account_reauthenticate": "for who has a password: tests/browser/test_accounts.py",
    "endpoint-models": "a fragment of a form's page",
    "race-stream": "a stream",
    "batch-stream": "a stream",
    "race-evidence": "a download",
    "batch-evidence": "a download",
    "healthz": "for machines",
    "probe-file-schema": "for editors",
}
NO_PAGES_BELOW = {"admin:": "Django's own pages", "api-": "JSON; its one page is among PAGES"}


@dataclass
class Looker:
    """One reader: a tab that is used again for every page, and what went wrong in it."""

    context: BrowserContext
    page: Page
    wrong: list[str] = field(default_factory=list)
    led: dict[str, str] = field(default_factory=dict)
    """What each link gave that was followed already."""

    @classmethod
    def arrive(cls, browser: Browser, state: StorageState | None) -> Looker:
        context = browser.new_context(storage_state=state, reduced_motion="reduce")
        looker = cls(context, context.new_page())
        looker.page.on("console", lambda said: looker.wrong.append(f"{said.type}: {said.text}"))
        looker.page.on("pageerror", lambda error: looker.wrong.append(f"error: {error}"))
        return looker

    def follow(self, address: str) -> str:
        """The body that a link leads to; ends the test when it leads nowhere."""
        if address not in self.led:
            answer = self.context.request.get(address)
            assert answer.ok, f"{address} answers {answer.status}"
            self.led[address] = answer.text()
        return self.led[address]


@pytest.fixture(scope="module")
def lookers(browser: Browser, signed_in: StorageState) -> Iterator[dict[bool, Looker]]:
    found = {signed: Looker.arrive(browser, signed_in if signed else None) for signed in (True, False)}
    yield found
    for looker in found.values():
        looker.context.close()


@pytest.mark.parametrize("shown", PAGES, ids=lambda shown: shown.name.replace(" ", "-"))
def test_a_page(shown: Shown, site: Site, world: World, lookers: dict[bool, Looker]):
    looker = lookers[shown.signed_in]
    page = looker.page
    looker.wrong.clear()
    at = shown.at if isinstance(shown.at, str) else shown.at(world)
    answer = page.goto(urljoin(site.url, at))
    assert answer
    assert answer.status == shown.status
    page.evaluate(UNFOLD, SOME)
    said = list(looker.wrong)
    page.evaluate(Axe().axe_script)
    for width, scheme in VARIANTS if axe_looks() else ():
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        steps.settle(page)
        assert violations(page) == [], f"{width} px, {scheme}"
    looker.wrong[:] = said  # axe tries styles that the policy forbids: what it hears for them is its own
    page.evaluate(UNFOLD, ALL)
    assert [width for width in WIDTHS if overflows(page, width)] == []
    assert faults(page) == []
    assert shown.foreign or [str(leak) for leak in page_leaks(page)] == []
    check_links(looker, site)
    own = f"error: Failed to load resource: the server responded with a status of {shown.status}"
    assert [said for said in looker.wrong if shown.status == 200 or not said.startswith(own)] == []


def axe_looks() -> bool:
    """Once, on SQLite: what a page is made of asks no database, and axe takes the most of the time."""
    return connection.vendor == "sqlite"


def violations(page: Page) -> list[str]:
    """What axe finds by TAGS."""
    only = {"type": "tag", "values": TAGS}
    found = page.evaluate(AXE, {"runOnly": only, "resultTypes": ["violations"]})
    return [
        f"{each['id']}: {each['help']}: {node['html'][:200]} {node['failureSummary'][:300]}"
        for each in found
        for node in each["nodes"]
    ]


def overflows(page: Page, width: int) -> bool:
    """Whether one would have to scroll sideways."""
    page.set_viewport_size({"width": width, "height": 900})
    return page.evaluate("document.scrollingElement.scrollWidth > innerWidth")


def faults(page: Page) -> list[str]:
    """Ids that are not unique, headings of the first rank but one, pictures that did not load."""
    return page.evaluate(
        """() => {
          const ids = [...document.querySelectorAll("[id]:not(#api *)")].map((each) => each.id);
          const twice = ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `id ${id} twice`);
          const first = document.querySelectorAll("h1:not(#api *)").length;
          const broken = [...document.images].filter((each) => !each.complete || !each.naturalWidth);
          return [
            ...twice,
            ...(first === 1 ? [] : [`${first} h1`]),
            ...broken.map((each) => `no picture at ${each.src}`),
          ];
        }"""
    )


def check_links(looker: Looker, site: Site) -> None:
    """Every link into the site gives a page, and one with a fragment a page that has it."""
    links = looker.page.evaluate(
        "[...document.querySelectorAll('a[href]:not(#api *)')].map((each) => each.getAttribute('href'))"
    )
    here, own = looker.page.url, looker.page.content()
    for link in dict.fromkeys(links):
        address, fragment = urldefrag(urljoin(here, link))
        if urlsplit(address).netloc != urlsplit(site.url).netloc:
            continue
        body = own if address == urldefrag(here)[0] else looker.follow(address)
        assert not fragment or re.search(rf'id="{re.escape(fragment)}"', body), f"{link} has no such place"


def routes(resolver: URLResolver, namespace: str = "") -> Iterator[str]:
    """The name of every route of the site."""
    for entry in resolver.url_patterns:
        if isinstance(entry, URLResolver):
            inner = f"{namespace}{entry.namespace}:" if entry.namespace else namespace
            yield from routes(entry, inner)
        elif isinstance(entry, URLPattern) and entry.name:
            yield namespace + entry.name


def test_every_route_is_looked_at_or_is_no_page():
    looked_at = {shown.route for shown in PAGES} - {""}
    named = set(routes(get_resolver()))
    elsewhere = {name for name in named for start in NO_PAGES_BELOW if name.startswith(start)}
    assert looked_at | set(NO_PAGES) <= named, "a route that is no more"
    assert looked_at.isdisjoint(NO_PAGES)
    assert named - elsewhere - looked_at - set(NO_PAGES) == set()


FAULTY = """<!doctype html><html lang="en"><title>Faulty</title><main>
<h1 id="one">One</h1><h1 id="one">Two</h1><p style="color: #ccc; background: #fff">Pale</p>
<p style="width: 900px">Wide</p><img alt="A picture" src="data:,"></main></html>"""


def test_what_is_wrong_with_a_page_is_seen(browser: Browser):
    page = browser.new_page()
    page.set_content(FAULTY)
    assert faults(page) == ["id one twice", "2 h1", "no picture at data:,"]
    assert [overflows(page, width) for width in WIDTHS] == [True, False]
    page.evaluate(Axe().axe_script)
    assert "color-contrast" in {each.split(":")[0] for each in violations(page)}
    assert "page-has-heading-one" not in str(violations(page))
    page.set_content("<!doctype html><title>Bare</title><p>No heading")
    page.evaluate(Axe().axe_script)
    assert "page-has-heading-one" in str(violations(page))
    page.close()
