"""The pages Architecture and Why attention, as a lecturer uses them by keyboard and a student by mouse and touch."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import viz_transformer as vt
from bench.first_screen import views
from tests.browser.helpers import close_box, go_to, open_box, query_of
from tests.helpers import random_translator
from viz_transformer.experiments.architecture.shapes import BOXES
from viz_transformer.experiments.why_attention.kernel_regression import kernel_weights, scattered
from viz_transformer.ui.architecture.view import shape_text
from viz_transformer.ui.shared.own_models import to_zip

Visit = Callable[..., Page]


def part(page: Page, name: str) -> Locator:
    return page.get_by_test_id(name)


def fits(page: Page) -> bool:
    return bool(page.evaluate("() => document.documentElement.scrollWidth <= document.documentElement.clientWidth"))


def test_a_student_clicks_a_box_its_tensor_and_its_page(visit: Visit) -> None:
    page = visit("architecture?model=copy&source=3+1+4")
    trace = vt.load("copy", "cpu").trace("3 1 4")
    expect(part(page, "ar-title")).to_have_text("Multi-head attention")
    part(page, "ar-box-encoder_ffn").click()
    expect(part(page, "ar-title")).to_have_text("Feed-forward")
    part(page, "ar-layer-2").click()
    part(page, "ar-tensor-input").click()
    page.wait_for_url(re.compile("tensor=input"))
    assert {name: query_of(page)[name] for name in ("box", "layer", "tensor")} == {
        "box": "encoder_ffn",
        "layer": "2",
        "tensor": "input",
    }
    name = "encoder_layers.1.feed_forward.input"
    expect(page.get_by_text(f"{name}, recorded in this pass")).to_contain_text(shape_text(trace.tensors[name].shape))
    part(page, "mv-copy-tensor").click()
    expect(part(page, "mv-copy-tensor")).to_contain_text("copied")
    lines = page.evaluate("navigator.clipboard.readText()").strip().splitlines()[1:]
    copied = [[float(cell) for cell in line.split("\t")[1:]] for line in lines]
    np.testing.assert_allclose(copied, trace.tensors[name], atol=1e-4)

    part(page, "ar-box-decoder_self").click()
    part(page, "ar-layer-1").click()
    part(page, "ar-link").click()
    expect(page.get_by_role("heading", name="Attention", exact=True)).to_be_visible()
    assert {key: query_of(page)[key] for key in ("model", "source", "module", "layer")} == {
        "model": "copy",
        "source": "3 1 4",
        "module": "decoder_self",
        "layer": "1",
    }


# The arrows' paths, and of every box and plus the left edge, top, width and height, in the drawing's units.
DRAWN = """(drawing) => ({
  arrows: [...drawing.querySelectorAll("path.arrow")].map((arrow) => arrow.getAttribute("d")),
  stops: [
    ...[...drawing.querySelectorAll(".box rect")].map((box) =>
      ["x", "y", "width", "height"].map((name) => box[name].baseVal.value)),
    ...[...drawing.querySelectorAll("circle.plus")].map((plus) => {
      const [x, y, r] = ["cx", "cy", "r"].map((name) => plus[name].baseVal.value);
      return [x - r, y - r, 2 * r, 2 * r];
    }),
  ],
})"""


@pytest.mark.parametrize("sublayers", ["both", "attention"])
def test_arrows_go_from_box_to_box_and_what_a_model_lacks_is_not_drawn(visit: Visit, sublayers: str) -> None:
    page = visit("training?view=models")
    own = replace(random_translator(4, sublayers=sublayers), card={"task": "copy"})
    packed: Any = {"name": "own.zip", "mimeType": "application/zip", "buffer": to_zip("own", own)}
    page.locator("input[type=file]").set_input_files(packed)
    expect(page.get_by_text("Loaded. You can now use the model on every page")).to_be_visible()
    go_to(page, "architecture")
    box = open_box(page)
    box.get_by_role("combobox", name="Model").click()
    page.get_by_role("option", name="my-copy-").click()
    expect(page.locator(".vt-chip")).to_contain_text("my-copy-")
    close_box(page)

    boxes = [box for box in BOXES if sublayers == "both" or not box.endswith("ffn")]
    expect(page.locator("[data-testid^=ar-box-]")).to_have_count(len(boxes))
    drawn = part(page, "ar-root").locator("svg.boxes").evaluate(DRAWN)
    upwards = [re.fullmatch(r"M(\d+) (\d+) V(\d+)", path) for path in drawn["arrows"]]
    for middle, edges in ((116, [552]), (364, [552, 24])):  # the tokens below, the probabilities above
        column = sorted((-y, y, y + height) for x, y, width, height in drawn["stops"] if x + width / 2 == middle)
        starts = [edges[0], *(top for _, top, _ in column)]
        ends = [*(bottom for _, _, bottom in column), *edges[1:]]
        found = [(int(arrow[2]), int(arrow[3])) for arrow in upwards if arrow and int(arrow[1]) == middle]
        np.testing.assert_allclose(found, list(zip(starts, ends, strict=False)), atol=1)
    beside = upwards.count(None)  # around each sub-layer, from the two positions, from the memory
    assert beside == sum("_add_" in box for box in boxes) + 2 + 1
    part(page, "ar-box-encoder_add_self").press("ArrowUp")
    after = boxes[boxes.index("encoder_add_self") + 1]
    expect(part(page, f"ar-box-{after}")).to_have_attribute("aria-pressed", "true")


def test_a_lecturer_walks_through_the_figure_by_keyboard_and_the_link_reopens_it(visit: Visit) -> None:
    page = visit("architecture?model=copy&box=source")
    first = part(page, "ar-box-source")
    first.focus()
    for name in BOXES[1:5]:
        page.keyboard.press("ArrowUp")
        chosen = part(page, f"ar-box-{name}")
        expect(chosen).to_have_attribute("aria-pressed", "true")
        expect(chosen).to_be_focused()
    page.wait_for_url(re.compile("box=encoder_ffn"))
    expect(part(page, "mv-matrix-tensor")).to_be_visible()
    page.keyboard.press("ArrowDown")
    part(page, "ar-box-cross").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("box=cross"))
    part(page, "mv-head-3").click()
    page.wait_for_url(re.compile("head=3"))
    again = visit(f"architecture?{urlsplit(page.url).query}")
    expect(part(again, "ar-box-cross")).to_have_attribute("aria-pressed", "true")
    expect(part(again, "mv-head-3")).to_have_attribute("aria-pressed", "true")
    labels = part(again, "ar-box-cross").get_attribute("aria-label") or ""
    assert labels.startswith("Multi-head attention, output")


def test_sizes_are_moved_and_the_papers_models_counted(visit: Visit) -> None:
    page = visit("architecture?model=copy&lesson=cost")
    page.get_by_role("button", name="The paper's base").click()
    expect(page.get_by_text("63.08 million parameters")).to_be_visible()
    page.get_by_role("button", name="The paper's big").click()
    expect(page.get_by_text("214.25 million parameters")).to_be_visible()
    assert query_of(page)["vocab"] == "37000"
    part(page, "sb-heads").focus()
    page.keyboard.press("ArrowRight")  # from 16 to 24, which does not divide 1024
    expect(page.get_by_text("1024 is not divisible by 24")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("214.25 million parameters")).to_be_visible()  # heads cost nothing
    page.wait_for_url(re.compile("heads=32"))
    again = visit(f"architecture?{urlsplit(page.url).query}")
    expect(again.get_by_text("214.25 million parameters")).to_be_visible()
    expect(part(again, "sb-value-heads")).to_have_text("32")


def test_the_kernel_is_dragged_in_the_browser_and_its_numbers_are_right(visit: Visit) -> None:
    page = visit("why_attention?model=copy&lesson=lookup&points=10&seed=3&noise=20&width=0.5")
    points = scattered(10, 0.2, 3)
    expect(part(page, "ke-readout")).to_contain_text("At x = 2.40")

    def right() -> None:
        shown = part(page, "ke-readout").inner_text()
        query, estimate = re.findall(r"At x = ([\d.]+) the estimate is ([−\d.]+)", shown)[0]
        width = float(re.findall(r"σ = ([\d.]+)", part(page, "ke-root").inner_text())[0])
        weights = kernel_weights([float(query)], points.x, width)[0]
        assert float(estimate.replace("−", "-")) == pytest.approx(float(weights @ points.y), abs=5e-3)
        assert f"point {weights.argmax() + 1} " in shown

    right()
    plot = part(page, "ke-plot")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.7, box["y"] + box["height"] / 2, steps=5)
    page.mouse.up()
    expect(part(page, "ke-readout")).not_to_contain_text("At x = 2.40")
    right()
    before = part(page, "ke-curve").get_attribute("d")
    part(page, "ke-width").focus()
    page.keyboard.press("ArrowRight")
    expect(part(page, "ke-curve")).not_to_have_attribute("d", before or "")
    right()
    matrix = part(page, "ke-matrix").bounding_box()
    assert matrix
    page.mouse.click(matrix["x"] + matrix["width"] / 2, matrix["y"] + 40)
    page.wait_for_url(re.compile("query=0"))
    right()
    shown = part(page, "ke-readout").inner_text()
    again = visit(f"why_attention?{urlsplit(page.url).query}")
    expect(part(again, "ke-readout")).to_have_text(shown)


def test_paths_are_walked_by_sliders_and_by_clicks(visit: Visit) -> None:
    page = visit("why_attention?model=copy&lesson=paths&drawn=8&k=3&r=4")
    expect(part(page, "pa-readout-recurrent")).to_contain_text("Connections from input 1 to output 8: 8.")
    expect(part(page, "pa-readout-attention")).to_contain_text("Connections from input 1 to output 8: 1.")
    expect(part(page, "pa-readout-dilated")).to_contain_text("Connections from input 1 to output 8: 2.")
    part(page, "pa-from").focus()
    page.keyboard.press("ArrowRight")
    expect(part(page, "pa-readout-recurrent")).to_contain_text("from input 2 to output 8: 7.")
    part(page, "pa-convolution-output-6").click()
    expect(part(page, "pa-readout-recurrent")).to_contain_text("from input 2 to output 6: 5.")
    page.wait_for_url(re.compile("from=2.*to=6|to=6.*from=2"))
    again = visit(f"why_attention?{urlsplit(page.url).query}")
    expect(part(again, "pa-readout-recurrent")).to_contain_text("from input 2 to output 6: 5.")


def test_a_kernel_of_one_position_never_gets_there(visit: Visit) -> None:
    page = visit("why_attention?model=copy&lesson=paths&drawn=5&k=1&r=1")
    expect(part(page, "pa-readout-convolution")).to_contain_text("Input 1 does not reach this output.")
    expect(part(page, "pa-readout-attention")).to_contain_text("to output 5: 1.")
    page = visit("why_attention?model=copy&lesson=paths&drawn=1")
    expect(part(page, "pa-readout-attention")).to_contain_text("from input 1 to output 1: 1.")


def test_table_1_follows_its_sliders(visit: Visit) -> None:
    page = visit("why_attention?model=copy&n=64&d=64&k=3&r=4")
    rows = part(page, "table-1").locator("tbody tr")
    expect(rows.nth(0)).to_contain_text(f"{64**3:,}")
    expect(rows.nth(1)).to_contain_text(f"{64**3:,}")
    part(page, "sb-n").focus()
    page.keyboard.press("ArrowRight")
    expect(rows.nth(0)).to_contain_text(f"{128**2 * 64:,}")
    page.wait_for_url(re.compile("n=128"))
    expect(page.get_by_test_id("pv-legend-crossing")).to_contain_text("n = 128")


def test_a_measurement_ends_in_ratios(visit: Visit) -> None:
    page = visit("why_attention?model=copy&lesson=timing&upto=32&d=8")
    rows = part(page, "timings").locator("tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.nth(0)).to_contain_text("×")
    page.get_by_role("button", name="Measure again").click()
    expect(rows).to_have_count(2)
    expect(page.get_by_test_id("pv-legend-ratios")).to_contain_text("Recurrent, Table 1")


@pytest.mark.parametrize("name", ["architecture", "why_attention"])
def test_everything_fits_a_phone(visit: Visit, app_url: str, name: str) -> None:
    page = visit(name, width=390, scheme="dark")
    for title in views(page, app_url, f"{name}?model=copy"):
        expect(page.get_by_role("heading", name="This model")).to_be_visible()
        assert fits(page), title


def test_typed_markup_stays_text(visit: Visit) -> None:
    page = visit(
        "architecture?model=zh-en&source=%3Cimg%20src%3Dx%3E%20%24x%24%20%E4%BD%A0&box=source&tensor=source_tokens"
    )
    expect(part(page, "mv-matrix-tensor")).to_be_visible()
    assert page.locator("img[src=x]").count() == 0
