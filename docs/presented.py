"""The contact sheets of docs/lecturers.md: every place of the shipped lectures, presented, from the running app.

python docs/presented.py

Prints the smallest letters of each screen, as a share of its height and in pixels.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

from bench.browser import launch, serve, until
from bench.first_screen import IS_CALM
from bench.presented import LEAST, LINE, MISSED, WATCH_LETTERS
from viz_transformer.lecture_links import shipped_lectures
from viz_transformer.lectures import said

HERE = Path(__file__).resolve().parent
SCREENS = ((1280, 720, "en", "light"), (1920, 1080, "zh", "dark"))
WIDE = 2400  # px of a contact sheet
CALM = 800  # milliseconds


def places(page: Page, url: str, language: str) -> Iterator[None]:
    """Holds both lectures by Page Down alone, and stops at everything that a class sees."""
    for name, lecture in shipped_lectures().items():
        page.goto(f"{url}/?lecture={name}&lang={language}")
        page.locator("a.present").first.click()
        for index, step in lecture.places():
            expect(page.get_by_test_id("scene-title")).to_have_text(said(lecture.scenes[index].title, language))
            expect(page.locator(".scene")).to_have_attribute("aria-busy", "false", timeout=60_000)
            if lecture.scenes[index].ask and not step:
                expect(page.get_by_test_id("predict-reveal")).to_be_visible()
                yield
                page.keyboard.press("PageDown")
                expect(page.get_by_test_id("predict-reveal")).to_be_hidden()
                yield
                page.keyboard.press("PageDown")
                expect(page.get_by_test_id("predict")).to_be_hidden()
            yield
            page.keyboard.press("PageDown")


def main() -> None:
    """Writes the pictures."""
    with serve() as url, sync_playwright() as playwright:
        browser = launch(playwright)
        for width, height, language, scheme in SCREENS:
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            page = context.new_page()
            page.add_init_script(WATCH_LETTERS)
            pictures, least = [], 1.0
            for _ in places(page, url, language):
                until(page, IS_CALM)
                page.wait_for_timeout(CALM)
                _faults, smallest = page.evaluate(MISSED, ["", LEAST, LINE])
                least = min(least, smallest)
                pictures.append(Image.open(BytesIO(page.screenshot())).convert("RGB"))
            context.close()
            print(f"{width} × {height}: {len(pictures)} pictures, letters from {least:.2%}, {least * height:.1f} px")
            sheet(pictures).save(HERE / f"presented-{height}.webp", quality=70, method=6)
        browser.close()


def sheet(pictures: list[Image.Image], across: int = 6) -> Image.Image:
    """All pictures, small, in rows of `across`."""
    width = WIDE // across
    high = width * pictures[0].height // pictures[0].width
    whole = Image.new("RGB", (WIDE, -(-len(pictures) // across) * high), "grey")
    for n, picture in enumerate(pictures):
        whole.paste(picture.resize((width, high), Image.Resampling.LANCZOS), (n % across * width, n // across * high))
    return whole


if __name__ == "__main__":
    main()
