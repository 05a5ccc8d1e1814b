"""Predict, then reveal: of each kind a person marks, types or draws, and sees both answers and a score."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

import viz_transformer as vt
from viz_transformer.experiments.lecture.answers import score_sd_curve
from viz_transformer.experiments.scaling.variance import DrawSettings
from viz_transformer.lecture_links import link_of, packed
from viz_transformer.lectures import Ask, Lecture, Scene

pytestmark = pytest.mark.own_browser  # it keeps what one predicted
Visit = Callable[..., Page]
SOURCE = "The cat sleeps because it is tired."
HEAD = f"model=en-de&source={SOURCE}&module={{}}&layer=2&head=2&stage={{}}&cell=5-2&step=3"
SCENES = (
    (Ask("cells", "weights"), "attention?" + HEAD.format("encoder_self", "scores"), "mv-root"),
    (Ask("cells", "mask"), "attention?" + HEAD.format("decoder_self", "mask"), "mv-root"),
    (Ask("token", "next"), "overview?" + HEAD.format("cross", "scores"), "tv-matrix-cross"),
    (Ask("number", "weight"), "attention?" + HEAD.format("encoder_self", "softmax"), "mv-root"),
    (Ask("curve", "score_sd"), "scaling?lesson=products&part=experiment&dk=64&draws=1000&seed=0", "pv-canvas-product"),
)
WEIGHTS, MASK, TOKEN, NUMBER, CURVE = range(len(SCENES))
LECTURE = Lecture(
    "Predictions",
    tuple(Scene(f"Scene {n}", link, "What do you expect?", ask=ask) for n, (ask, link, _) in enumerate(SCENES)),
)
LINK = [link_of(LECTURE, packed(LECTURE), n) for n in range(len(SCENES))]

# -> the tag of the focused element, through all shadow roots, and whether it is in the part that must be hidden
FOCUSED = """() => {
  let at = document.activeElement, place = at;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return [at?.tagName ?? "", Boolean(place?.closest(".st-key-predict ~ *"))];
}"""
# Counts the frames in which anything below the sheet is seen, or the page's first lines before there is a sheet.
WATCH = """() => {
  window.seen = 0;
  const look = () => {
    const parts = document.querySelectorAll(".st-key-vt-line, .st-key-vt-question, .st-key-predict ~ *");
    if ([...parts].some((one) => one.getClientRects().length)) window.seen += 1;
    requestAnimationFrame(look);
  };
  look();
}"""


@pytest.fixture(scope="module")
def trace() -> vt.Trace:
    return vt.load("en-de", "cpu").trace(SOURCE)


def percent(score: float) -> str:
    return f"Your score: {math.floor(100 * score + 1e-6)}%"


def reveal(page: Page, score: float) -> None:
    page.get_by_test_id("predict-reveal").click()
    expect(page.get_by_test_id("predict-score")).to_have_text(percent(score))
    expect(page.get_by_test_id("predict-rule")).to_be_visible()


def hidden(page: Page) -> None:
    """The sheet is there, and nothing of the page."""
    expect(page.get_by_test_id("predict-task")).to_be_visible()
    expect(page.locator(".st-key-predict ~ * >> visible=true")).to_have_count(0)
    expect(page.get_by_test_id("predict-again")).to_be_hidden()


def picture_of(page: Page, scene: int) -> None:
    """The page's own picture is there."""
    expect(page.get_by_test_id(SCENES[scene][2]).first).to_be_visible()


def test_cells_are_marked_by_click_and_by_key_and_score_what_they_collect(
    visit: Visit, new_context: Callable[[], BrowserContext], trace: vt.Trace
) -> None:
    weights = trace.attention("encoder_self", 1).weights[1].astype(np.float64)
    n = len(weights)
    marks = [int(weights[row].argmax()) if row % 2 else 0 for row in range(n)]
    page = visit(LINK[WEIGHTS])
    hidden(page)
    expect(page.get_by_test_id("predict-reveal")).to_be_disabled()
    cell = page.get_by_test_id("predict-cell-1-1")
    cell.focus()
    page.keyboard.press("Space")
    expect(cell).to_have_attribute("aria-pressed", "true")
    for row in range(1, n):
        page.get_by_test_id(f"predict-cell-{row + 1}-{marks[row] + 1}").click()
    page.get_by_test_id("predict-cell-1-1").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")  # one cell of a row: the one before is taken back
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    score = sum(weights[row, mark] for row, mark in enumerate(marks)) / weights.max(axis=1).sum()
    reveal(page, score)
    picture_of(page, WEIGHTS)
    told = f"row 2 “{trace.source_tokens[1]}”, column 1 “{trace.source_tokens[0]}”: weight {weights[1, 0]:.4f}"
    expect(page.get_by_test_id("predict-cell-2-1")).to_have_attribute("title", told)

    page.reload()
    expect(page.get_by_test_id("predict-score")).to_have_text(percent(score))
    picture_of(page, WEIGHTS)
    assert "predict" not in page.url

    other = new_context().new_page()
    other.goto(page.url)
    hidden(other)
    expect(other.get_by_test_id("predict").locator("[aria-pressed=true]")).to_have_count(0)

    page.get_by_test_id("predict-again").click()
    hidden(page)
    expect(page.get_by_test_id("predict").locator("[aria-pressed=true]")).to_have_count(0)


