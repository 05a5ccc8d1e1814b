"""The picture first, and for everybody: on every page, in every view, light and dark, on a projector and on a phone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from bench.first_screen import FIRST_PICTURE, PAGES, views

AXE = Path(__file__).resolve().parents[2] / "frontend/node_modules/axe-core/axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
HIGHEST = {1280: 200, 390: 330}  # px from the top, at which the first picture begins


def violations(page: Page) -> list[str]:
    """What axe finds, with the elements in which it finds it."""
    options = {"runOnly": {"type": "tag", "values": RULES}}
    found: list[dict[str, Any]] = page.evaluate("async (options) => (await axe.run(options)).violations", options)
    return [f"{one['id']}: {', '.join(str(node['target']) for node in one['nodes'][:3])}" for one in found]


@pytest.mark.parametrize("name", PAGES)
def test_the_picture_is_on_the_first_screen(visit: Callable[..., Page], app_url: str, name: str) -> None:
    page = visit(name, width=1280, height=720)
    for title in views(page, app_url, name):
        for width, highest in HIGHEST.items():
            page.set_viewport_size({"width": width, "height": 720 if width > 400 else 844})
            page.wait_for_function(f"(highest) => ({FIRST_PICTURE})() <= highest", arg=highest), title
        page.set_viewport_size({"width": 1280, "height": 720})


@pytest.mark.parametrize("name", PAGES)
def test_nothing_keeps_anybody_out(visit: Callable[..., Page], app_url: str, name: str) -> None:
    page = visit(name, width=1280, height=720)
    for title in views(page, app_url, name):
        page.evaluate(AXE.read_text(encoding="utf-8"))
        for width, scheme in ((1280, "light"), (390, "dark")):
            page.set_viewport_size({"width": width, "height": 720 if width > 400 else 844})
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            assert not violations(page), f"{title}, {width}, {scheme}"
        page.set_viewport_size({"width": 1280, "height": 720})
