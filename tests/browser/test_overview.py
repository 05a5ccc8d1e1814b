"""The Overview page, used as a person would."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

import viz_transformer as vt
from tests.browser.helpers import query_of
from tests.browser.pixels import SEQUENTIAL, cell_colours, colours_of

Visit = Callable[..., Page]

LABELS = {
    "cross": "Cross-attention",
    "encoder_self": "Encoder self-attention",
    "decoder_self": "Decoder self-attention",
}


@pytest.fixture(scope="module")
def translator() -> vt.Translator:
    return vt.load("zh-en", "cpu")


def output(page: Page):
    return page.get_by_test_id("output")


def wait_for_matrices(page: Page) -> None:
    expect(page.get_by_test_id("tv-matrix-cross")).to_be_visible()


def type_source(page: Page, text: str) -> None:
    box = page.get_by_role("textbox", name="Source")
    box.fill(text)
    box.press("Control+Enter")


def point_at(page: Page, module: str, query: int, key: int) -> str:
    """Moves the mouse over a cell, counted from 0, and returns what the readout says."""
    canvas = page.get_by_test_id(f"tv-matrix-{module}")
    canvas.scroll_into_view_if_needed()
    left, top, cell = (float(canvas.get_attribute(f"data-{name}") or "nan") for name in ("left", "top", "cell"))
    canvas.hover(position={"x": left + (key + 0.5) * cell, "y": top + (query + 0.5) * cell})
    return page.get_by_test_id(f"tv-readout-{module}").inner_text()


def test_a_newcomer_finds_a_worked_example_on_the_screen(visit: Visit, translator: vt.Translator) -> None:
    page = visit()
    expect(page.get_by_role("textbox", name="Source")).to_have_value("你好,世界!")
    expect(output(page)).to_have_text(translator.translate("你好,世界!"))
    for module in LABELS:
        expect(page.get_by_test_id(f"tv-matrix-{module}")).to_be_visible()
    expect(page.get_by_test_id("tv-bars")).to_contain_text("</s>")
    expect(page.get_by_role("list").first.get_by_role("listitem").first).to_have_css("border-style", "solid")


def test_a_first_visit_runs_the_script_once_and_loads_nothing_for_a_closed_box(browser: Browser, app_url: str) -> None:
    page = browser.new_page()  # with an empty cache
    files: list[str] = []
    runs: list[int] = []

    def hear(frame: str | bytes) -> None:
        message = ForwardMsg.FromString(frame) if isinstance(frame, bytes) else ForwardMsg()
        if message.WhichOneof("type") == "script_finished":
            runs.append(message.script_finished)

    page.on("request", lambda request: files.append(urlsplit(request.url).path))
    page.on("websocket", lambda socket: socket.on("framereceived", hear))
    page.goto(app_url)
    wait_for_matrices(page)
    page.wait_for_load_state("networkidle")
    assert any("trace_view" in file for file in files)
    assert not [file for file in files if re.search("vega|plotly|katex", file, re.IGNORECASE)]
    assert runs == [ForwardMsg.FINISHED_SUCCESSFULLY]
    page.get_by_text("About this model").click()
    expect(page.get_by_test_id("stVegaLiteChart")).to_be_visible()
    expect(page.get_by_test_id("tv-matrix-cross")).to_be_visible()
    page.close()


def test_a_typed_sentence_shows_its_translation_and_the_recorded_weights(
    visit: Visit, translator: vt.Translator
) -> None:
    text = "我今天很高兴。"
    page = visit()
    wait_for_matrices(page)
    type_source(page, text)
    trace = translator.trace(text)
    expect(output(page)).to_have_text(translator.decode(trace))
    assert translator.decode(trace) == translator.translate(text)
    expect(page.get_by_test_id("tv-step-text")).to_contain_text(f"of {len(trace.target_tokens)}")
    page.get_by_test_id("tv-layer-2").click()
    page.get_by_test_id("tv-head-2").click()
    for module in LABELS:
        record = trace.attention(module, 1)
        for query, key in ((0, 0), (2, 1), (record.weights.shape[1] - 1, 0)):
            weight = record.weights[1, query, key]
            assert point_at(page, module, query, key).endswith(f"weight {weight:.4f}"), (module, query, key)
    masked = point_at(page, "decoder_self", 0, 1)
    assert "masked" in masked
    assert trace.attention("decoder_self", 1).weights[1, 0, 1] == 0


def test_steps_are_taken_in_the_browser_and_name_what_is_read_and_predicted(
    visit: Visit, translator: vt.Translator
) -> None:
    page = visit("?step=1")
    wait_for_matrices(page)
    trace = translator.trace("你好,世界!")
    for step in range(len(trace.target_tokens)):
        text = page.get_by_test_id("tv-step-text")
        read, predicted = trace.target_tokens[step], trace.predicted_tokens[step]
        expect(text).to_contain_text(f"has read «{read}», is writing «{predicted}»")
        probability = f"{float(pow(2.718281828459045, trace.token_log_probs[step])):.4f}"
        expect(page.get_by_test_id("tv-bars")).to_contain_text(probability)
        if step + 1 < len(trace.target_tokens):
            page.get_by_test_id("tv-next").click()
    expect(page.get_by_test_id("tv-next")).to_be_disabled()


def test_a_given_target_is_what_the_decoder_reads(visit: Visit, translator: vt.Translator) -> None:
    page = visit()
    wait_for_matrices(page)
    box = page.get_by_role("textbox", name="Target (optional)")
    box.fill("Good morning, world!")
    box.press("Control+Enter")
    trace = translator.trace("你好,世界!", "Good morning, world!")
    expect(page.get_by_test_id("tv-step-text")).to_contain_text(f"of {len(trace.target_tokens)}")
    expect(output(page)).to_have_text(translator.translate("你好,世界!"))  # its own output is still named
    page.get_by_test_id("tv-first").click()
    expect(page.get_by_test_id("tv-bars")).to_contain_text("given")
    layer, head = translator.card["opens_with"]
    weight = trace.attention("cross", layer).weights[head, 1, 3]
    assert point_at(page, "cross", 1, 3).endswith(f"weight {weight:.4f}")


def test_every_shipped_model_opens_with_its_own_example(visit: Visit) -> None:
    for name in vt.shipped_models():
        page = visit(f"?model={name}")
        wait_for_matrices(page)
        source = page.get_by_role("textbox", name="Source").input_value()
        expect(output(page)).to_have_text(vt.load(name, "cpu").translate(source))


def test_another_model_is_chosen_by_hand(visit: Visit) -> None:
    page = visit()
    wait_for_matrices(page)
    page.get_by_role("combobox", name=re.compile("Model")).click()
    page.get_by_role("option", name="reverse").click()
    expect(output(page)).to_have_text("6 2 9 5 1 4 1 3")
    assert query_of(page)["model"] == "reverse"


def test_the_link_holds_the_whole_view(visit: Visit, translator: vt.Translator) -> None:
    page = visit("?source=" + quote("我爱你。"))
    wait_for_matrices(page)
    page.get_by_test_id("tv-layer-1").click()
    page.get_by_test_id("tv-head-3").click()
    page.get_by_test_id("tv-first").click()
    page.get_by_test_id("tv-next").click()
    canvas = page.get_by_test_id("tv-matrix-cross")
    canvas.focus()
    for key in ("Home", "ArrowDown", "ArrowRight", "Enter"):
        canvas.press(key)
    page.wait_for_url(re.compile("cell="))
    seen = page.get_by_test_id("tv-readout-cross").inner_text()
    assert query_of(page) | {"cell": ""} == {
        "source": "我爱你。", "module": "cross", "layer": "1", "head": "3", "step": "2", "cell": "",
    }  # fmt: skip
    assert len(page.url) < 2000

    again = visit("?" + urlsplit(page.url).query)
    wait_for_matrices(again)
    expect(again.get_by_test_id("tv-readout-cross")).to_have_text(seen)
    expect(again.get_by_test_id("tv-step-text")).to_contain_text("step 2 of")
    expect(again.get_by_test_id("tv-head-3")).to_have_attribute("aria-pressed", "true")
    expect(again.get_by_test_id("tv-layer-1")).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize("query", ["?layer=99&head=-3&step=abc&cell=7", "?model=nonsense&module=x&cell=900-900&step=0"])
def test_a_wrong_link_gives_a_right_page(visit: Visit, query: str) -> None:
    page = visit(query)
    wait_for_matrices(page)
    expect(page.get_by_test_id("tv-step-text")).to_contain_text("is writing")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "The source text is empty"),
        ("   \n ", "The source text is empty"),
        ("我" * 200, "has 200 tokens, and this model reads at most 127"),
    ],
)
def test_a_text_that_cannot_be_read_gets_a_sentence_and_stays(visit: Visit, text: str, sentence: str) -> None:
    page = visit()
    wait_for_matrices(page)
    type_source(page, text)
    expect(page.get_by_role("alert")).to_contain_text(sentence)
    expect(page.get_by_role("textbox", name="Source")).to_have_value(text)
    type_source(page, "我爱你。")
    wait_for_matrices(page)
    expect(page.get_by_role("alert")).to_have_count(0)


def test_unknown_characters_are_named(visit: Visit) -> None:
    page = visit("?source=" + quote("我爱𰻝和👋。"))
    wait_for_matrices(page)
    note = page.get_by_role("status").filter(has_text="never seen")
    expect(note).to_contain_text("𰻝")
    expect(note).to_contain_text("👋")


@pytest.mark.parametrize("text", ["<s> $x$ </s>", "<img src=x onerror=alert(1)>", "**猫** :red[狗] `x`", "مرحبا ‮abc"])
def test_typed_text_is_data_and_never_markup(visit: Visit, text: str) -> None:
    page = visit("?source=" + quote(text) + "&target=" + quote(text))
    wait_for_matrices(page)
    assert page.locator("img[src=x]").count() == 0
    expect(page.get_by_role("textbox", name="Source")).to_have_value(text)
    tokens = page.get_by_role("list", name="Source tokens, as the encoder reads them").get_by_role("listitem")
    shown = [token.locator("bdi").inner_text() for token in tokens.all()]
    assert "".join(shown[:-1]) == "".join(text.split())
    assert shown[-1] == "</s>"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_cut_off_on_a_phone(visit: Visit, scheme: str) -> None:
    page = visit("?model=reverse", width=390, height=844, scheme=scheme)
    wait_for_matrices(page)
    for module in LABELS:
        box = page.get_by_test_id(f"tv-matrix-{module}").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_longest_text_is_shown_whole(visit: Visit, translator: vt.Translator) -> None:
    text = "我爱图书馆" * 42 + "。"
    assert len(translator.encode_source(text).ids) == translator.max_tokens
    page = visit("?source=" + quote(text) + "&target=" + quote("I love you. " * 30))
    wait_for_matrices(page)
    layer, head = translator.card["opens_with"]
    weight = translator.trace(text, "I love you. " * 30).attention("cross", layer).weights[head, 5, 3]
    assert point_at(page, "cross", 5, 3).endswith(f"weight {weight:.4f}")
    expect(page.get_by_text("The link to this view has")).to_be_visible()


def test_two_visitors_do_not_see_each_other(visit: Visit, translator: vt.Translator) -> None:
    _layer, head = translator.card["opens_with"]
    other = 1 if head else 2  # counts from 1
    one, two = visit("?source=" + quote("我爱你。")), visit("?source=" + quote("谢谢你。") + f"&head={other}")
    wait_for_matrices(one)
    wait_for_matrices(two)
    expect(one.get_by_test_id("output")).to_have_text(translator.translate("我爱你。"))
    expect(two.get_by_test_id("output")).to_have_text(translator.translate("谢谢你。"))
    expect(one.get_by_test_id(f"tv-head-{head + 1}")).to_have_attribute("aria-pressed", "true")
    expect(two.get_by_test_id(f"tv-head-{other}")).to_have_attribute("aria-pressed", "true")


def test_every_cell_on_the_screen_has_the_colour_of_its_recorded_weight(
    visit: Visit, translator: vt.Translator
) -> None:
    page = visit("?source=" + quote("我爱你。") + "&layer=2&head=1")  # at the last step, where no row is faint
    wait_for_matrices(page)
    trace = translator.trace("我爱你。")
    for layer, head in ((1, 0), (1, 2), (0, 2)):
        page.get_by_test_id(f"tv-layer-{layer + 1}").click()
        page.get_by_test_id(f"tv-head-{head + 1}").click()
        for module in LABELS:
            record = trace.attention(module, layer)
            canvas = page.get_by_test_id(f"tv-matrix-{module}")
            expect(canvas).to_have_attribute("aria-label", re.compile(f"layer {layer + 1}, head {head + 1}"))
            weights = record.weights[head]
            off = np.abs(cell_colours(canvas, weights.shape) - colours_of(weights, 0, 1, SEQUENTIAL)).max(axis=-1)
            assert (off[record.mask] <= 3).all(), (module, layer, head)


def test_the_rows_after_the_step_are_faint_and_those_up_to_it_are_not(visit: Visit, translator: vt.Translator) -> None:
    page = visit("?source=" + quote("我爱你。") + "&layer=2&head=1&step=2")
    wait_for_matrices(page)
    record = translator.trace("我爱你。").attention("cross", 1)
    expected = colours_of(record.weights[0], 0, 1, SEQUENTIAL)
    off = np.abs(cell_colours(page.get_by_test_id("tv-matrix-cross"), record.mask.shape) - expected).max(axis=-1)
    assert (off[:2] <= 3).all()
    assert (off[2:] > 20).all()
    encoder = translator.trace("我爱你。").attention("encoder_self", 1)
    shown = cell_colours(page.get_by_test_id("tv-matrix-encoder_self"), encoder.mask.shape)
    assert np.abs(shown - colours_of(encoder.weights[0], 0, 1, SEQUENTIAL)).max() <= 3  # its rows are no steps
