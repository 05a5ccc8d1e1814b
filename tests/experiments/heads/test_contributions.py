"""Contributions and aggregates against the model's own matrices and plain loops; Spearman's ρ against scipy."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy import stats

from tests.helpers import ALL_ATTENTION, assert_near, attention_of
from viz_transformer import Translator
from viz_transformer.experiments.heads.contributions import contributions, mean_over_heads, rank_correlation, rollout
from viz_transformer.heads import AttentionModule


@pytest.mark.parametrize(("module", "layer"), ALL_ATTENTION)
def test_contributions_are_lengths_of_vectors_that_add_up_to_the_output(
    translator: Translator, module: AttentionModule, layer: int
) -> None:
    record = translator.trace("3 1 4 1", "1 5 9").attention(module, layer)
    w_o = attention_of(translator.model, module, layer).w_o
    heads, queries, keys = record.weights.shape
    width = record.v.shape[2]
    measured = contributions(translator.model, record)
    assert measured.shape == record.weights.shape
    total = np.zeros_like(record.output)
    for h, i, j in np.ndindex(heads, queries, keys):
        padded = torch.zeros(heads * width)  # what the head passes on of key j, all other heads silent
        padded[h * width : (h + 1) * width] = torch.from_numpy(record.weights[h, i, j] * record.v[h, j])
        vector = (w_o(padded) - w_o.bias).numpy()
        assert measured[h, i, j] == pytest.approx(np.linalg.norm(vector), abs=1e-5)
        total[i] += vector
    assert_near(total + w_o.bias.numpy(), record.output, 1e-5)


def test_rollout_multiplies_the_layers_with_their_residuals(translator: Translator) -> None:
    trace = translator.trace("3 1 4 1")
    n = len(trace.source_tokens)
    expected = np.eye(n)
    for layer in range(2):
        weights = trace.attention("encoder_self", layer).weights
        with_residual = np.array([[0.5 * weights[:, i, j].mean() + 0.5 * (i == j) for j in range(n)] for i in range(n)])
        expected = np.array(
            [[sum(with_residual[i, m] * expected[m, j] for m in range(n)) for j in range(n)] for i in range(n)]
        )
    assert_near(rollout(trace), expected, 1e-6)
    assert_near(rollout(trace).sum(axis=1), np.ones(n), 1e-6)


def test_the_mean_over_heads_is_the_mean(translator: Translator) -> None:
    record = translator.trace("3 1 4 1", "1 5").attention("cross", 1)
    assert_near(mean_over_heads(record), sum(record.weights[h] for h in range(4)) / 4, 1e-6)


def test_rank_correlation_is_spearmans() -> None:
    random = np.random.default_rng(3)
    for _ in range(20):
        first, second = random.integers(0, 6, size=(2, 12))  # many ties
        assert rank_correlation(first, second) == pytest.approx(stats.spearmanr(first, second).statistic)
    assert rank_correlation([1, 2, 3], [10, 200, 3000]) == pytest.approx(1)
    assert rank_correlation([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert np.isnan(rank_correlation([1], [2]))
    assert np.isnan(rank_correlation([1, 1, 1], [1, 2, 3]))
