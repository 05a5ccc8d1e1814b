"""Every number that the page Decoding sends to the browser, against a slow decoder and fresh passes."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Event
from typing import Any

import numpy as np
import pytest

import viz_transformer as vt
from tests.decoding.slow_decoder import attention_row, next_log_probs, slow_beam
from tests.helpers import assert_near, random_translator
from tests.packed import unpacked
from tests.pages.searches import levels_of, next_tokens, rankings_of
from viz_transformer.decoding.ranking import BeamOptions
from viz_transformer.experiments.decoding.step_by_step import cached_step_cost
from viz_transformer.heads import DECODER_MODULES, hook_path
from viz_transformer.ui.decoding import search as decoding_search
from viz_transformer.ui.decoding.search import greedys_path, run_search, trace_of
from viz_transformer.ui.shared.byte_cache import ByteCache, Kept
from viz_transformer.ui.shared.models import ModelChoice
from viz_transformer.ui.shared.scheduler import scheduler
from viz_transformer.ui.shared.sizes import size_of
from viz_transformer.views.codec import pack
from viz_transformer.views.decoding.build_search_tree import grow_search
from viz_transformer.views.decoding.pack import pack_search, shown_content
from viz_transformer.views.decoding.tree import Search, Settings

CASES = [("sort", "3 1 4 1", 3), ("sort", "5 5", 1), ("zh-en", "我爱你。", 2)]


def source_ids(translator: vt.Translator, text: str) -> tuple[int, ...]:
    return (*translator.encode_source(text).ids, 2)


def sent(model: ModelChoice, text: str, settings: Settings) -> tuple[Search, Any]:
    """A search, and what the browser is told about it."""
    translator = vt.load(model.name, "cpu")
    search = run_search(model, text, settings)
    greedy = greedys_path(model, text, search)
    n_source = len(source_ids(translator, text))
    packed = pack_search(search, greedy, translator.target_tokenizer, translator.model.config, n_source)
    return search, unpacked(packed)


@pytest.mark.parametrize(("name", "text", "k"), CASES)
def test_the_tree_is_that_of_a_slow_decoder(name: str, text: str, k: int) -> None:
    translator = vt.load(name, "cpu")
    search, content = sent(ModelChoice(name, "cpu"), text, Settings(beam=BeamOptions(k)))
    levels, finished = slow_beam(
        translator.model, source_ids(translator, text), k, 0.6, translator.model.config.max_len
    )
    assert len(content["counts"]) == len(levels)
    for t, (nodes, slow) in enumerate(zip(levels_of(content), levels, strict=True)):
        assert [search.ids(t, r) for r in range(len(nodes))] == [node.ids for node in slow]
        assert [node["token"] for node in nodes] == [translator.target_tokenizer.label(node.ids[-1]) for node in slow]
        assert [node["parent"] for node in nodes] == [node.parent for node in slow]
        assert [node["status"] for node in nodes] == [node.status for node in slow]
        assert_near([node["log_prob"] for node in nodes], [node.log_prob for node in slow], 1e-5)
        assert_near([node["sum"] for node in nodes], [node.total for node in slow], 1e-5)
        assert_near([node["score"] for node in nodes], [node.score for node in slow], 1e-5)
        kept = [node.total for node in slow if node.status == "live"]
        for node, other in zip(nodes, slow, strict=True):
            if node["reason"] == "beam_full":
                assert node["margin"] == pytest.approx(kept[-1] - other.total, abs=1e-5)
    assert [h.ids for h in search.steps[-1].finished] == finished
    assert [search.ids(t, r) for t, r, _score in rankings_of(content)[0.6]] == finished
    assert search.ids(*content["best"]) == finished[0]


@pytest.mark.parametrize(("name", "text", "k"), CASES)
def test_pruned_hypotheses_have_the_scores_of_a_fresh_forced_decode(name: str, text: str, k: int) -> None:
    translator = vt.load(name, "cpu")
    source = source_ids(translator, text)
    search, _content = sent(ModelChoice(name, "cpu"), text, Settings(beam=BeamOptions(k)))
    pruned = [
        (t, r) for t, level in enumerate(search.levels) for r, node in enumerate(level) if node.status == "pruned"
    ]
    assert pruned
    for t, r in pruned:
        node, ids = search.levels[t][r], search.ids(t, r)
        fresh = [next_log_probs(translator.model, source, ids[:n])[ids[n]] for n in range(len(ids))]
        assert abs(node.log_prob - fresh[-1]) <= 1e-5
        assert abs(node.total_log_prob - sum(fresh)) <= 1e-5
        assert abs(node.score - sum(fresh) / ((5 + len(ids)) / 6) ** 0.6) <= 1e-5


@pytest.mark.parametrize(("name", "text", "k"), CASES)
def test_the_attention_rows_of_any_hypothesis_are_those_of_fresh_passes(name: str, text: str, k: int) -> None:
    translator = vt.load(name, "cpu")
    source, config = source_ids(translator, text), translator.model.config
    model = ModelChoice(name, "cpu")
    search, content = sent(model, text, Settings(beam=BeamOptions(k)))
    last = len(search.levels) - 1
    statuses = {node.status: (last - 1, r) for r, node in enumerate(search.levels[last - 1])}
    for place in {tuple(content["best"]), *statuses.values()}:
        ids = search.ids(*place)
        shown = shown_content(b"", trace_of(model, text, ids, ()), place, translator.target_tokenizer)
        sent_back = unpacked(pack(shown))
        trace = sent_back["trace"]
        assert sent_back["node"] == list(place)
        assert trace["predicted"] == [translator.target_tokenizer.label(i) for i in ids]
        for name_, module in zip(DECODER_MODULES, trace["modules"], strict=True):
            weights = module["weights"]
            layers = weights.shape[0]
            assert module["name"] == name_
            assert weights.shape == (layers, config.n_heads, len(module["queries"]), len(module["keys"]))
            assert module["mask"].shape == (layers, len(module["queries"]), len(module["keys"]))
            for layer in range(layers):
                for t in range(len(ids)):
                    row = attention_row(translator.model, source, ids[:t], hook_path(name_, layer))
                    assert_near(weights[layer, :, t, : row.shape[1]], row, 1e-5)
                    assert not weights[layer, :, t, row.shape[1] :].any()
                    assert module["mask"][layer, t].tolist() == [j < row.shape[1] for j in range(weights.shape[3])]
        for t, shown in enumerate(next_tokens(trace)):
            row = next_log_probs(translator.model, source, ids[:t])
            best = np.sort(row)[::-1][: len(shown["tokens"])]
            in_order = [p for p, rank in zip(shown["log_probs"], shown["ranks"], strict=True) if rank <= len(best)]
            assert_near(in_order, best[: len(in_order)], 1e-5)
            assert abs(sum(np.exp(shown["log_probs"])) + shown["rest"] - 1) <= 1e-5
            assert shown["ranks"][shown["taken"]] == 1 + (row > row[ids[t]] + 1e-6).sum()


@pytest.mark.parametrize("name", vt.shipped_models())
def test_greedys_path_is_marked_in_every_model_as_long_as_the_beam_has_it(name: str) -> None:
    translator = vt.load(name, "cpu")
    text = "今天天气很好。" if name == "zh-en" else "7 0 7"
    search, content = sent(ModelChoice(name, "cpu"), text, Settings(beam=BeamOptions(5)))
    ids: list[int] = []
    while len(ids) < len(search.levels) and 2 not in ids:
        row = next_log_probs(translator.model, source_ids(translator, text), ids)
        row[[0, 1]] = -np.inf
        ids.append(int(row.argmax()))
    for t, rank in enumerate(content["greedy"]):
        assert search.ids(t, rank) == tuple(ids[: t + 1])
    t = len(content["greedy"])
    if t < len(ids):
        assert all(search.ids(t, r) != tuple(ids[: t + 1]) for r in range(len(search.levels[t])))
    assert content["cache"]["with"][0] == cached_step_cost(
        translator.model.config, len(source_ids(translator, text)), 0
    )


@pytest.mark.parametrize(
    "settings",
    [
        Settings(beam=BeamOptions(3)),
        Settings(beam=BeamOptions(2, stop="certain", normalization="sum")),
        Settings(beam=BeamOptions(2), prefix_ids=(7,), banned_ids=(5,)),
        Settings(beam=BeamOptions(2), banned_ids=(2,)),
        Settings("sample", temperature=0.5, seed=3),
        Settings().greedy(),
    ],
    ids=lambda settings: f"{settings.method} {settings.beam.beam_size}",
)
def test_greedys_path_is_read_from_the_tree_where_the_search_went_along_it(settings: Settings) -> None:
    n_read = 0
    for seed in range(12):
        translator = random_translator(seed, peaked=3.0, weight_tying="none")
        *_, search = grow_search(translator, "1 2 3", settings)
        banned_ids = (0, 1, *settings.banned_ids)
        *_, last = translator.greedy_search("1 2 3", prefix_ids=settings.prefix_ids, banned_ids=banned_ids)
        if path := search.greedy_path():
            n_read += 1
            assert path.ids == last.best.ids
            assert path.total_log_prob == pytest.approx(last.best.total_log_prob, abs=1e-5)
    assert n_read == 12 if settings.method == "greedy" else 0 < n_read < 12


def test_a_sampled_search_holds_what_was_drawn() -> None:
    model = ModelChoice("sort", "cpu")
    translator = vt.load("sort", "cpu")
    settings = Settings("sample", temperature=3.0, top_k=5, seed=4)
    search, content = sent(model, "3 1 2", settings)
    steps = list(translator.sample("3 1 2", temperature=3.0, top_k=5, seed=4))
    assert search.best_ids == steps[-1].hypothesis.ids
    assert search.stop_reason == steps[-1].stop_reason
    names = ("draw", "kept", "mass", "low", "high")
    draws = zip(*(content["draws"][name] for name in names), strict=True)
    for level, (draw, n_kept, mass, low, high), step in zip(levels_of(content), draws, steps, strict=True):
        assert (draw, n_kept, mass) == (step.draw, 5, step.filtered_mass)
        assert low <= draw < high
        assert_near([node["probability"] for node in level], step.kept_probs, 1e-12)
        assert sum(node["status"] != "pruned" for node in level) == 1
    assert content["rankings"] is None


def test_searches_are_kept_within_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    model = ModelChoice("copy", "cpu")
    size = size_of(((model, "1 2", Settings()), run_search(model, "1 2", Settings())))
    kept: Kept[Any, Search] = Kept(ByteCache(size * 5 // 2))
    monkeypatch.setattr(decoding_search, "_SEARCHES", kept)
    first = run_search(model, "1 2", Settings())
    assert run_search(model, "1 2", Settings()) is first
    for text in ("3 4", "5 6"):
        run_search(model, text, Settings())
    assert run_search(model, "1 2", Settings()) is not first
    assert len(kept) == 2


def test_who_asks_for_a_search_that_is_under_way_gets_that_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding_search, "_SEARCHES", Kept())
    model, begun, may_go_on = ModelChoice("copy", "cpu"), Event(), Event()

    def wait(so_far: Search) -> None:
        begun.set()
        assert may_go_on.wait(60)

    def never(so_far: Search) -> None:
        raise AssertionError("It was computed a second time.")

    with ThreadPoolExecutor(2) as visitors:
        first = visitors.submit(run_search, model, "1 2", Settings(), wait)
        try:
            assert begun.wait(60)
            second = visitors.submit(run_search, model, "1 2", Settings(), never)
        finally:
            may_go_on.set()
        assert second.result(60) is first.result(60)


def test_a_search_given_up_frees_its_slot() -> None:
    def give_up(search: Search) -> None:
        raise InterruptedError

    for _ in range(3):
        with pytest.raises(InterruptedError):
            run_search(ModelChoice("copy", "cpu"), "9 8 7 6", Settings(seed=99), give_up)
    with ExitStack() as turns:
        for _ in range(os.cpu_count() or 1):
            turns.enter_context(scheduler.short())  # would wait for ever if a slot were still taken
