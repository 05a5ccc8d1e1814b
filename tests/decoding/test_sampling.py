"""Sampling against Hugging Face's filters, a slow decoder without cache, and the law of large numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from transformers.generation.logits_process import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from tests.helpers import assert_near, assert_sentence, one, random_ids, random_model, softmax
from viz_transformer import AblateHeads, HeadRef, greedy_search, sample
from viz_transformer.decoding.sampling import keep_likeliest


def random_log_probs(seed: int, size: int = 50) -> np.ndarray:
    logits = np.random.default_rng(seed).normal(scale=2, size=size)
    return np.log(softmax(logits)).astype(np.float32)


@pytest.mark.parametrize("temperature", [0.3, 1.0, 2.5])
@pytest.mark.parametrize("top_k", [0, 1, 7, 500])
@pytest.mark.parametrize("top_p", [0.1, 0.6, 0.95, 1.0])
def test_the_filters_are_hugging_faces(temperature: float, top_k: int, top_p: float) -> None:
    for seed in range(5):
        log_probs = random_log_probs(seed)
        scores: Any = torch.from_numpy(log_probs).double()[None]
        ids: Any = torch.zeros((1, 1), dtype=torch.long)
        scores[:, [0, 1]] = -torch.inf  # banned
        scores = TemperatureLogitsWarper(temperature)(ids, scores)
        if top_k:
            scores = TopKLogitsWarper(top_k)(ids, scores)
        if top_p < 1:
            scores = TopPLogitsWarper(top_p)(ids, scores)
        expected = scores.softmax(-1)[0].numpy()
        kept_ids, kept_probs, mass = keep_likeliest(log_probs, temperature, top_k, top_p, (0, 1))
        assert set(kept_ids.tolist()) == set(np.flatnonzero(expected).tolist())
        assert_near(kept_probs, expected[kept_ids], 1e-9)
        assert (np.diff(kept_probs) <= 0).all()
        whole = softmax(log_probs.astype(np.float64) / temperature)
        assert mass == pytest.approx(1 - whole[kept_ids].sum(), abs=1e-9)


@pytest.mark.parametrize("top_k", [0, 2])
@pytest.mark.parametrize("top_p", [0.6, 1.0])
def test_a_favourite_that_is_banned_leaves_the_others_as_likely_as_without_it(top_k: int, top_p: float) -> None:
    log_probs = np.log([0.9995, 0.0003, 0.00015, 0.00005]).astype(np.float32)
    kept_ids, kept_probs, mass = keep_likeliest(log_probs, 0.01, top_k, top_p, (0,))
    others_ids, others_probs, _ = keep_likeliest(log_probs[1:], 0.01, top_k, top_p)
    assert kept_ids.tolist() == (others_ids + 1).tolist()
    assert_near(kept_probs, others_probs, 1e-12)
    assert kept_probs.sum() == pytest.approx(1) and mass == 1.0


def test_where_only_banned_tokens_are_possible_there_is_a_sentence() -> None:
    with pytest.raises(ValueError) as error:
        keep_likeliest(np.array([0.0, -np.inf, -np.inf], dtype=np.float32), 1.0, 0, 1.0, (0,))
    assert_sentence(error.value)


def test_every_step_is_what_a_slow_decoder_computes_and_draws() -> None:
    model, source = random_model(3, peaked=2.0), random_ids(3, 6)
    for seed in range(6):
        dice = np.random.Generator(np.random.PCG64(seed))
        ids: list[int] = []
        for step in sample(model, source, temperature=1.3, top_p=0.9, seed=seed, max_len=8):
            logits = model(one(source), one([1, *ids]))[0, -1].double().numpy()
            log_probs = np.log(softmax(logits))
            assert_near(step.log_probs, log_probs, 1e-5)
            kept_ids, kept_probs, _ = keep_likeliest(log_probs.astype(np.float32), 1.3, 0, 0.9, (0, 1))
            filtered = 1 - softmax(log_probs / 1.3)[kept_ids].sum()
            assert step.filtered_mass == pytest.approx(filtered, abs=1e-6)
            draw, passed, place = dice.random(), 0.0, 0
            while passed + kept_probs[place] <= draw:
                passed += kept_probs[place]
                place += 1
            assert step.draw == draw
            assert step.token_id == kept_ids[place]
            ids.append(step.token_id)
            assert step.hypothesis.ids == tuple(ids)
            assert_near(step.hypothesis.log_probs[-1], log_probs[step.token_id], 1e-5)
            assert step.hypothesis.score == pytest.approx(sum(step.hypothesis.log_probs))
        assert step.stop_reason == ("ended" if ids[-1] == 2 else "max_len")


def test_tokens_are_drawn_as_often_as_they_are_probable() -> None:
    model, source = random_model(1), random_ids(1, 5)
    draws = [next(sample(model, source, seed=seed)) for seed in range(600)]
    counts = np.bincount([step.token_id for step in draws], minlength=14)
    first = draws[0]
    expected = np.zeros(14)
    expected[first.kept_ids] = first.kept_probs * len(draws)
    spread = np.sqrt(expected * (1 - expected / len(draws)))
    assert (np.abs(counts - expected) <= 4 * spread + 1e-9).all()


def test_one_seed_draws_one_output_and_others_differ() -> None:
    model, source = random_model(1), random_ids(1, 5)
    outputs = [[step.token_id for step in sample(model, source, seed=seed)] for seed in (0, 0, 1, 2)]
    assert outputs[0] == outputs[1]
    assert len({tuple(output) for output in outputs}) > 1


def test_top_k_of_one_is_greedy_search_under_every_temperature() -> None:
    model, source = random_model(2, peaked=2.0), random_ids(2, 6)
    *_, greedy = greedy_search(model, source)
    for temperature in (0.2, 3.0):
        *_, drawn = sample(model, source, temperature=temperature, top_k=1)
        assert drawn.hypothesis.ids == greedy.best.ids
        assert drawn.hypothesis.log_probs == greedy.best.log_probs


def test_a_prefix_is_forced_and_bans_and_changes_hold() -> None:
    model, source = random_model(2), random_ids(2, 6)
    change = [AblateHeads([HeadRef("cross", 0, 1)])]
    steps = list(sample(model, source, prefix_ids=(7, 8), banned_ids=(0, 1, 2, 9), max_len=12, interventions=change))
    assert [step.token_id for step in steps[:2]] == [7, 8]
    assert [step.draw for step in steps[:2]] == [None, None]
    assert steps[0].kept_ids.tolist() == [7]
    assert len(steps) == 12
    assert not {step.token_id for step in steps} & {0, 1, 2, 9}
    (plain,) = [next(sample(model, source))]
    assert np.abs(plain.log_probs - steps[0].log_probs).max() > 1e-3


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"temperature": 0.0}, "temperature"),
        ({"temperature": float("nan")}, "temperature"),
        ({"top_k": -1}, "top_k"),
        ({"top_p": 0.0}, "top_p"),
        ({"top_p": 1.1}, "top_p"),
        ({"top_k": 2.5}, "2.5"),
        ({"seed": -1}, "seed"),
        ({"seed": 0.5}, "0.5"),
        ({"max_len": 99}, "max_len"),
        ({"prefix_ids": (2,)}, "prefix"),
        ({"source_ids": [0]}, "padding"),
    ],
)
def test_wrong_arguments_get_a_sentence_at_once(wrong: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError) as error:
        sample(random_model(0), **{"source_ids": random_ids(0, 5), **wrong})
    assert_sentence(error.value, named)
