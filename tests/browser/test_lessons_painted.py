"""What the lessons paint, held against the numbers that were to be painted: texts, places and pixels in Chromium."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import viz_transformer as vt
from tests.browser.pixels import SEQUENTIAL, cell_colours, colours_of
from tests.helpers import until
from viz_transformer.experiments.architecture.costs import flops_by_part
from viz_transformer.experiments.architecture.shapes import BOXES, Lengths, box_shapes, layers_of
from viz_transformer.experiments.scaling.gaussian_lengths import length_density
from viz_transformer.experiments.scaling.saturation import SIZES, draw_scores, saturation
from viz_transformer.experiments.why_attention.kernel_regression import (
    X_MAX,
    curve,
    kernel_weights,
    nadaraya_watson,
    scattered,
)
from viz_transformer.experiments.why_attention.layer_types import LAYER_TYPES, Sizes, connections, layer_cost
from viz_transformer.ui.architecture.view import shape_text

Visit = Callable[..., Page]


def part(page: Page, name: str) -> Locator:
    return page.get_by_test_id(name)


def numbers_in(text: str | None) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+\.?\d*", text or "")]


@pytest.mark.parametrize("box", ["source", "encoder_self", "cross", "decoder_ffn", "softmax"])
def test_the_figure_has_the_recorded_sizes_and_the_chosen_boxs_tensors(visit: Visit, box: Any) -> None:
    trace = vt.load("copy", "cpu").trace("3 1 4")
    lengths = Lengths(len(trace.source_tokens), len(trace.target_tokens))
    page = visit(f"architecture?model=copy&source=3+1+4&box={box}&layer=2")
    expect(part(page, f"ar-box-{box}")).to_have_attribute("aria-pressed", "true")
    assert page.locator('.boxes [aria-pressed="true"]').count() == 1
    for name in BOXES:
        shape = trace.tensors[box_shapes(trace.config, lengths, name, 0)[-1].name].shape
        expect(part(page, f"ar-box-{name}").locator(".size")).to_have_text(shape_text(shape))
    layer = min(1, layers_of(trace.config, box) - 1)
    rows = part(page, "ar-tensors").locator("tbody tr")
    expected = box_shapes(trace.config, lengths, box, layer)
    expect(rows).to_have_count(len(expected))
    for row, tensor in zip(rows.all(), expected, strict=True):
        cells = row.locator("th, td").all_text_contents()
        assert cells == [tensor.stage, f"({', '.join(tensor.letters)})", shape_text(trace.tensors[tensor.name].shape)]
        expect(row.get_by_role("button")).to_have_attribute("title", tensor.name)
    if layers_of(trace.config, box) > 1:
        expect(part(page, "ar-layer-2")).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize(("n", "k", "r", "start", "end"), [(8, 3, 4, 2, 7), (12, 2, 1, 5, 12), (16, 5, 3, 1, 1)])
def test_the_drawings_mark_what_an_output_sees_and_the_way_there(
    visit: Visit, n: int, k: int, r: int, start: int, end: int
) -> None:
    page = visit(f"why_attention?model=copy&lesson=paths&drawn={n}&k={k}&r={r}&from={start}&to={end}")
    for kind in LAYER_TYPES:
        graph = connections(kind, Sizes(n, 1, k, r), 8)
        expect(part(page, f"pa-readout-{kind}")).to_contain_text(f"Output {end} sees inputs")
        figure = page.locator("figure", has=part(page, f"pa-readout-{kind}"))
        circles = figure.locator("circle").evaluate_all(
            "all => all.map(one => ['cx', 'cy', 'class'].map(name => one.getAttribute(name)))"
        )
        circles = [(float(x), float(y), look) for x, y, look in circles]
        rows = sorted({y for _x, y, _look in circles}, reverse=True)  # the input is at the bottom
        columns = sorted({x for x, _y, _look in circles})
        assert (len(rows), len(columns)) == (graph.levels + 1, n)
        looks = {(rows.index(y), columns.index(x)): look for x, y, look in circles}
        expected = _seen(graph.edges, (graph.levels, end - 1))
        assert {at for at, look in looks.items() if look != "node"} == set(expected)
        way = [at for at, look in looks.items() if look == "path"]
        cost = layer_cost(kind, Sizes(n, 1, k, r))
        if (0, start - 1) in expected:
            assert len(way) == expected[0, start - 1] + 1
            assert {(0, start - 1), (graph.levels, end - 1)} <= set(way)
        else:
            assert way == []
        if cost.path is not None and graph.levels == cost.layers:
            assert max(expected[0, place] for place in range(end)) <= cost.path
        drawn = [
            numbers_in(line)
            for line in figure.locator("path").evaluate_all(
                "all => all.flatMap(one => one.getAttribute('d').split('M'))"
            )
            if line
        ]
        lines = {
            (rows.index(low), columns.index(left), rows.index(high), columns.index(right))
            for left, low, right, high in drawn
        }
        assert lines == set(graph.edges)


def _seen(edges: tuple[tuple[int, int, int, int], ...], end: tuple[int, int]) -> dict[tuple[int, int], int]:
    """Every node that reaches `end`, and over how many connections."""
    found = {end: 0}
    while True:
        new = {
            (level, place): found[upper, above] + 1
            for level, place, upper, above in edges
            if (upper, above) in found and found.get((level, place), 10**9) > found[upper, above] + 1
        }
        if not new:
            return found
        found |= new


def test_points_curves_and_dot_stand_at_their_numbers(visit: Visit) -> None:
    page = visit("why_attention?model=copy&lesson=lookup&points=10&noise=30&seed=3&query=1.7&width=0.4")
    points = scattered(10, 0.3, 3)
    expect(part(page, "ke-readout")).to_contain_text("At x = 1.70")
    plot = part(page, "ke-plot")
    places = plot.locator("circle.point").evaluate_all(
        "all => all.map(one => [one.cx.baseVal.value, one.cy.baseVal.value, one.r.baseVal.value])"
    )
    x, y, radius = np.array(places).T
    # The ticks are the axes: they lead from pixels back to numbers.
    to_x, to_y = _axis(plot, "x-tick", 0), _axis(plot, "y-tick", 1)
    np.testing.assert_allclose(to_x(x), points.x, atol=0.01)
    np.testing.assert_allclose(to_y(y), points.y, atol=0.02)
    weights = kernel_weights([1.7], points.x, 0.4)[0]
    assert (np.argsort(radius) == np.argsort(weights)).all()
    np.testing.assert_allclose(((radius - 3) / 7) ** 2, weights / weights.max(), atol=1e-6)
    dot = plot.locator("circle.estimate-dot").evaluate("one => [one.cx.baseVal.value, one.cy.baseVal.value]")
    np.testing.assert_allclose([to_x(dot[0]), to_y(dot[1])], [1.7, nadaraya_watson([1.7], points, 0.4)[0]], atol=0.02)
    for name, values in (("ke-curve", lambda at: nadaraya_watson(at, points, 0.4)), ("ke-behind", curve)):
        drawn = np.array(numbers_in(part(page, name).get_attribute("d"))).reshape(-1, 2)
        at = to_x(drawn[:, 0])
        np.testing.assert_allclose([at[0], at[-1]], [0, X_MAX], atol=0.02)
        np.testing.assert_allclose(to_y(drawn[:, 1]), values(np.linspace(0, X_MAX, len(drawn))), atol=0.03)


def _axis(plot: Locator, ticks: str, along: int) -> Callable[[Any], np.ndarray]:
    """Pixels along an axis → numbers, by its ticks."""
    places, values = np.array(
        [
            (float(text.get_attribute("xy"[along]) or ""), float((text.text_content() or "").replace("−", "-")))
            for text in plot.locator(f".{ticks}").all()
        ]
    ).T
    slope, offset = np.polyfit(places, values, 1)
    np.testing.assert_allclose(np.polyval([slope, offset], places), values, atol=0.01)
    return lambda at: slope * np.asarray(at) + offset


def test_every_cell_of_the_kernels_matrix_has_the_colour_of_its_weight(visit: Visit) -> None:
    page = visit("why_attention?model=copy&lesson=lookup&points=10&seed=3&query=0&width=0.7")
    canvas = part(page, "ke-matrix")
    expect(canvas).to_have_attribute("data-cell", re.compile(r"\d"))
    weights = kernel_weights(np.linspace(0, X_MAX, 61), scattered(10, 0.3, 3).x, 0.7)
    expected = colours_of(weights, 0, float(weights.max()), SEQUENTIAL)
    shown = cell_colours(canvas, (61, 10))
    below = slice(3, None)  # the first rows are under the query's frame
    assert np.abs(shown - expected)[below].max() <= 3
    part(page, "ke-query").focus()
    page.keyboard.press("End")
    until(lambda: np.abs(cell_colours(canvas, (61, 10)) - expected)[:58].max() <= 3)  # the frame is at the other end


# The top of what is painted in a colour, in each column between the axes: from 0 at the bottom to 1 at the top.
HEIGHTS = """(canvas, name) => {
  const { left, right, top, bottom } = canvas.dataset;
  const probe = document.createElement("canvas").getContext("2d");
  probe.fillStyle = getComputedStyle(canvas).getPropertyValue(name).trim();
  probe.fillRect(0, 0, 1, 1);
  const [red, green, blue] = probe.getImageData(0, 0, 1, 1).data;
  const context = canvas.getContext("2d");
  const [width, height] = [right - left, bottom - top];
  const { data } = context.getImageData(Number(left), Number(top), width, height);
  return Array.from({ length: width }, (_, x) => {
    for (let y = 0; y < height; y++) {
      const [r, g, b, alpha] = data.subarray(4 * (y * width + x), 4 * (y * width + x) + 4);
      if (alpha > 100 && Math.abs(r - red) + Math.abs(g - green) + Math.abs(b - blue) < 60) return 1 - y / height;
    }
    return 0;
  });
}"""


def test_a_curve_goes_through_its_numbers(visit: Visit) -> None:
    page = visit("scaling?lesson=lengths&d=64&draws=1000")
    canvas = part(page, "pv-canvas-lengths")
    expect(canvas).to_have_attribute("data-left", re.compile(r"\d"))
    heights = np.array(canvas.evaluate(HEIGHTS, "--st-red-color"))
    low, high = 5.0, 11.0  # √64 ± 3: no draw lies outside
    expected = length_density(np.linspace(low, high, len(heights)), 64)
    scale = heights.max() / expected.max()
    seen = expected > 0.05  # where it is not on the axis
    np.testing.assert_allclose(heights[seen], expected[seen] * scale, atol=0.03)


def test_bars_are_as_high_as_their_weights(visit: Visit) -> None:
    page = visit("scaling?lesson=softmax&dk=64&keys=8&seed=2")
    weights = saturation(draw_scores(2), 8).weights["scaled"][SIZES.index(64), 0]
    canvas = part(page, "pv-canvas-scaled")
    expect(canvas).to_have_attribute("data-left", re.compile(r"\d"))
    heights = np.array(canvas.evaluate(HEIGHTS, "--st-primary-color"))
    middles = [int((n + 0.5) * len(heights) / 8) for n in range(8)]
    np.testing.assert_allclose(heights[middles], weights / 1.06, atol=0.01)  # the axis ends a little above 1


def test_live_tables_have_their_texts_looks_and_bars(visit: Visit) -> None:
    page = visit("architecture?model=copy&lesson=cost&length=100")
    parts = flops_by_part(vt.load("copy", "cpu").model.config, Lengths(100, 100))
    rows = part(page, "operations").locator("tbody tr")
    expect(rows).to_have_count(len(parts))
    largest = max(one.total for one in parts)
    for row, one in zip(rows.all(), parts, strict=True):
        last = row.locator("td").last
        expect(last).to_have_text(f"{one.total:,}")
        expect(last).to_have_class(f"share {one.part.partition('_')[0]}")
        share = last.evaluate("cell => cell.style.getPropertyValue('--share')")
        assert float(share.removesuffix("%")) == pytest.approx(100 * one.total / largest)
    heads = part(page, "operations").locator("thead th")
    assert heads.nth(1).get_attribute("class") == "text" and heads.nth(2).get_attribute("class") in ("", None)


def test_a_slider_stands_at_its_value_among_all_that_it_can_be(visit: Visit) -> None:
    page = visit("scaling?dk=96&mean=-0.4&dist=uniform")
    thumb = part(page, "sb-dk")
    expect(part(page, "sb-value-dk")).to_have_text("96")
    assert thumb.evaluate("one => [one.min, one.max, one.value].map(Number)") == [0, 19, 12]
    expect(part(page, "sb-value-mean")).to_have_text("−0.4")
    assert part(page, "sb-mean").evaluate("one => [one.max, one.value].map(Number)") == [40, 16]
    expect(part(page, "sb-dist-2")).to_have_attribute("aria-pressed", "true")
    expect(part(page, "sb-dist-1")).to_have_attribute("aria-pressed", "false")
