"""A student's task: have a sentence read, see where the model looks, and follow one weight down to its products.

Once with nothing but a keyboard, once with nothing but a finger on a phone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from math import isclose, sqrt

import pytest
from playwright.sync_api import Browser, Locator, Page, Playwright, expect

SENTENCE = "我爱你。"
READING = "While writing I, this head puts 98 % of its weight on 我."
CELL = "cell=1-1"  # in the link: the step that writes «I», and «我»
D_K = 48
FAR = 14  # how often one may have to press Tab on the way to anything
FINGER = 24  # px that it needs (WCAG 2.5.8)
IS_FOCUSED = """(node) => {
  let one = document.activeElement;
  while (one?.shadowRoot?.activeElement) one = one.shadowRoot.activeElement;
  return node === one;
}"""
SHOWS_FOCUS = """(node) => {
  const { outlineStyle, boxShadow } = getComputedStyle(node);
  return node.matches("input, textarea") || outlineStyle !== "none" || boxShadow !== "none";
}"""


def tab_to(page: Page, there: Locator, key: str = "Tab") -> None:
    """Presses the key until the focus is there, and is seen to be."""
    expect(there).to_be_visible()
    for _ in range(FAR):
        page.keyboard.press(key)
        if there.evaluate(IS_FOCUSED):
            assert there.evaluate(SHOWS_FOCUS), f"nobody sees that the focus is on {there}"
            return
    raise AssertionError(f"{there} is more than {FAR} times {key} away")


def numbers_of(table: Locator) -> list[list[str]]:
    """The texts of its cells, without the header."""
    rows = table.get_by_role("row").all()[1:]
    return [[cell.inner_text().replace("−", "-") for cell in row.locator("th, td").all()] for row in rows]


def check_products(page: Page) -> None:
    """From the weight down to its products, every number on the screen follows from those above it."""
    steps = numbers_of(page.get_by_role("table", name=re.compile("From query 1 .* to the weight")))
    score, scaled, masked, power, total, weight = (float(row[1]) for row in steps)
    products = page.get_by_role("table", name="Query 1, key 1")
    expect(products).to_be_visible()
    rows = [[float(text) for text in row[1:4]] for row in numbers_of(products)]
    assert len(rows) == D_K
    assert all(isclose(q * k, product, abs_tol=1e-5) for q, k, product in rows)
    assert isclose(sum(product for _, _, product in rows), score, abs_tol=1e-4)
    assert isclose(score / sqrt(D_K), scaled, abs_tol=1e-5)
    assert masked == scaled
    assert isclose(power / total, weight, abs_tol=1e-5)
    assert f"{weight:.0%}" == "98%"


def test_with_a_keyboard_only(visit: Callable[..., Page]) -> None:
    page = visit(width=1280, height=720)
    press = page.keyboard.press
    expect(page.get_by_test_id("tv-sentence")).to_be_visible()
    tab_to(page, page.get_by_role("link", name="Skip to main content"))
    press("Enter")
    tab_to(page, page.get_by_role("textbox", name="Source"))
    press("Control+A")
    page.keyboard.type(SENTENCE)
    press("Enter")
    word = page.get_by_role("button", name="I", exact=True)
    expect(word).to_be_visible()
    tab_to(page, page.get_by_role("button", name="love", exact=True))  # the clearest step of this head
    press("ArrowLeft")
    expect(word).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_test_id("tv-sentence")).to_have_text(READING)

    tab_to(page, page.get_by_role("button", name="Look inside"), "Shift+Tab")
    press("Enter")
    expect(page.get_by_role("menuitem", name="Overview")).to_be_focused()
    press("ArrowDown")
    press("Enter")
    tab_to(page, page.get_by_role("tab", name="Q Kᵀ"))
    for stage in ("÷ √dₖ", "mask", "softmax"):
        press("ArrowRight")
        expect(page.get_by_role("tab", name=stage)).to_have_attribute("aria-selected", "true")
    press("ArrowLeft")
    press("Enter")
    for key in ("Home", *["ArrowUp"] * 4, "Enter"):
        press(key)
    expect(page).to_have_url(re.compile(CELL))
    expect(page.get_by_test_id("mv-reading").first).to_be_visible()

    for box in ("The products that add up to the score", "All dimensions, and what this key adds"):
        tab_to(page, page.locator("summary").filter(has_text=box))
        press("Enter")
    check_products(page)


@pytest.fixture
def phone(playwright: Playwright, browser: Browser, app_url: str) -> Iterator[Page]:
    """Overview in a browser that has touch, no mouse, and the user agent of a telephone."""
    context = browser.new_context(**{**playwright.devices["Pixel 5"], "viewport": {"width": 390, "height": 844}})
    page = context.new_page()
    page.set_default_timeout(30_000)
    page.goto(f"{app_url}/?model=zh-en")
    yield page
    context.close()


def test_on_a_phone(phone: Page) -> None:
    page = phone
    page.get_by_role("textbox", name="Source").tap()
    page.get_by_role("textbox", name="Source").fill(SENTENCE)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="I", exact=True).tap()
    expect(page.get_by_test_id("tv-sentence")).to_have_text(READING)
    expect(page.get_by_test_id("tv-sentence")).to_be_in_viewport()

    page.get_by_test_id("stExpandSidebarButton").tap()
    page.get_by_role("link", name="Attention step by step").tap()
    page.get_by_role("tab", name="softmax").tap()
    weights = page.locator("canvas[data-testid=mv-matrix-weights]:not(.away *)")  # not of a stage that is shown next
    expect(weights).to_be_in_viewport()
    left, top, wide, high = (
        float(weights.get_attribute(f"data-{name}") or 0) for name in ("left", "top", "cell", "height")
    )
    assert min(wide, high) >= FINGER
    weights.tap(position={"x": left + 0.5 * wide, "y": top + 0.5 * high})
    expect(page).to_have_url(re.compile(CELL))
    expect(page.get_by_test_id("mv-reading").filter(has_text=READING)).to_be_visible()
    page.get_by_role("tab", name="Q Kᵀ").tap()
    expect(page.locator("canvas[data-testid=mv-matrix-scores]:not(.away *)")).to_be_in_viewport()

    page.locator("summary").filter(has_text="All dimensions, and what this key adds").tap()
    check_products(page)
