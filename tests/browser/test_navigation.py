"""Links into the app, and from page to page."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Browser, Page, expect

from bench.browser import serve
from tests.browser.helpers import go_to, open_box, query_of


def test_the_first_link_that_a_server_ever_gets_may_lead_to_any_page(browser: Browser) -> None:
    """To one here; tests/test_streamlit_fence.py tries more, without a browser."""
    with serve() as url:
        page = browser.new_page()
        page.goto(f"{url}/decoding?model=copy")
        expect(page.locator("canvas:visible").first).to_be_visible()
        expect(page.get_by_test_id("stTopNav")).to_be_visible()
        expect(page.get_by_test_id("stSidebar")).to_have_count(0)
        expect(page.get_by_role("dialog")).to_have_count(0)
        assert page.url.startswith(f"{url}/decoding?model=copy")  # the page may add what it shows
        page.close()


def test_another_page_opens_over_an_open_box(visit: Callable[..., Page]) -> None:
    page = visit("decoding?model=copy")
    open_box(page)
    go_to(page, "overview")  # the same click closes the box, of which Python hears second
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
    expect(page).to_have_title("Overview · Inside attention")
    expect(page.get_by_test_id("stPopoverBody")).to_have_count(0)
    expect(page.get_by_test_id("tv-matrix-cross")).to_be_visible()
    assert query_of(page)["model"] == "copy"
