"""The lectures held by Page Down alone, with others who follow in a room: how long from a key to its painted picture.

    python -m bench.held_lecture [--followers 2] [--keys N] [--write]

A key is answered when the sentence, the answer sheet or the place is another one, the page is that of the place, and
its picture is painted. After each key all followers must be where the lecturer is. The times include the server's,
which computes for all browsers on the same machine.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from statistics import median

from playwright.sync_api import Browser, Page, expect, sync_playwright

from bench.browser import launch, serve
from bench.report import Report, machine
from viz_transformer.lecture_links import shipped_lectures

LANGUAGES = ("en", "zh")
PATIENCE = 60_000  # milliseconds
# Presses Page Down -> milliseconds until it is answered
ANSWERED = """() => new Promise((done) => {
  const seen = () => {
    const { searchParams } = new URL(location.href);
    const root = (id) => document.querySelector(`.st-key-${id}`);
    const inner = (id) => {
      const host = root(id)?.querySelector("[data-testid^=stBidi] > *, [data-testid^=stBidi]");
      return [...(root(id)?.querySelectorAll("*") ?? [])].map((node) => node.shadowRoot).find(Boolean) ?? host;
    };
    const bar = inner("scene")?.querySelector(".scene");
    const sheet = inner("predict")?.querySelector(".predict");
    const isOpen = root("predict") && sheet && !sheet.hidden;
    const key = searchParams.get("picture");
    const picture = root(key);
    const isCalm = bar?.getAttribute("aria-busy") === "false"
      && document.querySelector("[data-test-script-state=notRunning]") && !document.querySelector("[data-stale=true]");
    const isThere = isOpen || !searchParams.has("scene") || (picture && picture.getBoundingClientRect().height > 40);
    const says = [...(bar?.querySelectorAll(".words p") ?? [])].find((line) => !line.hidden)?.textContent ?? "";
    const what = [searchParams.get("scene"), isOpen && sheet.className, says].join("|");
    return { what, isReady: Boolean(isCalm && isThere) };
  };
  const before = seen().what;
  const from = performance.now();
  const target = document.body;
  target.dispatchEvent(new KeyboardEvent("keydown", { key: "PageDown", bubbles: true, composed: true }));
  const look = () => {
    const { what, isReady } = seen();
    if (what !== before && isReady) requestAnimationFrame(() => done(performance.now() - from));
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})"""


def opened(browser: Browser, link: str, width: int = 1280) -> Page:
    """A visitor of their own who has opened the link."""
    page = browser.new_context(viewport={"width": width, "height": 720}).new_page()
    page.goto(link)
    return page


def held(browser: Browser, url: str, name: str, language: str, others: int, most: int) -> Iterator[float]:
    """Holds a lecture; yields the milliseconds of each key."""
    lecturer = opened(browser, f"{url}/?lecture={name}&lang={language}")
    lecturer.get_by_test_id("room-open").click()
    lecturer.get_by_test_id("room-begin").click()
    link = lecturer.get_by_test_id("room-link")
    expect(link).to_have_value(re.compile(r"room=\w{5}"), timeout=PATIENCE)
    lecturer.keyboard.press("Escape")
    followers = [opened(browser, link.input_value(), 390) for _ in range(others)]
    for page in followers:
        expect(page.get_by_test_id("room-said")).not_to_be_empty(timeout=PATIENCE)
    lecturer.locator("a.present").first.click()
    expect(lecturer.get_by_test_id("predict-reveal")).to_be_visible(timeout=PATIENCE)
    lecture = shipped_lectures()[name]
    keys = sum(3 if not step else 1 for _scene, step in lecture.places()) + 1  # ask, reveal, picture; the closing
    for _ in range(min(keys - 1, most)):
        yield lecturer.evaluate(ANSWERED)
        scene = re.search(r"scene=([\w.-]+)", lecturer.url)
        assert scene is not None
        for page in followers:
            expect(page).to_have_url(re.compile(rf"scene={re.escape(scene[1])}(&|$)"), timeout=PATIENCE)
    for page in (*followers, lecturer):
        page.context.close()


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--followers", type=int, default=2)
    parser.add_argument("--keys", type=int, default=1000, help="of each lecture, at most")
    parser.add_argument("--write", action="store_true", help="into docs/performance.md")
    asked = parser.parse_args()
    report = Report()
    report.head("lecture", "language", "keys", "median, s", "largest, s")
    with serve() as url, sync_playwright() as playwright:
        browser = launch(playwright)
        for name in shipped_lectures():
            for language in LANGUAGES:
                times = [one / 1000 for one in held(browser, url, name, language, asked.followers, asked.keys)]
                report.row([name, language, len(times), f"{median(times):.2f}", f"{max(times):.2f}"])
        version = browser.version
        browser.close()
    if asked.write:
        report.write("held_lecture", "python -m bench.held_lecture", machine("streamlit", chromium=version))


if __name__ == "__main__":
    main()
