"""What the page Decoding draws, held against the search and the recorded pass that it was drawn from."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import viz_transformer as vt
from bench.browser import until
from tests.browser.pixels import SEQUENTIAL, cell_colours, colours_of
from viz_transformer.decoding.search import DecodingStep
from viz_transformer.experiments.decoding.step_by_step import cache_size, cached_step_cost, uncached_step_cost

SOURCE = "我今天很高兴,因为天气很好。"
BEAM = 3
MASK = (226, 222, 210)  # of a cell that may be attended to, on a light page


@pytest.fixture(scope="module")
def translator() -> vt.Translator:
    return vt.load("zh-en", "cpu")


@pytest.fixture(scope="module")
def steps(translator: vt.Translator) -> list[DecodingStep]:
    return list(translator.beam_search(SOURCE, beam_size=BEAM))


@pytest.fixture
def page(visit: Callable[..., Page], steps: list[DecodingStep]) -> Iterator[Page]:
    """With the clock at the last step, where the whole tree is on the screen."""
    page = visit(f"decoding?source={quote(SOURCE)}&beam={BEAM}&layer=1&head=2&step={len(steps)}&zoom=3", width=1280)
    expect(part(page, "tv-matrix-cross")).to_be_visible()
    expect(part(page, "dc-loading")).to_be_hidden()
    yield page


def part(page: Page, name: str) -> Locator:
    return page.get_by_test_id(name)


def number(value: float, digits: int = 4) -> str:
    return f"{value:.{digits}f}".replace("-", "−")


def grouped(count: float) -> str:
    return f"{round(count):,}".replace(",", "\u202f")


def place_of(node: Locator) -> tuple[float, float, float, float]:
    """Left, top, right and bottom within the tree's field."""
    left, top, width, height = node.evaluate(
        "node => [node.offsetLeft, node.offsetTop, node.offsetWidth, node.offsetHeight]"
    )
    return left, top, left + width, top + height


def node(page: Page, t: int, r: int) -> Locator:
    return part(page, f"dc-node-{t + 1}-{r + 1}")


def test_each_node_says_its_token_and_its_numbers_and_stands_by_step_and_rank(
    page: Page, steps: list[DecodingStep]
) -> None:
    places = {}
    for t, step in enumerate(steps):
        for r, one in enumerate(step.candidates):
            button = node(page, t, r)
            expect(button.locator("bdi")).to_have_text(one.token)
            expect(button).to_have_class(re.compile(rf"\bnode {one.status}\b"))
            said = {
                "pruned": f"{number(one.total_log_prob, 2)} (−{one.margin:.2f})",
                "finished": f"{number(one.total_log_prob, 2)} → {number(one.score, 2)}",
                "live": number(one.total_log_prob, 2),
            }[one.status]
            expect(button.locator("small")).to_have_text(said)
            places[t, r] = place_of(button)
    assert part(page, "dc-tree").locator("button.node").count() == len(places)
    for (t, r), (left, top, *_) in places.items():
        assert left == places[t, 0][0] > (places[t - 1, 0][2] if t else 0)
        assert top == places[0, r][1] if (0, r) in places else top > places[t, r - 1][3]
        assert r == 0 or top > places[t, r - 1][3]


def test_the_shown_path_goes_through_its_nodes(
    page: Page, steps: list[DecodingStep], translator: vt.Translator
) -> None:
    def path_to(ids: tuple[int, ...]) -> list[tuple[int, int]]:
        """[level, rank] of each prefix of an output, as far as the search considered it."""
        found = []
        for t in range(len(ids)):
            parents = [hypothesis.ids for hypothesis in steps[t - 1].live] if t else [()]
            rank = next(
                (r for r, c in enumerate(steps[t].candidates) if (*parents[c.parent], c.token_id) == ids[: t + 1]), None
            )
            if rank is None:
                break
            found.append((t, rank))
        return found

    def assert_drawn(kind: str, nodes: list[tuple[int, int]]) -> None:
        numbers = [float(n) for n in re.findall(r"-?[\d.]+", page.locator(f"path.{kind}").get_attribute("d") or "")]
        assert len(numbers) == 8 * len(nodes)
        for n, place in enumerate(nodes):
            left, top, _right, bottom = place_of(node(page, *place))
            assert numbers[8 * n + 6 : 8 * n + 8] == pytest.approx([left, (top + bottom) / 2], abs=1)
            if n:
                _left, top, right, bottom = place_of(node(page, *nodes[n - 1]))
                assert numbers[8 * n : 8 * n + 2] == pytest.approx([right, (top + bottom) / 2], abs=1)

    best = steps[-1].best.ids
    *_, greedy = translator.greedy_search(SOURCE)
    assert_drawn("on-path", path_to(best))
    assert_drawn("greedy", path_to(greedy.best.ids))
    shown = [f"dc-node-{t + 1}-{r + 1}" for t, r in path_to(best)]
    marked = part(page, "dc-tree").locator("button.on-path")
    assert [one.get_attribute("data-testid") for one in marked.all()] == shown
    assert part(page, "dc-tree").locator("[aria-pressed=true]").get_attribute("data-testid") == shown[-1]
    assert part(page, "dc-tree").locator("button.best").get_attribute("data-testid") == shown[-1]
    for t in (len(best) - 1, 2):
        page.locator("button.column-head").nth(t).click()
        expect(page.locator("button.column-head.now")).to_have_text(str(t + 1))
        assert_drawn("on-path", path_to(best)[: t + 1])
        assert part(page, "dc-tree").locator(".level:not([hidden])").count() == t + 1


