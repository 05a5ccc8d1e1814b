"""How quickly the lessons answer a slider, in a real Chromium, at the sizes that their pages open with.

    python -m bench.lessons

From key press on a slider to the painted update of the view that it moves, next to a rerun of a Streamlit app that
changes one line of text, taken in turns. The aim: canvas views within 1.5 times that rerun, Plotly and Altair within 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from playwright.sync_api import Browser, sync_playwright

from bench.attention_page import TEXT, open_page, update
from tests.browser.server import launch, serve

ROUNDS = 9
CANVAS, CHART = 1.5, 3.0

# A band across the middle of a canvas, and all of a chart in SVG.
PIXELS = """(canvas) => {
  const { width, height } = canvas;
  return canvas.getContext("2d").getImageData(0, height / 2, width, 4).data.join();
}"""
MARKUP = "(chart) => chart.innerHTML"


@dataclass(frozen=True)
class Move:
    """One slider of one page, and what it repaints.

    Attributes:
        page: path and query.
        slider: its label.
        seen: test id of what changes.
        limit: how many times the floor it may take: `CANVAS` or `CHART`.
        probe: JavaScript that tells one picture of it from another.
    """

    page: str
    slider: str
    seen: str
    limit: float = CANVAS
    probe: str = PIXELS


MOVES = [
    Move("scaling", "d_k: components of q and of k", "pv-canvas-product"),
    Move("scaling", "ρ: correlation of q_i and k_i", "pv-canvas-scaled"),
    Move("scaling?lesson=softmax", "d_k: components of q and of k", "pv-canvas-dot"),
    Move("scaling?lesson=softmax", "n: keys", "pv-canvas-entropy"),
    Move("scaling?lesson=lengths", "d: components of x", "pv-canvas-lengths"),
    Move("positions", "base", "pv-canvas-curves"),
    Move("positions", "second pair", "pv-canvas-curves"),
    Move("positions?lesson=distance", "k: how much further", "mv-matrix-rotation"),
]


def main() -> None:
    with sync_playwright() as playwright, serve() as app, serve("bench/one_line.py") as floor:
        browser = launch(playwright)
        print("| slider | median, ms | one line, ms | ratio | limit |\n|---|---|---|---|---|")
        for move in MOVES:
            print(row(move, *times(browser, app, floor, move)), flush=True)
        browser.close()


def row(move: Move, own: list[float], floor: list[float]) -> str:
    ratio = median(own) / median(floor)
    return f"| {move.page}: {move.slider} | {median(own):.0f} | {median(floor):.0f} | {ratio:.2f} | {move.limit:g} |"


def times(browser: Browser, app: str, floor: str, move: Move) -> tuple[list[float], list[float]]:
    """Milliseconds of every move of the slider, and of the reruns in between."""
    page, _ = open_page(browser, f"{app}/{move.page}", move.seen)
    other, _ = open_page(browser, floor, "stText")
    seen, line = page.get_by_test_id(move.seen).first, other.get_by_test_id("stText").first
    slider, again = page.get_by_role("slider", name=move.slider), other.get_by_role("button")
    own: list[float] = []
    base: list[float] = []
    for n in range(ROUNDS + 2):
        base.append(update(other, line, TEXT, again, "Enter"))
        own.append(update(page, seen, move.probe, slider, "ArrowRight" if n % 2 == 0 else "ArrowLeft"))
    page.close()
    other.close()
    return own[2:], base[2:]  # the first of each way compute what later ones find kept


if __name__ == "__main__":
    main()
