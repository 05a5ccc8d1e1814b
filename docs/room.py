"""The picture of docs/room.md, from the running app: the screens of a lecturer and two students, after an answer.

python docs/room.py
"""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

from bench.browser import launch, serve

TARGET = Path(__file__).resolve().parent / "room.webp"
GAP = 16  # px between the screens
MARKS = {"light": ("1-2", "2-2", "3-3", "4-3", "5-2"), "dark": ("1-1", "2-3", "3-3", "4-2", "5-2")}  # by scheme
CALM = 1200  # milliseconds


def main() -> None:
    """Writes the picture."""
    with serve() as url, sync_playwright() as playwright:
        browser = launch(playwright)

        def open_page(link: str, width: int, height: int, scheme: str) -> Page:
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            page = context.new_page()
            page.goto(link)
            return page

        lecturer = open_page(f"{url}/?lang=en", 1280, 720, "light")
        lecturer.get_by_test_id("room-open").click()
        lecturer.get_by_test_id("room-begin").click()
        link = lecturer.get_by_test_id("room-link")
        expect(link).to_have_value(re.compile(r"room=\w{5}"), timeout=60_000)
        lecturer.get_by_test_id("room-box").get_by_title("Close").click()
        students = [open_page(link.input_value(), 390, 720, scheme) for scheme in MARKS]
        for page in students:
            expect(page.get_by_test_id("room-said")).to_contain_text("follow", timeout=60_000)
        lecturer.get_by_role("link", name=re.compile("QKᵀ")).click()
        for page, cells in zip(students, MARKS.values(), strict=True):
            for cell in cells:
                page.get_by_test_id(f"predict-cell-{cell}").click()
            page.get_by_test_id("predict-reveal").click()
            expect(page.get_by_test_id("predict-room")).to_contain_text("counted")
        lecturer.get_by_test_id("predict-reveal").click()
        screens = []
        for page in (lecturer, *students):
            expect(page.get_by_test_id("predict-class")).to_be_visible()
            page.wait_for_timeout(CALM)
            screens.append(Image.open(BytesIO(page.screenshot())))
        browser.close()
    whole = Image.new("RGB", (sum(one.width + GAP for one in screens) - GAP, 720), "white")
    x = 0
    for one in screens:
        whole.paste(one, (x, 0))
        x += one.width + GAP
    whole.save(TARGET, quality=80, method=6)


if __name__ == "__main__":
    main()
