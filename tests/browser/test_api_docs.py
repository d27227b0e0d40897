"""The API's page under the site's policy: it draws itself, asks the API, and its console stays silent."""

from __future__ import annotations

from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from tests.served import Site


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_docs_draw_every_route_and_try_one(page: Page, site: Site, scheme: Literal["light", "dark"]):
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{site.url}/api/v1/docs/")
    paths = page.request.get(f"{site.url}/api/v1/schema/").json()["paths"]
    assert len(paths) > 15
    expect(page.locator(".opblock")).to_have_count(len(paths))
    dark = page.evaluate("document.documentElement.classList.contains('dark-mode')")
    assert dark == (scheme == "dark")
    page.click("#operations-probes-probes_list .opblock-summary-control")
    page.click("#operations-probes-probes_list .try-out__btn")
    page.click("#operations-probes-probes_list .execute")
    expect(page.locator(".live-responses-table tbody .response-col_status").first).to_contain_text("200")
    expect(page.locator(".live-responses-table").first).to_contain_text("emit-a-terminator")
