"""How quickly the lessons answer their sliders, in a real Chromium, at the sizes that the pages open with.

    python -m bench.lessons [part of a page's or a slider's name]

From key press on a slider to the painted update of what it moves, next to a rerun of a Streamlit app that changes one
line of text, taken in turns. Canvases, drawings and tables should stay within 1.5 times that rerun, Altair charts
within 3.
"""

from __future__ import annotations

from typing import NamedTuple

ROUNDS = 9
CALM = 3000  # milliseconds after which a page is all there
CANVAS, CHART = 1.5, 3.0

# What a slider changes may be a new element: the probe looks for it anew, and waits while there is none.
PROBE = """(page) => {{
  const now = [...page.querySelectorAll('{seen}')].map({read}).join();
  return (page.seen = now || page.seen);
}}"""
# A band across the middle of a canvas.
PIXELS = """(canvas) => {
  const { width, height } = canvas;
  return width && canvas.getContext("2d").getImageData(0, height / 2, width, 4).data.join();
}"""
TEXTS, PATHS = "(node) => node.textContent", "(node) => node.getAttribute('d')"
BARS, LINES = ".mark-rect path", ".mark-line path"


class Move(NamedTuple):
    """One slider of one lesson, and the elements whose change ends a move of it.

    Attributes:
        address: of the page, with its lesson.
        slider: its test id.
        seen: test id of what changes, or a selector where `inside` is the page.
        read: JavaScript that tells one state of it from another.
        inside: selector of the component that it is in.
        limit: how many times the floor it may take: `CANVAS` or `CHART`.
    """

    address: str
    slider: str
    seen: str
    read: str = PIXELS
    inside: str = "[data-testid=pv-root]"
    limit: float = CANVAS
