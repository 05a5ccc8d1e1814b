"""What a person saves of a view: a picture with the letters and shapes of the page, and its numbers as a table."""

from __future__ import annotations

import base64
import csv
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Locator, Page, expect

import viz_transformer as vt

Visit = Callable[..., Page]
DIGITS = "3 1 4 1 5"
CHINESE = "我爱你。"
COPY = f"model=copy&source={quote(DIGITS)}"
ZH_EN = f"model=zh-en&source={quote(CHINESE)}"

# View -> its page, its button, the name of its files, texts that its picture has, whether it has numbers.
VIEWS: dict[str, tuple[str, str, str, tuple[str, ...], bool]] = {
    "matrix": (
        f"attention?{COPY}&module=cross&layer=2&head=1&stage=scores",
        "mv-save-scores",
        "matrix-scores",
        ("<s>", "3", "</s>", "Module Cross, Layer 2, Head 1", "← query: has read", "key: source token →", "score"),
        True,
    ),
    "trace": (
        f"overview?{ZH_EN}&layer=1&head=2",
        "tv-save-cross",
        "cross-layer1-head2",
        ("<s>", "</s>", "我", "爱", "Cross-attention", "layer 1, head 2", "attention weight", "0.5", "this step"),
        True,
    ),
    "glance": (
        f"heads?{COPY}&view=glance&score=entropy",
        "hv-save-glance",
        "all-heads",
        ("Cross-attention", "layer 2", "head 4", "attention weight", "masked"),
        True,
    ),
    "arcs": (
        f"heads?{ZH_EN}&view=arcs&module=cross&layer=1",
        "hv-save-arcs",
        "arcs-cross-layer1",
        (
            "<s>",
            "</s>",
            "爱",
            "Cross-attention, Layer 1, Heads 1, 2, 3, 4",
            "head 3",
            "is writing",
            "key: source token",
        ),
        True,
    ),
    "query-key": (
        f"heads?{COPY}&view=query-key&module=cross&layer=2&head=3",
        "hv-save-query-key",
        "query-key-cross-layer2-head3-query1",
        ("</s>", "Cross-attention, Layer 2, head 3", "÷ √16", "weight", "q × k", "attention weight"),
        True,
    ),
    "lens": (
        f"heads?{COPY}&view=lens&lens=1-2",
        "ll-save",
        "logit-lens",
        ("Logit lens", "<s>", "</s>", "has read", "is written", "layer 1", "probability of the token that is shown"),
        True,
    ),
    "knock-out": (f"heads?{COPY}&view=knock-out", "ko-save", "knock-out", ("head 1", "cross 2", "decoder 1"), True),
    "tree": (
        f"decoding?{ZH_EN}&beam=3&zoom=2",
        "dc-save",
        "beam-search",
        ("start", "</s>", "love", "pruned", "the greedy path"),
        True,
    ),
    "kernel": (
        "why_attention?model=copy&lesson=lookup&points=10&seed=3",
        "ke-save",
        "kernel",
        ("Attention matrix", "y: value", "query x", "key: point, in order of x →", "weight"),
        True,
    ),
    "paths": (
        "why_attention?model=copy&lesson=paths&drawn=8",
        "pa-save",
        "paths",
        ("Self-attention", "Recurrent", "outputs above, inputs below"),
        False,
    ),
    "architecture": (f"architecture?{COPY}", "ar-save", "architecture", ("Softmax", "2 ×", "6 × 64", "+"), False),
    "plot": (
        "scaling?lesson=lengths&d=64&draws=1000",
        "pv-save-lengths",
        "plot-lengths",
        ("0",),
        True,
    ),
    "film": (
        "training",
        "fv-save",
        "training-run",
        ("training step", "loss", "100 %", "token accuracy", "held-out loss"),
        True,
    ),
}

