"""The picture of the README, from the running app: Overview, step by step through its output.

    python docs/overview.py

It needs a font with Chinese characters.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import expect, sync_playwright

from bench.browser import launch, serve

TARGET = Path(__file__).resolve().parent / "overview.webp"
STEPS = 5  # of the output
CALM = 1200  # milliseconds, after which a step has come to rest
LONG = 1500  # milliseconds that each is shown


def main() -> None:
    """Writes the picture."""
    frames = []
    with serve() as url, sync_playwright() as playwright:
        browser = launch(playwright)
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        for step in range(1, STEPS + 1):
            page.goto(f"{url}/overview?model=zh-en&step={step}")
            expect(page.locator("canvas:visible").first).to_be_visible(timeout=60_000)
            page.wait_for_timeout(CALM)
            frames.append(Image.open(BytesIO(page.screenshot())))
        browser.close()
    frames[0].save(TARGET, save_all=True, append_images=frames[1:], duration=LONG, loop=0, quality=80, method=6)


if __name__ == "__main__":
    main()
