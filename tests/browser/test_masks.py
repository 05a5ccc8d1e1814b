"""The Masks page, used as a person would, its numbers compared with numpy's."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote, urlencode, urlsplit

import numpy as np
import pytest
import torch
from playwright.sync_api import Locator, Page, expect

import viz_transformer as vt
from bench.browser import until
from bench.first_screen import DEEP, views
from tests.browser.helpers import close_box, go_to, open_box, query_of

Visit = Callable[..., Page]

SENTENCES = ("3 1 4 1 5 9", "2 7 1", "7 7 7 0 7")
PAD, END = 0, 2
LESSONS = {
    "matrices": "The masks",
    "softmax": "Softmax",
    "causality": "Break causality",
    "teacher": "Teacher forcing",
    "encoder": "Encoder leak",
}
FITS_A_PHONE = f"""() => {{{DEEP}
  const canvases = all(document.body).filter((node) => node.matches("canvas") && node.checkVisibility());
  const boxes = canvases.map((canvas) => canvas.getBoundingClientRect());
  return document.documentElement.scrollWidth <= 390 && boxes.every(({{ left, right }}) => left >= 0 && right <= 390);
}}"""


class Batch:
    """The same batch by hand: the model copies, so the target is the source."""

    def __init__(self) -> None:
        self.translator = vt.load("copy", "cpu")
        digits = [list(self.translator.encode_source(text).ids) for text in SENTENCES]
        self.source, self.target, self.labels = (
            np.array([row + [PAD] * (7 - len(row)) for row in rows])
            for rows in ([[*d, END] for d in digits], [[1, *d] for d in digits], [[*d, END] for d in digits])
        )
        self.log_probs, self.tensors = self.run()

    def run(
        self, rows: slice = slice(None), width: int = 7, interventions: tuple = (), target: np.ndarray | None = None
    ) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        target = self.target[rows] if target is None else target
        source = torch.tensor(self.source[rows, :width])
        logits, tensors = vt.record(self.translator.model, source, torch.tensor(target), interventions)
        return logits.log_softmax(-1).numpy(), {name: tensor.numpy() for name, tensor in tensors.items()}


@pytest.fixture(scope="module")
def batch() -> Batch:
    return Batch()


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores.astype(np.float64) - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def link(lesson: str, **more: str) -> str:
    texts = dict(zip(("s1", "s2", "s3"), SENTENCES, strict=True))
    return "masks?" + urlencode({"model": "copy", "lesson": lesson, **texts, **more})


def table(page: Page, name: str) -> Locator:
    found = page.get_by_test_id(name)
    expect(found).to_be_visible()
    return found


def cells(page: Page, name: str) -> list[list[str]]:
    """The texts of a table's body."""
    rows = table(page, name).locator("tbody tr").all()
    return [[cell.inner_text().strip() for cell in row.locator("th, td").all()] for row in rows]


def number(text: str) -> float:
    return float(text.replace("−", "-"))


def close(text: str, value: float, places: int = 4) -> bool:
    """Whether a shown number is `value`, up to rounding."""
    size = abs(float(value))
    slack = 0.51 * 10**-places if size >= 0.5 * 10**-places else max(0.006 * size, 2e-6)
    return abs(number(text) - float(value)) <= slack


def point_at(page: Page, name: str, query: int, key: int) -> str:
    """Moves the mouse over a cell, counted from 0, and returns what the readout says."""
    canvas = page.get_by_test_id(f"mv-matrix-{name}")
    canvas.scroll_into_view_if_needed()
    left, top, cell = (float(canvas.get_attribute(f"data-{edge}") or "nan") for edge in ("left", "top", "cell"))
    canvas.hover(position={"x": left + (key + 0.5) * cell, "y": top + (query + 0.5) * cell})
    return page.get_by_test_id(f"mv-readout-{name}").inner_text()


def walk_to(page: Page, name: str, query: int, key: int) -> str:
    """Moves to a cell by arrow keys alone, and returns what the readout says."""
    canvas = page.get_by_test_id(f"mv-matrix-{name}")
    canvas.focus()
    for press, times in (("ArrowUp", 7), ("Home", 1), ("ArrowDown", query), ("ArrowRight", key)):
        for _ in range(times):
            page.keyboard.press(press)
    return page.get_by_test_id(f"mv-readout-{name}").inner_text()


