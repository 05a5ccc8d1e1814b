"""What the server lets a browser do with a page is enough for every view, and for nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from bench.first_screen import PAGES, views

LISTEN = """() => {
  globalThis.refused = [];
  addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI, sourceFile }) =>
    globalThis.refused.push([effectiveDirective, blockedURI, sourceFile].join(" ")));
}"""


def refused(page: Page) -> list[str]:
    return page.evaluate("globalThis.refused")


@pytest.mark.parametrize("name", PAGES)
def test_every_view_works_under_the_policy(visit: Callable[..., Page], app_url: str, name: str) -> None:
    page = visit("_stcore/health")  # nothing runs yet
    page.add_init_script(f"({LISTEN})()")
    for _ in views(page, app_url, name):
        for box in page.get_by_test_id("stExpander").locator("summary").all():
            if box.is_visible():
                box.click()
        expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
        expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
        assert not refused(page)
