"""From key press to painted update for the sliders of the pages Architecture and Why attention.

    python -m bench.lessons_shapes

Each line next to a rerun of a Streamlit app that changes one line of text, taken in turns. Drawings and tables should
stay within 1.5 times that floor, Altair charts within 3 times.
"""

from __future__ import annotations

from statistics import median
from typing import NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from bench.attention_page import TEXT, update
from tests.browser.server import launch, serve

ROUNDS = 9
CALM = 3000  # milliseconds after which a page is all there

# What a slider changes may be a new element: the probe looks for it anew, and waits while there is none.
PROBE = """(page) => {{
  const now = [...page.querySelectorAll('{seen}')].map({read}).join();
  return (page.seen = now || page.seen);
}}"""
TEXTS, PATHS = "(node) => node.textContent", "(node) => node.getAttribute('d')"
BARS, LINES = ".mark-rect path", ".mark-line path"


class Slider(NamedTuple):
    """One slider of a page, and the elements whose change ends a move of it."""

    name: str
    address: str
    slider: str  # its test id
    seen: str  # a selector
    read: str  # what of them changes
    limit: float
    inside: str = "body"  # a selector; a component's elements are found inside of it only


def part(name: str) -> str:
    return f"[data-testid={name}]"


def table(name: str) -> str:
    return f".table-view:has({part(name)})"


COSTS, WHY = "architecture?lesson=cost&layers=6", "why_attention?lesson"
SLIDERS = [
    Slider(
        "every shape: d_ff",
        "architecture?lesson=shapes&d_ff=512",
        "sb-d_ff",
        part("shapes"),
        TEXTS,
        1.5,
        table("shapes"),
    ),
    Slider(
        "parameters and operations: N, table", COSTS, "sb-layers", part("parameters"), TEXTS, 1.5, table("parameters")
    ),
    Slider("parameters and operations: N, bars", COSTS, "sb-layers", BARS, PATHS, 3),
    Slider("residual stream: depth", "architecture?lesson=norm&depth=8", "sb-depth", LINES, PATHS, 3),
    Slider("Table 1: k, table", f"{WHY}=table&k=5", "sb-k", part("table-1"), TEXTS, 1.5, table("table-1")),
    Slider("Table 1: d, chart", f"{WHY}=table&d=256", "sb-d", LINES, PATHS, 3),
    Slider(
        "what a layer sees: k",
        f"{WHY}=paths&k=3",
        "sb-k",
        part("pa-readout-dilated"),
        TEXTS,
        1.5,
        part("pa-root"),
    ),
    Slider(
        "soft look-up: points", f"{WHY}=lookup&points=40", "sb-points", part("ke-curve"), PATHS, 1.5, part("ke-root")
    ),
    Slider("soft look-up: kernel width", f"{WHY}=lookup", "ke-width", part("ke-curve"), PATHS, 1.5, part("ke-root")),
]


def main() -> None:
    with sync_playwright() as playwright, serve() as app, serve("bench/one_line.py") as floor:
        browser = launch(playwright)
        print("| slider | median, ms | floor, ms | ratio | at most |\n|---|---|---|---|---|")
        for slider in SLIDERS:
            print(line(browser, app, floor, slider), flush=True)
        browser.close()


def line(browser: Browser, app: str, floor: str, slider: Slider) -> str:
    page, other = opened(browser, f"{app}/{slider.address}"), opened(browser, floor)
    again, text = other.get_by_role("button"), other.get_by_test_id("stText").first
    thumb = page.get_by_test_id(slider.slider)
    page.locator(slider.seen).first.wait_for(state="attached")  # a level line has no area, thus counts as hidden
    probe, body = PROBE.format(seen=slider.seen, read=slider.read), page.locator(slider.inside)
    page.wait_for_timeout(CALM)
    floors, moves = [], []
    for n in range(ROUNDS):
        floors.append(update(other, text, TEXT, again, "Enter"))
        moves.append(update(page, body, probe, thumb, "ArrowRight" if n % 2 == 0 else "ArrowLeft"))
    page.close()
    other.close()
    base, time = median(floors), median(moves)
    return f"| {slider.name} | {time:.0f} | {base:.0f} | {time / base:.2f} | {slider.limit} |"


def opened(browser: Browser, address: str) -> Page:
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.set_default_timeout(120_000)
    page.goto(address)
    page.wait_for_timeout(CALM)
    return page


if __name__ == "__main__":
    main()