READ = {"mouse": point_at, "keyboard": walk_to}


def choose(page: Page, group: str, option: str, by: str = "mouse") -> None:
    """Chooses a radio button: a click where it is drawn, or arrow keys from the chosen one."""
    radios = page.get_by_role("radiogroup", name=group, exact=True)
    expect(radios.get_by_text(option, exact=True)).to_be_visible()
    if by == "mouse":
        radios.get_by_text(option, exact=True).click()
        return
    names = radios.get_by_role("radio").evaluate_all("all => all.map((one) => one.closest('label').innerText.trim())")
    chosen = radios.get_by_role("radio").evaluate_all("all => all.findIndex((one) => one.checked)")
    radios.get_by_role("radio").nth(chosen).focus()
    for _ in range(abs(names.index(option) - chosen)):
        page.keyboard.press("ArrowRight" if names.index(option) > chosen else "ArrowLeft")
    expect(radios.get_by_role("radio").nth(names.index(option))).to_be_checked()


def test_a_newcomer_finds_padded_masks_on_the_screen(visit: Visit) -> None:
    page = visit("masks")
    expect(page.get_by_test_id("mv-matrix-combined-may")).to_be_visible()
    for name in ("padding", "causal", "combined"):
        for convention, option in (("may", "may attend"), ("masked", "masked")):
            choose(page, "Mask", name)
            choose(page, "True means", option)
            expect(page.get_by_test_id(f"mv-matrix-{name}-{convention}")).to_be_visible()
    expect(page.get_by_text("Combined, as recorded in the pass")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_the_page_is_reached_from_the_navigation(visit: Visit) -> None:
    page = visit()
    go_to(page, "masks")
    expect(page.get_by_role("heading", name="Masks")).to_be_visible()
    expect(page.get_by_test_id("mv-matrix-combined-may")).to_be_visible()


@pytest.mark.parametrize("by", READ)
def test_every_mask_in_both_conventions(visit: Visit, batch: Batch, by: str) -> None:
    page = visit(link("matrices"))
    places = {
        "decoder_self": "Decoder self-attention",
        "encoder_self": "Encoder self-attention",
        "cross": "Cross-attention",
    }
    hooks = {
        "decoder_self": "decoder_layers.0.self_attention.mask",
        "encoder_self": "encoder_layers.0.self_attention.mask",
        "cross": "decoder_layers.0.cross_attention.mask",
    }
    for module, place in places.items():
        choose(page, "Attention module", place, by)
        causal = "Causal mask" if module == "decoder_self" else "Causal mask: none"
        choose(page, "Mask", "causal", by)
        expect(page.get_by_role("heading", name=causal, exact=True).first).to_be_visible()
        recorded = np.broadcast_to(batch.tensors[hooks[module]][1, 0], (7, 7))
        expect(page.get_by_text(f"{recorded.sum()} of 49 cells")).to_be_visible()
        choose(page, "Mask", "combined", by)
        for convention, option in (("may", "may attend"), ("masked", "masked")):
            choose(page, "True means", option, by)
            expect(page.get_by_test_id(f"mv-matrix-combined-{convention}")).to_be_visible()
            for query, key in ((0, 0), (1, 2), (3, 3), (3, 5), (6, 4)):
                may = bool(recorded[query, key])
                value = may == (convention == "may")
                seen = READ[by](page, f"combined-{convention}", query, key)
                assert seen.endswith(f": {int(value)}" + ("" if may else ", masked")), (module, query, key, seen)


def test_a_pinned_cell_and_a_sentence_are_in_the_link(visit: Visit, batch: Batch) -> None:
    page = visit(link("matrices", mask="causal"))
    canvas = page.get_by_test_id("mv-matrix-causal-may")
    canvas.focus()
    readout = page.get_by_test_id("mv-readout-causal-may")
    canvas.press("Home")
    for _ in range(2):
        canvas.press("ArrowDown")
    for key in range(4):
        expect(readout).to_contain_text(": 1" if key <= 2 else ": 0, masked")
        canvas.press("ArrowRight")
    canvas.press("Enter")
    page.wait_for_url(re.compile("cell=causal-may"))
    seen = readout.inner_text()

    radio = page.get_by_role("radiogroup", name="Sentence of the batch").get_by_role("radio").nth(1)
    radio.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("sentence=3"))
    again = visit(urlsplit(page.url).path.strip("/") + "?" + urlsplit(page.url).query)
    expect(again.get_by_test_id("mv-readout-causal-may")).to_contain_text(seen.split("»")[0][:20])
    expect(again.get_by_role("radio", name="3")).to_be_checked()


