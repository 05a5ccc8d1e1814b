"""What several tests ask of a page in the browser."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, Page, expect


def query_of(page: Page) -> dict[str, str]:
    """The parameters of its link."""
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def link_to(page: Page, path: str) -> Locator:
    """The link to a page in the navigation; the menu that holds it is opened."""
    link = page.locator(f"a[data-testid^=stTopNav][href$='/{path}']")
    menus = page.get_by_test_id("stTopNavSection").filter(visible=True)
    expect(menus).to_have_count(3)  # at first Streamlit does not know yet how many fit
    for menu in menus.all():
        if link.count():
            break
        menu.click()
        expect(menu).to_have_attribute("aria-expanded", "true")
    return link


def go_to(page: Page, path: str) -> None:
    """Opens a page by the navigation, and waits until it is the one that is shown."""
    title = page.locator("h1").first  # hidden, where a scene asks first
    before = title.text_content() or ""
    link_to(page, path).click()
    expect(page).to_have_url(re.compile(rf"/{path}(\?|$)"))
    expect(title).not_to_have_text(before)


def open_box(page: Page) -> Locator:
    """The box of a page's first line, opened: where model and texts are chosen."""
    button = page.get_by_role("button", name="Change")
    box = page.get_by_test_id("stPopoverBody")
    if not box.is_visible():
        button.click()
    expect(box).to_be_visible()
    return box


def close_box(page: Page) -> None:
    """Closes it by Escape, once no list of options is open, which Escape would close instead."""
    expect(page.get_by_role("option")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stPopoverBody")).to_have_count(0)


def choose_beside(page: Page, name: str, key: str) -> None:
    """Chooses, by keyboard, the neighbour of a list's chosen option; `key` is the arrow that leads to it."""
    page.get_by_label(name, exact=True).press(key)  # opens it, and goes there
    expect(page.get_by_role("option").first).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("option")).to_have_count(0)


def type_source(page: Page, text: str) -> None:
    """Chooses another source in the box, and has the page read it."""
    box = open_box(page)
    box.get_by_role("textbox", name="Source").fill(text)
    box.get_by_role("button", name="Run").click()
    expect(page.get_by_test_id("stPopoverBody")).to_have_count(0)
