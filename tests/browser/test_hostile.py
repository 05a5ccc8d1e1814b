"""Hostile texts in a browser: each is shown as what it is, nothing opens, and nothing outside is asked for."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page, expect

from bench.browser import ROOT, serve
from tests.hostile.texts import AWAY, PAYLOADS
from viz_transformer.checkpoint import WEIGHTS
from viz_transformer.visible import visible

Visit = Callable[..., Page]
ACTIVE = f"[src^='{AWAY}'], [href^='{AWAY}'], [href^='javascript:'], [onerror], [onload], [onmouseover], .katex"
SAMPLE = ("script, closed", "image, quoted", "svg", "picture", "anchor, javascript", "colour", "formula, display")
UNSEEN = ("bidi override", "zero width", "tag characters")


def opened(visit: Visit, page: str, **query: str) -> Page:
    """Opens a page on which no dialog may open; `visit` fails if anything outside is asked for."""
    shown = visit(f"{page}?{urlencode(query)}")
    shown.on("dialog", lambda dialog: pytest.fail(f"a dialog opened: {dialog.message}"))
    return shown


@pytest.mark.parametrize("name", [*SAMPLE, *UNSEEN])
def test_a_target_is_a_text_in_the_first_line_and_below_the_picture(visit: Visit, name: str) -> None:
    payload = PAYLOADS[name]
    page = opened(visit, "", model="zh-en", source="我爱你。", target=payload)
    expect(page.locator(".vt-chip")).to_contain_text(visible(payload).strip())
    expect(page.get_by_test_id("tv-matrix-cross")).to_be_visible()
    assert page.locator(ACTIVE).count() == 0
    page.get_by_role("button", name="Change").click()
    expect(page.get_by_role("textbox", name="Target")).to_have_value(payload)  # as it was typed


@pytest.mark.parametrize("name", SAMPLE)
def test_a_sentence_quotes_a_text_as_it_is(visit: Visit, name: str) -> None:
    payload = PAYLOADS[name]
    page = opened(visit, "decoding", model="copy", source="3 1 4", order=payload)
    expect(page.get_by_test_id("stAlert").first).to_contain_text(" ".join(payload.split()))
    assert page.locator(ACTIVE).count() == 0


def test_a_damaged_default_model_is_a_sentence_with_a_number_and_the_way_to_another(
    browser: Browser, tmp_path: Path
) -> None:
    for folder in ("viz_transformer", "pages", "assets"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    for file in ("app.py", "pyproject.toml"):  # Streamlit finds the components by pyproject.toml
        shutil.copy(ROOT / file, tmp_path)
    (tmp_path / "assets/models/en-de" / WEIGHTS).write_bytes(b"\0" * 100)
    with serve(str(tmp_path / "app.py"), PYTHONPATH=str(tmp_path), PYTHONSAFEPATH="1") as url:
        page = browser.new_page()
        page.goto(f"{url}/attention?source=我爱你。")
        sentence = page.get_by_test_id("stAlert")
        expect(sentence).to_contain_text("The model en-de cannot be read: its files on this server are damaged")
        expect(sentence).to_contain_text(re.compile("The number of this request is [0-9a-f]{8}"))
        expect(page.get_by_text("redacted")).to_have_count(0)
        expect(sentence.get_by_role("link", name="copy")).to_have_attribute("href", "?model=copy")
        page.close()


def test_who_pastes_a_megabyte_reads_that_nothing_was_changed(visit: Visit) -> None:
    page = opened(visit, "", model="copy", source="3 1 4")
    chip = page.locator(".vt-chip")
    expect(chip).to_contain_text("copy → 3 1 4")
    field = page.get_by_role("textbox", name="Source")
    field.fill("k9z" * 400_000)
    field.press("Enter")
    expect(page.get_by_test_id("stToast")).to_contain_text("1.2 MB at once; this page takes up to 1 MB.")
    expect(chip).to_contain_text("copy → 3 1 4")
    expect(page.get_by_test_id("stAlert").or_(page.get_by_test_id("stException"))).to_have_count(0)