@pytest.mark.parametrize("by", READ)
def test_masking_around_the_softmax_to_the_last_digit(visit: Visit, batch: Batch, by: str) -> None:
    page = visit(link("softmax", sentence="2"))
    scores = batch.tensors["decoder_layers.0.self_attention.scaled_scores"][1, 0]
    mask = batch.tensors["decoder_layers.0.self_attention.mask"][1, 0]
    right = softmax(np.where(mask, scores, -np.inf))
    after = softmax(scores) * mask

    def check(fill: float, shown: str) -> None:
        leaky = softmax(np.where(mask, scores, fill))
        leak = np.where(mask, 0, leaky).sum(-1)
        expect(table(page, "ways")).to_contain_text(f"{shown} before the softmax")
        expect(table(page, "row-sums")).to_contain_text(f"{shown}: leak")
        ways = {row[0]: row[1:] for row in cells(page, "ways")}
        for name in ("−∞", "−1e10", "−1e9"):
            assert ways[f"{name} before the softmax"] == ["1.0000", "1.0000", "0"]
        assert close(ways[f"{shown} before the softmax"][2], leak.max())
        assert close(ways["multiplied after the softmax"][0], after.sum(-1).min())
        assert close(ways["multiplied after the softmax"][1], after.sum(-1).max())
        for row, shown_row in enumerate(cells(page, "row-sums")):
            assert shown_row[1] == "1.0000"
            assert close(shown_row[2], leak[row]), (shown_row, leak[row])
            assert close(shown_row[3], after[row].sum())
        for query, key in ((1, 0), (3, 5), (5, 2)):
            assert READ[by](page, "own", query, key).split(": ")[-1] == shown_number(leaky[query, key])
        assert READ[by](page, "infinity", 2, 1).split(": ")[-1] == shown_number(right[2, 1])
        assert READ[by](page, "multiplied", 2, 1).split(": ")[-1] == shown_number(after[2, 1])

    check(-5.0, "−5")
    box = page.get_by_role("spinbutton", name="Your own number in place of −∞")
    if by == "mouse":
        box.fill("-1.5")
    else:
        box.focus()
        page.keyboard.press("Control+A")
        page.keyboard.type("-1.5")
    page.keyboard.press("Enter")
    check(-1.5, "−1.5")
    assert query_of(page)["fill"] == "-1.5"


def shown_number(value: float) -> str:
    """As the matrices print it; these weights are far from every boundary of rounding."""
    assert value >= 0.5e-4
    return f"{value:.4f}"