def test_a_mask_is_painted_over_its_cells(visit: Visit, trace: vt.Trace) -> None:
    page = visit(LINK[MASK])
    hidden(page)
    n = len(trace.target_tokens)
    for row in range(1, 4):  # the first rows right, the others left as they are
        first, last = (page.get_by_test_id(f"predict-cell-{row}-{column}").bounding_box() for column in (row + 1, n))
        assert first and last
        page.mouse.move(first["x"] + first["width"] / 2, first["y"] + first["height"] / 2)
        page.mouse.down()
        page.mouse.move(last["x"] + last["width"] / 2, last["y"] + last["height"] / 2, steps=40)
        page.mouse.up()
    taken = np.triu(np.ones((n, n)), 1)
    reveal(page, 1 - taken[3:].sum() / n**2)
    picture_of(page, MASK)
    expect(page.get_by_test_id("predict").locator("button.wrong")).to_have_count(int(taken[3:].sum()))
    expect(page.get_by_test_id("predict-rule")).to_contain_text(f"{math.floor(100 * (n + 1) / (2 * n))}%")


def test_a_token_is_typed_and_stands_at_its_rank(visit: Visit, trace: vt.Trace) -> None:
    page = visit(LINK[TOKEN])
    hidden(page)
    translator = vt.load("en-de", "cpu")
    order = np.argsort(-trace.log_probs[2])
    typed = next(
        translator.target_tokenizer.label(int(token)) for token in order[1:] if token > 3
    )  # the second, or one that is a word
    probabilities = np.exp(trace.log_probs[2].astype(np.float64))
    own = probabilities[[translator.target_tokenizer.label(n) for n in range(len(probabilities))].index(typed)]
    field = page.get_by_test_id("predict-token")
    field.fill(typed)
    field.press("Enter")
    expect(page.get_by_test_id("predict-score")).to_have_text(percent(own / probabilities.max()))
    rank = int((probabilities > own).sum()) + 1
    expect(page.get_by_test_id("predict-said")).to_contain_text(f"number {rank} of {len(probabilities):d}")
    picture_of(page, TOKEN)
    page.get_by_test_id("predict-again").click()
    field.fill("Donaudampfschifffahrt")
    reveal(page, 0)
    expect(page.get_by_test_id("predict-said")).to_contain_text("is not a token in this model's vocabulary")


def test_a_number_is_typed_and_scored_by_its_relative_error(visit: Visit, trace: vt.Trace) -> None:
    weight = float(trace.attention("encoder_self", 1).weights[1][4, 1])
    page = visit(LINK[NUMBER], width=390, height=844)
    hidden(page)
    page.get_by_test_id("predict-number").fill("ever so much")
    expect(page.get_by_test_id("predict-reveal")).to_be_disabled()
    page.get_by_test_id("predict-number").fill("0,5")
    reveal(page, max(0, 1 - abs(0.5 - weight) / weight))
    expect(page.get_by_test_id("predict-said")).to_have_text(f"Yours: 0.5000; the model's: {weight:.4f}.")
    picture_of(page, NUMBER)


