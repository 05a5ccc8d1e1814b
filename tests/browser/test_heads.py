"""The page Heads, used as a person would: by keyboard and by mouse, its numbers against numpy."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from urllib.parse import quote, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import viz_transformer as vt
from bench.browser import until
from tests.browser.pixels import DIVERGING, SEQUENTIAL, colours_of, pixels_at, thumbnail_colours
from viz_transformer.analysis.measures import MEASURES
from viz_transformer.experiments.heads.words import hide_keys, is_sink

Visit = Callable[..., Page]
DISTANCE = [measure.name for measure in MEASURES].index("distance")
SOURCE = "3 1 4 1 5 9 2 6"
TITLES = {
    "encoder_self": "Encoder self-attention",
    "cross": "Cross-attention",
    "decoder_self": "Decoder self-attention",
}


@pytest.fixture(scope="module")
def trace() -> vt.Trace:
    return vt.load("reverse", "cpu").trace(SOURCE)


@pytest.fixture
def open_page(visit: Visit) -> Visit:
    """`open_page("?view=arcs", width=390)`: the model "reverse" unless the query names another."""

    def open_page(query: str = "", **options: object) -> Page:
        model = "" if "model=" in query else "model=reverse&"
        page = visit(f"heads?{model}{query.removeprefix('?')}", **options)
        expect(page.get_by_test_id("hv-root").locator("canvas:visible").first).to_be_visible()
        return page

    return open_page


def part(page: Page, name: str) -> Locator:
    return page.get_by_test_id(f"hv-{name}")


def data(page: Page, name: str, *fields: str) -> list[float]:
    """Where things lie on a canvas, once it is visible: what it draws before its style has loaded lies elsewhere."""
    canvas = part(page, f"canvas-{name}")
    expect(canvas).to_be_visible()
    return [float(canvas.get_attribute(f"data-{field}") or "nan") for field in fields]


def open_more(page: Page) -> None:
    page.get_by_text("more", exact=True).click()


def point_at_head(page: Page, module: str, layer: int, head: int, *, click: bool = False) -> str:
    canvas = part(page, "canvas-glance")
    expect(canvas).to_have_attribute("data-slots", re.compile(module))  # it is visible before it is painted
    slots = json.loads(canvas.get_attribute("data-slots") or "[]")
    x, y = next(slot[3:] for slot in slots if slot[:3] == [module, layer, head])
    canvas.hover(position={"x": x + 6, "y": y + 6})
    if click:
        canvas.click(position={"x": x + 6, "y": y + 6})
    return part(page, "readout-glance").inner_text()


def point_at_token(page: Page, side: str, place: int, *, click: bool = False) -> str:
    left, right, top, row = data(page, "arcs", "left", "right", "top", "row")
    position = {"x": left - 12 if side == "query" else right + 12, "y": top + (place + 0.5) * row}
    canvas = part(page, "canvas-arcs")
    canvas.scroll_into_view_if_needed()
    canvas.hover(position=position)
    if click:
        canvas.click(position=position)
    return part(page, "readout-arcs").inner_text()


def table(page: Page, name: str) -> list[list[str]]:
    """The rows of a view's table, headings first."""
    if part(page, f"table-{name}").is_hidden():
        part(page, f"table-toggle-{name}").click()
    rows = part(page, f"table-{name}").locator("tr").all()
    return [row.locator("th, td").all_inner_texts() for row in rows]


def number(text: str) -> float:
    return float(text.replace("−", "-"))


def messages_of(page: Page) -> list[object]:
    """A list that grows with every message that the page sends to the server."""
    sent: list[object] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    page.reload()
    expect(page.get_by_test_id("hv-root").locator("canvas:visible").first).to_be_visible()
    return sent


def test_all_heads_at_a_glance_by_mouse_with_measured_scores(open_page: Visit, trace: vt.Trace) -> None:
    page = open_page()
    for module, layer, head in (("encoder_self", 0, 0), ("cross", 1, 3), ("decoder_self", 1, 2)):
        weights = trace.attention(module, layer).weights[head]  # type: ignore[arg-type]
        text = point_at_head(page, module, layer, head)
        assert text.startswith(f"{TITLES[module]}, layer {layer + 1}, head {head + 1}:")
        assert number(text.rsplit(" ", 1)[1]) == pytest.approx(weights.diagonal(-1).mean(), abs=1e-4)
    point_at_head(page, "decoder_self", 1, 2, click=True)
    large = part(page, "matrix-decoder_self")
    expect(large).to_be_visible()
    large.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "Enter"):
        large.press(key)
    weight = trace.attention("decoder_self", 1).weights[2, 2, 1]
    expect(part(page, "readout-decoder_self")).to_contain_text(f"weight {weight:.4f}")
    page.wait_for_url(re.compile("cell=3-2"))
    again = open_page("?" + urlsplit(page.url).query)
    expect(part(again, "readout-decoder_self")).to_contain_text(f"weight {weight:.4f}")


