"""The pages Scaling and Positions, used as a person would, their numbers compared with numpy's."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from tests.browser.helpers import go_to, query_of
from viz_transformer.experiments.positions.encoding import encoding
from viz_transformer.experiments.scaling.variance import DrawSettings, draw, estimate_variance

Visit = Callable[..., Page]

VIEWS = [
    (page, lesson, part)
    for page, lessons in {"scaling": ("products", "softmax", "lengths"), "positions": ("encoding", "distance")}.items()
    for lesson in lessons
    for part in ("theory", "experiment", "model")
]


def cell(page: Page, table: str, row: int, column: int) -> Locator:
    return page.get_by_test_id(table).locator("tbody tr").nth(row).locator("th, td").nth(column)


def shown_variance(settings: DrawSettings) -> str:
    found = estimate_variance(draw(settings).products)
    return f"{found.value:.3f} ± {found.error:.3f}"


def test_the_pages_are_reached_from_the_navigation(visit: Visit) -> None:
    page = visit("?model=copy")
    for name in ("Scaling", "Positions"):
        go_to(page, name.lower())
        expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()
        expect(page.locator("canvas:visible").first).to_be_visible()


def test_a_slider_moves_the_draw_by_keyboard_and_the_link_opens_it_again(visit: Visit) -> None:
    page = visit("scaling")
    expect(cell(page, "moments", 1, 1)).to_have_text(shown_variance(DrawSettings(draws=1000)))
    slider = page.get_by_role("slider", name="d_k: components of q and of k")
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("sb-value-dk")).to_have_text("192")
    expected = shown_variance(DrawSettings(d_k=192, draws=1000))
    expect(cell(page, "moments", 1, 1)).to_have_text(expected)
    expect(page).to_have_url(re.compile("dk=192"))
    again = visit(page.url.split("/", 3)[3])
    expect(cell(again, "moments", 1, 1)).to_have_text(expected)
    expect(again.get_by_test_id("sb-value-dk")).to_have_text("192")


def test_a_slider_is_dragged_and_a_distribution_clicked(visit: Visit) -> None:
    page = visit("scaling?dk=16&draws=300")
    page.get_by_text("More settings").click()
    slider = page.get_by_role("slider", name="ρ: correlation of q_i and k_i")
    box = slider.bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.7, y, steps=5)
    page.mouse.move(box["x"] + box["width"] - 3, y, steps=5)
    page.mouse.up()
    expect(page.get_by_test_id("sb-value-rho")).to_have_text("1.0")
    expect(page).to_have_url(re.compile("rho=1"))
    expect(page.get_by_text("The assumption fails here")).to_be_visible()
    page.get_by_role("button", name="uniform", exact=True).click()
    expect(page).to_have_url(re.compile("dist=uniform"))
    settings = DrawSettings(d_k=16, draws=300, distribution="uniform", correlation=1.0)
    expect(cell(page, "moments", 1, 1)).to_have_text(shown_variance(settings))
    expect(page.get_by_role("slider", name="ν: degrees of freedom")).to_be_disabled()  # it would do nothing
    page.get_by_role("button", name="Student's t: heavy tails").focus()
    page.keyboard.press("Enter")
    page.get_by_role("slider", name="ν: degrees of freedom").focus()
    page.keyboard.press("Home")
    expect(page.get_by_text("infinite variance")).to_be_visible()


def test_a_plot_is_read_by_mouse_and_by_keyboard(visit: Visit) -> None:
    page = visit("scaling?draws=300")
    canvas = page.get_by_test_id("pv-canvas-variance")
    expect(canvas).to_have_attribute(
        "aria-label", re.compile("Horizontal axis: d_k. Vertical axis: variance. Series: q·k; q·k / √d_k")
    )
    readout = page.get_by_test_id("pv-readout-variance")
    canvas.focus()
    page.keyboard.press("Home")
    expect(readout).to_have_text(re.compile(r"^q·k: d_k 1, variance \d.* ± \d"))
    page.keyboard.press("End")
    expect(readout).to_have_text(re.compile(r"^q·k: d_k 1024, variance"))
    page.keyboard.press("ArrowDown")
    expect(readout).to_have_text(re.compile(r"^q·k / √d_k: d_k 1024, variance"))
    page.get_by_test_id("pv-canvas-product").hover()
    expect(page.get_by_test_id("pv-readout-product")).to_have_text(
        re.compile(r"(q·k|N\(0, .*\)).*: score .*, density \d")
    )
    page.get_by_test_id("pv-table-toggle-variance").click()
    expect(page.get_by_test_id("pv-table-variance").locator("tbody tr")).to_have_count(44)


def test_lesson_and_part_are_chosen_and_back_leads_back(visit: Visit) -> None:
    page = visit("scaling")
    page.get_by_role("radio", name="Lengths").click()
    expect(page.get_by_test_id("pv-canvas-lengths")).to_be_visible()
    page.get_by_role("radio", name="Theory").click()
    expect(page.get_by_test_id("theory-lengths")).to_be_visible()
    assert query_of(page)["lesson"] == "lengths"
    assert query_of(page)["part"] == "theory"


def test_a_million_draws_run_under_a_bar_while_another_visitor_works(visit: Visit) -> None:
    page = visit("scaling?dk=1024&draws=1000000&seed=41")
    expect(page.get_by_text(re.compile("of 1,000,000 pairs drawn"))).to_be_visible()
    other = visit("scaling?dk=8&draws=100&seed=41")
    expected = shown_variance(DrawSettings(d_k=8, draws=100, seed=41))
    expect(cell(other, "moments", 1, 1)).to_have_text(expected)
    expect(page.get_by_text(re.compile("of 1,000,000 pairs drawn"))).to_be_visible()  # still at it


def test_the_encoding_is_read_from_its_matrix(visit: Visit) -> None:
    page = visit("positions?dm=16&len=8&base=100")
    canvas = page.get_by_test_id("mv-matrix-encoding")
    canvas.focus()
    for key in ("Home", "ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    value = encoding(8, 16, 100)[2, 1]
    expect(page.get_by_test_id("mv-readout-encoding")).to_contain_text(f"{value:.4f}".replace("-", "−"))
    page.get_by_role("slider", name="d_model: dimensions").focus()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("dm=32"))
    expect(page.get_by_test_id("mv-matrix-encoding")).to_have_attribute(
        "aria-label", re.compile("8 rows .* 32 columns")
    )


def test_words_are_permuted_on_the_model(visit: Visit) -> None:
    page = visit("positions?lesson=order&part=model&model=copy&source=3+1+4")
    table = page.get_by_test_id("orders")
    expect(table.locator("tbody tr").nth(1)).to_contain_text("4 1 3 </s>")
    page.get_by_role("button", name="first two swapped").click()
    expect(table.locator("tbody tr").nth(1)).to_contain_text("1 3 4 </s>")
    expect(page).to_have_url(re.compile("order=swapped"))
    canvas = page.get_by_test_id("pv-canvas-change")
    canvas.focus()
    page.keyboard.press("End")
    expect(page.get_by_test_id("pv-readout-change")).to_contain_text("with positions, 4 </s>")


def test_no_view_is_wider_than_a_phone(visit: Visit) -> None:
    page = visit("scaling", width=390)
    root = page.url.removesuffix("scaling")
    for name, lesson, part in VIEWS:
        page.goto(f"{root}{name}?lesson={lesson}&part={part}&model=copy")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        expect(page.locator("canvas[role=img], .vt-table").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        expect(page.get_by_role("alert")).to_have_count(0)