# -> the page's own font, in base64: the picture is opened where that font is not installed
_FONT = """
async () => {
    const entry = performance.getEntriesByType("resource").find(({ name }) => /SourceSansVF-Upright.*woff2/.test(name));
    const bytes = new Uint8Array(await (await fetch(entry.name)).arrayBuffer());
    return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ""));
}
"""
_DRAWN = """
async ([svg, width, height]) => {
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0, width, height);
    await new Promise((done) => setTimeout(done, 100)); // the letters of a picture are there a moment after it
    context.drawImage(image, 0, 0, width, height);
    return canvas.toDataURL().split(",")[1];
}
"""
BLOCK = 24  # device pixels


def shown(page: Page, test_id: str) -> Locator:
    """A part of the view that is shown, not of a stage that is painted for later."""
    return page.locator(f".view [data-testid='{test_id}']:not(.away *)")


def opened(visit: Visit, name: str, **options: Any) -> tuple[Page, Locator]:
    """The page of a view, and its button."""
    query, test_id, *_ = VIEWS[name]
    page = visit(query, **options)
    button = shown(page, test_id)
    expect(button).to_be_visible()
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
    return page, button


def saved(page: Page, button: Locator, kind: str) -> tuple[str, bytes]:
    """The file that an item of the menu saves, and its name."""
    button.click()
    item = shown(page, f"{button.get_attribute('data-testid')}-{kind}")
    with page.expect_download() as download:
        item.click()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def pixels(png: bytes) -> NDArray[np.float64]:
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), dtype=np.float64)


def drawn(page: Page, svg: str, height: int, width: int, font: str) -> NDArray[np.float64]:
    """The SVG opened as a picture, with the letters of the page."""
    face = f"@font-face{{font-family:'Source Sans';font-weight:200 900;src:url(data:font/woff2;base64,{font})}}"
    return pixels(base64.b64decode(page.evaluate(_DRAWN, [svg.replace("<style>", f"<style>{face}", 1), width, height])))


