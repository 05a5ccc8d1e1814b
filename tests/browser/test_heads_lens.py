"""The logit lens and the contributions to a logit, as a person uses them."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import viz_transformer as vt
from tests.browser.helpers import choose_beside, query_of
from viz_transformer.ui.components.number_table import decimals

Visit = Callable[..., Page]
SOURCE = "3 1 4 1 5"


@pytest.fixture(scope="module")
def translator() -> vt.Translator:
    return vt.load("reverse", "cpu")


def link(view: str, query: str = "") -> str:
    return f"heads?model=reverse&source={quote(SOURCE)}&view={view}{query}"


def test_walking_through_the_lens_by_pointer_and_keyboard(visit: Visit, translator: vt.Translator) -> None:
    trace = translator.trace(SOURCE)
    lens = vt.logit_lens(translator.model, trace)
    label = translator.target_tokenizer.label
    page = visit(link("lens", "&lens=1-2"))
    grid, said = page.get_by_test_id("ll-grid"), page.get_by_test_id("ll-said")
    expect(grid).to_be_visible()

    def says(layer: int, position: int) -> None:
        rank, entropy = lens.predicted_ranks[layer, position], lens.entropies[layer, position]
        expect(said).to_contain_text(f"rank {rank} of 14. Entropy {decimals(float(entropy))} nats")
        first = page.get_by_test_id("tv-bars").locator("tbody tr").first
        expect(first).to_contain_text(label(int(lens.token_ids[layer, position, 0])))

    says(0, 1)
    output = grid.locator("tbody tr").last.get_by_role("button")
    expect(output).to_have_text(list(trace.predicted_tokens))  # reversed, and right
    page.get_by_test_id("ll-1-4").hover()
    says(1, 3)
    page.get_by_test_id("mv-root").or_(page.get_by_role("heading", level=1)).first.hover()
    says(0, 1)
    page.get_by_test_id("ll-1-4").click()
    page.wait_for_url(re.compile("lens=2-4"))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_test_id("ll-2-5")).to_be_focused()
    page.wait_for_url(re.compile("lens=3-5"))
    says(2, 4)
    page.reload()
    expect(page.get_by_test_id("ll-2-5")).to_have_attribute("aria-pressed", "true")
    says(2, 4)


def test_a_long_text_scrolls_in_the_grid_and_opens_at_its_place(visit: Visit) -> None:
    digits = quote(" ".join("314159265358979"))
    page = visit(f"heads?model=reverse&source={digits}&view=lens&lens=2-16", width=390, height=844)
    expect(page.get_by_test_id("ll-1-16")).to_be_in_viewport()
    assert page.get_by_test_id("stMain").evaluate("main => main.scrollWidth - main.clientWidth") <= 0
    sign, names = page.locator(".full-screen").bounding_box(), page.locator(".lens thead").bounding_box()
    assert sign and names and sign["y"] + sign["height"] <= names["y"] + 1  # it stands on no column's name


def test_asking_for_another_step_and_the_logit_alone(visit: Visit, translator: vt.Translator) -> None:
    trace = translator.trace(SOURCE)
    page = visit(link("contributions", "&step=2"))
    expect(page.get_by_test_id("mv-matrix-cross")).to_be_visible()
    choose_beside(page, "Step", "ArrowDown")
    page.wait_for_url(re.compile("step=3"))
    written = trace.predicted_tokens[2]
    reads = page.get_by_test_id("contributions-reads")
    expect(reads).to_contain_text(f"The logit of «{written}» is")
    second = np.sort(np.exp(trace.log_probs[2]))[-2]
    expect(page.get_by_label("Compared with", exact=True)).to_have_value(re.compile(f"p = {second:.4f}"))
    choose_beside(page, "Compared with", "ArrowUp")  # the option "nothing" is above all tokens
    page.wait_for_url(re.compile("against=none"))
    found = vt.logit_contributions(translator.model, trace, 2, trace.predicted_ids[2])
    expect(reads).to_contain_text(f"The logit of «{written}» is {decimals(found.logit, 3)}.")
    rows = [row.locator("th, td").all_inner_texts() for row in page.get_by_test_id("contributions").locator("tr").all()]
    numbers = {name: float(text.replace("−", "-")) for name, text in rows[1:]}
    assert numbers["all heads of cross-attention"] == pytest.approx(found.heads["cross"].sum(), abs=6e-5)
    parts = [value for name, value in numbers.items() if name not in ("sum of all parts", "in the recorded pass")]
    assert sum(parts) == pytest.approx(numbers["sum of all parts"], abs=1e-3)
    assert numbers["sum of all parts"] == pytest.approx(numbers["in the recorded pass"], abs=1e-3)
    assert query_of(page)["view"] == "contributions"
