"""A view as one HTML file: from disk with the network off, in a frame of another page, and saved from the app."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from playwright.sync_api import Browser, Page, expect

import viz_transformer as vt

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def trace() -> vt.Trace:
    return vt.load("en-de", "cpu").trace("The cat sleeps.")


@pytest.fixture
def offline(browser: Browser) -> Page:
    page = browser.new_context(offline=True).new_page()
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    return page


def test_from_disk_without_a_network(offline: Page, trace: vt.Trace, tmp_path: Path) -> None:
    trace.to_html(tmp_path / "attention.html")
    offline.goto((tmp_path / "attention.html").as_uri())
    step = trace.overview().view.step
    share = 100 * trace.attention("cross", 1).weights[trace.overview().view.head][step].max()
    said = f"{share:.0f}" if share < 99.5 else f"{share:.1f}".removesuffix(".0")  # not 100 % where it is less
    expect(offline.get_by_test_id("tv-sentence")).to_contain_text(f"{said} %")
    link = offline.locator("#reopen")
    offline.get_by_test_id("tv-layer-1").click()
    expect(link).to_have_attribute("href", re.compile("layer=1"))


@pytest.mark.parametrize("sandbox", ["", ' sandbox="allow-scripts"'])
def test_in_a_frame_of_another_page(offline: Page, trace: vt.Trace, tmp_path: Path, sandbox: str) -> None:
    inner = html.escape(trace.heads().to_html())
    (tmp_path / "course.html").write_text(f'<iframe width="1200" height="700" srcdoc="{inner}"{sandbox}></iframe>')
    offline.goto((tmp_path / "course.html").as_uri())
    expect(offline.frame_locator("iframe").locator("canvas").first).to_be_visible()


def test_saved_from_the_app_it_shows_the_same_without_it(
    visit: Callable[..., Page], offline: Page, tmp_path: Path
) -> None:
    page = visit("overview?model=en-de&source=The+cat+sleeps.&step=2")
    sentence = page.get_by_test_id("tv-sentence")
    expect(sentence).to_contain_text("%")
    page.get_by_test_id("tv-save-cross").click()
    with page.expect_download() as download:
        page.get_by_test_id("tv-save-cross-html").click()
    download.value.save_as(tmp_path / "saved.html")
    offline.goto((tmp_path / "saved.html").as_uri())
    expect(offline.get_by_test_id("tv-sentence")).to_have_text(sentence.inner_text())
    expect(offline.locator("footer")).to_contain_text("The cat sleeps.")


def test_in_what_nbconvert_makes_of_a_notebook(offline: Page, tmp_path: Path) -> None:
    """A view in a frame stays interactive; a view that is a widget is a picture, since no widget runs there."""
    code = "import viz_transformer as vt\ntrace = vt.load('en-de', 'cpu').trace('The cat sleeps.')\ntrace.heads()"
    cells = [nbformat.v4.new_code_cell(text) for text in (code, "trace.heads().go(layer=0).iframe()")]
    book = nbformat.v4.new_notebook(cells=cells)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        NotebookClient(book, timeout=120, store_widget_state=False).execute()
    text, _resources = HTMLExporter().from_notebook_node(book)
    (tmp_path / "book.html").write_text(text, encoding="utf-8")
    offline.goto((tmp_path / "book.html").as_uri())
    picture = offline.locator(".jp-OutputArea-output img")
    assert picture.evaluate("async (img) => { await img.decode(); return img.naturalWidth }") > 100
    expect(picture).to_be_visible()
    frame = offline.frame_locator("iframe")
    expect(frame.get_by_test_id("hv-large")).to_be_visible()
    frame.locator("summary").click()
    only = frame.get_by_test_id("hv-only-2")
    expect(only).to_have_attribute("aria-pressed", "false")
    only.click()
    expect(only).to_have_attribute("aria-pressed", "true")
