"""The worked example of CONTRIBUTING.md, built as the app's components are and used as a person would."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import viz_transformer as vt
from bench.browser import ROOT, serve
from tests.front_end import FRONT_END, node

EXAMPLE = ROOT / "tests/example_component"


@pytest.fixture(scope="module")
def front_end(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of `frontend/` in which the example has a folder and is listed among the panels."""
    copy = tmp_path_factory.mktemp("example") / "frontend"
    shutil.copytree(FRONT_END, copy, ignore=shutil.ignore_patterns("node_modules"))
    (copy / "node_modules").symlink_to(FRONT_END / "node_modules")
    (copy / "src/example").mkdir()
    shutil.copy(EXAMPLE / "weight_bars.ts", copy / "src/example")
    panels = copy / "src/panels.ts"
    listed = panels.read_text(encoding="utf-8").replace("component({", "component({\n  weight_bars: panel(WeightBars),")
    panels.write_text('import { WeightBars } from "./example/weight_bars.ts";\n' + listed, encoding="utf-8")
    return copy


@pytest.fixture(scope="module")
def app_url(front_end: Path) -> Iterator[str]:
    """In place of the app: a page with the example on it."""
    node(front_end / "build.ts", front_end / "static")
    (built,) = (front_end / "static").glob("panels-*.js")
    with serve("tests/example_component/app.py", PANELS=str(built)) as url:
        yield url


def test_the_example_is_typed_and_formatted_as_the_front_end_is(front_end: Path) -> None:
    node("node_modules/typescript/bin/tsc", "-p", front_end)
    node("node_modules/@biomejs/biome/bin/biome", "check", f"--config-path={front_end}", front_end / "src/example")


def test_a_person_chooses_a_bar_and_the_link_opens_it_again(visit: Callable[..., Page]) -> None:
    record = vt.load("copy", "cpu").trace("3 1 4 1 5").attention("cross", layer=1)
    weights, tokens = record.weights[0, 2], record.key_tokens
    page = visit("/")
    bars = page.locator("button[title]")
    expect(bars).to_have_count(len(tokens))
    rem = 16
    for n, (token, weight) in enumerate(zip(tokens, weights, strict=True)):
        expect(bars.nth(n)).to_have_attribute("title", f"«{token}»: {weight:.4f}")
        box = bars.nth(n).locator("span").bounding_box()
        assert box is not None
        assert box["height"] / (10 * rem) == pytest.approx(weight, abs=0.01)

    bars.nth(2).click()
    expect(bars.nth(2)).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text(f"chosen: {tokens[2]}")).to_be_visible()
    expect(page).to_have_url(re.compile(r"[?&]bar=3$"))
    page.reload()
    expect(bars.nth(2)).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text(f"chosen: {tokens[2]}")).to_be_visible()
    bars.nth(2).click()
    expect(page.get_by_text("chosen: none")).to_be_visible()
    expect(page).not_to_have_url(re.compile("bar"))


def test_a_bar_that_is_not_there_is_the_last_one(visit: Callable[..., Page]) -> None:
    page = visit("/?bar=99")
    expect(page.get_by_role("button", name="</s>", exact=True)).to_have_attribute("aria-pressed", "true")
