"""A file one can type into, opened from disk with the network off: what is on the screen is what Python computes."""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, FrameLocator, Page, expect

import viz_transformer as vt
from bench.browser import until
from viz_transformer.views.trace_view import clearest_step

COMPUTED = re.compile("computed in this browser|由此浏览器计算")
SHOWS = {
    "overview": "[data-testid=tv-sentence]",
    "glance": "[data-testid=hv-large]",
    "arcs": "[data-testid=hv-canvas-arcs]",
    "query_key": "[data-testid=hv-canvas-query-key]",
    "steps": "[data-testid=mv-formula]",
    "tree": "[data-testid=dc-tree]",
}  # by kind, what the view has that others lack
KINDS = tuple(SHOWS)

Opens = Callable[..., Page]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of three models."""
    folder = tmp_path_factory.mktemp("live")
    for name, text, options in (
        ("en-de", "The cat sleeps.", {}),
        ("zh-en", "我爱你。", {"language": "zh"}),
        ("reverse", "12345", {}),
    ):
        vt.load(name, "cpu").trace(text).to_html(folder / f"{name}.html", live=True, **options)  # type: ignore[arg-type]
    vt.load("en-de", "cpu").trace("The cat sleeps.").to_html(folder / "int8.html", live=True, int8=True)
    return folder


@pytest.fixture
def opens(browser: Browser, folder: Path) -> Opens:
    """Opens a file of `folder`, or the text of one, without a network, and waits for its first picture."""

    def open_(name: str, text: str | None = None, *, waits: bool = True, width: int = 1280) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 720})
        context.set_offline(True)
        page = context.new_page()
        page.on("pageerror", lambda error: pytest.fail(str(error)))
        path = folder / f"{name}.html"
        if text is not None:
            path = folder / f"changed-{name}.html"
            path.write_text(text, encoding="utf-8", newline="\n")
        page.goto(path.as_uri())
        if waits:
            expect(state(page)).to_have_text(COMPUTED)
        return page

    return open_


TYPES_AND_TURNS = """([text, kind]) => {
  const byId = (id) => document.querySelector(`[data-testid=${id}]`);
  const field = byId("live-source");
  field.value = text;
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  byId(kind).click();
}"""


def state(page: Page | FrameLocator):  # type: ignore[no-untyped-def]
    return page.get_by_test_id("live-state")


def types(page: Page, text: str) -> None:
    """Types a text in place of the one in the field."""
    page.get_by_test_id("live-source").fill(text)


def turns_to(page: Page, kind: str) -> None:
    page.get_by_test_id(f"live-kind-{KINDS.index(kind) + 1}").click()


def numbers_in(page: Page, rows: str) -> list[list[str]]:
    """The cells of the rows of a table, each row from its first number on."""
    cells: list[list[str]] = page.locator(rows).evaluate_all(
        "rows => rows.map(row => [...row.cells].map(c => c.innerText))"
    )
    return cells


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("en-de", ["A dog sleeps.", "<s> $x$ `b` & <b>cat</b>", "A 😀 sleeps!", "word " * 127]),
        ("zh-en", ["你好，世界！", "他喜歡貓", "我 " * 127]),
        ("reverse", ["7", "9876543210"]),
    ],
)
def test_what_is_typed_is_computed_as_in_python(opens: Opens, name: str, texts: list[str]) -> None:
    page = opens(name)
    translator = vt.load(name, "cpu")
    for text in texts:
        trace = translator.trace(text)
        types(page, text)
        expect(page.get_by_test_id("live-output")).to_have_text(translator.decode(trace))
        expect(state(page)).to_have_text(COMPUTED)
        step = clearest_step(trace, translator.opens_with)
        weights = trace.attention("cross", translator.opens_with.layer).weights[translator.opens_with.head, step]
        said = page.get_by_test_id("tv-sentence")
        expect(said).to_contain_text(trace.predicted_tokens[step])
        expect(said).to_contain_text(trace.source_tokens[int(np.argmax(weights))])
        shown = float(re.search(r"([\d.]+) %", said.inner_text())[1])  # type: ignore[index]
        assert abs(shown - 100 * float(weights.max())) <= 0.5 + 1e-3
        rows = numbers_in(page, "[data-testid=tv-bars] tbody tr")
        likeliest = np.sort(trace.log_probs[step])[::-1][:8]
        log_probs = [float(row[-1].replace("−", "-")) for row in rows[:8]]
        np.testing.assert_allclose(log_probs, likeliest[: len(log_probs)], rtol=0, atol=1e-4)
        probabilities = [float(row[-2]) for row in rows[:8]]
        np.testing.assert_allclose(probabilities, np.exp(likeliest[: len(log_probs)]), rtol=0, atol=1e-4)


def test_every_view_shows_what_was_typed(opens: Opens) -> None:
    page = opens("en-de")
    types(page, "A dog sleeps.")
    expect(page.get_by_test_id("live-output")).to_have_text("Ein Hund schläft.")
    for kind in KINDS:
        turns_to(page, kind)
        expect(page.get_by_test_id(f"live-kind-{KINDS.index(kind) + 1}")).to_have_attribute("aria-pressed", "true")
        expect(state(page)).to_have_text(COMPUTED)
        expect(page.get_by_test_id("live-view").locator(SHOWS[kind]).first).to_be_visible()
    expect(page.get_by_test_id("dc-node-2-1")).to_contain_text("Hund")


def test_the_first_picture_is_whole_on_a_projector(opens: Opens) -> None:
    page = opens("en-de")
    for text in ("A dog sleeps.", "The cat sleeps because it is tired."):
        types(page, text)
        expect(page.get_by_test_id("live-output")).to_have_text(vt.load("en-de", "cpu").translate(text))
        expect(state(page)).to_have_text(COMPUTED)
        box = page.locator("[data-testid=live-view] canvas:visible").first.bounding_box()
        assert box and box["y"] + box["height"] <= 720


def test_the_numbers_of_the_stages_are_the_recorded_ones(opens: Opens) -> None:
    page = opens("en-de")
    types(page, "A dog sleeps.")
    turns_to(page, "steps")
    page.get_by_test_id("live-module-1").click()
    page.get_by_test_id("live-layer-3").click()
    expect(state(page)).to_have_text(COMPUTED)
    page.get_by_test_id("mv-head-2").click()
    record = vt.load("en-de", "cpu").trace("A dog sleeps.").attention("encoder_self", 2)
    page.get_by_test_id("mv-stage-6").click()
    page.locator("[data-testid=mv-table-toggle-weights]:visible").click()
    rows = numbers_in(page, "[data-testid=mv-table-weights]:visible tbody tr")
    found = np.array([[float(cell) for cell in row[1:]] for row in rows])
    np.testing.assert_allclose(found, record.weights[1], rtol=0, atol=1e-4)


def test_the_output_beside_a_tree_is_that_of_its_search(opens: Opens) -> None:
    page = opens("en-de")
    types(page, "A letter came for you.")
    translator, written = vt.load("en-de", "cpu"), page.get_by_test_id("live-output")
    greedy, best = (translator.translate("A letter came for you.", beam_size=size) for size in (1, 4))
    assert greedy != best
    expect(written).to_have_text(greedy)
    turns_to(page, "tree")
    expect(written).to_have_text(best)
    turns_to(page, "arcs")
    expect(written).to_have_text(greedy)


def test_a_view_that_is_turned_to_is_of_the_text_that_was_typed_a_moment_before(opens: Opens) -> None:
    page = opens("en-de")
    for text, kind in (("A letter came for you.", "arcs"), ("A dog sleeps.", "overview"), ("", "glance")):
        page.evaluate(TYPES_AND_TURNS, [text, f"live-kind-{KINDS.index(kind) + 1}"])
        if text:
            expect(page.get_by_test_id("live-output")).to_have_text(vt.load("en-de", "cpu").translate(text))
            expect(state(page)).to_have_text(COMPUTED)
    expect(page.get_by_test_id("live-refusal")).to_contain_text("is empty")
    expect(page.get_by_test_id("live-earlier")).to_contain_text("A dog sleeps.")
    expect(page.get_by_test_id("live-view").locator(SHOWS["glance"]).first).to_be_visible()


def test_another_hypothesis_of_the_tree_gets_its_own_pass(opens: Opens) -> None:
    page = opens("en-de")
    turns_to(page, "tree")
    expect(state(page)).to_have_text(COMPUTED)
    node = page.get_by_test_id("dc-node-4-3")
    node.click()
    expect(node).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_test_id("dc-loading")).to_be_hidden()
    expect(state(page)).to_have_text(COMPUTED)
    translator = vt.load("en-de", "cpu")
    *_, step = itertools.islice(translator.beam_search("The cat sleeps."), 4)
    (found,) = [one for one in step.live if translator.target_tokenizer.label(one.ids[-1]) == "gerade"]
    trace, head = translator.trace_ids("The cat sleeps.", found.ids), translator.opens_with
    share = 100 * float(trace.attention("cross", head.layer).weights[head.head, 3].max())
    said = page.get_by_text("While writing «gerade»").first
    shown = float(re.search(r"([\d.]+) %", said.inner_text())[1])  # type: ignore[index]
    assert abs(shown - share) <= 0.5 + 1e-3


def test_the_last_good_picture_is_marked_while_a_text_is_refused(opens: Opens) -> None:
    page = opens("en-de")
    refusal, earlier = page.get_by_test_id("live-refusal"), page.get_by_test_id("live-earlier")
    for text, sentence in (
        ("", "The source text is empty: type at least one word or symbol."),
        ("word " * 128, "The source text has 128 tokens, and this model reads at most 127."),
        ("a" * 20_001, "The source text has 20001 characters"),
    ):
        types(page, text)
        expect(refusal).to_contain_text(sentence)
        expect(earlier).to_have_text("The picture is still that of the earlier text: The cat sleeps.")
        expect(page.get_by_test_id("live-output")).to_have_text("")
    turns_to(page, "glance")  # of the earlier text, too
    expect(page.get_by_test_id("live-view").locator("canvas").first).to_be_visible()
    expect(refusal).to_contain_text("20001 characters")
    types(page, "A dog sleeps.")
    expect(refusal).to_have_text("")
    expect(earlier).to_have_text("")


def test_a_target_that_is_given_is_forced(opens: Opens) -> None:
    page = opens("en-de")
    page.get_by_test_id("live-target").fill("Der Hund bellt.")
    expect(page.get_by_test_id("live-output")).to_have_text("Der Hund bellt.")
    trace = vt.load("en-de", "cpu").trace("The cat sleeps.", "Der Hund bellt.")
    step = clearest_step(trace, vt.load("en-de", "cpu").opens_with)
    expect(page.get_by_test_id("tv-sentence")).to_contain_text(f"To write {trace.predicted_tokens[step]}")


def test_it_speaks_both_languages(opens: Opens) -> None:
    page = opens("zh-en")
    expect(state(page)).to_have_text("由此浏览器计算")
    types(page, "")
    expect(page.get_by_test_id("live-refusal")).to_contain_text("文本")
    page.get_by_test_id("live-language-1").click()
    expect(page.get_by_test_id("live-refusal")).to_contain_text("The source text is empty")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    types(page, "你好")
    expect(state(page)).to_have_text("computed in this browser")


def test_rounded_weights_are_said(opens: Opens) -> None:
    page = opens("int8")
    expect(state(page)).to_have_text("computed in this browser, weights rounded to 8 bits")
    expect(page.locator("footer")).to_contain_text("rounded to 8 bits")
    types(page, "A dog sleeps.")
    expect(page.get_by_test_id("live-output")).to_have_text("Ein Hund schläft.")


@pytest.mark.parametrize("sandbox", ["", ' sandbox="allow-scripts"'])
def test_in_a_frame_of_another_page(opens: Opens, folder: Path, sandbox: str) -> None:
    inner = html.escape((folder / "reverse.html").read_text(encoding="utf-8"))
    page = opens(
        "course",
        f'<meta charset="utf-8"><iframe width="1200" height="700" srcdoc="{inner}"{sandbox}></iframe>',
        waits=False,
    )
    frame = page.frame_locator("iframe")
    expect(state(frame)).to_have_text(COMPUTED)
    frame.get_by_test_id("live-source").fill("987")
    expect(frame.get_by_test_id("live-output")).to_have_text("7 8 9")


def test_where_no_worker_is_allowed_the_page_computes(opens: Opens, folder: Path) -> None:
    policy = '<meta http-equiv="Content-Security-Policy" content="worker-src \'none\'">'
    text = (folder / "reverse.html").read_text(encoding="utf-8").replace("<title>", f"{policy}<title>", 1)
    page = opens("reverse", text)
    types(page, "987")
    expect(page.get_by_test_id("live-output")).to_have_text("7 8 9")


def test_a_damaged_file_says_so(opens: Opens, folder: Path) -> None:
    text = (folder / "en-de.html").read_text(encoding="utf-8")
    middle = len(text) // 2
    for changed in (text[:middle], text[:middle] + ("b" if text[middle] == "a" else "a") + text[middle + 1 :]):
        page = opens("en-de", changed, waits=False)
        expect(page.get_by_test_id("live-refusal")).to_have_text(
            "This file is damaged: a part of it is missing or has been changed."
        )


def test_what_was_typed_is_no_markup(opens: Opens) -> None:
    page = opens("en-de")
    types(page, "<img src=x onerror=alert(1)> **cat** {text}")
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    expect(state(page)).to_have_text(COMPUTED)
    types(page, "")
    expect(page.get_by_test_id("live-earlier")).to_contain_text("<img src=x onerror=alert(1)> **cat** {text}")


def test_on_a_phone_nothing_is_cut(opens: Opens) -> None:
    page = opens("en-de", width=390)
    for kind in KINDS:
        turns_to(page, kind)
        expect(state(page)).to_have_text(COMPUTED)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), kind


def test_typing_letter_by_letter_ends_with_the_whole_text(opens: Opens) -> None:
    page = opens("en-de")
    field = page.get_by_test_id("live-source")
    field.fill("")
    field.press_sequentially("A dog sleeps.", delay=5)
    expect(page.get_by_test_id("live-output")).to_have_text("Ein Hund schläft.")
    until(page, "() => document.querySelector('[data-testid=live-refusal]').textContent === ''")
