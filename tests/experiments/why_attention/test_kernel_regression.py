from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.helpers import assert_near
from viz_transformer import ATTENTION_MODULES, HeadRef, ScaleHead, ScaleScores, Temperature, Translator
from viz_transformer.experiments.why_attention.kernel_regression import (
    X_MAX,
    Points,
    curve,
    head_as_kernel,
    kernel_weights,
    nadaraya_watson,
    scattered,
)
from viz_transformer.heads import AttentionModule
from viz_transformer.interventions import Intervention

QUERIES = np.linspace(0, X_MAX, 31)


@pytest.mark.parametrize("width", [0.05, 0.4, 5.0])
def test_the_weights_are_gaussian_densities_normalised(width: float) -> None:
    points = scattered(12, 0.3, 1)
    densities = stats.norm.pdf(points.x, loc=QUERIES[:, None], scale=width)
    rows = densities.sum(axis=1) > 0  # far away all densities underflow; the softmax does not
    expected = densities[rows] / densities[rows].sum(axis=1, keepdims=True)
    np.testing.assert_allclose(kernel_weights(QUERIES, points.x, width)[rows], expected, rtol=1e-9, atol=1e-300)


def test_it_is_attention_with_another_score() -> None:
    points, width = scattered(9, 0.2, 2), 0.5
    # −(q − k)² / 2σ² is a dot product of three numbers: (q², q, 1) · (−1, 2k, −k²) / 2σ²
    q = torch.tensor(np.stack([QUERIES**2, QUERIES, np.ones_like(QUERIES)], axis=1))
    k = torch.tensor(np.stack([-np.ones(9), 2 * points.x, -(points.x**2)], axis=1)) / (2 * width**2)
    attended = torch.nn.functional.scaled_dot_product_attention(q, k, torch.tensor(points.y)[:, None], scale=1.0)
    np.testing.assert_allclose(nadaraya_watson(QUERIES, points, width), attended[:, 0].numpy(), atol=1e-9)


def test_the_ends_a_narrow_kernel_copies_and_a_wide_one_averages() -> None:
    points = scattered(20, 0.3, 3)
    nearest = points.y[np.abs(points.x[None] - QUERIES[:, None]).argmin(axis=1)]
    np.testing.assert_allclose(nadaraya_watson(QUERIES, points, 1e-4), nearest, atol=1e-6)
    np.testing.assert_allclose(nadaraya_watson(QUERIES, points, 1e4), points.y.mean(), atol=1e-3)


@given(count=st.integers(1, 30), width=st.floats(0.02, 5), seed=st.integers(0, 20))
def test_rows_add_up_to_one_and_the_estimate_stays_between_the_values(count: int, width: float, seed: int) -> None:
    points = scattered(count, 0.5, seed)
    weights = kernel_weights(QUERIES, points.x, width)
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    estimate = weights @ points.y
    assert estimate.min() >= points.y.min() - 1e-9 and estimate.max() <= points.y.max() + 1e-9


def test_the_points_scatter_around_the_curve_as_said() -> None:
    points = scattered(20_000, 0.3, 4)
    residuals = points.y - curve(points.x)
    assert stats.kstest(residuals, "norm", args=(0, 0.3)).pvalue > 0.001
    assert stats.kstest(points.x, "uniform", args=(0, X_MAX)).pvalue > 0.001
    assert (np.diff(points.x) >= 0).all()
    np.testing.assert_array_equal(scattered(5, 0.0, 1).y, curve(scattered(5, 0.0, 1).x))


def test_one_point_is_the_answer_everywhere() -> None:
    np.testing.assert_array_equal(nadaraya_watson(QUERIES, Points(np.array([2.0]), np.array([7.0])), 0.02), 7.0)


@pytest.mark.parametrize(
    ("changes", "divisor"),
    [
        ([ScaleScores("none")], 1.0),
        ([ScaleScores("sqrt_d_model")], 4.0),
        ([ScaleHead(HeadRef("cross", 1, 2), 0.4)], 5.0),
        ([ScaleScores("none"), Temperature(3.0)], 3.0),
    ],
    ids=str,
)
def test_under_another_divisor_the_kernel_is_as_wide_as_that_makes_it(
    translator: Translator, changes: list[Intervention], divisor: float
) -> None:
    record = translator.trace("3 1 4 1 5", target="1 5 9", interventions=changes).attention("cross", 1)
    kernel = head_as_kernel(record, 2)
    assert kernel.width == pytest.approx(math.sqrt(divisor))
    assert kernel.difference < 1e-6


@pytest.mark.parametrize("module", ATTENTION_MODULES)
def test_a_recorded_head_is_kernel_times_factor(translator: Translator, module: AttentionModule) -> None:
    record = translator.trace("3 1 4 1 5", target="1 5 9").attention(module, 1)
    for head in range(translator.model.config.n_heads):
        kernel = head_as_kernel(record, head)
        assert kernel.difference < 1e-6
        assert kernel.width == pytest.approx(translator.model.config.d_k**0.25)
        assert_near(kernel.product.astype(np.float32), record.weights[head], 1e-6)
        # kernel and factor are what they are called: multiplied and normalised they are the product
        both = kernel.gaussian * kernel.factors
        assert_near(both / both.sum(axis=1, keepdims=True), kernel.product, 1e-9)
        assert kernel.factors.max() == 1
