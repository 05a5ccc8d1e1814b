"""A matrix's title and the tools at the end of its line, where matrices are narrow."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

PLACES = """figures => figures.map(figure => {
    const place = part => { const { left, top, right, bottom } = figure.querySelector(part).getBoundingClientRect();
                            return [left, top, right, bottom]; };
    return [figure.querySelector('.title').textContent, [place('.title'), place('.place')], place('.tools'),
            place('figcaption')];
})"""


@pytest.mark.parametrize(
    ("address", "width", "titles"),
    [
        ("masks?lesson=causality", 390, ["Causal mask on", "Causal mask off"]),
        (
            "architecture?lesson=heads",
            1280,
            ["h small projections", "one projection, split", "slices of the embedding", "one head of full width"],
        ),
        (
            f"positions?part=model&model=en-de&source={'cat+' * 120}",  # “121 × 192” stands beside the title
            390,
            ["Token embeddings · √d_model", "+ positions", "= X, into the first layer"],
        ),
    ],
    ids=["masks", "heads", "positions"],
)
def test_titles_and_tools_have_room(visit: Callable[..., Page], address: str, width: int, titles: list[str]) -> None:
    page = visit(address, width=width, height=720)
    figures = page.locator(".matrices:not(.away) figure")
    for n, title in enumerate(titles):
        expect(figures.nth(n).locator(".title")).to_have_text(title)
        expect(figures.nth(n).locator(".tools")).to_be_visible()
    for title, parts, tools, line in figures.evaluate_all(PLACES):
        for words in parts:
            is_beside = words[2] <= tools[0] or tools[2] <= words[0]
            is_above = words[3] <= tools[1] or tools[3] <= words[1]
            assert is_beside or is_above, f"{title}: {words} is under its tools, {tools}"
            assert line[0] <= words[0] and words[2] <= line[2], f"{title}: {words} is cut off by {line}"
