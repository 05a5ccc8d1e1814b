"""The page of slips: all ten in turn, and from one of them to a run that is trained with it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.helpers import query_of
from tests.helpers import SLIPS

Visit = Callable[..., Page]
TITLES = [
    *("Softmax axis", "√d_model", "Polarity", "Diagonal"),
    *("No encoder mask", "Whose query", "Loss ÷ twice", "Padded loss", "Kept graphs", "cos/cos"),
]


def test_the_ten_slips_and_a_run_with_one(visit: Visit) -> None:
    page = visit("slips?model=copy", width=1280, height=720)
    line = page.locator(".st-key-vt-line")
    tabs = line.get_by_role("radio")
    expect(tabs).to_have_text(TITLES)
    chip = line.get_by_role("button", name="Change").bounding_box()
    title = line.get_by_role("heading").bounding_box()
    assert chip and title and abs(chip["y"] - title["y"]) < 20, "title, tabs and chip stand in one line"
    for n, slip in enumerate(SLIPS):
        tabs.nth(n).click()
        expect(tabs.nth(n)).to_be_checked()
        right, wrong = page.get_by_test_id("mv-matrix-right"), page.get_by_test_id("mv-matrix-slip")
        expect(right).to_be_visible()
        expect(wrong).to_be_visible()
        expect(page.get_by_text("This finds it in your own code")).to_be_visible()
        page.wait_for_function(
            "slip => (new URLSearchParams(location.search).get('slip') ?? 'softmax-axis') === slip", arg=slip
        )
        if n:
            assert query_of(page)["slip"] == slip
    tabs.nth(SLIPS.index("polarity")).click()
    expect(page.get_by_text("the decoder reads the answer in advance")).to_be_visible()
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Train with this slip →").click()
    training = opened.value
    expect(training.get_by_role("heading", name="Training", level=1)).to_be_visible()
    assert query_of(training)["lesson_of_run"] == "polarity"
    training.get_by_text("Settings of the run").click()
    expect(training.get_by_text(re.compile("with masks the wrong way round"))).to_be_visible()
    expect(training.get_by_role("combobox", name="Slip, made in every pass")).to_be_visible()
    expect(training.get_by_role("button", name="Train", exact=True)).to_be_enabled()


@pytest.mark.parametrize("slip", ["softmax-axis", "loss"])
def test_on_a_phone_the_tabs_swipe_and_the_picture_comes_first(visit: Visit, slip: str) -> None:
    page = visit(f"slips?model=copy&slip={slip}", width=390, height=844)
    expect(page.get_by_test_id("mv-matrix-right")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
