"""The picture first, and for everybody: on every page, in every view, light and dark, on a projector and on a phone."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from bench.browser import until
from bench.first_screen import FIRST_PICTURE, PAGES, views

AXE = Path(__file__).resolve().parents[2] / "frontend/node_modules/axe-core/axe.min.js"
OPTIONS = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]},
    "rules": {"label-content-name-mismatch": {"enabled": False}},  # which axe itself calls experimental
}
# Streamlit's own boxes around formulas and code, which scroll without taking the focus.
WITHOUT = {"exclude": [[".katex-display"], ["[data-testid=stCode] pre"]]}
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}  # all that a scheme changes
FINDS_NOTHING = "async ([without, options]) => (await axe.run(without, options)).violations.length === 0"
# -> where the first picture begins, once it has stayed there for a while
STILL = f"""async () => {{
  let [top, frames] = [null, 0];
  while (top === null || frames < 10) {{
    await new Promise(requestAnimationFrame);
    const now = ({FIRST_PICTURE})();
    [top, frames] = now === top ? [top, frames + 1] : [now, 0];
  }}
  return top;
}}"""
HIGHEST = {1280: 200, 390: 330}  # px from the top, at which the first picture begins


def violations(page: Page, options: dict[str, Any]) -> list[str]:
    """What axe finds once the page is calm, with the elements in which it finds it."""
    with suppress(TimeoutError):  # while a page changes, it is paler
        until(page, FINDS_NOTHING, [WITHOUT, options], seconds=10)
        return []
    found: list[dict[str, Any]] = page.evaluate(
        "async ([without, options]) => (await axe.run(without, options)).violations", [WITHOUT, options]
    )
    return [f"{one['id']}: {', '.join(str(node['target']) for node in one['nodes'][:3])}" for one in found]


@pytest.mark.parametrize("name", PAGES)
def test_the_picture_is_on_the_first_screen(visit: Callable[..., Page], app_url: str, name: str) -> None:
    page = visit(name, width=1280, height=720)
    for title in views(page, app_url, name):
        for width, highest in HIGHEST.items():
            page.set_viewport_size({"width": width, "height": 720 if width > 400 else 844})
            top = page.evaluate(STILL)
            assert top <= highest, f"{title}, {width}: {top}"
        page.set_viewport_size({"width": 1280, "height": 720})


@pytest.mark.parametrize("name", PAGES)
def test_nothing_keeps_anybody_out(visit: Callable[..., Page], app_url: str, name: str) -> None:
    page = visit(name, width=1280, height=720)
    for title in views(page, app_url, name):
        page.evaluate(AXE.read_text(encoding="utf-8"))
        for scheme, options in (("light", OPTIONS), ("dark", COLOURS)):
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            for width in HIGHEST:
                page.set_viewport_size({"width": width, "height": 720 if width > 400 else 844})
                assert violations(page, options) == [], f"{title}, {width}, {scheme}"
        page.set_viewport_size({"width": 1280, "height": 720})
