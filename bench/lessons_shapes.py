"""From key press to painted update for the sliders of the pages Architecture and Why attention.

    python -m bench.lessons_shapes

Each line next to a rerun of a Streamlit app that changes one line of text, taken in turns. Drawings and tables should
stay within 1.5 times that floor, Altair charts within 3 times.
"""

from __future__ import annotations

from statistics import median
from typing import NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from bench.attention_page import ROUNDS, TEXT, update
from tests.browser.server import launch, serve

CALM = 3000  # milliseconds after which a page is all there

DRAWING = "(view) => view.innerHTML"


class Slider(NamedTuple):
    """One slider of a page, and the element whose change ends a move of it."""

    name: str
    address: str
    label: str
    seen: str  # a selector
    probe: str
    limit: float


SLIDERS = [
    Slider("every shape: d_ff", "architecture?lesson=shapes&d_ff=512", "d_ff", "[data-testid=shapes]", TEXT, 1.5),
    Slider(
        "parameters and operations: N, table",
        "architecture?lesson=cost&layers=6",
        "N",
        "[data-testid=parameters]",
        TEXT,
        1.5,
    ),
    Slider(
        "parameters and operations: N, bars",
        "architecture?lesson=cost&layers=6",
        "N",
        "[data-testid=stVegaLiteChart]",
        "(view) => [...view.querySelectorAll('.mark-rect path')].map((bar) => bar.getAttribute('d')).join()",
        3,
    ),
    Slider(
        "residual stream: depth",
        "architecture?lesson=norm&depth=8",
        "Depth: encoder layers of a fresh, untrained stack",
        "[data-testid=stVegaLiteChart]",
        "(view) => view.querySelector('.mark-line path')?.getAttribute('d')",
        3,
    ),
    Slider("Table 1: k, table", "why_attention?k=5", "k: kernel width", "[data-testid=table-1]", TEXT, 1.5),
    Slider(
        "Table 1: d, chart",
        "why_attention?d=256",
        "d: width",
        "[data-testid=stVegaLiteChart]",
        "(view) => [...view.querySelectorAll('.mark-line path')].map((line) => line.getAttribute('d')).join()",
        3,
    ),
    Slider(
        "what a layer sees: k",
        "why_attention?lesson=paths&k=3",
        "k: kernel width",
        "[data-testid=pa-root]",
        DRAWING,
        1.5,
    ),
    Slider(
        "soft look-up: points",
        "why_attention?lesson=lookup&points=40",
        "Points",
        "[data-testid=ke-root]",
        DRAWING,
        1.5,
    ),
    Slider(
        "soft look-up: kernel width",
        "why_attention?lesson=lookup",
        "Kernel width",
        "[data-testid=ke-root]",
        DRAWING,
        1.5,
    ),
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
    thumb, seen = page.get_by_role("slider", name=slider.label).first, page.locator(slider.seen).first
    seen.wait_for()
    page.wait_for_timeout(CALM)
    floors, moves = [], []
    for n in range(ROUNDS):
        floors.append(update(other, text, TEXT, again, "Enter"))
        moves.append(update(page, seen, slider.probe, thumb, "ArrowRight" if n % 2 == 0 else "ArrowLeft"))
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
