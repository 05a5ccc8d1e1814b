"""Random walks: three, one of them in a lecture, and one before a class; `make nightly` has hundreds."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from bench.browser import until
from tests.browser.helpers import go_to, open_box, query_of
from tests.browser.walks import AT_REST, walk

CHIP = ".vt-chip"


@pytest.mark.parametrize("number", [90, 299, 301])  # 90 and 299 once failed: Back as a box was closed
def test_whatever_is_done_the_page_its_link_and_a_fresh_browser_are_one(
    browser: Browser, app_url: str, number: int
) -> None:
    walk(browser, app_url, number)


def test_wherever_a_lecturer_goes_the_class_sees_the_same(browser: Browser, app_url: str) -> None:
    walk(browser, app_url, 3, leads=True)  # it once failed: Back from a language


def test_back_takes_back_a_text_and_a_page_one_press_each(visit: Callable[..., Page]) -> None:
    page = visit("overview?model=en-de")
    field = page.locator(".st-key-vt-field input")
    field.fill("I love you.")
    field.press("Enter")
    expect(page.locator(CHIP)).to_contain_text("Ich liebe dich.")
    go_to(page, "decoding")
    go_to(page, "heads")
    expect(page.locator(CHIP)).to_contain_text("I love you.")
    until(page, AT_REST)
    for name, output in (
        ("decoding", "Ich liebe dich."),
        ("overview", "Ich liebe dich."),
        ("overview", "Hallo, Welt!"),
    ):
        page.go_back()
        expect(page).to_have_url(re.compile(rf"/{name}\?"))
        expect(page.locator(CHIP)).to_contain_text(output)
        until(page, AT_REST)


def test_a_link_that_is_opened_is_one_step(visit: Callable[..., Page]) -> None:
    page = visit("readyz?model=")
    opened = int(page.evaluate("history.length"))
    page.goto(page.url.replace("readyz?model=", "heads"))  # the page adds its model
    page.wait_for_url(re.compile("model=en-de"))
    assert page.evaluate("history.length") == opened + 1


@pytest.mark.parametrize("box", [False, True])
def test_a_text_is_taken_along_by_the_next_click_however_quick(visit: Callable[..., Page], box: bool) -> None:
    page = visit("heads?model=en-de" if box else "overview?model=en-de")
    expect(page.locator(CHIP)).to_contain_text("Hallo, Welt!")
    field = open_box(page).locator(".st-key-source textarea") if box else page.locator(".st-key-vt-field input")
    field.fill("I love you.")
    go_to(page, "decoding")
    expect(page.locator(CHIP)).to_contain_text("Ich liebe dich.")
    assert query_of(page)["source"] == "I love you."


def test_a_text_is_taken_along_by_a_tap(new_context: Callable[..., object], app_url: str) -> None:
    context = new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page: Page = context.new_page()  # type: ignore[attr-defined]
    page.goto(f"{app_url}/overview?model=en-de")
    expect(page.locator(CHIP)).to_contain_text("Hallo, Welt!")
    page.get_by_test_id("stExpandSidebarButton").tap()
    page.locator(".st-key-vt-field input").evaluate("field => field.focus()")  # which the drawer may cover
    page.keyboard.insert_text(" I love you.")
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Heads").tap()
    expect(page.get_by_role("heading", level=1)).to_have_text("Heads")
    expect(page.get_by_test_id("stSidebarNavLink").first).not_to_be_in_viewport()
    assert "I love you." in query_of(page)["source"]


def test_after_back_a_closed_box_does_not_bring_back_what_it_held(visit: Callable[..., Page]) -> None:
    page = visit("overview?model=en-de")
    expect(page.locator(CHIP)).to_contain_text("Hallo, Welt!")
    open_box(page).locator(".st-key-model").get_by_role("combobox").click()
    page.get_by_role("option", name="zh-en", exact=True).click()
    expect(page.locator(CHIP)).to_contain_text("zh-en")
    until(page, AT_REST)
    page.go_back()
    expect(page.locator(CHIP)).to_contain_text("Hallo, Welt!")
    until(page, AT_REST)
    field = page.locator(".st-key-vt-field input")
    field.fill("I love you.")
    field.press("Enter")
    expect(page.locator(CHIP)).to_contain_text("Ich liebe dich.")
    assert query_of(page)["model"] == "en-de"
