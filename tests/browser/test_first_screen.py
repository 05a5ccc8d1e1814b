"""The picture first, and for everybody: on every page, in every view, light and dark, on a projector and on a phone."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from bench.browser import until
from bench.first_screen import DEEP, FIRST_PICTURE, IS_CALM, PAGES, views

AXE = Path(__file__).resolve().parents[2] / "frontend/node_modules/axe-core/axe.min.js"
OPTIONS = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]},
    "rules": {
        "label-content-name-mismatch": {"enabled": False},  # which axe itself calls experimental
        "heading-order": {"enabled": True},
        "empty-table-header": {"enabled": True},
    },
    "resultTypes": ["violations"],
    "preload": False,  # style sheets, fetched anew for one rule, which none of ours can break
}
# Streamlit's own: boxes around formulas and code, which scroll without taking the focus, and in a phone's drawer the
# pages of a menu, which stand in no list.
WITHOUT = {"exclude": [[".katex-display"], ["[data-testid=stCode] pre"], ["[data-testid=stSidebarNavItems]"]]}
COLOURS = {**OPTIONS, "runOnly": {"type": "rule", "values": ["color-contrast"]}}  # all that a scheme changes
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
# -> boxes of the page that scroll up and down by themselves, in which a finger is caught
BOXES = f"""() => {{{DEEP}
  return all(document.querySelector("[data-testid=stMain]"))
    .filter((node) => node.clientHeight && node.scrollHeight > node.clientHeight + 1)
    .filter((node) => /auto|scroll/.test(getComputedStyle(node).overflowY) && node.localName !== "textarea")
    .map((node) => node.className);
}}"""
# Width → height, and how far from the top the first picture begins at most; px.
SCREENS = {1280: (720, 200), 390: (844, 330)}


def violations(page: Page, options: dict[str, Any]) -> list[str]:
    """What axe finds once the page is calm, with the elements in which it finds it."""
    with suppress(TimeoutError):  # a changing page is paler, and axe asks again
        until(page, FINDS_NOTHING, [WITHOUT, options], seconds=10)
        return []
    found: list[dict[str, Any]] = page.evaluate(
        "async ([without, options]) => (await axe.run(without, options)).violations", [WITHOUT, options]
    )
    return [f"{one['id']}: {', '.join(str(node['target']) for node in one['nodes'][:3])}" for one in found]


@pytest.mark.parametrize("name", PAGES)
def test_every_view(visit: Callable[..., Page], app_url: str, pytestconfig: pytest.Config, name: str) -> None:
    """Its picture is on the first screen, axe finds no barrier, and all works under the server's security policy.

    Colours are those of a wide screen on a phone, too, so only `make nightly` looks at a dark phone.
    """
    is_long = pytestconfig.getoption("long")
    page = visit(name or "/", width=1280, height=720)
    for title in views(page, app_url, name):
        page.evaluate(AXE.read_text(encoding="utf-8"))
        for width, (height, highest) in SCREENS.items():
            page.set_viewport_size({"width": width, "height": height})
            top = page.evaluate(STILL)
            assert top <= highest, f"{title}, {width}: {top}"
            assert width > 640 or page.evaluate(BOXES) == [], title
            for scheme, options in (("dark", COLOURS), ("light", OPTIONS))[0 if is_long or width > 640 else 1 :]:
                page.emulate_media(color_scheme=scheme)
                assert violations(page, options) == [], f"{title}, {width}, {scheme}"
        page.set_viewport_size({"width": 1280, "height": 720})
        for box in page.get_by_test_id("stExpander").locator("summary").all():
            if box.is_visible():
                box.click()  # whatever the policy refuses is an error in the console, and `visit` finds it
        expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
        expect(page.get_by_test_id("stSkeleton")).to_have_count(0)


def test_what_the_policy_refuses_is_an_error_in_the_console(context: BrowserContext, app_url: str) -> None:
    page = context.new_page()
    page.goto(app_url)
    with page.expect_console_message(lambda message: message.type == "error" and "Content Security" in message.text):
        page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: '1'}))")
    page.close()


@pytest.mark.parametrize(("path", "key"), [("scaling", "products"), ("decoding", "decoding"), ("masks", "masks")])
def test_on_a_phone_the_controls_stand_right_below_the_picture(visit: Callable[..., Page], path: str, key: str) -> None:
    page = visit(path, width=390, height=844)
    first = page.locator(f".st-key-vt-{key}-picture").locator(".stBidiComponent").first
    side = page.locator(f".st-key-vt-{key}-side")
    expect(side).to_be_visible()
    expect(first.locator("canvas:visible, [data-testid=dc-tree]").first).to_be_visible()
    until(page, IS_CALM)
    box, controls = first.bounding_box(), side.bounding_box()
    assert box is not None and controls is not None
    assert box["x"] >= 0 and box["width"] >= 0.9 * 390  # as wide as the screen
    if path == "scaling":  # several plots: the controls are in reach of a thumb, at the end of the screen
        assert 0.5 * 844 < controls["y"] < controls["y"] + controls["height"] <= 845
    else:
        assert 0 <= controls["y"] - box["y"] - box["height"] < 40
