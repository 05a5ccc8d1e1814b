"""What stands on the first screen of every page and view: where its first picture begins, and how much is picture.

    python -m bench.first_screen [--write] [names of pages]

At 1280 × 720 (a projector), 1920 × 1080 and 390 × 844 (a phone), light and dark, without scrolling. A picture is a
canvas, a drawing, a table, a formula of a proof, the path of a lecture or a box to drop files into, of 100 × 40 px or
more. Its share is that of the points of a grid over the screen that lie in a component, a table, a chart or the
controls beside it. The shift is the sum of the browser's layout-shift values (0: nothing moved) while the keys of the
page are pressed: the next stage, another head, and back.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from playwright.sync_api import Page, expect, sync_playwright

from bench.browser import launch, serve, until
from bench.report import Report, machine

PAGES = (
    "",
    "overview",
    "attention",
    "masks",
    "heads",
    "decoding",
    "architecture",
    "why_attention",
    "scaling",
    "positions",
    "training",
    "slips",
)
SIZES = ((1280, 720), (1920, 1080), (390, 844))
SCHEMES = ("light", "dark")
CALM = 700  # milliseconds after which a page has come to rest
KEYS = ("ArrowRight", "2", "ArrowLeft", "1")
DEEP = """
const all = (root, found = []) => {
  for (const node of root.querySelectorAll("*")) {
    found.push(node);
    if (node.shadowRoot) all(node.shadowRoot, found);
  }
  return found;
};
"""
# -> pixels from the top to the first picture, null where there is none
FIRST_PICTURE = f"""() => {{{DEEP}
  const PICTURES = "canvas, svg, table, .katex-display, [data-testid=stFileUploaderDropzone], [data-testid=path]";
  const tops = all(document.querySelector("[data-testid=stMain]"))
    .filter((node) => node.matches(PICTURES) && node.checkVisibility())
    .map((node) => node.getBoundingClientRect())
    .filter(({{ width, height }}) => width >= 100 && height >= 40)
    .map(({{ top }}) => Math.round(top));
  return tops.length ? Math.min(...tops) : null;
}}"""
HAS_PICTURE = f"() => ({FIRST_PICTURE})() !== null"
SHARE = """() => {
  const PICTURES = "[data-testid^=stBidiComponent], .vt-scroll, .stVegaLiteChart";
  const SIDES = "[class*='st-key-vt-'][class*='-side']";
  let inside = 0, points = 0;
  for (let x = 10; x < innerWidth; x += 20)
    for (let y = 10; y < innerHeight; y += 20) {
      points += 1;
      const hit = document.elementFromPoint(x, y);
      if (hit?.closest(`${PICTURES}, ${SIDES}`)) inside += 1;
    }
  return inside / points;
}"""
WATCH_SHIFTS = """() => {
  globalThis.shifted = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) globalThis.shifted += entry.value;
  }).observe({ type: "layout-shift" });
}"""

# Notes from now on whether another view is drawn. Streamlit's own state may say "running" too briefly to be seen.
WATCH_VIEW = f"""() => {{{DEEP}
  globalThis.isOther = false;
  const main = document.querySelector("[data-testid=stMain]");
  const watch = new MutationObserver((changes) => {{
    if (changes.some(({{ target }}) => !target.closest?.(".st-key-vt-line"))) globalThis.isOther = true;
  }});
  // A view that a component draws anew changes below its shadow root alone.
  const components = all(main).filter((node) => node.shadowRoot && !node.closest(".st-key-vt-line"));
  for (const root of [main, ...components.map((node) => node.shadowRoot)])
    watch.observe(root, {{ childList: true, subtree: true }});
}}"""
IS_CALM = """() => globalThis.isOther !== false
  && document.querySelector(".stApp").dataset.testScriptState === "notRunning"
  && !document.querySelector("[data-testid=stMain] [data-stale=true]")"""


def views(page: Page, url: str, name: str) -> Iterator[str]:
    """Opens each view of a page in turn, up to where its run has ended -> the names of its tabs."""
    page.goto(f"{url}/{name}")
    line = page.locator(".st-key-vt-line")
    expect(line.get_by_role("heading", level=1)).to_be_visible()
    tabs = line.get_by_role("radio")
    if name.partition("?")[0] != "overview":  # all other pages have some
        expect(tabs.first).to_be_visible()
    until(page, IS_CALM)
    titles = [tab.inner_text() for tab in tabs.all()]
    for n, title in enumerate(titles or [""]):
        if n:
            page.evaluate(WATCH_VIEW)
            tabs.nth(n).click()
            expect(tabs.nth(n)).to_be_checked()
        until(page, IS_CALM)
        until(page, HAS_PICTURE)
        yield title


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", help="names of pages; all where none is given")
    parser.add_argument("--write", action="store_true", help="into docs/performance.md")
    arguments = parser.parse_args()
    expect.set_options(timeout=60_000)
    report = Report()
    with serve() as url, sync_playwright() as playwright:
        browser = launch(playwright)
        columns = [f"first picture, {width} × {height}" for width, height in SIZES]
        report.head("page", "view", *columns, "picture, 1280 × 720", "shift")
        for name in arguments.pages or PAGES:
            page = browser.new_page(viewport={"width": 1280, "height": 720})
            for title in views(page, url, name):
                report.row([name or "lecture", title, *looked_at(page)])
            page.close()
        if arguments.write:
            report.write("first_screen", "python -m bench.first_screen", machine("streamlit", chromium=browser.version))
        browser.close()


def looked_at(page: Page) -> list[str]:
    """The cells of a view's row: the lowest of light and dark for each size, the smaller share, the shift."""
    tops: list[str] = []
    shares = []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        found = []
        for scheme in SCHEMES:
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            page.wait_for_timeout(CALM)
            found.append(page.evaluate(FIRST_PICTURE))
            if width == SIZES[0][0]:
                shares.append(page.evaluate(SHARE))
        tops.append(str(max(found)))
    page.set_viewport_size({"width": 1280, "height": 720})
    page.wait_for_timeout(CALM)
    page.evaluate(WATCH_SHIFTS)
    for key in KEYS:
        page.keyboard.press(key)
        page.wait_for_timeout(CALM)
    return [*tops, f"{min(shares):.0%}", f"{page.evaluate('globalThis.shifted'):.3f}"]


if __name__ == "__main__":
    main()