def test_a_row_that_is_masked_everywhere(visit: Visit, batch: Batch) -> None:
    page = visit(link("softmax", sentence="2"))
    rows = {row[0]: row[1:] for row in cells(page, "blank-row")}
    assert set(rows["−∞ before the softmax"]) == {"NaN"}
    for name in ("−1e10", "−1e9", "−5"):
        assert rows[f"{name} before the softmax"] == [*[f"{1 / 7:.4f}"] * 7, "1.0000"]
    assert set(rows["multiplied after the softmax"]) == {"0"}
    assert [row[1] for row in cells(page, "blank-output")] == ["4 of 4", "0 of 4"]
    assert [int(row[1]) for row in cells(page, "fewest-keys")] == [4, 1, 4]  # encoder, decoder, cross
    expect(page.get_by_text("The source text is empty: type at least one word or symbol.")).to_be_visible()


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_an_edit_of_the_future_reaches_the_past_only_without_the_mask(visit: Visit, batch: Batch, by: str) -> None:
    page = visit(link("causality", sentence="1"))
    box = page.get_by_role("combobox", name=re.compile("Token to edit"))
    if by == "mouse":
        box.click()
        page.get_by_role("option", name="4 4").click()
    else:
        box.focus()
        for key in ("4", "Enter"):
            page.keyboard.press(key)
    page.wait_for_url(re.compile("edit=4"))
    typed = page.get_by_role("textbox", name="Replace it with")
    if by == "mouse":
        typed.fill("8")
    else:
        typed.focus()
        page.keyboard.press("Control+A")
        page.keyboard.type("8")
    page.keyboard.press("Enter")
    expect(table(page, "causality")).to_contain_text("→ 8")

    place, eight = 3, batch.translator.target_tokenizer.encode("8").ids[0]
    before, after = batch.target[:1].copy(), batch.target[:1].copy()
    after[0, place] = eight
    off = (vt.ChangeMask("off", frozenset({"decoder_self"})),)
    passes = {
        "on": [batch.run(slice(1), 7, (), ids)[0][0] for ids in (before, after)],
        "off": [batch.run(slice(1), 7, off, ids)[0][0] for ids in (before, after)],
    }
    change = {name: np.abs(b - a).max(-1) for name, (a, b) in passes.items()}
    assert (change["on"][:place] == 0).all()
    summary = {row[0]: row[1:] for row in cells(page, "causality-summary")}
    assert summary["on"] == ["0", "0 of 3"]
    assert summary["off"][1] == "3 of 3"
    assert close(summary["off"][0], change["off"][:place].max())
    for row, shown in enumerate(cells(page, "causality")):
        label = batch.labels[0, row]
        assert shown[5] == "0" if row < place else close(shown[5], change["on"][row])
        assert close(shown[3], passes["on"][0][row, label])
        assert close(shown[4], passes["on"][1][row, label])
        assert close(shown[6], passes["off"][0][row, label])
        assert close(shown[7], passes["off"][1][row, label])
        assert close(shown[8], change["off"][row])
    for query, key in ((0, 3), (2, 5), (4, 6)):
        # The start token, which is never edited, has no column; a row is named after the token that it should write.
        for name in ("change-on", "change-off"):
            seen = READ[by](page, name, query, key - 1)
            assert f"token to write {query + 2} " in seen and f"edited token {key + 1} " in seen
            assert seen.endswith(": 0.0000") == (name == "change-on")


def test_teacher_forcing_is_a_triangle(visit: Visit, batch: Batch) -> None:
    page = visit(link("teacher", sentence="2"))
    aligned = cells(page, "aligned")
    assert aligned[2][1:] == ["<s>", "2", "7", "1", "<pad>", "<pad>", "<pad>"]
    assert aligned[3][1:] == ["2", "7", "1", "</s>", "<pad>", "<pad>", "<pad>"]
    triangle = cells(page, "triangle")
    tokens = ["<s>", "2", "7", "1"]
    expected = batch.log_probs[1, range(4), batch.labels[1, :4]]
    for row, shown in enumerate(triangle):
        assert shown[1:5] == tokens[: row + 1] + [""] * (3 - row)
        assert shown[5] == "→ " + [*tokens[1:], "</s>"][row]
        assert close(shown[6], expected[row])
        assert close(shown[7], -expected[row])
    expect(page.get_by_text(f"{-expected.mean(dtype=np.float64):.4f} nats")).to_be_visible()


