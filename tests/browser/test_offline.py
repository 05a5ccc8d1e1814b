"""The app with no network but the machine itself."""

from __future__ import annotations

import pytest
from playwright.sync_api import Playwright, expect

from bench.browser import launch


@pytest.mark.parametrize("page_name", ["", "attention", "masks", "heads", "decoding", "scaling", "positions"])
def test_a_page_is_whole_where_no_name_resolves(playwright: Playwright, app_url: str, page_name: str) -> None:
    browser = launch(playwright, "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
    page = browser.new_page()
    failed: list[str] = []
    page.on("requestfailed", lambda request: failed.append(request.url))
    page.goto(f"{app_url.replace('localhost', '127.0.0.1')}/{page_name}?model=copy")
    expect(page.locator("canvas:visible").first).to_be_visible()
    assert page.evaluate("document.fonts.ready.then((fonts) => [...fonts].every(({ status }) => status !== 'error'))")
    assert not failed
    browser.close()