def test_the_glance_by_keyboard(open_page: Visit) -> None:
    page = open_page("?module=encoder_self&layer=1&head=1")
    canvas = part(page, "canvas-glance")
    expect(part(page, "large")).to_contain_text("layer 1, head 1")
    canvas.press("Escape")
    expect(part(page, "large")).to_be_hidden()
    page.wait_for_url(re.compile("open=0"))
    # The layers of a module stand side by side here, the modules below each other.
    for _ in range(5):
        canvas.press("ArrowRight")
    expect(part(page, "readout-glance")).to_contain_text("Encoder self-attention, layer 2, head 2")
    for below in ("Decoder self-attention", "Cross-attention"):
        canvas.press("ArrowDown")
        expect(part(page, "readout-glance")).to_contain_text(f"{below}, layer 2, head 2")
    canvas.press("ArrowLeft")
    canvas.press("Enter")
    expect(part(page, "matrix-cross")).to_be_visible()
    page.wait_for_url(re.compile("^(?!.*open=0).*layer=2&head=1"))
    canvas.press("3")
    expect(part(page, "large")).to_contain_text("layer 2, head 3")
    canvas.press("Escape")
    expect(part(page, "large")).to_be_hidden()


def test_sorted_by_a_score_the_largest_comes_first(open_page: Visit, trace: vt.Trace) -> None:
    page = open_page()
    part(page, "score").select_option(index=1 + DISTANCE)
    part(page, "order-2").click()
    slots = json.loads(part(page, "canvas-glance").get_attribute("data-slots") or "[]")
    order = [(layer, head) for module, layer, head, *_xy in slots if module == "cross"]
    weights = np.stack([trace.attention("cross", layer).weights for layer in range(trace.config.n_decoder_layers)])
    distance = abs(np.subtract.outer(*map(np.arange, weights.shape[2:])))
    scores = (weights * distance).sum(axis=3).mean(axis=2)
    assert order == sorted(order, key=lambda place: -scores[place])
    expect(part(page, "legend")).to_contain_text("mean distance, tokens")
    page.wait_for_url(re.compile("order=score"))
    open_more(page)
    part(page, "only-4").click()
    page.wait_for_url(re.compile("only=cross"))
    rows = table(page, "glance")
    assert len(rows) == 1 + scores.size
    assert [number(row[1 + DISTANCE]) for row in rows[1:]] == pytest.approx(
        sorted(scores.ravel(), reverse=True), abs=1e-4
    )


def test_arcs_of_a_token_by_mouse_and_by_keyboard(open_page: Visit, trace: vt.Trace) -> None:
    page = open_page("?view=arcs&module=cross&layer=2")
    weights = trace.attention("cross", 1).weights
    text = point_at_token(page, "query", 2)
    for head in range(weights.shape[0]):
        top = weights[head, 2].argsort()[::-1][:2]
        named = ", ".join(f"{j + 1} «{trace.source_tokens[j]}» {weights[head, 2, j]:.4f}" for j in top)
        assert f"head {head + 1}: {named}" in text
    canvas = part(page, "canvas-arcs")
    canvas.press("ArrowRight")
    expect(part(page, "readout-arcs")).to_contain_text("key 3 «")
    canvas.press("ArrowDown")
    canvas.press("Enter")
    page.wait_for_url(re.compile("token=k4"))
    rows = table(page, "arcs")
    shown = np.array([[number(cell) for cell in row[1:]] for row in rows[1:]])
    np.testing.assert_allclose(shown, weights[:, :, 3].T, atol=5.1e-5)
    canvas.press("Escape")
    expect(part(page, "readout-arcs")).to_contain_text("Point at a token")


