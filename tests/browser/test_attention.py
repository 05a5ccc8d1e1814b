"""The page Attention step by step, used as a person would: by keyboard and by mouse, its numbers against numpy."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import viz_transformer as vt
from tests.browser.helpers import query_of
from tests.browser.pixels import assert_painted
from viz_transformer.experiments.attention.steps import HeadStages, head_stages

Visit = Callable[..., Page]
TITLES = ["X", "Q, K, V", "Q Kᵀ", "÷ √dₖ", "mask", "softmax", "· V", "heads · W_O"]
SOURCE = "3 1 4 1 5 9 2 6"


@pytest.fixture(scope="module")
def translator() -> vt.Translator:
    return vt.load("reverse", "cpu")


@pytest.fixture
def open_page(visit: Visit) -> Visit:
    """`open_page("?head=2", width=390)`: the model "reverse" unless the query names another."""

    def open_page(query: str = "", **options: object) -> Page:
        model = "" if "model=" in query else "model=reverse&"
        page = visit(f"attention?{model}{query.removeprefix('?')}", **options)
        expect(stages(page)).to_be_visible()
        return page

    return open_page


def stages(page: Page) -> Locator:
    """The view with the timeline; the one below it may be drawn first."""
    return page.get_by_test_id("mv-root").filter(has=page.get_by_role("tablist"))


def part(page: Page, name: str) -> Locator:
    """A part of the stage that is shown; the other stages stay on the page, in the class `away`."""
    return stages(page).locator(f'[data-testid="mv-{name}"]:not(.away *)')


def rounded(value: float) -> re.Pattern[str]:
    """Matches the value with four decimals, either way where rounding is close: another process may differ a bit."""
    texts = "|".join({re.escape(f"{value + slip:.4f}") for slip in (-1e-5, 0, 1e-5)})
    return re.compile(rf"(?<![-\d.])(?:{texts})(?!\d)")  # the whole number


def matrix(page: Page, name: str) -> Locator:
    return part(page, f"matrix-{name}")


def shown(page: Page, name: str) -> float:
    """The number that a matrix's readout names."""
    text = part(page, f"readout-{name}").inner_text().removesuffix("pinned").strip()
    return number(text.removesuffix(", masked").rsplit(": ", 1)[1])


def number(text: str) -> float:
    return float(text.replace("−", "-").replace("∞", "inf"))


def go_to(page: Page, name: str, i: int, j: int) -> float:
    """Moves to a cell by keyboard and returns its number."""
    canvas = matrix(page, name)
    canvas.focus()
    canvas.press("Home")
    for _ in range(40):
        canvas.press("ArrowUp")
        if re.search(r" 1\b", part(page, f"readout-{name}").inner_text().split("·")[0]):
            break
    for key, count in (("ArrowDown", i), ("ArrowRight", j)):
        for _ in range(count):
            canvas.press(key)
    return shown(page, name)


def point_at(page: Page, name: str, i: int, j: int) -> float:
    canvas = matrix(page, name)
    canvas.scroll_into_view_if_needed()
    names = ("left", "top", "cell", "height")
    left, top, width, height = (float(canvas.get_attribute(f"data-{one}") or "nan") for one in names)
    canvas.hover(position={"x": left + (j + 0.5) * width, "y": top + (i + 0.5) * height})
    return shown(page, name)


def head_of(translator: vt.Translator, module: str, layer: int, head: int) -> HeadStages:
    return head_stages(translator.trace(SOURCE), module, layer, head)  # type: ignore[arg-type]


