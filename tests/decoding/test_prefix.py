"""Forced prefixes, bans that leave nothing, and margins, against a slow decoder without cache."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from tests.helpers import assert_near, assert_sentence, changed_copy, one, random_ids, random_model, random_translator
from viz_transformer import AblateHeads, ChangeMask, HeadRef, Temperature, Transformer, beam_search, greedy_search

PREFIX = (5, 7, 6)


def small(seed: int) -> Transformer:
    return random_model(seed, peaked=3.0, target_vocab_size=8, weight_tying="none", max_len=16)


def fresh_row(model: Transformer, source: list[int], ids: Any) -> np.ndarray:
    return model(one(source), one([1, *ids]))[0, -1].log_softmax(-1).numpy()


@pytest.mark.parametrize("k", [1, 3])
def test_a_prefix_is_taken_as_it_is_and_the_search_goes_on_from_there(k: int) -> None:
    model, source = small(1), random_ids(1, 6)
    steps = list(beam_search(model, source, beam_size=k, prefix_ids=PREFIX, max_len=9))
    for index, token_id in enumerate(PREFIX):
        (candidate,) = steps[index].candidates
        assert (candidate.token_id, candidate.status, candidate.reason) == (token_id, "live", "forced")
        row = fresh_row(model, source, PREFIX[:index])
        assert_near(steps[index].log_probs[0], row, 1e-5)
        assert abs(candidate.log_prob - row[token_id]) <= 1e-5
    total = sum(fresh_row(model, source, PREFIX[:index])[token_id] for index, token_id in enumerate(PREFIX))
    row = fresh_row(model, source, PREFIX)
    row[[0, 1]] = -np.inf
    candidates = steps[len(PREFIX)].candidates
    assert [c.token_id for c in candidates] == np.argsort(-row, kind="stable")[: len(candidates)].tolist()
    assert_near([c.total_log_prob for c in candidates], total + np.sort(row)[::-1][: len(candidates)], 1e-5)
    assert all(h.ids[:3] == PREFIX for h in (*steps[-1].live, *steps[-1].finished))


def test_the_models_own_beginning_as_a_prefix_changes_nothing() -> None:
    model, source = small(2), random_ids(2, 6)
    *_, own = greedy_search(model, source, max_len=8)
    *_, forced = greedy_search(model, source, max_len=8, prefix_ids=own.best.ids[:2])
    assert forced.best.ids == own.best.ids
    assert_near(forced.best.log_probs, own.best.log_probs, 1e-6)


def test_a_banned_token_may_stand_in_the_prefix() -> None:
    *_, last = greedy_search(small(0), random_ids(0, 6), prefix_ids=(5,), banned_ids=(0, 1, 5), max_len=6)
    assert last.best.ids[0] == 5
    assert 5 not in last.best.ids[1:]


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"banned_ids": range(8)}, "banned"),
        ({"banned_ids": (99,)}, "banned_ids"),
        ({"banned_ids": (-1,)}, "banned_ids"),
        ({"prefix_ids": (8,)}, "prefix_ids"),
        ({"prefix_ids": (5, 2)}, "prefix"),
        ({"prefix_ids": (1,)}, "prefix"),
        ({"prefix_ids": (5,) * 6, "max_len": 6}, "prefix"),
    ],
)
def test_what_leaves_no_output_gets_a_sentence_at_once(wrong: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError) as error:
        beam_search(small(0), random_ids(0, 6), **wrong)
    assert_sentence(error.value, named)


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("prefix", [(), (4,)])
def test_whatever_is_banned_there_is_a_best_hypothesis_or_a_sentence(k: int, prefix: tuple[int, ...]) -> None:
    model = random_model(0, peaked=3.0, target_vocab_size=6, weight_tying="none", max_len=5)
    for n in range(7):
        for banned in combinations(range(6), n):
            arguments: dict[str, Any] = {"beam_size": k, "prefix_ids": prefix, "banned_ids": banned}
            if n == 6:
                with pytest.raises(ValueError) as error:
                    beam_search(model, random_ids(0, 4), **arguments)
                assert_sentence(error.value, "All 6 tokens are banned")
                continue
            for step in beam_search(model, random_ids(0, 4), **arguments):
                assert not set(step.best.ids[len(prefix) :]) & set(banned)


def test_a_model_of_which_no_number_is_finite_gets_a_sentence() -> None:
    model = changed_copy(small(0))
    model.output_projection.weight.data.fill_(float("nan"))
    with pytest.raises(ValueError) as error:
        list(beam_search(model, random_ids(0, 6)))
    assert_sentence(error.value, "step 1")


def test_margins_say_by_how_much_a_candidate_was_lost() -> None:
    seen = set()
    for seed in range(8):
        k = 3
        for step in beam_search(small(seed), random_ids(seed, 6), beam_size=k, max_len=8):
            last_live = [c for c in step.candidates if c.status == "live"][-1]
            for candidate in step.candidates:
                if candidate.status != "pruned":
                    assert candidate.margin == 0
                    continue
                seen.add(candidate.reason)
                beaten = last_live if candidate.reason == "beam_full" else step.candidates[k - 1]
                assert candidate.margin == pytest.approx(beaten.total_log_prob - candidate.total_log_prob)
                assert candidate.margin >= 0
    assert seen == {"beam_full", "end_too_low"}


def test_a_translators_output_can_be_traced_whether_it_ended_or_not() -> None:
    translator = random_translator(1, peaked=2.0)
    change = [AblateHeads([HeadRef("cross", 0, 1)]), Temperature(2.0)]
    steps = list(translator.beam_search("1 2 3", beam_size=3, interventions=change, prefix_ids=(5,)))
    for hypothesis in (*steps[-1].finished, *steps[2].live):
        trace = translator.trace_ids("1 2 3", hypothesis.ids, interventions=change)
        assert trace.predicted_ids == hypothesis.ids
        assert trace.target_ids == (1, *hypothesis.ids[:-1])
        assert_near(trace.token_log_probs, hypothesis.log_probs, 1e-5)
        ranks = [1 + (row > row[i]).sum() for row, i in zip(trace.log_probs, hypothesis.ids, strict=True)]
        assert trace.token_ranks.tolist() == ranks
    with pytest.raises(ValueError) as error:
        translator.trace_ids("1 2 3", ())
    assert_sentence(error.value)


def test_a_translator_samples_what_its_model_does() -> None:
    translator = random_translator(1)
    (*_, last) = translator.sample("1 2 3", seed=3, banned_ids=(0, 1, 2), interventions=[ChangeMask("off")])
    assert len(last.hypothesis.ids) == translator.model.config.max_len
    assert last.token == translator.target_tokenizer.label(last.token_id)