def test_heads_are_switched_by_click_and_digit_and_stay_in_the_link(open_page: Visit) -> None:
    page = open_page("?view=arcs&module=encoder_self&layer=1&token=q2")
    part(page, "toggle-2").click()
    part(page, "canvas-arcs").press("3")
    expect(part(page, "toggle-2")).to_have_attribute("aria-pressed", "false")
    page.wait_for_url(re.compile("heads=1-4"))
    again = open_page("?" + urlsplit(page.url).query)
    expect(part(again, "readout-arcs")).to_contain_text("head 4:")
    expect(part(again, "readout-arcs")).not_to_contain_text("head 2:")
    part(again, "toggle-4").click()
    part(again, "toggle-1").click()  # the last one stays
    expect(part(again, "toggle-1")).to_have_attribute("aria-pressed", "true")
    part(again, "all-heads").click()
    expect(part(again, "readout-arcs")).to_contain_text("head 2:")


def test_the_threshold_says_what_it_hides(open_page: Visit, trace: vt.Trace) -> None:
    page = open_page("?view=arcs&module=decoder_self&layer=1&heads=2")
    weights = trace.attention("decoder_self", 0).weights[1]
    mask = trace.attention("decoder_self", 0).mask
    slider = part(page, "threshold")
    before = part(page, "canvas-arcs").evaluate("canvas => canvas.toDataURL()")
    for steps in (20, 25):
        slider.fill(str(steps))
        hidden = mask & (weights < steps**2 / 1e4)
        mass = 100 * weights[hidden].sum() / weights.sum()
        expect(part(page, "hidden")).to_have_text(
            f"{steps**2 / 1e4:.4f}: hides {hidden.sum()} of {mask.sum()} arcs and {mass:.1f} % of the weight"
        )
    assert part(page, "canvas-arcs").evaluate("canvas => canvas.toDataURL()") != before
    page.wait_for_url(re.compile(r"threshold=0\.0625"))
    again = open_page("?" + urlsplit(page.url).query)
    expect(part(again, "threshold")).to_have_value("25")


def test_from_query_and_key_to_the_weight(open_page: Visit, trace: vt.Trace) -> None:
    page = open_page("?view=query-key&module=decoder_self&layer=2&head=3&token=q4")
    record = trace.attention("decoder_self", 1)
    q, k = record.q[2, 3], record.k[2]
    left, top, cell, row = data(page, "query-key", "left", "top", "cell", "row")
    canvas = part(page, "canvas-query-key")
    canvas.hover(position={"x": left + 5.5 * cell, "y": top + 1.5 * row})
    text = part(page, "readout-query-key").inner_text()
    score, scaled, weight = (array[2, 3, 1] for array in (record.scores, record.scaled_scores, record.weights))
    root = np.sqrt(len(q))
    assert f"score {score:.4f}, ÷ √{len(q)} = {root:.4f}: {scaled:.4f}, weight {weight:.4f}".replace("-", "−") in text
    dimension, a, b, product, total = re.findall(
        r"dimension (\d+): q (\S+) × k (\S+) = (\S+); .* add up to (\S+)", text
    )[0]
    assert int(dimension) == 6
    assert [number(a), number(b.strip("()")), number(product)] == pytest.approx(
        [q[5], k[1, 5], q[5] * k[1, 5]], abs=6e-5
    )
    assert number(total) == pytest.approx(score, abs=1e-3)
    canvas.press("ArrowDown")
    canvas.press("ArrowDown")
    canvas.press("ArrowDown")
    expect(part(page, "readout-query-key")).to_contain_text("masked: weight 0")
    canvas.press("PageUp")
    page.wait_for_url(re.compile("token=q3"))
    canvas.press("1")
    page.wait_for_url(re.compile("head=1"))
    rows = table(page, "query-key")
    shown = [number(row[1]) for row in rows[1:]]
    assert shown == pytest.approx([float(f"{s:.4f}") for s in record.scores[0, 2]], abs=1e-4)
    products = np.array([[number(cell) for cell in row[4:]] for row in rows[1:]])
    np.testing.assert_allclose(products, record.q[0, 2] * record.k[0], atol=6e-5)


def test_every_cell_of_a_thumbnail_has_the_colour_of_its_weight(open_page: Visit, trace: vt.Trace) -> None:
    canvas = part(open_page(), "canvas-glance")
    for head in (("encoder_self", 0, 0), ("decoder_self", 1, 2), ("cross", 1, 3)):
        record = trace.attention(head[0], head[1])  # type: ignore[arg-type]
        weights = record.weights[head[2]]
        actual = thumbnail_colours(canvas, head, weights.shape)
        expected = colours_of(weights, 0, 1, SEQUENTIAL)
        assert np.abs(actual - expected)[record.mask].max() <= 3, head