def test_every_stage_by_keyboard_with_the_recorded_numbers(open_page: Visit, translator: vt.Translator) -> None:
    page = open_page("?module=decoder_self&layer=1&head=2&stage=x")
    head = head_of(translator, "decoder_self", 0, 1)
    cells = {
        "x": [("x", 2, 5)],
        "qkv": [("q", 1, 3), ("k", 2, 0), ("v", 0, 7)],
        "scores": [("scores", 3, 1), ("scores", 1, 3)],
        "scale": [("scaled_scores", 3, 1)],
        "mask": [("masked_scores", 3, 1), ("masked_scores", 1, 3)],
        "softmax": [("weights", 3, 1), ("weights", 1, 3), ("weights", 2, 2)],
        "context": [("context", 3, 4)],
        "output": [("concatenated", 3, 9), ("output", 0, 6)],
    }
    arrays = {name: getattr(head, "query_input" if name == "x" else name) for name in
              ("x", "q", "k", "v", "scores", "scaled_scores", "masked_scores", "weights", "context",
               "concatenated", "output")}  # fmt: skip
    compared = 0
    stages(page).get_by_test_id("mv-stage-1").focus()
    for n, (stage, places) in enumerate(cells.items()):
        tab = stages(page).get_by_test_id(f"mv-stage-{n + 1}")
        expect(tab).to_have_attribute("aria-selected", "true")
        expect(tab).to_have_text(TITLES[n])
        expect(stages(page).get_by_test_id("mv-code")).not_to_be_empty()
        for name, i, j in places:
            assert go_to(page, name, i, j) == pytest.approx(float(arrays[name][i, j]), abs=5.1e-5), (stage, name)
            compared += 1
        tab.focus()
        tab.press("ArrowRight" if n % 2 else "Space")
    assert compared >= 14
    expect(stages(page).get_by_test_id("mv-shapes")).to_contain_text(f"{head.output.shape[1]}")  # type: ignore[union-attr]


def test_every_stage_by_mouse_with_the_recorded_numbers(open_page: Visit, translator: vt.Translator) -> None:
    page = open_page("?module=cross&layer=2&head=3&stage=softmax")
    head = head_of(translator, "cross", 1, 2)
    places = ["query_input", "k", "scores", "scaled_scores", "masked_scores", "weights", "context", "output"]
    names = ["x", *places[1:]]
    for n, (place, name) in enumerate(zip(places, names, strict=True)):
        stages(page).get_by_test_id(f"mv-stage-{n + 1}").click()
        expect(stages(page).get_by_test_id(f"mv-stage-{n + 1}")).to_have_attribute("aria-selected", "true")
        for i, j in ((1, 2), (5, 7)):
            assert point_at(page, name, i, j) == pytest.approx(float(getattr(head, place)[i, j]), abs=5.1e-5), name


