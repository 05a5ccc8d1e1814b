"""The page Training: a lecturer trains a model and decodes with it, and scrubs through a shipped run."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from bench.browser import serve
from tests.browser.helpers import close_box, go_to, open_box
from tests.browser.pixels import SEQUENTIAL, colours_of, thumbnail_colours
from tests.helpers import until
from viz_transformer.training.snapshots import Film, from_codes, read_film
from viz_transformer.translator import model_folder
from viz_transformer.ui.components.number_table import decimals

Visit = Callable[..., Page]
TINY = "training?view=train&steps=20&width=16&nheads=1&batch=4"
TRAINED = 240_000  # milliseconds: as long as a busy machine may take for what takes it 20 seconds


@pytest.fixture(scope="module")
def film() -> Film:
    return read_film(model_folder("copy"))


@pytest.fixture(autouse=True)
def new_visitor(context: BrowserContext) -> None:
    """Clears the cookie that says whose runs there are: those of other tests would count here, too, for a while."""
    context.clear_cookies()


def part(page: Page, name: str) -> Locator:
    return page.get_by_test_id(name)


def train(page: Page) -> None:
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.get_by_text("Run 1")).to_be_visible()


def wait_for_end(page: Page) -> str:
    """The name that the finished model got."""
    expect(page.get_by_text("Teacher forcing and generation")).to_be_visible(timeout=TRAINED)
    note = page.get_by_text("You can now use the model on every page")
    found = re.search(r"my-\w+-\w+", note.inner_text())
    assert found
    return found[0]


def choose_model(page: Page, name: str) -> None:
    open_controls(page)
    page.get_by_role("combobox", name="Model").click()
    page.get_by_role("option", name=name, exact=True).click()
    page.wait_for_url(re.compile(f"model={name}"))
    close_box(page)


def open_controls(page: Page) -> None:
    """Opens the box of model and texts."""
    expect(page.get_by_role("button", name="Change")).to_be_visible()
    open_box(page)


def read_text(page: Page, text: str) -> None:
    """Types a source, and has the page read it."""
    open_controls(page)
    box = page.get_by_role("textbox", name="Source")
    box.fill(text)
    box.press("Control+Enter")
    close_box(page)


def test_a_model_trained_on_the_page_decodes_on_another(visit: Visit) -> None:
    page = visit("training?view=train")
    train(page)
    expect(part(page, "fv-slider")).to_be_visible(timeout=TRAINED)  # heads, while it trains
    expect(page.get_by_text(re.compile(r"Step \d+ of 400, about \d+ seconds left"))).to_be_visible(timeout=TRAINED)
    name = wait_for_end(page)
    share = re.search(r"it gets ([\d.]+)% of 500 held-out sequences", page.locator("body").inner_text())
    assert share and float(share[1]) >= 99
    expect(part(page, "fv-facts")).to_contain_text("after step 400 of 400")

    go_to(page, "decoding")
    choose_model(page, name)
    expect(part(page, "output")).to_have_text("3 1 4 1 5 9 2 6")  # its example: a text typed before that would not stay
    for digits in ("2 7 1 8 2 8", "9 0 9 0 1 7 5 3 3 6"):
        read_text(page, digits)
        expect(part(page, "output")).to_have_text(digits)
    expect(part(page, "tv-matrix-cross")).to_be_visible()
    go_to(page, "overview")
    choose_model(page, name)
    open_controls(page)
    expect(page.get_by_text("your own model")).to_be_visible()


def test_the_slider_moves_every_head_and_asks_the_server_nothing(visit: Visit, film: Film) -> None:
    page = visit("training")
    expect(part(page, "fv-facts")).to_contain_text("after step 1500 of 1500")
    sent: list[object] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    page.reload()
    slider = part(page, "fv-slider")
    expect(part(page, "fv-facts")).to_contain_text("after step 1500 of 1500")
    canvas = part(page, "hv-canvas-glance")
    canvas.focus()
    page.keyboard.press("Enter")  # opens the first head of cross-attention, large
    part(page, "hv-table-toggle-cross").click()
    page.wait_for_load_state("networkidle")
    before = len(sent)
    pictures = set()
    slider.focus()
    slider.press("Home")
    for n, snapshot in enumerate(film.snapshots):
        share = 100 * snapshot.numbers["exact_match"]
        expect(part(page, "fv-facts")).to_contain_text(f"after step {snapshot.step} of 1500")
        expect(part(page, "fv-facts")).to_contain_text(f"exact match {share:.1f} %")
        weights = from_codes(snapshot.maps[0]["cross"])[0, 0]
        shown = part(page, "hv-table-cross").locator("tbody tr").first.locator("td").all_inner_texts()
        assert shown == [*(decimals(weight) if weight else "0.0000" for weight in weights[0]), "3"]  # what it predicts
        painted = thumbnail_colours(canvas, ("cross", 0, 1), weights.shape)
        expected = colours_of(from_codes(snapshot.maps[0]["cross"])[0, 1], 0, 1, SEQUENTIAL)
        assert np.abs(painted - expected).max() <= 3
        pictures.add(canvas.evaluate("canvas => canvas.toDataURL()"))
        if n < len(film.snapshots) - 1:
            slider.press("ArrowRight")
    assert len(pictures) == len(film.snapshots)  # every one looks different
    part(page, "fv-first").click()
    part(page, "fv-next").click()
    page.wait_for_url(re.compile(r"[?&]snapshot=2"))
    assert len(sent) == before

    step = film.snapshots[1].step
    other = visit(page.url[page.url.index("training") :])  # on a second screen
    expect(part(other, "fv-facts")).to_contain_text(f"after step {step} of 1500")
    part(other, "fv-play").click()
    expect(part(other, "fv-facts")).to_contain_text("after step 1500 of 1500")


def test_the_curves_go_through_what_was_measured(visit: Visit, film: Film) -> None:
    page = visit("training?snapshot=4")
    expect(part(page, "fv-facts")).to_contain_text(f"after step {film.snapshots[3].step} of 1500")
    curve = part(page, "fv-curve")
    width = float(curve.get_attribute("width") or "nan")

    def x(step: float) -> float:
        return 46 + step / 1500 * (width - 92)

    def y(share: float) -> float:
        return 10 + (1 - share) * 124

    steps = [snapshot.step for snapshot in film.snapshots]
    losses = [snapshot.numbers["valid_loss"] for snapshot in film.snapshots]
    highest = max([*losses, *(point["loss"] for point in film.curve)])
    expected = {
        "exact_match": [(x(one.step), y(one.numbers["exact_match"])) for one in film.snapshots],
        "held-out": [(x(step), y(loss / highest)) for step, loss in zip(steps, losses, strict=True)],
        "training": [(x(point["step"]), y(point["loss"] / highest)) for point in film.curve],
    }
    for name, points in expected.items():
        path = curve.locator(f"path.{name}").get_attribute("d") or ""
        drawn = [[float(number) for number in pair.split()] for pair in re.split("[ML]", path)[1:]]
        np.testing.assert_allclose(drawn, points, atol=0.051)
    mark = curve.locator(".mark-line").get_attribute("transform") or ""
    assert float(mark.split("(")[1].split()[0]) == pytest.approx(x(steps[3]))
    ticks = curve.locator("text").all_text_contents()
    assert ticks[0] == "0" and float(ticks[2]) == pytest.approx(highest, rel=6e-3)
    curve.click(position={"x": x(steps[-2]) + 1, "y": 60})
    expect(part(page, "fv-facts")).to_contain_text(f"after step {steps[-2]} of 1500")


def test_two_train_and_one_explores_and_nothing_leaks(
    visit: Visit, new_context: Callable[..., BrowserContext], app_url: str, tmp_path: Path
) -> None:
    first, second = visit(TINY), new_context().new_page()  # each in a browser of their own
    second.goto(f"{app_url}/{TINY}&task=reverse")
    train(first)
    train(second)
    explorer = new_context().new_page()
    explorer.goto(f"{app_url}/overview?model=sort")
    read_text(explorer, "3 1 2 0")
    expect(part(explorer, "output")).to_have_text("0 1 2 3")
    names = [wait_for_end(page) for page in (first, second)]
    assert names[0].startswith("my-copy-") and names[1].startswith("my-reverse-")
    go_to(first, "overview")
    for page, own, other in ((first, names[0], names[1]), (explorer, None, names[0])):
        open_controls(page)
        page.get_by_role("combobox", name="Model").click()
        expect(page.get_by_role("option").first).to_be_visible()
        offered = page.get_by_role("option").all_inner_texts()
        assert (own in offered) is (own is not None)
        assert other not in offered
        page.keyboard.press("Escape")  # the list
        close_box(page)

    # Taken away as a file, and brought to somebody else.
    second.get_by_text("Your models", exact=True).click()
    with second.expect_download() as started:
        second.get_by_role("button", name="Download").click()
    file = tmp_path / started.value.suggested_filename
    started.value.save_as(file)
    assert file.name == f"{names[1]}.zip"
    go_to(explorer, "training")
    explorer.get_by_text("Your models", exact=True).click()
    upload = explorer.locator("input[type=file]")
    upload.set_input_files(file)
    expect(explorer.get_by_text("Loaded. You can now use the model on every page")).to_be_visible()
    expect(explorer.get_by_role("button", name="Download")).to_have_count(1)
    broken = tmp_path / "broken.zip"
    broken.write_bytes(file.read_bytes()[:-500])
    upload.set_input_files(broken)
    expect(explorer.get_by_text("This is not a complete zip file of a model")).to_be_visible()
    expect(explorer.get_by_role("button", name="Download")).to_have_count(1)


def test_a_run_can_be_paused_resumed_and_stopped(visit: Visit) -> None:
    page = visit("training?view=train&steps=3000&width=16&nheads=1&batch=4")
    train(page)
    expect(page.get_by_text(re.compile(r"Step \d+ of 3000"))).to_be_visible(timeout=TRAINED)
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_text(re.compile(r"Paused after step \d+ of 3000"))).to_be_visible(timeout=TRAINED)
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_text(re.compile(r"Step \d+ of 3000"))).to_be_visible(timeout=TRAINED)
    page.get_by_role("button", name="Stop").click()
    wait_for_end(page)


def test_a_run_is_stopped_when_its_page_is_closed_and_found_again(browser: Browser, tmp_path: Path) -> None:
    with serve(TMPDIR=str(tmp_path), VIZ_AWAY_S="1") as url:
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"{url}/training?view=train&steps=3000&width=128")
        train(page)
        expect(page.get_by_text(re.compile(r"Step \d+ of 3000"))).to_be_visible(timeout=TRAINED)
        assert list(tmp_path.glob("viz-runs-*/run-*"))  # where its process keeps what it needs
        page.close()
        until(lambda: not list(tmp_path.glob("viz-runs-*/run-*")), seconds=TRAINED / 1000)
        page = context.new_page()
        page.goto(f"{url}/training?view=models")
        expect(page.get_by_role("button", name="Download")).to_be_visible()
        context.close()


def test_it_fits_a_phone(visit: Visit) -> None:
    for query in ("training", "training?view=train&lesson_of_run=no-mask", "training?view=pictures"):
        page = visit(query, width=390, height=844, scheme="dark")
        expect(page.get_by_role("heading", name="Training")).to_be_visible()
        if "pictures" not in query:
            expect(part(page, "fv-curve")).to_be_visible()
        if "view=train" in query:
            expect(page.get_by_role("button", name="Train", exact=True)).to_be_in_viewport()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.own_browser
def test_a_reload_and_another_tab_of_the_browser_find_run_and_model_again(visit: Visit) -> None:
    page = visit(TINY)
    train(page)
    page.reload()
    expect(page.get_by_text("Run 1")).to_be_visible()
    page.close()
    page = visit(TINY)
    expect(page.get_by_text("Run 1")).to_be_visible()
    name = wait_for_end(page)
    page.reload()
    expect(page.get_by_text("Teacher forcing and generation")).to_be_visible()
    page.get_by_text("Your models", exact=True).click()
    expect(page.get_by_test_id("models").get_by_text(name, exact=True)).to_be_visible()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text(name, exact=True)).to_have_count(0)
    page.reload()
    expect(page.get_by_text("You have none yet")).to_be_visible()

    other = visit(f"architecture?model={name}")
    expect(other.get_by_text(f"The model {name} is not here")).to_be_visible()
    expect(other.locator(".vt-chip")).to_contain_text("en-de")
    assert other.goto(page.url)  # in a tab of its own, which has no runs
    expect(other.get_by_text("You have none yet")).to_be_visible()
