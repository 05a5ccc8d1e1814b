"""The measured views of the page Heads, used as a person would, their numbers against the package."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import viz_transformer as vt
from bench.first_screen import views
from tests.browser.helpers import choose_beside, open_box
from viz_transformer.analysis.measures import measure_heads
from viz_transformer.experiments.heads.contributions import contributions
from viz_transformer.heads import AttentionModule
from viz_transformer.ui.components.number_table import decimals

Visit = Callable[..., Page]
SOURCE = "3 1 4 1 5 9 2 6"
MODULES: dict[str, AttentionModule] = {"encoder": "encoder_self", "decoder": "decoder_self", "cross": "cross"}


@pytest.fixture(scope="module")
def translator() -> vt.Translator:
    return vt.load("reverse", "cpu")


@pytest.fixture
def open_view(visit: Visit) -> Visit:
    """`open_view("measured", "&of=…")` opens a view of the page with the model "reverse"."""

    def open_view(view: str, query: str = "", **options: object) -> Page:
        page = visit(f"heads?model=reverse&source={quote(SOURCE)}&view={view}{query}", **options)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        return page

    return open_view


def rows_of(page: Page, name: str) -> list[list[str]]:
    """The rows of a table of numbers, headings first."""
    table = page.get_by_test_id(name)
    expect(table).to_be_visible()
    return [row.locator("th, td").all_inner_texts() for row in table.locator("tr").all()]


def number(text: str) -> float:
    return float(text.replace("−", "-"))


def numbers_of(value: float) -> str:
    """As the grid shows it."""
    return f"{value:.3f}".replace("-", "−")


def head_of(label: str) -> vt.HeadRef:
    """ "cross 1.2" is head 2 of layer 1."""
    module, place = label.split()
    layer, head = (int(part) - 1 for part in place.split("."))
    return vt.HeadRef(MODULES[module], layer, head)


def test_the_measured_table_holds_the_numbers_of_the_sentence(open_view: Visit, translator: vt.Translator) -> None:
    page = open_view("measured", "&numbers=here&measure=antidiagonal")
    measured = measure_heads(translator.trace(SOURCE))
    rows = rows_of(page, "heads-measured")
    assert rows[0][1].startswith("anti-diagonal")
    for label, text, *_others in rows[1:]:
        value = measured[head_of(label)].get("antidiagonal", np.nan)
        assert text == "—" if np.isnan(value) else number(text) == pytest.approx(value, abs=6e-4)
    page.get_by_text("held-out", exact=True).click()
    page.wait_for_url(re.compile("numbers=held"))
    # A click on a held-out sentence, one of those in which the head does this most, opens it in the app.
    first = page.get_by_test_id("strongest").get_by_role("link").first
    source = first.inner_text().partition(" → ")[0]
    first.click()
    page.wait_for_url(re.compile("source="))
    expect(open_box(page).get_by_role("textbox", name="Source")).to_have_value(source)


def test_knocking_out_by_mouse_and_by_keyboard(open_view: Visit, translator: vt.Translator) -> None:
    page = open_view("knock-out")
    trace = translator.trace(SOURCE)
    grid = page.get_by_test_id("ko-grid")
    expect(grid).to_be_visible()
    expect(grid.get_by_role("row").nth(1)).to_contain_text("encoder 1")
    grid.get_by_test_id("ko-cross-1.2").click()
    page.wait_for_url(re.compile(r"off=cross\.1\.2"))
    change = vt.AblateHeads([vt.HeadRef("cross", 0, 1)])
    changed = translator.trace(SOURCE, translator.decode(trace), interventions=[change])
    expect(page.get_by_text("without cross 1.2.")).to_be_visible()
    rows = rows_of(page, "knock-out-tokens")[1:-1]
    assert [number(row[1]) for row in rows] == pytest.approx(list(trace.token_log_probs), abs=6e-5)
    assert [number(row[2]) for row in rows] == pytest.approx(list(changed.token_log_probs), abs=6e-5)
    falls = trace.token_log_probs - changed.token_log_probs
    assert [number(row[3]) for row in rows] == pytest.approx(list(falls), abs=1e-4)
    expect(grid.get_by_test_id("ko-cross-1.2")).to_have_text(numbers_of(falls.sum()))
    # A second head by keyboard, then all of them on again.
    grid.get_by_test_id("ko-encoder-1.1").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"off=encoder_self\.1\.2"))
    expect(page.get_by_test_id("knock-out-reads")).to_contain_text("Without encoder 1.2, cross 1.2, log p")
    expect(grid.get_by_test_id("ko-encoder-1.2")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="All heads on").press("Enter")
    expect(page.get_by_text("No head is knocked out.")).to_be_visible()
    expect(grid.get_by_test_id("ko-encoder-1.2")).to_have_attribute("aria-pressed", "false")
    assert "off=" not in page.url


def test_the_output_stands_beside_the_grid_on_the_first_screen(open_view: Visit) -> None:
    page = open_view("knock-out")
    for name in ("ko-grid", "knock-out-output", "knock-out-reads"):
        box = page.get_by_test_id(name).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= page.evaluate("innerHeight")


def test_weight_contribution_and_effect_of_the_query_in_the_link(open_view: Visit, translator: vt.Translator) -> None:
    page = open_view("effect", "&effect_of=cross.1.2&row=3")
    record = translator.trace(SOURCE).attention("cross", 0)
    lengths = contributions(translator.model, record)[1]
    rows = rows_of(page, "importance")[1:]
    assert [number(row[1]) for row in rows] == pytest.approx(list(record.weights[1, 2]), abs=6e-6)
    assert [number(row[2]) for row in rows] == pytest.approx(list(lengths[2]), abs=6e-6)
    choose_beside(page, "Query", "ArrowDown")
    page.wait_for_url(re.compile("row=4"))
    expect(page.get_by_test_id("importance").locator("tbody td").nth(1)).to_have_text(decimals(lengths[3, 0], 6))


def test_two_heads_by_keyboard_then_two_sentences(open_view: Visit, translator: vt.Translator) -> None:
    page = open_view("compare", "&head_a=cross.1.1&head_b=cross.1.2")
    record = translator.trace(SOURCE).attention("cross", 0)
    canvas = page.get_by_test_id("mv-matrix-difference")
    expect(canvas).to_be_visible()
    canvas.focus()
    for key in ("Home", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    readout = page.get_by_test_id("mv-readout-difference").inner_text()
    difference = record.weights[1, 1, 1] - record.weights[0, 1, 1]
    assert number(readout.rpartition(": ")[2]) == pytest.approx(difference, abs=6e-5)

    page.get_by_text("two sentences", exact=True).click()
    box = page.get_by_label("Sentence of B", exact=True)
    box.fill("2 7 1")
    box.press("Enter")
    page.wait_for_url(re.compile("with=2"))
    expect(page.get_by_test_id("compare-facts").locator("tbody td").nth(3)).to_have_text("1 7 2")
    expect(page.get_by_text("A has 9 queries and B has 4")).to_be_visible()
    box.fill("1 " * 40)
    box.press("Enter")
    expect(page.get_by_text("B cannot be read")).to_be_visible()


def test_a_difference_that_is_not_defined_leaves_no_map_behind(open_view: Visit) -> None:
    page = open_view("compare")
    titles = page.get_by_test_id("mv-root").locator("figcaption h2")
    expect(titles).to_have_text([re.compile("^A: "), re.compile("^B: "), "B − A"])
    page.get_by_text("two sentences", exact=True).click()
    expect(page.get_by_text("There is no difference map")).to_be_visible()
    expect(titles).to_have_text([re.compile("^A: "), re.compile("^B: ")])
    page.get_by_text("two heads", exact=True).click()
    expect(titles).to_have_text([re.compile("^A: "), re.compile("^B: "), "B − A"])


def test_nothing_is_cut_off_on_a_phone(visit: Visit, app_url: str) -> None:
    page = visit("heads", width=390, height=844)
    pictures = {
        "Measures": "heads-measured", "Knock-out": "ko-grid", "Effect": "importance", "Logit lens": "ll-grid",
        "Logit": "mv-matrix-cross", "Compare": "mv-matrix-a",
    }  # fmt: skip
    for title in views(page, app_url, f"heads?model=reverse&source={quote(SOURCE)}"):
        picture = pictures.pop(title, None)
        if picture:
            expect(page.get_by_test_id(picture)).to_be_visible()
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme)
            assert page.get_by_test_id("stMain").evaluate("main => main.scrollWidth - main.clientWidth") <= 0
    assert not pictures