def test_every_cell_and_every_key_has_the_colour_and_the_number_of_its_weight(
    page: Page, steps: list[DecodingStep], translator: vt.Translator
) -> None:
    trace = translator.trace_ids(SOURCE, steps[-1].best.ids)
    last = len(trace.target_tokens) - 1
    for layer, head in ((0, 1), (1, 0)):
        part(page, f"tv-layer-{layer + 1}").click()
        part(page, f"tv-head-{head + 1}").click()
        for module in vt.ATTENTION_MODULES[1:]:
            record = trace.attention(module, layer)
            weights, mask = record.weights[head], record.mask
            canvas = part(page, f"tv-matrix-{module}")
            until(
                page,
                "([canvas, title]) => canvas.getAttribute('aria-label').includes(title)",
                [canvas.element_handle(), f"layer {layer + 1}, head {head + 1}"],
            )
            off = np.abs(cell_colours(canvas, weights.shape) - colours_of(weights, 0, 1, SEQUENTIAL)).max(axis=-1)
            assert (off[mask] <= 3).all(), (module, layer, head)
            keys = part(page, f"dc-strip-{module}").get_by_role("listitem")
            row = weights[last]
            for key, weight, allowed in zip(keys.locator(".weight").all(), row, mask[last], strict=True):
                assert allowed
                expect(key).to_have_text(f"{weight:.2f}")
                shown = re.findall(r"\d+", key.evaluate("key => getComputedStyle(key).backgroundColor"))
                assert np.abs(np.array(shown[:3], float) - colours_of(weight, 0, 1, SEQUENTIAL)).max() <= 2
    mask = trace.attention("decoder_self", 0).mask
    colours = cell_colours(part(page, "tv-matrix-mask"), mask.shape)
    assert (np.abs(colours - MASK).max(axis=-1)[mask] <= 2).all()
    assert (np.abs(colours - MASK).max(axis=-1)[~mask] > 2).any()  # hatched


def test_the_bars_are_as_long_as_the_probabilities_beside_them(
    page: Page, steps: list[DecodingStep], translator: vt.Translator
) -> None:
    trace = translator.trace_ids(SOURCE, steps[-1].best.ids)
    for t in (len(trace.target_tokens) - 1, 1):
        page.locator("button.column-head").nth(t).click()
        expect(part(page, "tv-bars").locator("caption")).to_contain_text(f"step {t + 1}")
        best = np.argsort(-trace.log_probs[t], kind="stable")[:8]
        rows = part(page, "tv-bars").locator("tbody tr")
        for rank, (token, row) in enumerate(zip(best, rows.all()[:8], strict=True), start=1):
            log_prob = float(trace.log_probs[t, token])
            expect(row.locator("bdi")).to_have_text(translator.target_tokenizer.label(int(token)))
            assert row.locator("td.number").all_inner_texts() == [
                str(rank), number(math.exp(log_prob)), number(log_prob),
            ]  # fmt: skip
            share = row.locator(".fill").evaluate(
                "fill => fill.getBoundingClientRect().width / fill.parentElement.getBoundingClientRect().width"
            )
            assert share == pytest.approx(math.exp(log_prob), abs=0.005)
            taken = token == trace.predicted_ids[t]
            assert (row.get_attribute("class") == "taken") == taken
        assert part(page, "tv-bars").locator(".taken").count() == 1


