"""The softmax and its gradient: closed forms against scipy, torch's autograd and brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy import special, stats

from tests.helpers import assert_sentence
from viz_transformer.experiments.scaling.saturation import (
    MECHANISMS,
    SIZES,
    Scores,
    draw_scores,
    entropy_bits,
    jacobian,
    jacobian_norm,
    saturation,
    softmax,
)


@pytest.fixture(scope="module")
def scores() -> Scores:
    return draw_scores(seed=3)


@pytest.mark.parametrize("spread", [0.0, 1.0, 30.0, 1000.0])
def test_softmax_entropy_and_jacobian_are_those_of_other_libraries(spread: float) -> None:
    s = np.random.default_rng(0).standard_normal(7) * spread
    w = softmax(s)
    assert w == pytest.approx(special.softmax(s), abs=1e-12)
    assert entropy_bits(w) == pytest.approx(stats.entropy(w, base=2), abs=1e-9)
    exact = torch.autograd.functional.jacobian(lambda x: x.softmax(0), torch.tensor(s)).numpy()
    assert jacobian(w) == pytest.approx(exact, abs=1e-12)
    assert jacobian_norm(w) == pytest.approx(np.linalg.norm(exact), abs=1e-7)


def test_the_ends_equal_weights_and_one_weight() -> None:
    n = 8
    equal, one = np.full(n, 1 / n), np.eye(n)[0]
    assert entropy_bits(np.stack([equal, one])) == pytest.approx([3.0, 0.0])
    assert jacobian_norm(np.stack([equal, one])) == pytest.approx([math.sqrt(n - 1) / n, 0.0])
    assert entropy_bits(np.ones(1)) == 0
    assert jacobian_norm(np.ones(1)) == 0


def test_scores_have_the_variance_that_the_theory_says(scores: Scores) -> None:
    for place, d_k in enumerate(SIZES):
        dot = scores["dot"][place]
        error = 4 * d_k * math.sqrt(6 / dot.size + 2 * 4 / len(dot))  # one query for 64 keys: |q|² varies too
        assert abs((dot**2).mean() - d_k) < error + 4 * d_k * math.sqrt(2 / (len(dot) * d_k))
        np.testing.assert_allclose(scores["scaled"][place], dot / math.sqrt(d_k), rtol=1e-6)
    additive = scores["additive"].std(axis=-1).mean(axis=-1)
    from_8 = additive[SIZES.index(8) :]  # fewer hidden units differ more from draw to draw
    assert from_8.max() < 1.5 * from_8.min()  # of one size at every d_k


def test_without_scaling_the_softmax_saturates_and_otherwise_it_does_not(scores: Scores) -> None:
    found = saturation(scores, 16)
    for measure, falls in ((found.entropy, True), (found.gradient, True), (found.largest, False)):
        first, last = measure["dot"][0, 0], measure["dot"][0, -1]
        assert (last < 0.5 * first) if falls else (last > 2 * first)
        for name in ("scaled", "additive"):
            means, errors = measure[name][:, 3:]  # d_k = 8 … 1024
            # At d_k = 8, q·k / √d_k is not quite normal yet, which a thousand draws can tell.
            assert abs(means[-1] - means[0]) < max(4 * math.hypot(errors[0], errors[-1]), 0.03 * means[0])


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 4])
def test_the_gradients_curve_has_the_shape_of_the_truth(seed: int) -> None:
    """Against scores of queries and keys that are drawn component by component."""
    found = saturation(draw_scores(seed), 16).gradient
    shares, errors = found["dot"] / found["scaled"][0]
    random = np.random.default_rng(100)
    for d_k in (64, 128, 256):
        q, k = random.standard_normal((3000, 1, d_k)), random.standard_normal((3000, d_k, 16))
        products = (q @ k)[:, 0]
        truth = jacobian_norm(softmax(products)).mean() / jacobian_norm(softmax(products / math.sqrt(d_k))).mean()
        place = SIZES.index(d_k)
        assert shares[place] == pytest.approx(truth, abs=5 * errors[place])
    assert (np.diff(shares[SIZES.index(4) :]) < 0).all()  # it never rises again
    assert shares[-1] < 1 / 5  # as the lecture says


def test_the_measures_are_means_over_the_draws_with_their_error(scores: Scores) -> None:
    found = saturation(scores, 5)
    for name in MECHANISMS:
        w = special.softmax(scores[name][4, :, :60].reshape(-1, 5), axis=-1)  # twelve groups of five keys a query
        assert found.weights[name][4] == pytest.approx(w)
        assert found.largest[name][0, 4] == pytest.approx(w.max(axis=-1).mean())
        assert found.entropy[name][0, 4] == pytest.approx(stats.entropy(w, base=2, axis=-1).mean())
        assert found.largest[name][1, 4] == pytest.approx(stats.sem(w.max(axis=-1)))


def test_one_key_has_all_the_weight(scores: Scores) -> None:
    found = saturation(scores, 1)
    for name in MECHANISMS:
        assert (found.weights[name] == 1).all()
        assert (found.entropy[name] == 0).all()
        assert (found.gradient[name] == 0).all()


@pytest.mark.parametrize("n_keys", [0, 65])
def test_another_number_of_keys_is_refused(scores: Scores, n_keys: int) -> None:
    with pytest.raises(ValueError, match="from 1 to 64") as error:
        saturation(scores, n_keys)
    assert_sentence(error.value, n_keys)
