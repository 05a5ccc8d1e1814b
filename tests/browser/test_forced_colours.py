"""Where the system chooses the colours: what is chosen has a frame that the rest has not, and a legend its colours."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect


@pytest.fixture
def page(new_context: Callable[..., BrowserContext]) -> Page:
    return new_context(viewport={"width": 1280, "height": 900}, forced_colors="active", color_scheme="dark").new_page()


def assert_framed(chosen: Locator, other: Locator) -> None:
    expect(chosen.first).to_be_visible()
    for one, style in ((chosen, "solid"), (other, "none")):
        expect(one.first).to_have_css("outline-style", style)  # a run may draw them anew meanwhile


def test_the_chosen_tab_stage_and_head_have_a_frame_and_a_legend_its_colours(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/attention?model=copy&source=1 2 3&lang=en")
    for state in ("[role=radio][aria-checked", "[role=tab][aria-selected", "button[aria-pressed"):
        assert_framed(*(page.locator(f"{state}={is_chosen}]:visible") for is_chosen in ("true", "false")))
    ramp = page.locator(".ramp:visible").first
    assert ramp.evaluate("node => getComputedStyle(node).forcedColorAdjust") == "none"


def test_a_chosen_option_and_a_head_that_is_out_have_a_frame(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/masks?model=copy&lang=en")
    options = page.get_by_test_id("stRadioOption")
    chosen = page.locator("input:checked")
    assert_framed(options.filter(has=chosen), options.filter(has_not=chosen))
    page.goto(f"{app_url}/heads?view=knock-out&model=copy&source=1 2 3&lang=en")
    heads = page.get_by_test_id("ko-grid").get_by_role("button")
    heads.first.click()
    expect(heads.first).to_have_attribute("aria-pressed", "true")
    page.mouse.move(0, 0)
    heads.first.blur()
    assert_framed(heads.first, heads.last)