def test_a_curve_is_drawn_and_scored_by_its_distance(visit: Visit) -> None:
    page = visit(LINK[CURVE])
    hidden(page)
    field = page.get_by_test_id("predict-curve").locator(".field").bounding_box()
    assert field
    left, right, bottom = field["x"], field["x"] + field["width"], field["y"] + field["height"]
    page.mouse.move(left, bottom)
    page.mouse.down()
    page.mouse.move(right, field["y"], steps=20)
    page.mouse.up()
    curve = score_sd_curve(DrawSettings(draws=1000))
    places = np.linspace(0, 1, 33)
    truth = np.interp(places * 1024, curve.x, curve.y) / curve.y_axis.high
    expected = 1 - np.abs(places - truth).mean() / np.ptp(truth)
    page.get_by_test_id("predict-reveal").click()
    score = page.get_by_test_id("predict-score")
    expect(score).to_contain_text("Your score: ")
    assert abs(int("".join(filter(str.isdigit, score.inner_text()))) - 100 * expected) < 2  # a pixel, and rounding down
    expect(page.get_by_test_id("predict-truth")).to_be_visible()
    picture_of(page, CURVE)

    page.get_by_test_id("predict-again").click()
    page.get_by_test_id("predict-handle-1").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_test_id("predict-handle-1")).to_have_attribute("aria-valuetext", "20.8")
    expect(page.get_by_test_id("predict-handle-2")).to_be_focused()
    expect(page.get_by_test_id("predict-handle-2")).to_have_attribute("aria-valuetext", "19.2")


def test_what_is_hidden_is_never_seen_nor_reached_by_tab_nor_moved_by_keys(visit: Visit) -> None:
    page = visit(LINK[CURVE])
    hidden(page)
    page.add_init_script(f"({WATCH})()")
    page.goto(page.url.split("?")[0].removesuffix("scaling") + LINK[WEIGHTS])
    hidden(page)
    expect(page.get_by_role("tab")).to_have_count(0)
    page.keyboard.press("3")  # would choose another head
    for _ in range(40):
        page.keyboard.press("Tab")
        tag, is_hidden = page.evaluate(FOCUSED)
        assert not is_hidden, tag
    hidden(page)
    page.get_by_test_id("scene-next").click()
    expect(page.get_by_test_id("scene-title")).to_have_text("Scene 1")
    expect(page.get_by_test_id("predict-task")).to_contain_text("mask")
    hidden(page)
    assert page.evaluate("window.seen") == 0
    page.get_by_test_id("scene-previous").click()
    expect(page.get_by_test_id("predict-task")).to_contain_text("key")
    page.get_by_test_id("predict-show").click()
    expect(page.get_by_test_id("predict-task")).to_be_focused()
    expect(page.get_by_test_id("predict-score")).to_be_hidden()
    picture_of(page, WEIGHTS)
    assert page.evaluate("window.seen") > 0  # it would have been noticed
    expect(page).to_have_url(re.compile("head=2"))


def test_it_is_hidden_before_the_style_of_the_run_has_come(
    visit: Visit, new_context: Callable[[], BrowserContext]
) -> None:
    held: list[Route] = []
    page = new_context().new_page()
    page.route("**/static/js/Html.*.js", lambda route: held.append(route))  # `st.html` waits for it
    page.add_init_script(f"({WATCH})()")
    page.goto(visit(LINK[CURVE]).url.split("?")[0].removesuffix("scaling") + LINK[WEIGHTS])
    hidden(page)
    expect(page.locator(".st-key-vt-line")).to_have_count(1)
    assert held
    assert page.evaluate("window.seen") == 0
    held[0].continue_()
    page.get_by_test_id("predict-show").click()
    picture_of(page, WEIGHTS)


@pytest.mark.parametrize("key", ["PageDown", "Enter"])
def test_a_remote_reveals_and_then_goes_on(visit: Visit, key: str) -> None:
    page = visit(f"{LINK[WEIGHTS]}&present=1", width=1280, height=720)
    for scene in range(len(SCENES)):
        expect(page.get_by_test_id("scene-title")).to_have_text(f"Scene {scene}")
        expect(page.get_by_test_id("predict-reveal")).to_be_visible()
        hidden(page)
        box = page.get_by_test_id("predict-reveal").bounding_box()
        assert box and box["y"] + box["height"] <= 720
        page.keyboard.press(key)
        expect(page.get_by_test_id("predict-reveal")).to_be_hidden()
        hidden(page)  # the answer has all the room
        page.keyboard.press(key)
        expect(page.get_by_test_id("predict")).to_be_hidden()
        picture_of(page, scene)
        page.keyboard.press(key)
    expect(page.get_by_test_id("path")).to_be_visible()


def test_on_a_phone_every_cell_can_be_reached(visit: Visit) -> None:
    page = visit(LINK[WEIGHTS], width=390, height=844)
    hidden(page)
    page.get_by_test_id("predict-cell-9-9").click()
    expect(page.get_by_test_id("predict-cell-9-9")).to_have_attribute("aria-pressed", "true")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