def test_what_has_finished_and_what_the_cache_costs_are_tables_of_their_numbers(
    page: Page, steps: list[DecodingStep], translator: vt.Translator
) -> None:
    part(page, "dc-result-2").click()
    table = part(page, "dc-n-best").locator("tbody tr")
    finished = steps[-1].finished
    expect(table).to_have_count(len(finished))
    for rank, (row, hypothesis) in enumerate(zip(table.all(), finished, strict=True), start=1):
        cells = row.locator("th, td").all_inner_texts()
        total = hypothesis.total_log_prob
        length = len(hypothesis.ids)
        score = total / ((5 + length) / 6) ** 0.6
        text = translator.target_tokenizer.decode(hypothesis.ids)
        assert cells == [str(rank), text, str(length), number(total), number(score), str(length)]
    part(page, "dc-result-3").click()
    config, n_source = translator.model.config, len(translator.encode_source(SOURCE).ids) + 1
    for t in (len(steps) - 1, 2):
        page.locator("button.column-head").nth(t).click()
        kept = [cached_step_cost(config, n_source, n) for n in range(t + 1)]
        anew = [uncached_step_cost(config, n_source, n) for n in range(t + 1)]
        rows = part(page, "dc-cache-table").locator("tbody tr")
        expect(rows.nth(0).locator("th")).to_have_text(f"step {t + 1}")
        for row, one, other in ((rows.nth(0), kept[-1], anew[-1]), (rows.nth(1), sum(kept), sum(anew))):
            assert row.locator("td").all_inner_texts() == [grouped(one), grouped(other), f"{other / one:.1f} ×"]
        expect(part(page, "dc-cache")).to_contain_text(f"holds {grouped(cache_size(config, n_source, t))} numbers")


def test_a_node_that_is_chosen_keeps_the_clock_the_tree_and_the_focus(page: Page, steps: list[DecodingStep]) -> None:
    t, r = next((t, r) for t in (2, 3, 4) for r, one in enumerate(steps[t].candidates) if one.status == "pruned")
    button = node(page, t, r)
    button.evaluate("button => { button.dataset.old = 'yes'; }")
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(part(page, "tv-step-text")).to_contain_text(f"ended at step {t + 1}")
    expect(part(page, "dc-loading")).to_be_hidden()
    expect(part(page, "tv-step-text")).to_contain_text(f"step {len(steps)} of {len(steps)}")
    expect(button).to_have_attribute("data-old", "yes")
    assert button.evaluate("button => button.getRootNode().activeElement === button")
    page.wait_for_url(re.compile(f"node={t + 1}-{r + 1}"))
    page.wait_for_url(re.compile(f"step={len(steps)}"))
    link = page.url
    page.reload()
    expect(node(page, t, r)).to_have_attribute("aria-pressed", "true")
    expect(part(page, "tv-step-text")).to_contain_text(f"step {len(steps)} of {len(steps)}")
    assert page.url == link


def test_another_search_keeps_the_head_and_goes_to_its_end_with_who_was_at_the_end(
    visit: Callable[..., Page], translator: vt.Translator
) -> None:
    source = "雪下得很大。"  # for which a beam of three ends later than one of two
    page = visit(f"decoding?source={quote(source)}&beam=2")
    expect(part(page, "tv-matrix-cross")).to_be_visible()
    part(page, "tv-layer-1").click()
    part(page, "tv-head-3").click()
    page.wait_for_url(re.compile("head=3"))

    def widen(beam: int) -> None:
        page.get_by_role("slider", name="Beam size").press("ArrowRight")
        expect(part(page, f"dc-node-1-{2 * beam}")).to_be_attached()
        for name in ("tv-layer-1", "tv-head-3"):
            expect(part(page, name)).to_have_attribute("aria-pressed", "true")

    two, three, four = (list(translator.beam_search(source, beam_size=beam)) for beam in (2, 3, 4))
    expect(part(page, "tv-step-text")).to_contain_text(f"step {len(two[-1].best.ids)} of {len(two)}")
    widen(3)
    assert len(three[-1].best.ids) > len(two[-1].best.ids)
    expect(part(page, "tv-step-text")).to_contain_text(f"step {len(three[-1].best.ids)} of {len(three)}")
    part(page, "tv-first").click()
    page.wait_for_url(re.compile(r"step=1\b"))
    widen(4)
    expect(part(page, "tv-step-text")).to_contain_text(f"step 1 of {len(four)}")
