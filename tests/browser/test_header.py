"""Whatever can be pressed gets the press: nothing in the header, or in the menu of a phone, lies over anything else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

WIDTHS = (320, 360, 390, 480, 640, 768, 844, 960, 1100, 1280, 1920, 3840)  # px; 320 is also 1280 at a zoom of 400 %
# What can be pressed and lies on the screen → the names of those of which a point belongs to something else.
COVERED = """(within) => {
  const all = (root) =>
    [...root.querySelectorAll("*")].flatMap((one) => [one, ...(one.shadowRoot ? all(one.shadowRoot) : [])]);
  const at = (x, y) => {
    let hit = document.elementFromPoint(x, y);
    while (hit?.shadowRoot) {
      const inner = hit.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  };
  const above = (one) => one.parentElement ?? one.getRootNode().host ?? null;
  const isWithin = (one, other) => one !== null && (one === other || isWithin(above(one), other));
  const covered = [];
  for (const one of all(document.querySelector(within)).filter((one) => one.matches("a[href], button"))) {
    const { left, top, width, height } = one.getBoundingClientRect();
    const isShown = one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    if (!isShown || width < 2 || height < 2) continue;
    for (const [x, y] of [[0.5, 0.5], [0.2, 0.5], [0.8, 0.5], [0.5, 0.2], [0.5, 0.8]]) {
      const [px, py] = [left + x * width, top + y * height];
      if (px < 0 || py < 0 || px >= innerWidth || py >= innerHeight) continue;
      const hit = at(px, py);
      if (!hit || isWithin(hit, one) || isWithin(one, hit)) continue;
      covered.push(`${one.ariaLabel || one.title || one.textContent.trim()} by ${hit.outerHTML.slice(0, 90)}`);
      break;
    }
  }
  return covered;
}"""


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("link", ["/?", "overview?"])
def test_what_can_be_pressed_gets_the_press(visit: Callable[..., Page], link: str, language: str) -> None:
    page = visit(f"{link}lang={language}", width=1280, height=720)
    expect(page.get_by_test_id("room-open")).to_be_visible()
    expect(page.locator("[data-testid=path], [data-testid=mv-root], [data-testid=tv-root]").first).to_be_visible()
    found = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 720})
        settle(page)
        found[width] = page.evaluate(COVERED, "body")
        menu = page.get_by_test_id("stExpandSidebarButton")
        if menu.is_visible():
            menu.click()
            closing = page.get_by_test_id("stSidebarCollapseButton").get_by_role("button")
            expect(closing).to_be_visible()
            settle(page)
            found[width] += page.evaluate(COVERED, ".stSidebar")
            closing.click()
            expect(page.locator(".stSidebar[data-collapsed=false]")).to_have_count(0)
    assert found == {width: [] for width in WIDTHS}


def settle(page: Page) -> None:
    """Waits until nothing moves any more."""
    page.evaluate(
        """async () => {
          await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
          await Promise.all(document.getAnimations().map((one) => one.finished.catch(() => null)));
        }"""
    )