def test_stages_go_on_from_a_matrix_and_the_focus_stays_in_one(open_page: Visit) -> None:
    page = open_page("?stage=scores")
    matrix(page, "scores").focus()
    page.keyboard.press("Space")
    expect(stages(page).get_by_test_id("mv-stage-4")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Space")
    page.keyboard.press("Space")
    expect(stages(page).get_by_test_id("mv-stage-6")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    assert "·" in part(page, "readout-masked_scores").inner_text()
    page.keyboard.press("Shift+Space")
    expect(stages(page).get_by_test_id("mv-stage-5")).to_have_attribute("aria-selected", "true")


def test_a_pin_by_mouse_unfolds_in_the_microscope_and_is_in_the_link(
    open_page: Visit, translator: vt.Translator
) -> None:
    page = open_page("?module=cross&layer=1&head=1&stage=softmax")
    head = head_of(translator, "cross", 0, 0)
    assert point_at(page, "weights", 2, 4) == pytest.approx(float(head.weights[2, 4]), abs=5.1e-5)
    page.mouse.down()
    page.mouse.up()
    page.wait_for_url(re.compile("cell=3-5"))
    terms = page.get_by_test_id("cell-terms").locator("tbody tr")
    expect(terms.first.locator("th")).to_have_text("score 3, 5")
    numbers = [number(terms.nth(n).locator("td").first.inner_text()) for n in range(6)]
    expected = [head.scores[2, 4], head.scaled_scores[2, 4], head.masked_scores[2, 4]]
    assert numbers[:3] == pytest.approx([float(value) for value in expected], abs=1e-5)
    assert numbers[3] / numbers[4] == pytest.approx(numbers[5], abs=5e-5)
    assert numbers[5] == pytest.approx(float(head.weights[2, 4]), abs=1e-6)
    again = open_page("?" + urlsplit(page.url).query)
    expect(again.get_by_test_id("cell-terms").locator("th").nth(3)).to_have_text("score 3, 5")
    expect(stages(again).get_by_test_id("mv-stage-6")).to_have_attribute("aria-selected", "true")
    assert shown(again, "weights") == pytest.approx(float(head.weights[2, 4]), abs=5.1e-5)


def test_a_box_of_figure_2_leads_to_its_stage_and_is_lit_with_it(open_page: Visit) -> None:
    page = open_page("?stage=scores&module=cross")
    figure = stages(page).get_by_role("group", name="Figure 2 of the paper")

    def assert_lit(*boxes: str) -> None:
        lit = figure.locator("[aria-pressed=true]")
        expect(lit).to_have_text(list(boxes))
        for box in lit.all():  # by more than a colour
            assert box.locator("rect").evaluate("rect => getComputedStyle(rect).strokeWidth") == "3px"

    assert_lit("MatMul")
    box = figure.get_by_role("button", name="SoftMax: softmax")
    box.click()
    assert_lit("SoftMax")
    expect(stages(page).get_by_test_id("mv-stage-6")).to_have_attribute("aria-selected", "true")
    page.wait_for_url(re.compile("stage=softmax"))
    box.press("ArrowUp")
    assert_lit("MatMul")
    expect(figure.get_by_role("button", name="MatMul: · V")).to_be_focused()
    page.keyboard.press("ArrowRight")
    assert_lit("Concat", "Linear")
    page.wait_for_url(re.compile("stage=output"))
    stages(page).get_by_test_id("mv-stage-2").click()
    assert_lit("Linear", "Linear", "Linear", "Q", "K", "V")
    expect(figure.get_by_role("button", name="Mask (opt.): mask, no effect here")).to_be_visible()


def test_head_layer_and_module_by_keyboard(open_page: Visit, translator: vt.Translator) -> None:
    page = open_page("?module=cross&layer=1&head=1&stage=softmax&cell=2-2")
    for digit in (2, 1, 2):
        stages(page).get_by_test_id("mv-stage-6").press(str(digit))
    page.wait_for_url(re.compile("head=2"))
    expected = f"{head_of(translator, 'cross', 0, 1).weights[1, 1]:.4f}"
    expect(part(page, "readout-weights")).to_contain_text(expected)
    stages(page).get_by_test_id("mv-module-3").press("ArrowLeft")
    page.wait_for_url(re.compile("module=decoder_self"))
    expected = f"{head_of(translator, 'decoder_self', 0, 1).weights[1, 1]:.4f}"
    expect(part(page, "readout-weights")).to_contain_text(expected)
    expect(stages(page).get_by_test_id("mv-stage-6")).to_have_attribute("aria-selected", "true")


def test_heads_and_layers_turn_in_the_browser(open_page: Visit, translator: vt.Translator) -> None:
    page = open_page("?module=encoder_self&layer=1&head=1&stage=softmax&cell=3-5")
    readout = part(page, "readout-weights").element_handle()
    for layer, head in ((1, 3), (0, 2), (1, 0)):
        for name, n in (("layer", layer), ("head", head)):
            button = stages(page).get_by_test_id(f"mv-{name}-{n + 1}")
            # Two frames later: Python hears of it only after a quarter of a second.
            seen = button.evaluate(
                """async (button, readout) => {
                  button.click();
                  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
                  return readout.innerText;
                }""",
                readout,
            )
        assert f"{head_of(translator, 'encoder_self', layer, head).weights[2, 4]:.4f}" in seen
    page.wait_for_url(re.compile("layer=2&head=1"))


def test_another_module_shows_its_own_matrices_and_no_other(open_page: Visit) -> None:
    """Cross-attention has a matrix more in the first stage than the others."""
    page = open_page("?stage=x&module=encoder_self")
    titles = stages(page).locator("figcaption h2:not(.away *)")
    expect(titles).to_have_text(["X"])
    stages(page).get_by_role("button", name="Cross", exact=True).click()
    expect(titles).to_have_text(["X, from the decoder", "M, the encoder's output"])
    stages(page).get_by_role("button", name="Encoder self", exact=True).click()
    expect(titles).to_have_text(["X"])


def test_hovering_a_score_marks_its_query_and_its_key(open_page: Visit) -> None:
    page = open_page("?stage=scores&cell=none")
    before = matrix(page, "q").evaluate("canvas => canvas.toDataURL()")
    point_at(page, "scores", 2, 3)
    assert matrix(page, "q").evaluate("canvas => canvas.toDataURL()") != before


def test_by_hand_by_keyboard(open_page: Visit) -> None:
    page = open_page("?hand=true&stage=softmax&cell=3-1")
    weights = np.exp([0.5, 0.5, 1.0])
    assert go_to(page, "weights", 2, 2) == pytest.approx(weights[2] / weights.sum(), abs=5.1e-5)
    box = page.get_by_role("textbox", name="Q", exact=True)
    box.fill("1 0 1 0\n0 2 0 1\n1 zwei 0 0")
    box.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("Row 3 of Q: “zwei” is not a number")
    box.fill("1 0 1 0\n0 2 0 1\n3 1 0 0")
    box.press("Control+Enter")
    expect(page.get_by_role("alert")).to_have_count(0)
    weights = np.exp([1.5, 0.5, 3.0])
    expect(stages(page).get_by_test_id("mv-stage-5")).to_have_attribute("aria-selected", "true")
    assert go_to(page, "weights", 2, 0) == pytest.approx(weights[0] / weights.sum(), abs=5.1e-5)
    assert query_of(page)["hand_q"] == "1 0 1 0\n0 2 0 1\n3 1 0 0"


def test_what_if_by_keyboard_with_the_recorded_numbers(open_page: Visit, translator: vt.Translator) -> None:
    page = open_page("?module=cross&layer=1&head=1&stage=softmax&cell=2-3")
    plain = translator.trace(SOURCE)
    root = float(np.sqrt(plain.config.d_k))
    head = vt.HeadRef("cross", 0, 0)
    results = stages(page).get_by_test_id("mv-results")
    rows = results.locator("tbody tr")
    expect(results).to_be_hidden()

    def check(change: vt.ScaleScores | vt.ScaleHead | vt.Temperature) -> None:
        changed = translator.trace(SOURCE, translator.decode(plain), interventions=[change])
        assert changed.predicted_ids == plain.predicted_ids
        weights = changed.attention("cross", 0).weights[0]
        entropies = -(weights * np.log2(weights, where=weights > 0, out=np.zeros_like(weights))).sum(-1)
        expect(rows.nth(1).locator("td").last).to_have_text(rounded(entropies[1]))
        expect(rows.nth(2).locator("td").last).to_have_text(rounded(entropies.mean()))
        expect(rows.nth(4).locator("td").last).to_have_text(rounded(changed.token_log_probs.sum()))
        expect(part(page, "readout-changed")).to_contain_text(rounded(weights[1, 2]))  # of the pinned cell

    choice = stages(page).get_by_test_id("mv-divisor-1")
    choice.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("whatif=none"))
    expect(stages(page).get_by_role("button", name="this head", exact=True)).to_have_attribute("aria-pressed", "true")
    check(vt.ScaleHead(head, root))
    stages(page).get_by_test_id("mv-divisor-2").press("ArrowRight")
    page.wait_for_url(re.compile("whatif=sqrt_d_model"))
    check(vt.ScaleHead(head, float(np.sqrt(plain.config.d_k / plain.config.d_model))))
    stages(page).get_by_test_id("mv-reach-1").press("ArrowRight")
    page.wait_for_url(re.compile("reach=every"))
    check(vt.ScaleScores("sqrt_d_model"))
    stages(page).get_by_test_id("mv-divisor-3").press("ArrowRight")
    page.wait_for_url(re.compile("whatif=temperature"))
    slider = page.get_by_role("slider", name="Temperature")
    expect(slider).to_be_visible()
    check(vt.Temperature(2.0))
    slider.focus()
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    page.wait_for_url(re.compile("temperature=1.5"))
    check(vt.Temperature(1.5))
    again = open_page("?" + urlsplit(page.url).query)
    expect(again.get_by_role("slider", name="Temperature")).to_have_attribute("aria-valuetext", "1.5")
    stages(again).get_by_test_id("mv-divisor-1").click()
    expect(stages(again).get_by_test_id("mv-results")).to_be_hidden()
    again.wait_for_url(re.compile(r"^((?!whatif).)*$"))


def test_the_pinned_cell_is_unfolded_beside_its_matrix(open_page: Visit, translator: vt.Translator) -> None:
    page = open_page("?module=decoder_self&layer=1&head=2&stage=scale&cell=4-2")
    head = head_of(translator, "decoder_self", 0, 1)
    rows = stages(page).get_by_test_id("mv-terms").locator("tr")
    powers = np.exp(head.masked_scores[3].astype(np.float64) - head.masked_scores[3].max())
    expected = [head.scores[3, 1], head.scaled_scores[3, 1], head.masked_scores[3, 1], powers[1], powers.sum()]
    for n, value in enumerate([*expected, head.weights[3, 1]]):
        expect(rows.nth(n).locator("td")).to_have_text(
            re.compile(f"^{rounded(float(value)).pattern}$".replace("-", "−"))
        )
    expect(rows.nth(1)).to_have_class(re.compile("lit"))
    trace = translator.trace(SOURCE)
    strongest = int(head.weights[3].argmax())
    expect(stages(page).get_by_test_id("mv-reading")).to_have_text(
        f"While writing {trace.predicted_tokens[3]}, this head puts {100 * head.weights[3, strongest]:.0f} % of its "
        f"weight on {trace.target_tokens[strongest]}."
    )
    part(page, "matrix-scores").focus()
    page.keyboard.press("Escape")
    expect(stages(page).get_by_test_id("mv-terms")).to_be_hidden()


def test_the_mask_is_shown_where_it_hides_something_unless_a_module_was_chosen(open_page: Visit) -> None:
    def pressed(name: str) -> None:
        expect(stages(page).get_by_role("button", name=name, exact=True)).to_have_attribute("aria-pressed", "true")

    page = open_page("?stage=scale")
    pressed("Cross")
    stages(page).get_by_test_id("mv-stage-5").click()
    pressed("Decoder self")
    expect(part(page, "legend-masked_scores")).to_contain_text("masked")
    page.wait_for_url(re.compile("(?=.*module=decoder_self)(?=.*stage=mask)"))
    stages(page).get_by_test_id("mv-stage-3").click()
    pressed("Decoder self")
    page = open_page("?module=cross&stage=scale")
    stages(page).get_by_test_id("mv-stage-5").click()
    page.wait_for_url(re.compile("stage=mask"))
    pressed("Cross")


def test_the_picture_comes_first_and_nothing_jumps_between_its_stages(open_page: Visit) -> None:
    page = open_page("?model=zh-en&stage=x&module=decoder_self", height=720)
    tabs, side = stages(page).get_by_role("tablist"), stages(page).get_by_test_id("mv-drawer")
    code = stages(page).get_by_test_id("mv-code")
    places = set()
    for n in range(len(TITLES)):
        stages(page).get_by_test_id(f"mv-stage-{n + 1}").click()
        canvases = stages(page).locator("canvas:not(.away *)")
        tops = [canvas.bounding_box() for canvas in canvases.all()]
        assert min(box["y"] for box in tops if box) <= 200
        places.add(tuple((one.bounding_box() or {}).get("y") for one in (tabs, side, code)))
    assert len(places) == 1


@pytest.mark.parametrize(
    "query", ["?stage=scores", "?stage=context", "?hand=true&stage=scores", "?hand=true&stage=context"]
)
def test_rows_of_a_factor_meet_columns_of_the_other_in_the_product(open_page: Visit, query: str) -> None:
    page = open_page(query)
    names = ("q", "k_transposed", "scores") if "scores" in query else ("weights", "v", "context")

    def cells(name: str) -> tuple[float, ...]:
        """Where the first cell is on the page, and the size of the cells."""
        canvas = matrix(page, name)
        box = canvas.bounding_box()
        assert box
        left, top, width, height = (float(canvas.get_attribute(f"data-{one}") or "nan") for one in
                                    ("left", "top", "cell", "height"))  # fmt: skip
        return box["x"] + left, box["y"] + top, width, height

    left, above, product = map(cells, names)
    assert (product[1], product[3]) == pytest.approx((left[1], left[3]))
    assert (product[0], product[2]) == pytest.approx((above[0], above[2]))
    assert above[1] < product[1]
    assert left[0] < product[0]


def test_by_hand_q_k_and_v_stand_side_by_side(visit: Visit) -> None:
    page = visit("attention?hand=true&stage=qkv", width=1280, height=720)
    boxes = [matrix(page, name).bounding_box() for name in ("q", "k", "v")]
    assert all(boxes) and len({one["y"] for one in boxes if one}) == 1
    assert all(one["y"] + one["height"] < 720 for one in boxes if one)


@pytest.mark.parametrize(("stage", "sign"), [("scale", "÷ √4 ="), ("mask", "+ mask ="), ("softmax", "→ softmax →")])
def test_the_operator_stands_between_the_matrices(visit: Visit, stage: str, sign: str) -> None:
    page = visit(f"attention?hand=true&stage={stage}", width=1280, height=720)
    names = {"scale": ("scores", "scaled_scores"), "mask": ("scaled_scores", "masked_scores")}
    left, right = names.get(stage, ("masked_scores", "weights"))
    figure = stages(page).locator("figure:not(.away *)").filter(has=page.get_by_test_id(f"mv-matrix-{right}"))
    assert figure.evaluate("one => getComputedStyle(one, '::before').content") == f'"{sign}"'
    start, end = matrix(page, left).bounding_box(), matrix(page, right).bounding_box()
    assert start and end and start["x"] + start["width"] < end["x"]


def test_tokens_that_look_like_markup_are_shown_as_they_are(open_page: Visit) -> None:
    text = "<b> $x$ _a_ 👋 مرحبا"
    page = open_page("?model=zh-en&module=encoder_self&stage=scores&source=" + quote(text))
    shown_tokens = []
    readout = part(page, "readout-scores")
    matrix(page, "scores").focus()
    page.keyboard.press("Home")
    for _ in range(40):
        page.keyboard.press("ArrowUp")
    while True:
        found = re.search(r"query: source token (\d+) «(.*?)» ·", readout.inner_text())
        assert found is not None
        if len(shown_tokens) == int(found[1]):
            break
        shown_tokens.append(found[2])
        page.keyboard.press("ArrowDown")
    assert "".join(shown_tokens[:-1]) == "".join(text.split())
    assert page.locator("b", has_text="$x$").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_cut_off_on_a_phone(open_page: Visit, scheme: str) -> None:
    page = open_page("?stage=x", width=390, height=844, scheme=scheme)
    for n in range(len(TITLES)):
        stages(page).get_by_test_id(f"mv-stage-{n + 1}").click()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        for canvas in stages(page).locator("canvas:not(.away *):visible").all():
            box = canvas.evaluate("canvas => (canvas.closest('.scroller') ?? canvas).getBoundingClientRect().right")
            assert box <= 390


@pytest.mark.parametrize("stage", ["scores", "scale", "softmax"])
def test_every_cell_on_the_screen_has_the_colour_of_its_number(
    open_page: Visit, translator: vt.Translator, stage: str
) -> None:
    page = open_page(f"?module=decoder_self&layer=1&head=2&stage={stage}&cell=none")
    record = translator.trace(SOURCE).attention("decoder_self", 0)
    name, values = {
        "scores": ("scores", record.scores),
        "scale": ("scaled_scores", record.scaled_scores),
        "softmax": ("weights", record.weights),
    }[stage]
    mask = record.mask if stage == "softmax" else np.ones_like(record.mask)
    # Scores have one scale, whether divided or not; weights have their own.
    canvas = part(page, f"matrix-{name}")
    for head in (1, 0):
        expect(stages(page).get_by_test_id(f"mv-head-{head + 1}")).to_have_attribute("aria-pressed", "true")
        extent = None if stage == "softmax" else float(np.abs(record.scores[head]).max())
        assert_painted(canvas, values[head], mask, diverging=stage != "softmax", extent=extent)
        stages(page).get_by_test_id("mv-head-1").click()
