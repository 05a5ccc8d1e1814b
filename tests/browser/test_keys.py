"""Keys that a page hears as soon as it is open, and pictures that fill the screen."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from bench.browser import until
from bench.first_screen import IS_CALM
from tests.browser.helpers import open_box

IS_FULL = "() => document.fullscreenElement !== null"


def test_keys_reach_the_picture_wherever_the_focus_is(visit: Callable[..., Page]) -> None:
    page = visit("attention?model=copy&head=1")
    expect(page.locator("canvas:visible").first).to_be_visible()
    page.keyboard.press("2")
    expect(page).to_have_url(re.compile("head=2"))
    page.get_by_role("button", name="Change").focus()
    page.keyboard.press("3")
    expect(page).to_have_url(re.compile("head=3"))


def test_what_is_typed_into_a_field_stays_there(visit: Callable[..., Page]) -> None:
    page = visit("attention?model=copy&head=1")
    expect(page.locator("canvas:visible").first).to_be_visible()
    box = open_box(page).get_by_role("textbox", name="Source")
    box.fill("")
    box.press_sequentially("2 f 3")
    expect(box).to_have_value("2 f 3")
    assert not page.evaluate(IS_FULL)
    box.press("Control+Enter")
    expect(page).to_have_url(re.compile("source=2"))
    assert "head=1" in page.url


def test_any_picture_fills_the_screen(visit: Callable[..., Page]) -> None:
    page = visit("scaling")
    expect(page.locator("canvas:visible").first).to_be_visible()
    page.keyboard.press("f")
    until(page, IS_FULL)
    expect(page.locator("canvas:visible").first).to_be_visible()
    expect(page.get_by_test_id("pv-root")).to_have_css("zoom", re.compile(r"^1\.[3-9]"))  # enlarged to the screen
    page.keyboard.press("f")
    until(page, "() => document.fullscreenElement === null")
    expect(page.get_by_test_id("pv-root")).to_have_css("zoom", "1")
    page.get_by_role("button", name="Full screen").first.click()
    until(page, IS_FULL)


def test_a_picture_that_leaves_the_page_leaves_the_screen(visit: Callable[..., Page]) -> None:
    page = visit("scaling")
    page.locator(".st-key-vt-line").get_by_role("radio").nth(1).click()
    expect(page).to_have_url(re.compile("lesson="))
    until(page, IS_CALM)  # else it is the picture before
    expect(page.locator("canvas:visible").first).to_be_visible()
    page.keyboard.press("f")
    until(page, IS_FULL)
    page.go_back()
    until(page, "() => document.fullscreenElement === null")
    until(page, "() => !document.documentElement.style.getPropertyValue('--vt-zoom')")
