"""Terms explain themselves to a pointer, to the Tab key and to a finger, in both languages; the link stays as it is."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.helpers import go_to, query_of

SAID = {
    "en": ("mask", "Says which keys a query may attend to"),
    "zh": ("掩码", "规定一个查询可以关注哪些键"),
}


def term(page: Page, text: str) -> Locator:
    """A marked term of the question."""
    return page.locator(".st-key-vt-question a", has_text=text).first


def tip(page: Page) -> Locator:
    return page.get_by_role("tooltip")


def open_masks(visit: Callable[..., Page], language: str = "en", **screen: int) -> Page:
    page = visit(f"masks?model=copy&lang={language}", **screen)
    expect(term(page, SAID[language][0])).to_be_visible()
    expect(page.locator("#vt-term")).to_be_attached()  # the tooltip's element is there
    return page


@pytest.mark.parametrize("language", SAID)
def test_a_pointer_has_a_term_explained(visit: Callable[..., Page], language: str) -> None:
    page, (name, said) = open_masks(visit, language), SAID[language]
    before = page.url
    term(page, name).hover()
    expect(tip(page)).to_contain_text(said)
    expect(term(page, name)).to_have_accessible_description(tip(page).inner_text().replace("\n", " "))
    tip(page).hover()  # it may be pointed at
    expect(tip(page)).to_contain_text(said)
    page.get_by_role("heading", level=1).hover()
    expect(tip(page)).to_be_hidden()
    assert page.url == before


def test_in_chinese_the_english_term_stands_beside_it(visit: Callable[..., Page]) -> None:
    page = open_masks(visit, "zh")
    term(page, "查询").hover()
    expect(tip(page)).to_contain_text("查询（query）")


@pytest.mark.parametrize(
    ("language", "next_said"), [("en", "The vector that queries are"), ("zh", "一个位置用来发问的向量")]
)
def test_the_tab_key_finds_terms_and_escape_closes_what_they_say(
    visit: Callable[..., Page], language: str, next_said: str
) -> None:
    page, (name, said) = open_masks(visit, language), SAID[language]
    before = page.url
    page.locator(".st-key-vt-chip button").focus()
    page.keyboard.press("Tab")
    expect(term(page, name)).to_be_focused()
    expect(tip(page)).to_contain_text(said)
    page.keyboard.press("Escape")
    expect(tip(page)).to_be_hidden()
    page.keyboard.press("Enter")
    expect(tip(page)).to_be_visible()
    page.keyboard.press("Tab")
    expect(tip(page)).to_contain_text(next_said)
    page.keyboard.press("Shift+Tab")
    expect(tip(page)).to_contain_text(said)
    assert page.url == before


@pytest.mark.parametrize(("scheme", "language"), [("light", "en"), ("dark", "en"), ("light", "zh")])
def test_a_finger_taps_on_a_phone(browser: Browser, app_url: str, scheme: str, language: str) -> None:
    phone = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, color_scheme=scheme
    )
    page = phone.new_page()
    page.goto(f"{app_url}/masks?model=copy&lang={language}")
    expect(page.locator("#vt-term")).to_be_attached()
    before, scrolled = page.url, page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop")
    for link in page.locator(".st-key-vt-question a").all():
        link.tap()
        expect(tip(page)).to_be_visible()
        box = tip(page).bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= 390 and box["y"] + box["height"] <= 844
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") == scrolled
    page.get_by_role("heading", level=1).tap()
    expect(tip(page)).to_be_hidden()
    assert page.url == before
    phone.close()


def test_terms_of_another_page_and_of_another_language_are_explained(visit: Callable[..., Page]) -> None:
    page = open_masks(visit)
    go_to(page, "heads")
    term(page, "heads").click()
    expect(tip(page)).to_contain_text("One of a layer's attentions")
    page.get_by_role("button", name="中文").click()
    expect(term(page, "头")).to_be_visible()
    expect(tip(page)).to_be_hidden()
    term(page, "头").hover()
    expect(tip(page)).to_contain_text("一层中的一个注意力")
    assert query_of(page)["lang"] == "zh"


def test_a_term_lights_its_part_of_the_picture_and_the_picture_its_term(visit: Callable[..., Page]) -> None:
    page = open_masks(visit)
    matrix = page.locator('figure[data-term~="mask"]').first
    expect(matrix).not_to_have_class(re.compile("vt-lit"))
    before = matrix.bounding_box()
    term(page, "mask").hover()
    expect(matrix).to_have_class(re.compile("vt-lit"))
    assert matrix.bounding_box() == before  # light takes no room
    page.get_by_role("heading", level=1).hover()
    expect(matrix).not_to_have_class(re.compile("vt-lit"))
    matrix.locator("canvas").hover()
    expect(term(page, "mask")).to_have_class(re.compile("vt-lit"))
    page.get_by_role("heading", level=1).hover()
    expect(term(page, "mask")).not_to_have_class(re.compile("vt-lit"))


def test_a_term_in_focus_lights_the_picture_too(visit: Callable[..., Page]) -> None:
    page = open_masks(visit)
    page.locator(".st-key-vt-chip button").focus()
    page.keyboard.press("Tab")
    expect(page.locator('figure[data-term~="mask"]').first).to_have_class(re.compile("vt-lit"))


def test_the_stages_of_attention_and_their_words_point_at_each_other(visit: Callable[..., Page]) -> None:
    page = visit("attention?model=copy&stage=qkv")
    keys, formula = page.get_by_test_id("mv-matrix-k").first, page.get_by_test_id("mv-formula").first
    key = page.get_by_test_id("mv-text").first.get_by_role("link", name="keys")
    key.hover()
    expect(page.locator("figure.vt-lit").filter(has=page.get_by_test_id("mv-matrix-k"))).to_be_visible()
    expect(tip(page)).to_contain_text("The vector that queries are compared with")  # in a component too
    keys.hover()
    expect(key).to_have_class("vt-lit")
    expect(formula.locator(".vt-lit")).to_have_text("Kᵀ")
    formula.get_by_text("mask").hover()
    expect(page.get_by_test_id("mv-stage-5").first).to_have_class("vt-lit")
