"""Two visitors in two languages at once; one who switches; what a screen reader and the fonts are told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

import viz_transformer as vt
from bench.browser import resize
from tests.browser.helpers import go_to
from viz_transformer.ui.shared.controls import examples_of

Read = Callable[[str, str], Page]


@pytest.fixture
def read(browser: Browser, app_url: str) -> Iterator[Read]:
    """`read("zh-CN", "masks")` opens a page in a browser that prefers a language."""
    contexts = []

    def read(locale: str, path: str) -> Page:
        contexts.append(browser.new_context(locale=locale, viewport={"width": 1280, "height": 720}))
        page = contexts[-1].new_page()
        page.goto(f"{app_url}/{path}")
        return page

    yield read
    for context in contexts:
        context.close()


def test_two_browsers_at_once_each_in_its_language(read: Read) -> None:
    pages = {locale: read(locale, "masks?model=copy") for locale in ("zh-CN", "en-US")}
    said = {"zh-CN": ("掩码", "合并", "zh-Hans"), "en-US": ("Masks", "Combined", "en")}
    for _n in range(2):
        for locale, page in pages.items():
            title, matrix, tag = said[locale]
            expect(page.get_by_role("heading", level=1)).to_have_text(title)
            expect(page.get_by_role("heading", level=2, name=matrix)).to_be_visible()
            expect(page.locator("html")).to_have_attribute("lang", tag)
        for page in pages.values():  # both run again at the same time
            page.get_by_test_id("stRadio").first.get_by_text("3", exact=True).click()


@pytest.mark.parametrize(("locale", "model"), [("en-US", "en-de"), ("de-DE", "en-de"), ("zh-CN", "zh-en")])
def test_the_app_opens_with_a_model_that_its_reader_can_write_and_the_link_says_which(
    read: Read, locale: str, model: str
) -> None:
    page = read(locale, "overview")
    expected = vt.load(model, "cpu")
    expect(page.get_by_role("textbox").first).to_have_value(examples_of(expected.card)[0])
    expect(page.get_by_test_id("output")).to_have_text(expected.translate(examples_of(expected.card)[0]))
    page.wait_for_url(re.compile(f"model={model}"))
    link = page.url.rpartition("/")[2]
    for other in ("en-US", "zh-CN"):
        expect(read(other, link).locator(".vt-chip")).to_contain_text(model)


def test_a_click_switches_and_the_navigation_keeps_it(read: Read) -> None:
    page = read("en-US", "attention?model=copy&layer=2")
    expect(page.get_by_role("heading", level=1)).to_have_text("Attention")
    page.get_by_role("button", name="中文").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("注意力")
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    assert "lang=zh" in page.url
    assert "layer=2" in page.url
    go_to(page, "heads")
    expect(page.get_by_role("heading", level=1)).to_have_text("注意力头")
    expect(page.get_by_text("着色依据").first).to_be_visible()
    assert "lang=zh" in page.url
    page.get_by_role("button", name="English").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Heads")


@pytest.mark.parametrize("width", [1280, 390])
def test_the_switch_stands_in_the_header_beside_everything_else(read: Read, width: int) -> None:
    page = read("zh-CN", "?model=copy")
    resize(page, width, 844)
    switch = page.get_by_role("button", name="English")
    expect(switch).to_be_visible()
    expect(page.locator(".st-key-vt-language")).to_have_css("position", "fixed")  # the style has loaded, too
    title = page.get_by_role("heading", level=1)
    expect(title).to_be_visible()
    box, below = switch.bounding_box(), title.bounding_box()
    assert box
    assert below
    assert box["y"] + box["height"] <= below["y"]
    assert box["x"] + box["width"] <= width
    for link in page.get_by_test_id("stTopNav").locator("a, button").all():
        other = link.bounding_box()
        assert not other or other["x"] + other["width"] <= box["x"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_chinese_is_written_in_a_font_of_the_system(read: Read) -> None:
    page = read("zh-CN", "?model=copy")
    expect(page.get_by_text("交叉注意力").first).to_be_visible()
    for font in page.evaluate(
        "[...document.querySelectorAll('h1, .view')].map(one => getComputedStyle(one).fontFamily)"
    ):
        assert all(family in font for family in ("PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC"))
