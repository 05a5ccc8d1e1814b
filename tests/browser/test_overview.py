"""The Overview page, used as a person would."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

import viz_transformer as vt
from tests.browser.helpers import go_to, open_box, query_of
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
    """In the open field of the first line."""
    field = page.get_by_role("textbox", name="Source")
    field.fill(text)
    field.press("Enter")


def enlarge(page: Page, module: str) -> Locator:
    """Brings a module to the large place → its canvas."""
    small = page.get_by_test_id(f"tv-show-{module}")
    canvas = page.get_by_test_id(f"tv-matrix-{module}")
    expect(small.or_(canvas)).to_have_count(1)
    if small.count():
        small.click()
    expect(canvas).to_be_visible()
    return canvas


def point_at(page: Page, module: str, query: int, key: int) -> str:
    """Moves the mouse over a cell, counted from 0, and returns what the readout says."""
    canvas = enlarge(page, module)
    canvas.scroll_into_view_if_needed()
    left, top, cell = (float(canvas.get_attribute(f"data-{name}") or "nan") for name in ("left", "top", "cell"))
    canvas.hover(position={"x": left + (key + 0.5) * cell, "y": top + (query + 0.5) * cell})
    return page.get_by_test_id(f"tv-readout-{module}").inner_text()


def test_a_newcomer_finds_a_worked_example_on_the_screen(visit: Visit, translator: vt.Translator) -> None:
    page = visit()
    expect(page.get_by_role("textbox", name="Source")).to_have_value("你好,世界!")
    expect(output(page)).to_have_text(translator.translate("你好,世界!"))
    expect(page.get_by_test_id("tv-matrix-cross")).to_be_visible()
    for module in ("encoder_self", "decoder_self"):
        expect(page.get_by_test_id(f"tv-show-{module}")).to_be_visible()
        expect(page.get_by_test_id(f"tv-small-{module}")).to_be_visible()
    expect(page.get_by_test_id("tv-bars")).to_contain_text("world")
    expect(page.get_by_role("group", name="Output: click a word").get_by_role("button")).to_have_text(
        ["Hello", ",", "world", "!", "</s>"]
    )
    expect(page.get_by_test_id("tv-sentence")).to_have_text(
        "While writing world, this head puts 98 % of its weight on 世界."
    )
    expect(page.get_by_role("list").first.get_by_role("listitem").first).to_have_css("border-style", "solid")


@pytest.mark.parametrize("path", ["", "overview"])
def test_a_first_visit_runs_the_script_once_and_loads_each_file_once_and_none_for_a_closed_box(
    browser: Browser, app_url: str, path: str
) -> None:
    page = browser.new_page()  # with an empty cache
    files: list[str] = []
    runs: list[int] = []

    def hear(frame: str | bytes) -> None:
        message = ForwardMsg.FromString(frame) if isinstance(frame, bytes) else ForwardMsg()
        if message.WhichOneof("type") == "script_finished":
            runs.append(message.script_finished)

    page.on("request", lambda request: files.append(urlsplit(request.url).path))
    page.on("websocket", lambda socket: socket.on("framereceived", hear))
    page.goto(f"{app_url}/{path}")
    expect(page.locator("canvas:visible, figure:visible").first).to_be_visible()
    page.wait_for_load_state("networkidle")
    ours = [re.sub(r"-[0-9a-f]+", "", file).rpartition("/")[2] for file in files if "bidi-components" in file]
    assert ours == ["panels.js"]
    assert [file for file in files if file.endswith("/health")] == ["/_stcore/health"]  # the server is found at once
    assert not [file for file in files if re.search("vega|plotly|katex", file, re.IGNORECASE)]
    assert runs == [ForwardMsg.FINISHED_SUCCESSFULLY]
    if path:
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
    box = open_box(page).get_by_role("textbox", name="Target (optional)")
    box.fill("Good morning, world!")
    box.press("Control+Enter")
    trace = translator.trace("你好,世界!", "Good morning, world!")
    expect(page.get_by_test_id("tv-step-text")).to_contain_text(f"of {len(trace.target_tokens)}")
    expect(output(page)).to_have_text(translator.translate("你好,世界!"))  # its own output is still named
    page.keyboard.press("Escape")
    page.get_by_test_id("tv-last").click()
    page.get_by_test_id("tv-first").click()
    expect(page.get_by_test_id("tv-bars")).to_contain_text("given")
    layer, head = translator.card["opens_with"]
    weight = trace.attention("cross", layer).weights[head, 1, 3]
    assert point_at(page, "cross", 1, 3).endswith(f"weight {weight:.4f}")


def test_every_shipped_model_opens_with_its_own_example(visit: Visit) -> None:
    for name in vt.shipped_models():
        page = visit(f"?model={name}")
        wait_for_matrices(page)
        field = page.get_by_role("textbox", name="Source")
        expect(field).to_have_value(re.compile(r"\S"))  # Streamlit fills it a moment after it is there
        source = field.input_value()
        expect(output(page)).to_have_text(vt.load(name, "cpu").translate(source))


def test_another_model_is_chosen_by_hand(visit: Visit) -> None:
    page = visit()
    wait_for_matrices(page)
    open_box(page).get_by_role("combobox", name=re.compile("Model")).click()
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
        "model": "zh-en", "source": "我爱你。", "module": "cross", "layer": "1", "head": "3", "step": "2", "cell": "",
    }  # fmt: skip
    assert len(page.url) < 2000

    again = visit("?" + urlsplit(page.url).query)
    wait_for_matrices(again)
    expect(again.get_by_test_id("tv-readout-cross")).to_have_text(seen)
    expect(again.get_by_test_id("tv-step-text")).to_contain_text("step 2 of")
    expect(again.get_by_test_id("tv-head-3")).to_have_attribute("aria-pressed", "true")
    expect(again.get_by_test_id("tv-layer-1")).to_have_attribute("aria-pressed", "true")


def test_improbable_words_are_tinted_until_a_click_on_the_legend(visit: Visit, translator: vt.Translator) -> None:
    source = "世界上没有两片相同的叶子。"
    trace = translator.trace(source)
    probabilities = np.exp(trace.token_log_probs)
    page = visit("?source=" + quote(source))
    wait_for_matrices(page)
    words = [page.get_by_test_id(f"tv-word-{n + 1}") for n in range(len(probabilities))]
    shares = [float(word.evaluate("word => word.style.getPropertyValue('--share')")) for word in words]
    assert np.allclose(shares, 1 - probabilities, atol=1e-6)
    legend = page.get_by_test_id("tv-tint")
    doubtful = words[int(probabilities.argmin())]
    colour = "word => getComputedStyle(word).backgroundColor"
    tinted = doubtful.evaluate(colour)
    legend.click()
    page.wait_for_url(re.compile("tinted=0"))
    assert doubtful.evaluate(colour) != tinted
    page.reload()
    wait_for_matrices(page)
    expect(legend).to_have_attribute("aria-pressed", "false")
    legend.click()
    expect(legend).to_have_attribute("aria-pressed", "true")
    assert doubtful.evaluate(colour) == tinted


@pytest.mark.parametrize("query", ["?layer=99&head=-3&step=abc&cell=7", "?model=nonsense&module=x&cell=900-900&step=0"])
def test_a_wrong_link_gives_a_right_page(visit: Visit, query: str) -> None:
    page = visit(query)
    wait_for_matrices(page)
    expect(page.get_by_test_id("tv-step-text")).to_contain_text("is writing")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "The source text is empty"),
        ("   \t ", "The source text is empty"),
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


def test_a_text_of_several_lines_stays_as_it_is(visit: Visit, translator: vt.Translator) -> None:
    page = visit("?source=" + quote("   \n "))
    expect(page.get_by_role("alert")).to_contain_text("The source text is empty")
    field = page.get_by_role("textbox", name="Source")
    expect(field).to_have_value("   \n ")
    field.fill("我爱你。\n谢谢你。")
    field.press("Control+Enter")
    expect(output(page)).to_have_text(translator.translate("我爱你。\n谢谢你。"))
    expect(field).to_have_value("我爱你。\n谢谢你。")
    assert query_of(page)["source"] == "我爱你。\n谢谢你。"


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
    assert "".join(shown[:-1]) == "".join(text.split()).replace("\u202e", "")  # which nobody sees, and no model reads
    assert shown[-1] == "</s>"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_cut_off_on_a_phone(visit: Visit, scheme: str) -> None:
    page = visit("?model=reverse", width=390, height=844, scheme=scheme)
    wait_for_matrices(page)
    for module in LABELS:
        box = enlarge(page, module).bounding_box()
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
    page = visit("?source=" + quote("我爱你。") + "&layer=2&head=1&step=99")  # at the last step, where no row is faint
    wait_for_matrices(page)
    trace = translator.trace("我爱你。")
    for layer, head in ((1, 0), (1, 2), (0, 2)):
        page.get_by_test_id(f"tv-layer-{layer + 1}").click()
        page.get_by_test_id(f"tv-head-{head + 1}").click()
        for module in LABELS:
            record = trace.attention(module, layer)
            canvas = enlarge(page, module)
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
    shown = cell_colours(enlarge(page, "encoder_self"), encoder.mask.shape)
    assert np.abs(shown - colours_of(encoder.weights[0], 0, 1, SEQUENTIAL)).max() <= 3  # its rows are no steps


def test_a_word_is_clicked_and_the_sentence_reads_what_the_head_did(visit: Visit, translator: vt.Translator) -> None:
    page = visit("?source=" + quote("我爱你。") + "&layer=2&head=1")
    wait_for_matrices(page)
    trace = translator.trace("我爱你。")
    for step, written in enumerate(trace.predicted_tokens):
        page.get_by_test_id(f"tv-word-{step + 1}").click()
        for module, key in (("cross", trace.source_tokens), ("decoder_self", trace.target_tokens)):
            enlarge(page, module)
            row = trace.attention(module, 1).weights[0, step]
            share = f"{100 * row.max():.0f} %"
            said = page.get_by_test_id("tv-sentence")
            expect(said).to_contain_text(re.compile(f"^While writing {re.escape(written)}, this head puts "))
            if row.max() >= 0.5 and share != "100 %":
                expect(said).to_contain_text(f"{share} of its weight on {key[int(row.argmax())]}")
        expect(page.get_by_test_id("tv-step-text")).to_contain_text(f"step {step + 1} of")
    expect(page.get_by_test_id(f"tv-word-{len(trace.predicted_tokens)}")).to_have_attribute("aria-pressed", "true")


def test_the_words_and_the_modules_are_chosen_with_the_keyboard(visit: Visit) -> None:
    page = visit("?step=1")
    wait_for_matrices(page)
    page.get_by_test_id("tv-word-1").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("tv-word-3")).to_be_focused()
    expect(page.get_by_test_id("tv-step-text")).to_contain_text("is writing «world»")
    page.get_by_test_id("tv-show-encoder_self").focus()
    page.keyboard.press("Enter")
    canvas = page.get_by_test_id("tv-matrix-encoder_self")
    expect(canvas).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("tv-readout-encoder_self")).to_contain_text("key 2")


def test_nothing_moves_when_another_word_head_or_module_is_chosen(visit: Visit) -> None:
    page = visit("", width=1280, height=720)
    wait_for_matrices(page)
    expect(page.get_by_test_id("output")).to_be_visible()

    def places() -> list[float]:
        parts = ["tv-word-1", "tv-sentence", "tv-layer-1", "tv-step", "tv-bars", "tv-legend", "output"]
        boxes = [page.get_by_test_id(part).bounding_box() for part in parts]
        return [round(side) for box in boxes if box for side in (box["x"], box["y"])]

    before = places()
    for press in ("tv-word-5", "tv-head-1", "tv-layer-1", "tv-show-encoder_self", "tv-show-decoder_self", "tv-word-1"):
        page.get_by_test_id(press).click()
        assert places() == before, press


@pytest.mark.parametrize(("width", "height", "most"), [(1280, 720, 200), (390, 844, 330)])
def test_the_picture_is_on_the_first_screen(visit: Visit, width: int, height: int, most: int) -> None:
    page = visit("", width=width, height=height)
    wait_for_matrices(page)
    box = page.get_by_test_id("tv-matrix-cross").bounding_box()
    assert box is not None
    assert box["y"] <= most
    assert box["y"] + box["height"] <= height


def test_the_texts_and_the_head_come_along_to_other_pages_and_back(visit: Visit, translator: vt.Translator) -> None:
    page = visit("?source=" + quote("我爱你。"))
    wait_for_matrices(page)
    page.get_by_test_id("tv-layer-1").click()
    page.get_by_test_id("tv-head-3").click()
    page.wait_for_url(re.compile("head=3"))
    shown = {"source": "我爱你。", "module": "cross", "layer": "1", "head": "3"}
    go_to(page, "attention")
    expect(page.get_by_role("button", name="3", exact=True)).to_have_attribute("aria-pressed", "true")
    assert shown.items() <= query_of(page).items()
    go_to(page, "scaling")
    page.wait_for_url(re.compile("scaling"))
    expect(page.get_by_role("radio").first).to_be_visible()
    go_to(page, "heads")
    page.wait_for_url(re.compile("heads.*head=3"))
    assert shown.items() <= query_of(page).items()
    go_to(page, "overview")
    wait_for_matrices(page)
    expect(page.get_by_test_id("tv-head-3")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_test_id("tv-layer-1")).to_have_attribute("aria-pressed", "true")
    expect(output(page)).to_have_text(translator.translate("我爱你。"))
    assert shown.items() <= query_of(page).items()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_main_button_can_be_read(visit: Visit, scheme: str) -> None:
    page = visit("", scheme=scheme)
    wait_for_matrices(page)
    button = open_box(page).get_by_role("button", name="Run")
    painted = button.evaluate(
        """button => [getComputedStyle(button.querySelector("p")).color, getComputedStyle(button).backgroundColor]
        .map((colour) => {
          const context = new OffscreenCanvas(1, 1).getContext("2d");
          context.fillStyle = colour;
          context.fillRect(0, 0, 1, 1);
          return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
        })"""
    )
    share = np.array(painted) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    darker, lighter = sorted(linear @ [0.2126, 0.7152, 0.0722])
    assert (lighter + 0.05) / (darker + 0.05) >= 4.5  # WCAG 2.2, 1.4.3
