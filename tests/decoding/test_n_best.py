"""Ranking anew against searching again, and the sentence that another search is needed against what it finds."""

from __future__ import annotations

from typing import Any

import pytest

from tests.helpers import assert_near, assert_sentence, random_ids, random_model
from viz_transformer import DecodingStep, beam_search, rerank

ALPHAS = (-1.2, -0.4, 0.0, 0.3, 0.6, 1.0, 1.5, 2.0)
MAX_LEN = 9
STOPS: list[Any] = ["first", "likely", "certain"]


def search(seed: int, k: int, stop: Any, alpha: float, normalization: Any = "gnmt") -> list[DecodingStep]:
    model = random_model(seed, peaked=3.0, target_vocab_size=8, weight_tying="none", max_len=16)
    source = random_ids(seed, 6)
    return list(
        beam_search(
            model,
            source,
            beam_size=k,
            stop=stop,
            length_penalty=alpha,
            normalization=normalization,
            max_len=MAX_LEN,
        )
    )


@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_ranking_anew_is_what_another_search_finds(k: int, stop: Any) -> None:
    for seed in range(4):
        steps = search(seed, k, stop, 0.6)
        for alpha in ALPHAS:
            other = search(seed, k, stop, alpha)
            found = rerank(steps, beam_size=k, max_len=MAX_LEN, length_penalty=alpha, stop=stop)
            if found.needs_search:
                assert len(other) > len(steps)
                continue
            assert (found.n_steps, found.stop_reason) == (len(other), other[-1].stop_reason)
            assert [h.ids for h in found.hypotheses] == [h.ids for h in other[-1].finished]
            assert_near([h.score for h in found.hypotheses], [h.score for h in other[-1].finished], 1e-9)


@pytest.mark.parametrize("normalization", ["power", "mean", "sum"])
def test_the_other_scores_are_ranked_too(normalization: Any) -> None:
    for seed in range(4):
        steps, other = search(seed, 3, "first", 0.6), search(seed, 3, "first", 0.6, normalization)
        found = rerank(steps, beam_size=3, max_len=MAX_LEN, normalization=normalization)
        assert [h.ids for h in found.hypotheses] == [h.ids for h in other[-1].finished]


def test_with_the_rule_first_no_score_needs_another_search() -> None:
    for seed in range(4):
        steps = search(seed, 3, "first", 0.6)
        for alpha in ALPHAS:
            assert not rerank(steps, beam_size=3, max_len=MAX_LEN, length_penalty=alpha).needs_search


def test_these_searches_need_another_one_sometimes_and_end_earlier_sometimes() -> None:
    found = [
        (rerank(steps, beam_size=2, max_len=MAX_LEN, length_penalty=alpha, stop=stop), len(steps))
        for seed in range(4)
        for stop in ("likely", "certain")
        for steps in [search(seed, 2, stop, 0.6)]
        for alpha in ALPHAS
    ]
    assert any(one.needs_search for one, _ in found)
    assert any(one.n_steps < length for one, length in found)


@pytest.mark.parametrize(
    ("score", "named"), [({"length_penalty": 1e6}, "1000000.0"), ({"normalization": "median"}, "'median'")]
)
def test_a_score_that_there_is_not_is_refused_with_a_sentence(score: Any, named: str) -> None:
    with pytest.raises(ValueError) as error:
        rerank(search(0, 2, "first", 0.6), beam_size=2, max_len=MAX_LEN, **score)
    assert_sentence(error.value, named)


def test_without_steps_there_is_a_sentence() -> None:
    with pytest.raises(ValueError) as error:
        rerank([], beam_size=2, max_len=4)
    assert_sentence(error.value)