@pytest.mark.parametrize("by", READ)
def test_padding_leaks_into_the_encoder_without_its_mask(visit: Visit, batch: Batch, by: str) -> None:
    page = visit(link("encoder", sentence="2", neighbour="typed"))
    one = slice(1, 2)
    off = (vt.ChangeMask("off", frozenset({"encoder_self"})),)
    (alone_p, alone), (on_p, _), (off_p, leaky) = (
        batch.run(one, 4, (), batch.target[one, :4]),
        batch.run(one),
        batch.run(one, 7, off),
    )
    choose(page, "Layer", "2", by)
    choose(page, "Head", "2", by)
    page.wait_for_url(re.compile("head=2"))
    weights = leaky["encoder_layers.1.self_attention.weights"][0, 1]
    change = np.abs(leaky["memory"][0, :4] - alone["memory"][0]).max(-1)
    expect(table(page, "leak").locator("tbody tr").first.locator("td").last).to_have_text(f"{weights[0, 4:].sum():.4f}")
    for row, shown in enumerate(cells(page, "leak")):
        assert number(shown[1].replace("e−", "e-")) < 1e-5
        assert close(shown[2], change[row])
        assert shown[3] == "0"
        assert close(shown[4], weights[row, 4:].sum())
    for query, key in ((0, 5), (3, 6)):
        assert READ[by](page, "leak-off", query, key).endswith(shown_number(weights[query, key]))
        assert READ[by](page, "leak-on", query, key).endswith(", masked")
    for row, shown in enumerate(cells(page, "leak-output")):
        label = batch.labels[1, row]
        for text, log_probs in zip(shown[1:4], (alone_p, on_p, off_p), strict=True):
            assert close(text, log_probs[0, row, label])


def test_all_lessons_by_keyboard_only(visit: Visit) -> None:
    page = visit(link("matrices"))
    expect(page.get_by_test_id("mv-matrix-combined-may")).to_be_visible()
    page.get_by_role("radio", name=LESSONS["matrices"]).focus()
    landmarks = {"softmax": "ways", "causality": "causality", "teacher": "triangle", "encoder": "leak"}
    for lesson, landmark in landmarks.items():
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Space")
        page.wait_for_url(re.compile(f"lesson={lesson}"))
        expect(page.get_by_test_id(landmark)).to_be_visible()
        expect(page.get_by_role("radio", name=LESSONS[lesson])).to_be_focused()


def test_back_returns_to_the_lesson_before(visit: Visit) -> None:
    page = visit(link("teacher"))
    table(page, "triangle")
    page.get_by_role("radio", name=LESSONS["encoder"]).click()
    table(page, "leak")
    page.go_back()
    table(page, "triangle")
    expect(page.get_by_role("radio", name=LESSONS["teacher"])).to_be_checked()


@pytest.mark.parametrize(
    ("box", "text", "sentence"),
    [
        ("First sentence", "", "The first source text is empty"),
        ("Second sentence", "  ", "The second source text is empty"),
        ("Third sentence (optional)", "1 " * 17, "The third source text has 17 tokens"),
    ],
)
def test_a_sentence_that_cannot_be_read_gets_a_sentence(visit: Visit, box: str, text: str, sentence: str) -> None:
    page = visit(link("matrices"))
    typed = open_box(page).get_by_role("textbox", name=box)
    typed.fill(text)
    typed.press("Enter")
    expect(page.get_by_role("alert").first).to_contain_text(sentence)
    expect(typed).to_have_value(text)
    typed.fill("4 2")
    typed.press("Enter")
    expect(page.get_by_test_id("mv-matrix-combined-may")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.parametrize("lesson", LESSONS)
def test_typed_text_is_data_and_never_markup(visit: Visit, lesson: str) -> None:
    texts = {"s1": "<s> $x$ 1", "s2": "<img src=x onerror=alert(1)> _a_ 👋", "s3": "مرحبا"}
    page = visit("masks?" + urlencode({"lesson": lesson, "sentence": "2", **texts}, quote_via=quote))
    expect(page.get_by_role("radio", name=LESSONS[lesson])).to_be_checked()
    expect(page.get_by_role("status").filter(has_text="never seen")).to_be_visible()
    expect(open_box(page).get_by_role("textbox", name="Second sentence")).to_have_value(texts["s2"])
    close_box(page)
    if lesson == "encoder":
        shown = [row[0].split(" ", 1)[1] for row in cells(page, "leak")]
        assert "".join(shown[:-1]) == texts["s2"].replace(" ", "")
    assert page.locator("img[src=x]").count() == 0


def test_nothing_is_cut_off_on_a_phone(visit: Visit, app_url: str) -> None:
    page = visit("masks", width=390, height=844)
    seen = []
    for title in views(page, app_url, link("matrices")):
        seen.append(title)
        if title != LESSONS["teacher"]:
            expect(page.locator("canvas:visible").first).to_be_visible()
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme)
            until(page, FITS_A_PHONE)  # once the matrices are painted anew
    assert seen == [*LESSONS.values()]
