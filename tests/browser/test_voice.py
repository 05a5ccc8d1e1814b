"""A screen reader hears one sentence a step, the one that reads the picture."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.walks import AT_REST
from tests.helpers import until

Visit = Callable[..., Page]

# Keeps what every live region of ours says from now on, in all shadow roots; what Streamlit says is its own.
LISTEN = """() => {
  window.heard = [];
  const roots = [document];
  for (const root of roots) {
    for (const node of root.querySelectorAll("*")) if (node.shadowRoot) roots.push(node.shadowRoot);
  }
  const watch = (region) => new MutationObserver(() => window.heard.push(region.textContent.trim()))
    .observe(region, { childList: true, characterData: true, subtree: true });
  const live = ":is([aria-live]:not([aria-live=off]), [role=status], [role=alert], [role=log], output)";
  for (const root of roots) for (const region of root.querySelectorAll(live)) watch(region);
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) for (const node of addedNodes) {
      if (node.dataset?.testid !== "voice") continue;
      window.heard.push(node.textContent.trim());
      watch(node);
    }
  }).observe(document.body, { childList: true });
}"""


@pytest.mark.parametrize(
    ("address", "on", "key", "reading"),
    [
        ("scaling?lesson=softmax", "sb-dk", "ArrowRight", ".notes p"),
        ("positions?lesson=encoding", "sb-dm", "ArrowRight", ".notes p"),
        ("why_attention?lesson=table", "sb-n", "ArrowRight", "[data-testid=table-conclusion]"),
        ("overview?", "tv-word-2", "Enter", "[data-testid=tv-sentence]"),
        ("decoding?", "dc-root", "ArrowLeft", "[data-testid=dc-node]"),
        ("training?view=watch", "fv-previous", "Enter", "[data-testid=fv-facts]"),
        ("attention?stage=softmax", "mv-matrix-weights", "ArrowRight", "[data-testid=mv-readout-weights]"),
    ],
)
def test_a_step_is_one_sentence(visit: Visit, address: str, on: str, key: str, reading: str) -> None:
    page = visit(address)
    said = page.locator(reading).first
    expect(said).not_to_be_empty()
    before = said.inner_text()
    page.evaluate(LISTEN)
    page.get_by_test_id(on).first.press(key)
    until(lambda: said.inner_text() != before)

    until(lambda: page.evaluate("window.heard.length") > 0)
    expect(page.get_by_test_id("voice")).to_have_text(said.inner_text())
    until(lambda: page.evaluate(AT_REST))  # what Python answers is no step of its own
    assert page.evaluate("window.heard") == [said.inner_text()]
