"""Links into the app."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from bench.browser import serve


@pytest.mark.parametrize("page_name", ["attention", "masks", "heads", "decoding", "scaling", "positions"])
def test_the_first_link_that_a_server_ever_gets_may_lead_to_any_page(browser: Browser, page_name: str) -> None:
    address = f"{page_name}?model=copy"
    with serve() as url:
        page = browser.new_page()
        page.goto(f"{url}/{address}")
        expect(page.locator("canvas:visible").first).to_be_visible()
        expect(page.get_by_role("link", name="Overview").first).to_be_visible()
        expect(page.get_by_test_id("stSidebar")).to_have_count(0)
        expect(page.get_by_role("dialog")).to_have_count(0)
        assert page.url.startswith(f"{url}/{address}")  # the page may add what it shows
        page.close()
