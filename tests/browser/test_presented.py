"""The shipped lectures, presented, and any picture that fills the screen: all of it is there, and can be read from the
last row."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from _pytest.mark import ParameterSet
from playwright.sync_api import Page, expect

from bench.browser import resize, until
from bench.first_screen import IS_CALM
from bench.presented import LEAST, LINE, MISSED, WATCH_LETTERS
from tests.browser.helpers import query_of
from tests.browser.test_pictures import VIEWS
from viz_transformer.lecture_links import shipped_lectures
from viz_transformer.lectures import LANGUAGES, said

Visit = Callable[..., Page]
SCREENS = [(1280, 720), (1024, 768)]  # the stage is as high as the screen, so others of these shapes are much alike:
OTHERS = [(1366, 768), (1920, 1080)]  # `make nightly` sees them
pytestmark = pytest.mark.own_browser  # it keeps where one was in a lecture, and what was revealed
# The stage is as high as the screen.
IS_ENLARGED = """() => {
  const { bottom } = document.querySelector(".st-key-scene [data-testid^=stBidi]").getBoundingClientRect();
  const zoom = document.documentElement.style.getPropertyValue("--vt-zoom");
  return bottom > 0 && Math.abs(zoom - innerHeight / 540) < 1e-3;
}"""
AT_REST = """() => document.querySelector("[data-test-script-state=notRunning]")
  && !document.querySelector("[data-stale=true]")"""

IS_FULL = """() => document.fullscreenElement
  && Math.abs(document.documentElement.style.getPropertyValue("--vt-zoom") - innerHeight / 540) < 1e-3"""


def in_a_language(names: Iterable[str]) -> list[ParameterSet]:
    """Each name with English or Chinese, in turn; with the other one only where there is time."""
    both = [(name, LANGUAGES[(n + other) % 2], other) for n, name in enumerate(names) for other in (0, 1)]
    return [pytest.param(name, said, marks=[pytest.mark.long] * other) for name, said, other in both]


def missed(page: Page, screens: list[tuple[int, int]]) -> list[str]:
    """What nobody in the last row can see, on each of the screens."""
    faults = []
    for width, height in screens:
        resize(page, width, height)
        until(page, IS_ENLARGED)
        until(page, IS_CALM)
        found, _least = page.evaluate(MISSED, [query_of(page).get("picture", ""), LEAST, LINE])
        faults += [f"{width} × {height}, {query_of(page)['scene']}: {fault}" for fault in found]
    return faults


@pytest.mark.parametrize(("name", "language"), in_a_language(shipped_lectures()))
def test_every_place_of_a_shipped_lecture_is_whole_and_read_from_the_last_row(
    visit: Visit, pytestconfig: pytest.Config, name: str, language: str
) -> None:
    """Held by Page Down alone."""
    screens = SCREENS + (OTHERS if pytestconfig.getoption("long") else [])
    lecture = shipped_lectures()[name]
    page = visit(f"/?lecture={name}&lang={language}", width=1280, height=720)
    page.add_init_script(WATCH_LETTERS)
    page.reload()
    page.get_by_test_id("path").get_by_role("link").first.click()
    expect(page.get_by_test_id("scene-title")).to_be_visible()
    page.keyboard.press("p")
    faults: list[str] = []
    for index, step in lecture.places():
        scene = lecture.scenes[index]
        expect(page.get_by_test_id("scene-title")).to_have_text(said(scene.title, language))
        if scene.ask and not step:
            expect(page.get_by_test_id("predict-reveal")).to_be_visible()
            expect(page.get_by_test_id("scene-says")).to_be_hidden()  # the answer
            faults += missed(page, screens)
            page.keyboard.press("PageDown")
            expect(page.get_by_test_id("predict-reveal")).to_be_hidden()
            faults += missed(page, screens)
            page.keyboard.press("PageDown")
            expect(page.get_by_test_id("predict")).to_be_hidden()
        expect(page.locator(".scene")).to_have_attribute("aria-busy", "false")  # else it is the page before
        until(page, AT_REST)
        expect(page.get_by_test_id("scene-says")).to_be_visible()
        expect(page.get_by_test_id("scene-says")).not_to_be_empty()
        for part in said(scene.says_at(step), language).split("{reads}"):
            expect(page.get_by_test_id("scene-says")).to_contain_text(part.strip())
        assert query_of(page)["scene"].split(".")[0] == lecture.names[index]
        faults += missed(page, screens)
        page.keyboard.press("PageDown")
    expect(page.locator(".vt-closing li")).to_have_text([said(text, language) for text in lecture.closing])
    faults += missed(page, screens)
    page.keyboard.press("PageDown")
    expect(page.get_by_test_id("path")).to_be_visible()
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(("view", "language"), in_a_language(VIEWS))
def test_every_picture_that_fills_the_screen_is_whole_and_read_from_the_last_row(
    visit: Visit, view: str, language: str
) -> None:
    path, save, *_ = VIEWS[view]
    page = visit(f"{path}{'&' if '?' in path else '?'}lang={language}")
    page.add_init_script(WATCH_LETTERS)
    page.reload()
    expect(page.get_by_test_id(save).first).to_be_attached()
    faults = []
    for width, height in SCREENS:
        resize(page, width, height)
        until(page, IS_CALM)
        page.keyboard.press("f")
        until(page, IS_FULL)
        found, _least = page.evaluate(MISSED, ["", LEAST, LINE])
        faults += [f"{width} × {height}: {fault}" for fault in found]
        page.keyboard.press("f")
        until(page, "() => !document.fullscreenElement")
    assert not faults, "\n".join(faults)
