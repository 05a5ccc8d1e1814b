"""How quickly the lessons answer their sliders, in a real Chromium, at the sizes that the pages open with.

    python -m bench.lessons [--rounds 5] [--write] [parts of addresses or of sliders' names]

Each time runs from a key press on a slider to the painted update of what it moves. In turns with it, the same is
measured for a rerun of a Streamlit app that changes one line of text: the least that an answer of the server takes. A
lesson may take 1.5 times that at most.
"""

from __future__ import annotations

import argparse
from itertools import groupby
from statistics import median
from typing import NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from bench.attention_page import TEXT, update
from bench.browser import launch, serve
from bench.report import Report, machine

READY, CALM = 3000, 700  # milliseconds after which a page is all there, and after which a move has come to rest
LIMIT = 1.5
WARM_UP = 2  # moves: the first one each way computes what later ones find in the cache
# A band across the middle of a canvas.
PIXELS = """(canvas) => {
  const { width, height } = canvas;
  return canvas.getContext("2d").getImageData(0, height / 2, width, 4).data.join();
}"""
WORDS, DRAWING = "(node) => node.textContent", "(node) => node.innerHTML"


class Move(NamedTuple):
    """One slider of one lesson.

    Attributes:
        address: of the page, with its lesson and a place from which the slider can go both ways.
        slider: its test id.
        seen: test id of what changes.
        look: JavaScript that tells one state of it from another.
    """

    address: str
    slider: str
    seen: str
    look: str = PIXELS


def moves(address: str, seen: str, look: str, *sliders: str) -> list[Move]:
    return [Move(address, f"sb-{slider}", seen, look) for slider in sliders]


MOVES = [
    *moves("scaling", "pv-canvas-product", PIXELS, "dk", "draws", "mean", "sd", "rho", "seed"),
    *moves("scaling?lesson=softmax", "pv-canvas-dot", PIXELS, "dk"),
    *moves("scaling?lesson=softmax", "pv-canvas-entropy", PIXELS, "keys", "seed"),
    *moves("scaling?lesson=lengths", "pv-canvas-lengths", PIXELS, "d", "draws", "seed"),
    *moves("positions", "pv-canvas-curves", PIXELS, "base", "len", "other"),
    *moves("positions", "mv-matrix-encoding", PIXELS, "dm"),
    *moves("positions?lesson=distance", "mv-matrix-rotation", PIXELS, "k"),
    *moves("positions?lesson=distance", "mv-matrix-gram", PIXELS, "base"),
    *moves("architecture?lesson=shapes", "shapes", WORDS, "d_ff"),
    *moves("architecture?lesson=cost", "parameters", WORDS, "layers"),
    *moves("architecture?lesson=cost", "operations", WORDS, "length"),
    *moves("architecture?lesson=heads", "equal-cost", WORDS, "length"),
    *moves("architecture?lesson=norm", "pv-canvas-stream", PIXELS, "depth"),
    *moves("why_attention?lesson=table", "table-1", WORDS, "k"),
    *moves("why_attention?lesson=table", "pv-canvas-crossing", PIXELS, "d"),
    *moves("why_attention?lesson=paths", "pa-root", WORDS, "k"),
    *moves("why_attention?lesson=lookup", "ke-plot", DRAWING, "points"),
    Move("why_attention?lesson=lookup", "ke-width", "ke-plot", DRAWING),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help="of addresses or of sliders' names; all of them where none is given")
    parser.add_argument("--rounds", type=int, default=5, help="of key presses (default %(default)s)")
    parser.add_argument("--write", action="store_true", help="into docs/performance.md")
    arguments, report = parser.parse_args(), Report()
    if arguments.write and arguments.parts:
        parser.error("--write wants all of the table")
    with sync_playwright() as playwright, serve() as app, serve("bench/one_line.py") as floor:
        browser = launch(playwright)
        other = opened(browser, floor, "stText")
        columns = ("median, ms", "one line, ms", "ratio", "at most 1.5")
        report.head("page and lesson", "slider", "what is seen", *columns)
        parts = arguments.parts or [""]
        chosen = [move for move in MOVES if any(part in f"{move.address} {move.slider}" for part in parts)]
        for address, group in groupby(chosen, key=lambda move: move.address):
            own = list(group)
            page = opened(browser, f"{app}/{address}", own[0].seen)
            for move in own:
                report.row(line(page, other, move, arguments.rounds))
            page.close()
        if arguments.write:
            command = f"python -m bench.lessons --rounds {arguments.rounds}"
            report.write("lessons", command, machine("streamlit", chromium=browser.version))
        browser.close()


def line(page: Page, other: Page, move: Move, rounds: int) -> list[str]:
    seen, text = page.get_by_test_id(move.seen).first, other.get_by_test_id("stText").first
    slider, again = page.get_by_test_id(move.slider), other.get_by_role("button")
    own, base = [], []
    for n in range(WARM_UP + rounds):
        base.append(update(other, text, TEXT, again, "Enter", CALM))
        own.append(update(page, seen, move.look, slider, "ArrowRight" if n % 2 == 0 else "ArrowLeft", CALM))
    time, least = median(own[WARM_UP:]), median(base[WARM_UP:])
    met = "yes" if time <= LIMIT * least else "**no**"
    return [move.address, move.slider, move.seen, f"{time:.0f}", f"{least:.0f}", f"{time / least:.2f}", met]


def opened(browser: Browser, address: str, test_id: str) -> Page:
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.set_default_timeout(120_000)
    page.goto(address)
    page.get_by_test_id(test_id).first.wait_for(state="attached")  # a level line has no area, thus counts as hidden
    page.wait_for_timeout(READY)
    more = page.get_by_test_id("sb-more").locator("summary")
    if more.count() and more.first.is_visible():
        more.first.click()
    return page


if __name__ == "__main__":
    main()
