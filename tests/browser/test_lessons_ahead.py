"""Near a slider's value, views change at once, without the server, and show what a link to the new value opens."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urljoin, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.helpers import until

Visit = Callable[..., Page]

READ = "seen => seen instanceof HTMLCanvasElement ? seen.getAttribute('aria-label') : seen.textContent"
# One task of the browser: no answer of the server can come in between.
STEP_AND_READ = f"""(seen, input) => {{
  input.stepUp();
  input.dispatchEvent(new Event("input", {{ bubbles: true }}));
  return ({READ})(seen);
}}"""


@pytest.mark.parametrize(
    ("address", "slider", "seen"),
    [
        ("scaling?", "dk", "pv-root"),
        ("scaling?lesson=softmax", "dk", "pv-root"),
        ("scaling?lesson=lengths", "d", "pv-root"),
        ("positions?", "base", "pv-root"),
        ("positions?lesson=distance", "len", "pv-summary-offsets"),
        ("positions?lesson=distance", "dm", "mv-matrix-rotation"),
        ("architecture?model=copy&lesson=shapes", "d_ff", "shapes"),
        ("architecture?model=copy&lesson=cost", "layers", "operations"),
        ("architecture?model=copy&lesson=heads", "length", "equal-cost"),
        ("architecture?model=copy&lesson=norm", "depth", "pv-summary-stream"),
        ("why_attention?model=copy", "n", "table-1"),
        ("why_attention?model=copy&lesson=paths", "k", "pa-root"),
        ("why_attention?model=copy&lesson=lookup", "points", "ke-readout"),
    ],
)
def test_a_step_shows_at_once_what_its_link_opens(visit: Visit, address: str, slider: str, seen: str) -> None:
    page = visit(address)
    opened = urljoin(page.url, address)
    text, thumb = page.get_by_test_id(seen), page.get_by_test_id(f"sb-{slider}")
    after = ""

    def moves_at_once() -> bool:
        """Whether a step changes the view without the server; it may not, as all visitors share what is sent ahead."""
        nonlocal after
        if after:
            page.goto(opened)  # anew
        expect(thumb).to_be_attached()
        if not thumb.is_visible():
            page.get_by_text("More settings").click()
        expect(thumb).to_be_visible()
        until(lambda: bool(text.evaluate(READ)))
        before = text.evaluate(READ)
        after = text.evaluate(STEP_AND_READ, thumb.element_handle())
        return bool(after != before)

    until(moves_at_once)
    page.wait_for_url(re.compile(rf"[?&]{slider}="))
    until(lambda: text.evaluate(READ) == after)  # and the answer of the server changes nothing
    again = visit(f"{urlsplit(page.url).path[1:]}?{urlsplit(page.url).query}").get_by_test_id(seen)
    until(lambda: again.evaluate(READ) == after)


def test_a_place_that_is_not_there_yet_is_asked_for(visit: Visit) -> None:
    page = visit("why_attention?model=copy&n=64")
    first = page.get_by_test_id("table-1").locator("tbody tr").first
    expect(first).to_contain_text("262,144")
    page.get_by_test_id("sb-d").focus()
    page.keyboard.press("Home")
    page.get_by_test_id("sb-n").focus()
    page.keyboard.press("End")  # two sliders away from what was sent ahead
    expect(first).to_contain_text(f"{65_536**2:,}")
    page.wait_for_url(re.compile("n=65536"))
    expect(page.get_by_test_id("pv-legend-crossing")).to_contain_text("n = 65,536")
