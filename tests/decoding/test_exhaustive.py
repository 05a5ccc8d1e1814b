"""A beam so wide that it forgets nothing, against all outputs there are: 121 of them, scored in one batch."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import torch

from tests.helpers import assert_near, random_ids, random_model
from viz_transformer import Transformer, beam_search, greedy_search
from viz_transformer.training.corpus import pad

MAX_LEN = 5
WORDS = (3, 4, 5)  # a target vocabulary of six ids: padding, start, end, unknown and two more
SEEDS = range(24)
NORMALIZATIONS: list[tuple[Any, float]] = [
    ("sum", 0.0),
    ("mean", 0.0),
    ("gnmt", 0.6),
    ("gnmt", 1.0),
    ("gnmt", -1.0),
    ("power", -0.7),
]

OUTPUTS = [
    (*prefix, 2) for length in range(MAX_LEN) for prefix in itertools.product(WORDS, repeat=length)
]  # that end within five tokens
WIDE = 3**4 * 4  # all candidates that the last step can have


def peaked_model(seed: int) -> Transformer:
    return random_model(
        seed, peaked=4.0, source_vocab_size=8, target_vocab_size=6, weight_tying="none", d_model=16, max_len=8
    )


def all_log_probs(model: Transformer, source: list[int]) -> list[np.ndarray]:
    """log p of each token of each of `OUTPUTS`, by one padded forward pass."""
    logits = model(torch.tensor([source] * len(OUTPUTS)), pad([[1, *output[:-1]] for output in OUTPUTS]))
    log_probs = logits.double().log_softmax(-1).numpy()
    return [row[np.arange(len(output)), output] for row, output in zip(log_probs, OUTPUTS, strict=True)]


def normalised(total: float, length: int, normalization: str, alpha: float) -> float:
    lengths = {"sum": 1.0, "mean": length, "gnmt": ((5 + length) / 6) ** alpha, "power": length**alpha}
    return total / lengths[normalization]


def optimum(model: Transformer, source: list[int], normalization: str, alpha: float) -> tuple[tuple[int, ...], float]:
    scores = [
        normalised(log_probs.sum(), len(log_probs), normalization, alpha) for log_probs in all_log_probs(model, source)
    ]
    best = int(np.argmax(scores))
    return OUTPUTS[best], scores[best]


def test_there_are_121_outputs() -> None:
    assert len(set(OUTPUTS)) == 1 + 3 + 9 + 27 + 81


@pytest.mark.parametrize(("normalization", "alpha"), NORMALIZATIONS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_beam_that_is_wide_enough_finds_the_best_output(seed: int, normalization: Any, alpha: float) -> None:
    model, source = peaked_model(seed), random_ids(seed, 5, vocab_size=8)
    *_, last = beam_search(
        model,
        source,
        beam_size=WIDE,
        normalization=normalization,
        length_penalty=alpha,
        stop="certain",
        max_len=MAX_LEN,
    )
    output, score = optimum(model, source, normalization, alpha)
    assert last.best.ids == output
    assert_near(last.best.score, score, 1e-5)
    # and it ranks all the others as they should be
    assert {hypothesis.ids for hypothesis in last.finished} == set(OUTPUTS)
    assert all(a.score >= b.score for a, b in itertools.pairwise(last.finished))


@pytest.mark.parametrize(("normalization", "alpha"), NORMALIZATIONS)
def test_certain_stops_only_when_no_continuation_of_a_live_hypothesis_could_win(
    normalization: Any, alpha: float
) -> None:
    stopped_early = 0
    for seed in range(12):
        model, source = peaked_model(seed), random_ids(seed, 5, vocab_size=8)
        scores = {  # of every output there is
            output: normalised(log_probs.sum(), len(output), normalization, alpha)
            for output, log_probs in zip(OUTPUTS, all_log_probs(model, source), strict=True)
        }
        for beam_size in (2, 4):
            *_, last = beam_search(
                model,
                source,
                beam_size=beam_size,
                normalization=normalization,
                length_penalty=alpha,
                max_len=MAX_LEN,
                stop="certain",
            )
            if last.stop_reason == "no_better_ever":
                stopped_early += len(last.live[0].ids) < MAX_LEN
                for live in last.live:
                    to_come = [score for output, score in scores.items() if output[: len(live.ids)] == live.ids]
                    assert all(score <= last.finished[-1].score + 1e-6 for score in to_come)
    assert stopped_early > 0


def test_the_best_outputs_are_not_trivial() -> None:
    best = {optimum(peaked_model(s), random_ids(s, 5, vocab_size=8), "gnmt", 0.6)[0] for s in SEEDS}
    assert len(best) >= 6
    assert len({len(output) for output in best}) >= 3


def test_greedy_search_misses_some_of_the_best_outputs() -> None:
    missed = 0
    for seed in SEEDS:
        model, source = peaked_model(seed), random_ids(seed, 5, vocab_size=8)
        *_, last = greedy_search(model, source, max_len=MAX_LEN)
        missed += last.best.ids != optimum(model, source, "sum", 0.0)[0]
    assert 1 <= missed < len(SEEDS)
