"""The contact sheets of docs/students.md: every view on a phone, upright and across, and enlarged four times.

python docs/alone.py
"""

from __future__ import annotations

from io import BytesIO

from PIL import Image
from playwright.sync_api import expect, sync_playwright
from presented import HERE, sheet

from bench.browser import launch, serve, until
from bench.first_screen import IS_CALM, PAGES, views

# Width and height in CSS pixels, of them one that a device has, and the language.
SCREENS = {"390": (390, 844, 1, "zh"), "844": (844, 390, 1, "en"), "400": (320, 180, 4, "en")}
CALM = 600  # milliseconds


def main() -> None:
    """Writes the pictures."""
    expect.set_options(timeout=60_000)
    with serve() as url, sync_playwright() as playwright:
        browser = launch(playwright)
        for name, (width, height, scale, language) in SCREENS.items():
            context = browser.new_context(
                viewport={"width": width, "height": height}, device_scale_factor=scale, has_touch=True
            )
            page = context.new_page()
            page.goto(f"{url}/?lang={language}")
            pictures = []
            for path in PAGES:
                for _ in views(page, url, f"{path}?lang={language}"):
                    until(page, IS_CALM)
                    page.wait_for_timeout(CALM)
                    pictures.append(Image.open(BytesIO(page.screenshot())).convert("RGB"))
            context.close()
            print(f"{name}: {len(pictures)} views")
            sheet(pictures, across=10 if width < height else 6).save(HERE / f"alone-{name}.webp", quality=60, method=6)
        browser.close()


if __name__ == "__main__":
    main()
