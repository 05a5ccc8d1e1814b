"""The three pictures of the README, from the running app: a scene, a room's tally and a beam's tree, as presented.

python docs/readme.py
"""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from bench.browser import launch, serve, until
from bench.first_screen import IS_CALM
from viz_transformer.lecture_links import link_of, shipped_lectures

HERE = Path(__file__).resolve().parent
PLACES = {"scene": ("9", 2), "beam": ("11", 1)}  # a scene by its name in links, and its step, from 0
ASKS = "QKᵀ"  # in the title of the scene of the room
MARKED = ("23372", "21332", "12347", "22375", "23332")  # the column in each row, by a class of five
CALM = 1200  # milliseconds


def main() -> None:
    """Writes the pictures."""
    with serve() as url, sync_playwright() as playwright:
        browser = launch(playwright)
        page = new_page(browser)
        lecture = shipped_lectures()["attention"]
        for name, (scene, step) in PLACES.items():
            page.goto(f"{url}/{link_of(lecture, 'attention', lecture.names.index(scene), step, present='1')}")
            save(page, name)
        page.goto(f"{url}/?lang=en")
        page.get_by_test_id("room-open").click()
        page.get_by_test_id("room-begin").click()
        link = page.get_by_test_id("room-link")
        expect(link).to_have_value(re.compile(r"room=\w{5}"), timeout=60_000)
        page.get_by_test_id("room-box").get_by_title("Close").click()
        page.get_by_role("link", name=re.compile(ASKS)).click()
        expect(page.get_by_test_id("predict-reveal")).to_be_visible(timeout=60_000)
        page.keyboard.press("p")
        for columns in MARKED:
            student = new_page(browser)
            student.goto(link.input_value())
            for row, column in enumerate(columns, 1):
                student.get_by_test_id(f"predict-cell-{row}-{column}").click()
            student.get_by_test_id("predict-reveal").click()
            expect(student.get_by_test_id("predict-room")).to_contain_text("counted")
        page.keyboard.press("PageDown")
        expect(page.get_by_test_id("predict-class")).to_be_visible()
        save(page, "room")
        browser.close()


def new_page(browser: Browser) -> Page:
    """A visitor of their own."""
    return browser.new_context(viewport={"width": 1280, "height": 720}, locale="en").new_page()


def save(page: Page, name: str) -> None:
    """Writes what is on the screen."""
    expect(page.locator(".scene.presenting")).to_have_attribute("aria-busy", "false", timeout=60_000)
    until(page, IS_CALM)
    page.wait_for_timeout(CALM)
    Image.open(BytesIO(page.screenshot())).save(HERE / f"readme-{name}.webp", quality=70, method=6)


if __name__ == "__main__":
    main()
