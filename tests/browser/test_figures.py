"""Figures of Plotly and Altair in the browser: opened on their pages, and with texts that look like markup."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

import viz_transformer as vt
from bench.browser import serve
from tests.browser.hostile_figures import NAME, TOKENS

Visit = Callable[..., Page]

DRAWN = "canvas, svg.main-svg, svg.marks"
FIGURES = {
    "figures": ("training?view=watch&run=copy", "Losses and learning rates of the whole run", "stVegaLiteChart"),
    "times": ("why_attention?lesson=timing&upto=16&d=8", "The times themselves, in milliseconds", "stVegaLiteChart"),
    "areas": ("architecture?lesson=cost", "This model's parameters as areas", "stPlotlyChart"),
    "space": ("positions?lesson=encoding&part=theory", "Three of these clocks in space: turn them", "stPlotlyChart"),
}


def sweep(page: Page, over: Locator, label: Locator, right: float, down: float) -> None:
    """Moves the pointer to a place of a picture, in shares of it, until a label shows what is there."""
    over.scroll_into_view_if_needed()
    box = over.bounding_box()
    assert box
    x, y = box["x"] + right * box["width"], box["y"] + down * box["height"]

    def seen() -> None:
        page.mouse.move(x - 3, y)
        page.mouse.move(x, y)
        expect(label).to_be_visible(timeout=2_000)

    try:
        seen()
    except AssertionError:  # it had not been drawn yet
        seen()


@pytest.mark.parametrize(("parameter", "scheme"), [*zip(FIGURES, ("light", "dark", "dark", "light"), strict=True)])
def test_a_figure_is_loaded_when_its_box_is_opened_which_the_link_says(
    visit: Visit, parameter: str, scheme: str
) -> None:
    path, title, kind = FIGURES[parameter]
    page = visit(path, scheme=scheme)
    before = page.get_by_test_id(kind)
    expect(page.get_by_text(title)).to_be_visible()
    expect(before).to_have_count(0)
    page.get_by_text(title).click()
    drawn = page.get_by_test_id(kind).locator(DRAWN).first
    expect(drawn).to_be_visible()
    page.wait_for_url(re.compile(rf"[?&]{parameter}=true"))


def test_areas_say_the_exact_number_of_parameters(visit: Visit) -> None:
    page = visit("architecture?lesson=cost&areas=true")
    chart = page.get_by_test_id("stPlotlyChart")
    expect(chart.locator(".trace text", has_text="Source embedding")).to_be_visible()
    sweep(page, chart.locator(".main-svg").first, chart.locator(".hoverlayer"), 0.15, 0.6)
    embedding = vt.load("zh-en", "cpu").model.source_embedding.tokens.weight
    expect(chart.locator(".hoverlayer")).to_contain_text(f"{embedding.numel():,} parameters")


def test_no_library_reads_a_token(context: BrowserContext) -> None:
    with serve("tests/browser/hostile_figures.py", PYTHONPATH=".") as url:
        page = context.new_page()
        page.goto(url)
        matrix = page.get_by_test_id("stPlotlyChart")
        expect(matrix.locator(".xtick text")).to_have_text(TOKENS)
        expect(matrix.locator(".ytick text")).to_have_text(TOKENS)
        expect(matrix.locator(".gtitle, .ytitle")).to_have_text([NAME, NAME])
        cells = matrix.locator(".nsewdrag")
        sweep(page, cells, matrix.locator(".hovertext"), 0.3, 0.9)
        expect(matrix.locator(".hovertext tspan.line")).to_have_text(
            [f"{NAME} 4: {TOKENS[4]}", f"key 1: {TOKENS[1]}", "weight 0.875"]
        )
        curves = page.get_by_test_id("stVegaLiteChart").locator(DRAWN).first
        expect(curves.locator("text", has_text=NAME)).to_have_text(NAME)
        curves.locator(".mark-symbol.role-mark path").last.hover()
        expect(page.locator("#vg-tooltip-element .value").first).to_have_text(NAME)
        page.close()