def test_a_lit_token_has_boxes_as_opaque_as_its_weights(open_page: Visit, trace: vt.Trace) -> None:
    page = open_page("?view=arcs&module=cross&layer=2&heads=4&token=q3")
    expect(part(page, "readout-arcs")).to_contain_text("head 4:")
    left, right, top, row = data(page, "arcs", "left", "right", "top", "row")
    weights = trace.attention("cross", 1).weights[3]
    for x, expected in ((right + 5, weights[2]), (left - 5, weights[:, 3])):
        if x < left:
            part(page, "canvas-arcs").press("Escape")
            point_at_token(page, "key", 3)
        points = [(x, top + (place + 0.25) * row) for place in range(len(expected))]
        pixels = pixels_at(part(page, "canvas-arcs"), points)
        np.testing.assert_allclose(pixels[:, 3], 0.75 * 255 * expected, atol=2)
        strong = expected > 0.3
        np.testing.assert_allclose(pixels[strong, :3], [[170, 51, 119]] * strong.sum(), atol=3)  # of the fourth head


def test_every_cell_of_q_k_and_their_products_has_the_colour_of_its_number(open_page: Visit, trace: vt.Trace) -> None:
    page = open_page("?view=query-key&module=cross&layer=2&head=3&token=q4")
    record = trace.attention("cross", 1)
    q, k = record.q[2], record.k[2]
    left, product, top, cell, row = data(page, "query-key", "left", "product", "top", "cell", "row")
    keys, dimensions = np.indices(k.shape)
    extents = max(np.abs(q).max(), np.abs(k).max()), np.abs(q[:, None] * k).max(axis=(0, 1)).max()
    for x, values, extent in ((left, k, extents[0]), (product, q[3] * k, extents[1])):
        points = np.stack([x + (dimensions + 0.5) * cell, top + (keys + 0.5) * row], axis=-1)
        actual = pixels_at(part(page, "canvas-query-key"), points)[..., :3]
        assert np.abs(actual - colours_of(values, -extent, extent, DIVERGING)).max() <= 3


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("?view=glance", ["ArrowRight", "ArrowDown", "ArrowRight", "ArrowUp"]),
        ("?view=arcs&layer=1", ["ArrowDown", "ArrowRight", "ArrowDown", "ArrowLeft", "End"]),
        ("?view=query-key&layer=1", ["ArrowDown", "ArrowRight", "End"]),
    ],
)
def test_pointing_sends_nothing_and_switching_says_only_where_it_ended(
    open_page: Visit, query: str, keys: list[str]
) -> None:
    page = open_page(query)
    view = query.partition("=")[2].partition("&")[0]
    sent = messages_of(page)
    canvas = part(page, f"canvas-{view}")
    canvas.focus()
    until(page, "() => document.fonts.status === 'loaded'")
    before = len(sent)
    for key in keys:
        canvas.press(key)
    canvas.hover(position={"x": 60, "y": 60})
    assert len(sent) == before
    # Ten switches in one go, and only the place where they ended is told.
    name = {"glance": "order", "arcs": "layer", "query-key": "layer"}[view]
    canvas.evaluate(
        """(canvas, name) => {
          const button = (n) => canvas.getRootNode().querySelector(`[data-testid=hv-${name}-${n}]`);
          for (let n = 0; n < 10; n++) button(1 + ((n + 1) % 2)).click();
          button(1).click();
          button(2).click();
        }""",
        name,
    )
    page.wait_for_url(re.compile("order=score" if view == "glance" else "layer=2"))
    assert len(sent) - before <= 2


def test_of_many_arcs_the_legend_says_which_are_a_haze(open_page: Visit) -> None:
    page = open_page("?model=zh-en&view=arcs&module=encoder_self&layer=1&source=" + quote("我们在图书馆里学习。" * 6))
    expect(part(page, "legend")).to_contain_text("those below 0.15 are drawn together")
    part(page, "threshold").fill("30")
    expect(part(page, "hidden")).to_contain_text("0.0900: hides")
    expect(part(page, "legend")).to_have_text("an arc's opacity is its attention weight")


