"""A search that takes long, in a server of its own: what is seen of it, and how it is given up."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

import viz_transformer as vt
from bench.browser import serve
from tests.browser.helpers import type_source


@pytest.fixture(scope="module")
def app_url() -> Iterator[str]:
    with serve("tests/browser/endless_search.py") as url:
        yield url


def test_a_search_shows_its_first_level_and_a_bar_and_typing_gives_it_up(visit: Callable[..., Page]) -> None:
    translator = vt.load("zh-en", "cpu")
    page = visit("/?model=zh-en&source=慢&beam=3")
    first, *_ = translator.beam_search("慢", beam_size=3)
    level = page.get_by_test_id("first-level").locator("tbody tr")
    expect(level).to_have_count(len(first.candidates))
    for row, candidate in zip(level.all(), first.candidates, strict=True):
        expect(row).to_contain_text(candidate.token)
        expect(row).to_contain_text(f"{candidate.log_prob:.4f}".replace("-", "−"))
    expect(page.get_by_role("progressbar")).to_be_visible()

    type_source(page, "我爱你。")
    *_, last = translator.beam_search("我爱你。", beam_size=3)
    # There is one slot: a search that went on would keep this one waiting for ever.
    expect(page.get_by_test_id("output")).to_have_text(translator.target_tokenizer.decode(last.best.ids))
    expect(page.get_by_test_id("dc-strip-cross")).to_be_visible()
    expect(page.get_by_test_id("first-level")).to_have_count(0)
    expect(page.get_by_role("progressbar")).to_have_count(0)
