"""Somebody serves a folder of models of their own; a visitor chooses one, sees its picture, and hands the link on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from bench.browser import serve, until
from tests.browser.helpers import close_box, open_box
from tests.helpers import random_translator
from viz_transformer import Translator, save_checkpoint

NAME = "mine *& <b>2"


@pytest.fixture(scope="module")
def mine() -> Translator:
    """Its encoder has eight heads in three layers, its decoder two in two."""
    return random_translator(3, peaked=2.0, n_heads=8, n_decoder_heads=2, n_encoder_layers=3)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory, mine: Translator) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("models")
    card = {"task": "copy", "licence": "CC0-1.0", "source": "nowhere"}
    for name in (NAME, "cut"):
        save_checkpoint(folder / name, mine.model, mine.source_tokenizer, mine.target_tokenizer, card, half=False)
    weights = folder / "cut" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-40])
    with serve(VIZ_MODELS=str(folder)) as url:
        yield url


@pytest.fixture
def page(new_context: Callable[..., BrowserContext]) -> Page:
    return new_context(viewport={"width": 1280, "height": 720}).new_page()


def choose(page: Page, name: str) -> None:
    open_box(page)
    box = page.get_by_role("combobox", name="Model")
    box.click()
    page.get_by_role("option", name=name, exact=True).click()


def test_a_model_of_the_folder_is_chosen_seen_and_reopened_by_its_link(url: str, page: Page, mine: Translator) -> None:
    page.goto(f"{url}/overview?model=copy&source=3+1+4")
    expect(page.get_by_test_id("tv-root")).to_be_visible()
    choose(page, f"models/{NAME}")
    until(page, "() => new URLSearchParams(location.search).get('model')?.startsWith('models/')")
    close_box(page)
    predicted = mine.trace("3 1 4").predicted_tokens
    expect(page.get_by_test_id("tv-root").locator(".words .segments button")).to_have_count(len(predicted))
    assert parse_qs(urlsplit(page.url).query)["model"] == [f"models/{NAME}"]
    expect(page.locator(".vt-chip")).to_contain_text(f"models/{NAME}")  # as it is written, no markup

    other = page.context.new_page()
    other.goto(page.url)
    expect(other.get_by_test_id("tv-root").locator(".words .segments button")).to_have_count(len(predicted))
    expect(other.locator(".vt-chip")).to_contain_text(f"models/{NAME}")


def test_the_head_grid_has_a_map_for_each_head_of_both_stacks(url: str, page: Page) -> None:
    page.goto(f"{url}/heads?{urlencode({'model': f'models/{NAME}', 'source': '3 1 4'})}")
    canvas = page.get_by_test_id("hv-canvas-glance")
    expect(canvas).to_be_visible()
    slots = canvas.evaluate("(node) => JSON.parse(node.dataset.slots)")
    counts = {name: sum(slot[0] == name for slot in slots) for name in ("encoder_self", "decoder_self", "cross")}
    assert counts == {"encoder_self": 3 * 8, "decoder_self": 2 * 2, "cross": 2 * 2}
    side = float(canvas.get_attribute("data-side") or 0)
    *_place, x, y = next(slot for slot in slots if slot[:3] == ["encoder_self", 2, 7])
    canvas.click(position={"x": x + side / 2, "y": y + side / 2})
    expect(page.get_by_test_id("hv-large")).to_contain_text("layer 3, head 8")
    until(page, "() => new URLSearchParams(location.search).get('head') === '8'")
    assert parse_qs(urlsplit(page.url).query)["layer"] == ["3"]


def test_the_list_says_what_each_is_and_why_one_cannot_be_chosen(url: str, page: Page) -> None:
    page.goto(f"{url}/training?view=models")
    table = page.get_by_test_id("server-models")
    expect(table).to_contain_text(f"models/{NAME}")
    expect(table).to_contain_text("3 + 2 × 8 / 2 × 16")
    expect(table).to_contain_text("CC0-1.0")
    expect(page.get_by_text("models/cut")).to_be_visible()
    expect(page.get_by_text("cannot be chosen: model.safetensors is not a safetensors file")).to_be_visible()
    page.goto(f"{url}/overview?model=models/cut&source=3+1+4")
    expect(page.get_by_role("alert")).to_contain_text("models/cut")
