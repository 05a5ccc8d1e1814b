"""Lengths of Gaussian vectors: the density against scipy's chi distribution and against draws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

from tests.helpers import assert_sentence
from viz_transformer.experiments.scaling.gaussian_lengths import (
    chi_square_density,
    draw_lengths,
    length_density,
    length_mean,
    length_variance,
)

SIZES = [1, 2, 3, 10, 64, 512, 1024]


@pytest.mark.parametrize("d", SIZES)
def test_densities_and_moments_are_scipys(d: int) -> None:
    r = np.linspace(0, math.sqrt(d) + 5, 300)
    assert length_density(r, d) == pytest.approx(stats.chi(d).pdf(r), rel=1e-9, abs=1e-12)
    t = r[1:] ** 2
    assert chi_square_density(t, d) == pytest.approx(stats.chi2(d).pdf(t), rel=1e-9, abs=1e-12)
    assert length_mean(d) == pytest.approx(stats.chi(d).mean())
    assert length_variance(d) == pytest.approx(stats.chi(d).var(), rel=1e-6)


@pytest.mark.parametrize("d", SIZES)
def test_the_draws_follow_the_density(d: int) -> None:
    lengths = draw_lengths(d, 3000, seed=1)
    assert stats.kstest(lengths, stats.chi(d).cdf).pvalue > 1e-3
    assert abs(lengths.mean() - length_mean(d)) < 4.5 * stats.sem(lengths)


def test_the_shell_grows_thin_and_normal() -> None:
    assert length_variance(1024) == pytest.approx(0.5, abs=1e-3)
    assert length_mean(1024) == pytest.approx(32, abs=0.01)
    r = np.linspace(29, 35, 100)
    assert np.abs(length_density(r, 1024) - stats.norm(32, math.sqrt(0.5)).pdf(r)).max() < 0.01
    within = integrate.quad(lambda r: float(length_density(np.array([r]), 1024)[0]), 31, 33)[0]
    assert within == pytest.approx(math.erf(1), abs=2e-3)


def test_no_vectors_are_refused() -> None:
    for d, draws in ((0, 5), (5, 0)):
        with pytest.raises(ValueError, match="at least 1") as error:
            draw_lengths(d, draws)
        assert_sentence(error.value)