def worst_block(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """How far the mean colours of two pictures are apart, of 255, where they are farthest apart."""
    rows, columns = (side // BLOCK for side in one.shape[:2])
    means = [
        a[: rows * BLOCK, : columns * BLOCK].reshape(rows, BLOCK, columns, BLOCK, 3).mean((1, 3)) for a in (one, other)
    ]
    return float(np.abs(means[0] - means[1]).max())


def texts_of(svg: bytes) -> list[str]:
    return [node.text or "" for node in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def rows_of(file: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(file.decode("utf-8-sig"), newline="")))


@pytest.mark.parametrize("name", VIEWS)
def test_every_view_is_the_same_picture_as_png_and_as_svg(visit: Visit, name: str) -> None:
    _query, _id, file, texts, has_numbers = VIEWS[name]
    page, button = opened(visit, name)
    png_name, png = saved(page, button, "png")
    svg_name, svg = saved(page, button, "svg")
    assert (png_name, svg_name) == (f"{file}.png", f"{file}.svg")

    written = texts_of(svg)  # which is XML
    assert set(texts) <= set(written)

    picture = pixels(png)
    size = ElementTree.fromstring(svg).attrib
    assert picture.shape[:2] == (2 * int(size["height"]), 2 * int(size["width"]))
    font = page.evaluate(_FONT)
    assert worst_block(picture, drawn(page, svg.decode(), *picture.shape[:2], font)) < 14

    # The bound is narrow enough: without its longest text, the picture is outside of it.
    text = max(re.findall(r"<text[^>]*>[^<]*</text>", svg.decode()), key=lambda one: len(re.sub("<[^>]*>", "", one)))
    without = drawn(page, svg.decode().replace(text, "", 1), *picture.shape[:2], font)
    assert worst_block(picture, without) > 14

    button.click()
    assert shown(page, f"{button.get_attribute('data-testid')}-csv").locator("visible=true").count() == has_numbers


def test_a_matrix_is_saved_with_the_numbers_that_were_recorded(visit: Visit) -> None:
    page, button = opened(visit, "matrix")
    name, file = saved(page, button, "csv")
    assert name == "matrix-scores.csv"
    record = vt.load("copy", "cpu").trace(DIGITS).attention("cross", 1)
    head, *rows = rows_of(file)
    assert head == ["", *record.key_tokens]
    assert [row[0] for row in rows] == list(record.query_tokens)
    numbers = np.array([[float(cell) for cell in row[1:]] for row in rows], dtype=np.float32)
    assert (numbers == record.scores[0]).all()


def test_the_arcs_are_saved_with_a_row_for_each_weight(visit: Visit) -> None:
    page, button = opened(visit, "arcs")
    record = vt.load("zh-en", "cpu").trace(CHINESE).attention("cross", 0)
    _head, *rows = rows_of(saved(page, button, "csv")[1])
    assert len(rows) == record.weights.size
    for _layer, head, i, query, _writes, j, key, weight in rows:
        place = int(head) - 1, int(i) - 1, int(j) - 1
        assert (query, key) == (record.query_tokens[place[1]], record.key_tokens[place[2]])
        assert abs(float(weight) - record.weights[place]) < 2e-5  # as fine as the page has it


def test_a_text_that_looks_like_markup_stays_a_text(visit: Visit) -> None:
    target = '<s> $x$ & "q" <b>bold</b> ]]>'
    page = visit(f"overview?{ZH_EN}&target={quote(target)}&layer=1&head=2")
    button = shown(page, "tv-save-cross")
    expect(button).to_be_visible()
    record = vt.load("zh-en", "cpu").trace(CHINESE, target=target).attention("cross", 0)
    written = texts_of(saved(page, button, "svg")[1])
    assert {"$", "&", "<"} & set("".join(record.query_tokens)) == {"$", "&", "<"}
    assert set(record.query_tokens) <= set(written)


def test_a_picture_is_copied(visit: Visit) -> None:
    page, button = opened(visit, "trace")
    _name, png = saved(page, button, "png")
    button.click()
    page.get_by_test_id("tv-save-cross-copy").click()
    expect(button).to_have_text("copied")
    copied = page.evaluate(
        """async () => {
            const [item] = await navigator.clipboard.read();
            const bytes = new Uint8Array(await (await item.getType("image/png")).arrayBuffer());
            return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ""));
        }"""
    )
    assert (pixels(base64.b64decode(copied)) == pixels(png)).all()


def test_the_menu_is_reached_and_left_with_the_keyboard_on_a_phone(visit: Visit) -> None:
    page, button = opened(visit, "tree", width=390, height=844)
    button.focus()
    page.keyboard.press("Enter")
    items = page.get_by_role("menu").get_by_role("menuitem")
    expect(items).to_have_text(["PNG picture", "SVG picture", "copy as picture", "CSV table", "HTML file, interactive"])
    expect(items.nth(0)).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(items.nth(4)).to_be_focused()
    box = page.get_by_role("menu").bounding_box()
    assert box
    assert 0 <= box["x"] <= box["x"] + box["width"] <= 390
    assert 0 <= box["y"] <= box["y"] + box["height"] <= 844
    page.keyboard.press("Escape")
    expect(items.nth(0)).to_be_hidden()
    expect(button).to_be_focused()
    # Nothing of the measuring is left on the page.
    before = page.get_by_test_id("dc-tree").bounding_box()
    saved(page, button, "svg")
    assert page.get_by_test_id("dc-tree").bounding_box() == before
    assert page.locator(".pictured").count() == 0


def test_the_trace_is_saved_whole(visit: Visit, tmp_path: Path) -> None:
    page = visit(f"attention?{COPY}")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the trace").click()
    assert download.value.suggested_filename == "copy-trace.safetensors"
    download.value.save_as(tmp_path / "trace")
    shown, recorded = vt.load_trace(tmp_path / "trace"), vt.load("copy", "cpu").trace(DIGITS)
    assert shown.target_tokens == recorded.target_tokens
    assert (shown.attention("cross", 1).weights == recorded.attention("cross", 1).weights).all()
    assert (shown.log_probs == recorded.log_probs).all()
