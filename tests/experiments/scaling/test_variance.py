"""q·k drawn: the theory against the draws within their sampling error, and against scipy."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tests.helpers import assert_sentence
from viz_transformer.experiments.scaling.variance import (
    Distribution,
    DrawSettings,
    draw,
    draw_in_chunks,
    draw_pair,
    estimate_mean,
    estimate_variance,
    histogram,
    lattice_step,
    normal_density,
    theory,
    variance_by_size,
)

SETTINGS: list[dict[str, Any]] = [
    {},
    {"distribution": "uniform"},
    {"distribution": "rademacher"},
    {"distribution": "student", "degrees": 9.0},
    {"mean": 0.5},
    {"scale": 2.0, "d_k": 7},
    {"correlation": 0.6},
    {"correlation": -1.0, "distribution": "uniform"},
    {"distribution": "uniform", "mean": -1.5, "scale": 0.5, "correlation": 0.3, "d_k": 5},
    {"distribution": "rademacher", "mean": 0.7, "correlation": -0.4},
    {"d_k": 1},
    {"d_k": 1024, "draws": 2000},
]


@pytest.mark.parametrize("changes", SETTINGS, ids=str)
def test_the_theory_is_what_is_drawn_within_the_sampling_error(changes: dict[str, Any]) -> None:
    settings = DrawSettings(**{"d_k": 32, "draws": 20_000, "seed": 1, **changes})
    expected, products = theory(settings), draw(settings).products
    for estimate, value in ((estimate_mean(products), expected.mean), (estimate_variance(products), expected.variance)):
        assert abs(estimate.value - value) <= 4.5 * max(estimate.error, 1e-4 * abs(value)), (estimate, value)


def test_under_the_assumption_of_the_paper_it_is_0_and_d_k() -> None:
    for d_k in (1, 2, 64, 1024):
        expected = theory(DrawSettings(d_k=d_k))
        assert (expected.mean, expected.variance) == (0, d_k)
        assert DrawSettings(d_k=d_k).is_as_assumed
    assert not DrawSettings(distribution="student").is_as_assumed


@pytest.mark.parametrize(
    ("settings", "oracle"),
    [
        (DrawSettings(), stats.norm()),
        (DrawSettings(distribution="uniform"), stats.uniform(-math.sqrt(3), 2 * math.sqrt(3))),
        (DrawSettings(distribution="student", degrees=5), stats.t(5)),
        (DrawSettings(distribution="student", degrees=4.5, scale=2), stats.t(4.5, scale=2)),
    ],
)
def test_the_moments_and_draws_of_a_component_are_scipys(settings: DrawSettings, oracle: Any) -> None:
    assert settings.deviation**2 == pytest.approx(oracle.var())
    assert settings.kurtosis == pytest.approx(oracle.stats(moments="k") + 3)
    for drawn in draw_pair(np.random.default_rng(0), settings, (4000,)):
        assert stats.kstest(drawn, oracle.cdf).pvalue > 1e-3


@pytest.mark.parametrize("rho", [-1.0, -0.5, 0.25, 1.0])
@pytest.mark.parametrize("distribution", ["normal", "uniform", "rademacher"])
def test_the_correlation_is_the_one_asked_for_and_the_distribution_stays(rho: float, distribution: Any) -> None:
    settings = DrawSettings(distribution=distribution, correlation=rho, mean=0.5)
    q, k = draw_pair(np.random.default_rng(2), settings, (40_000,))
    assert np.corrcoef(q - 0.5, k - 0.5)[0, 1] == pytest.approx(rho, abs=0.03)
    assert k.mean() == pytest.approx(0.5, abs=0.03)
    assert k.var() == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("degrees", [1.0, 1.5, 2.0])
def test_a_variance_that_is_infinite_is_said_to_be(degrees: float) -> None:
    settings = DrawSettings(distribution="student", degrees=degrees)
    assert math.isinf(settings.deviation)
    assert math.isinf(stats.t(degrees).var()) or math.isnan(stats.t(degrees).var())
    assert math.isinf(theory(settings).variance)
    assert math.isnan(theory(DrawSettings(distribution="student", degrees=1.0)).mean)
    assert math.isinf(theory(replace(settings, degrees=3.0, correlation=0.5)).variance)


def test_standard_errors_are_those_of_many_draws() -> None:
    draws = [draw(DrawSettings(d_k=8, draws=400, seed=seed)).products for seed in range(300)]
    for estimate in (estimate_mean, estimate_variance):
        estimates = [estimate(products) for products in draws]
        spread = np.std([one.value for one in estimates])
        assert np.mean([one.error for one in estimates]) == pytest.approx(spread, rel=0.15)
    assert estimate_mean(draws[0]).error == pytest.approx(stats.sem(draws[0]))
    assert estimate_variance(draws[0]).value == pytest.approx(stats.tvar(draws[0]))


def test_one_draw_has_a_mean_and_no_variance() -> None:
    draws = draw(DrawSettings(d_k=1, draws=1))
    assert estimate_mean(draws.products).value == draws.products[0]
    assert math.isnan(estimate_mean(draws.products).error)
    assert math.isnan(estimate_variance(draws.products).value)
    assert math.isnan(draws.own_variances)


def test_the_numbers_of_the_proof_are_those_of_the_same_draw() -> None:
    settings = DrawSettings(d_k=6, draws=500, correlation=0.2, mean=0.3, seed=5)
    draws = draw(settings)
    q, k = (x.astype(np.float64) for x in draw_pair(np.random.default_rng(5), settings, (500, 6)))
    covariance = np.cov(q * k, rowvar=False)
    assert draws.products == pytest.approx((q * k).sum(axis=1), abs=1e-4)
    assert draws.own_variances == pytest.approx(np.trace(covariance), rel=1e-4)
    assert draws.cross_terms == pytest.approx(covariance.sum() - np.trace(covariance), abs=1e-2)
    means = (q.mean(), k.mean(), (q * k).mean(), (q**2).mean(), (k**2).mean(), (q**2 * k**2).mean())
    found = (draws.mean_q, draws.mean_k, draws.mean_qk, draws.mean_q2, draws.mean_k2, draws.mean_q2k2)
    assert found == pytest.approx(means, abs=1e-4)


def test_independence_kills_the_cross_terms_within_their_error() -> None:
    d_k, n = 16, 20_000
    draws = draw(DrawSettings(d_k=d_k, draws=n))
    assert abs(draws.cross_terms) < 4 * math.sqrt(2 * d_k * (d_k - 1) / n)


def test_many_draws_come_in_chunks_that_say_how_far_they_are() -> None:
    steps = list(draw_in_chunks(DrawSettings(d_k=1024, draws=10_000)))
    assert len(steps) > 3
    assert all(before < after for (before, _), (after, _) in pairwise(steps))
    assert [draws is not None for _, draws in steps] == [False] * (len(steps) - 1) + [True]
    last = steps[-1][1]
    assert last is not None
    assert steps[-1][0] == len(last.products) == 10_000


def test_the_variance_at_every_size_follows_the_line() -> None:
    swept = variance_by_size(DrawSettings(draws=2000), draws=2000)
    for d_k, one in zip(swept.sizes, swept.variances, strict=True):
        assert abs(one.value - d_k) < 4.5 * one.error


@pytest.mark.parametrize("distribution", ["normal", "uniform", "rademacher", "student"])
def test_the_variance_at_every_size_is_of_the_first_components_of_the_pairs(distribution: Distribution) -> None:
    settings = DrawSettings(1024, 50, distribution, 5.0, 0.5, 2.0, -0.3, 7)
    q, k = draw_pair(np.random.default_rng(7), settings, (50, 1024))
    swept = variance_by_size(settings)
    assert swept.draws == 50
    for d_k, one in zip(swept.sizes, swept.variances, strict=True):
        expected = estimate_variance((q[:, :d_k] * k[:, :d_k]).sum(axis=1, dtype=np.float64))
        assert (one.value, one.error) == pytest.approx((expected.value, expected.error), rel=1e-4)


def test_the_normal_curve_is_scipys() -> None:
    x = np.linspace(-5, 7, 50)
    assert normal_density(x, 1.5, 4) == pytest.approx(stats.norm(1.5, 2).pdf(x))


def test_a_histogram_is_numpys_and_leaves_nothing_out_unsaid() -> None:
    values = draw(DrawSettings(draws=5000)).products
    found = histogram(values)
    assert found.outside == 0
    assert found.density == pytest.approx(np.histogram(values, found.edges, density=True)[0])
    heavy = draw(DrawSettings(draws=5000, distribution="student", degrees=1.0)).products
    found = histogram(heavy)
    inside = (heavy >= found.edges[0]) & (heavy <= found.edges[-1])
    assert found.outside == 5000 - inside.sum() > 0
    assert (found.density * np.diff(found.edges)).sum() == pytest.approx(inside.mean())


@pytest.mark.parametrize("d_k", [1, 5, 64])
def test_bins_of_a_lattice_hold_equally_many_places(d_k: int) -> None:
    settings = DrawSettings(d_k=d_k, distribution="rademacher", draws=3000)
    values = draw(settings).products
    found = histogram(values, step=lattice_step(settings))
    assert found.outside == 0
    assert (found.density * np.diff(found.edges)).sum() == pytest.approx(1)
    places = np.arange(-d_k, d_k + 1, 2)
    counts = np.histogram(places, found.edges)[0]
    assert len(set(counts[1:-1])) <= 1


def test_one_value_is_one_bar() -> None:
    found = histogram(np.array([3.0]))
    assert found.density.tolist() == [1.0]
    assert found.edges[0] < 3 < found.edges[-1]


@pytest.mark.parametrize(
    "wrong",
    [
        {"d_k": 0},
        {"d_k": 1025},
        {"draws": 0},
        {"draws": 1_000_001},
        {"distribution": "cauchy"},
        {"correlation": 1.5},
        {"scale": -1},
        {"degrees": 0},
    ],
    ids=str,
)
def test_settings_that_cannot_be_drawn_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))) as error:
        DrawSettings(**wrong)
    assert_sentence(error.value)