def test_words_without_sinks_are_renormalised_and_say_so(open_page: Visit) -> None:
    text = "Hello wonderful world!"
    page = open_page("?model=zh-en&view=arcs&module=cross&layer=1&token=q1&source=" + quote(text))
    expect(part(page, "notes")).to_be_hidden()
    open_more(page)
    page.get_by_text("Hide start, end and punctuation as keys").click()
    expect(part(page, "notes")).to_contain_text("the rest of each row is divided by its sum")
    page.wait_for_url(re.compile("nosinks=1"))
    record = vt.load("zh-en", "cpu").trace(text).attention("cross", 0)
    kept = hide_keys(record.weights, is_sink(record.key_tokens))
    rows = table(page, "arcs")
    shown = np.array([[number(cell) for cell in row[1:]] for row in rows[1:]])
    np.testing.assert_allclose(shown, kept.weights[:, 0].T, atol=6e-5)
    np.testing.assert_allclose(shown.sum(axis=0), 1, atol=1e-3)
    page.get_by_text("Merge subwords into words").click()
    expect(part(page, "notes")).to_contain_text("averaged as queries")
    expect(part(page, "table-arcs").locator("tbody tr")).to_have_count(3)
    assert [row[0].split(maxsplit=1)[1] for row in table(page, "arcs")[1:]] == ["Hello", "wonderful", "world"]


@pytest.mark.parametrize("view", ["arcs", "query-key"])
def test_a_long_text_fits_the_screen_and_is_read_by_zooming_in(open_page: Visit, view: str) -> None:
    text = quote("我们在图书馆里学习。" * 20)
    page = open_page(f"?model=zh-en&view={view}&module=encoder_self&layer=1&source={text}")
    canvas = part(page, f"canvas-{view}")
    fits = "canvas => canvas.getBoundingClientRect().bottom <= innerHeight"
    assert canvas.evaluate(fits)
    assert data(page, view, "row")[0] < 8
    part(page, "zoom").fill("100")
    assert data(page, view, "row") == [26]
    window = canvas.locator("xpath=..")
    assert window.evaluate("window => window.getBoundingClientRect().bottom <= innerHeight")
    assert window.evaluate("window => window.scrollHeight > 4 * window.clientHeight")


@pytest.mark.parametrize("view", ["glance", "arcs", "query-key"])
def test_a_picture_begins_on_the_first_screen_and_stays_where_it_is(open_page: Visit, view: str) -> None:
    page = open_page(f"?model=zh-en&view={view}")
    canvas = part(page, f"canvas-{view}")
    before = canvas.bounding_box()
    assert before is not None
    assert before["y"] <= 200
    assert before["y"] + before["height"] <= page.evaluate("innerHeight")
    for key in ("2", "3", "Escape"):
        canvas.press(key)
    after = canvas.bounding_box()
    assert after is not None
    assert [after[edge] for edge in ("x", "y", "height")] == [before[edge] for edge in ("x", "y", "height")]
    assert part(page, "reads").inner_text().endswith(".")


def test_writing_world_an_arc_goes_from_world(open_page: Visit) -> None:
    page = open_page("?model=zh-en&view=arcs&token=q3")
    trace = vt.load("zh-en", "cpu").trace("你好,世界!")
    weights = trace.attention("cross", 1).weights[:, 2]
    head, key = np.unravel_index(weights.argmax(), weights.shape)
    said = f"writing «{trace.predicted_tokens[2]}», head {head + 1} puts {100 * weights.max():.0f} % of its weight on"
    expect(part(page, "reads")).to_contain_text(f"{said} «{trace.source_tokens[key]}»")
    assert trace.predicted_tokens[2] == "world"


@pytest.mark.parametrize("view", ["glance", "arcs", "query-key"])
def test_tokens_that_look_like_markup_are_shown_as_they_are(open_page: Visit, view: str) -> None:
    text = "<b>x</b> $x$ <s> 007 👋"
    page = open_page(f"?model=zh-en&view={view}&module=encoder_self&layer=1&open=1&source=" + quote(text))
    tokens = vt.load("zh-en", "cpu").trace(text).source_tokens
    if view == "glance":
        part(page, "table-toggle-encoder_self").click()
        labels = part(page, "table-encoder_self").locator("tbody th").all_inner_texts()
    else:
        labels = [row[0] for row in table(page, view)[1:]]
    assert [label.split(" ", 1)[1] for label in labels] == list(tokens)
    assert page.locator("b", has_text="x").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_cut_off_on_a_phone(open_page: Visit, scheme: str) -> None:
    for view in ("glance", "arcs", "query-key"):
        page = open_page(f"?view={view}&open=1", width=390, height=844, scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        canvas = part(page, f"canvas-{view}")
        assert canvas.evaluate("canvas => canvas.closest('.scroller').getBoundingClientRect().right") <= 390
        if view != "query-key":  # which scrolls sideways
            assert canvas.evaluate("canvas => canvas.getBoundingClientRect().right") <= 390
