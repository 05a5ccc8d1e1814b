"""Why attention divides by √d_k (paper §3.2.1, footnote 4): q and k are drawn, and q·k is measured beside the theory.

The components of q and of k have one distribution, mean μ and standard deviation s, and all are independent, but
for q_i and k_i, whose correlation is ρ. With probability |ρ| k_i copies q_i (mirrored at μ where ρ < 0), else it is
drawn afresh. So both keep their distribution, whichever it is, and their correlation is ρ exactly.

Write q_i = μ + s·x and k_i = μ + s·y, x and y symmetric with mean 0 and variance 1, κ = E[x⁴]. Then

    E[q_i k_i]   = μ² + ρ s²
    Var(q_i k_i) = 2 μ² s² (1 + ρ) + s⁴ (1 + |ρ| (κ − 1) − ρ²)

and both are d_k times that for q·k. With μ = 0, s = 1, ρ = 0, as the paper assumes, they are 0 and d_k.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

Distribution = Literal["normal", "uniform", "rademacher", "student"]
Floats = NDArray[np.floating[Any]]

MAX_DRAWS, MAX_D_K = 1_000_000, 1024
_NUMBERS_AT_A_TIME = 2_000_000  # of q and of k in one chunk: 8 MB each, some 50 ms


@dataclass(frozen=True)
class DrawSettings:
    """What is drawn, and how many times.

    Attributes:
        d_k: components of q and of k, 1 to 1024.
        draws: pairs (q, k), 1 to a million.
        degrees: degrees of freedom ν of Student's t; other distributions ignore it.
        mean: μ of each component.
        scale: what a distribution of variance 1 is multiplied by; Student's t is not standardised, its variance is
            scale² ν / (ν − 2), and infinite where ν ≤ 2.
        correlation: ρ of q_i and k_i, -1 to 1.

    Raises:
        ValueError: a sentence that names the field and what is allowed.
    """

    d_k: int = 64
    draws: int = 2000
    distribution: Distribution = "normal"
    degrees: float = 5.0
    mean: float = 0.0
    scale: float = 1.0
    correlation: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.distribution not in get_args(Distribution):
            raise ValueError(
                f"distribution must be one of {', '.join(get_args(Distribution))}; it was {self.distribution!r}."
            )
        for name, low, high in (
            ("d_k", 1, MAX_D_K),
            ("draws", 1, MAX_DRAWS),
            ("degrees", 0.5, 1000),
            ("mean", -100, 100),
            ("scale", 0, 100),
            ("correlation", -1, 1),
            ("seed", 0, 2**32),
        ):
            if not low <= getattr(self, name) <= high:
                raise ValueError(f"{name} must be from {low} to {high}; it was {getattr(self, name)}.")

    @property
    def deviation(self) -> float:
        """s, the standard deviation of a component: infinite for Student's t with ν ≤ 2."""
        if self.distribution != "student":
            return self.scale
        return self.scale * math.sqrt(self.degrees / (self.degrees - 2)) if self.degrees > 2 else math.inf

    @property
    def kurtosis(self) -> float:
        """κ = E[x⁴] of a component with mean 0 and variance 1: infinite for Student's t with ν ≤ 4."""
        if self.distribution == "student":
            return 3 * (self.degrees - 2) / (self.degrees - 4) if self.degrees > 4 else math.inf
        return {"normal": 3.0, "uniform": 1.8, "rademacher": 1.0}[self.distribution]

    @property
    def is_as_assumed(self) -> bool:
        """Whether the components are what the paper assumes: mean 0, variance 1, independent."""
        return self.mean == 0 and self.correlation == 0 and math.isclose(self.deviation, 1)


@dataclass(frozen=True)
class Theory:
    """Mean and variance of q·k; NaN or infinite where there is none. See the head of this module."""

    mean: float
    variance: float


def theory(settings: DrawSettings) -> Theory:
    """What probability theory says of q·k under these settings."""
    mu, s, rho = settings.mean, settings.deviation, settings.correlation
    if math.isinf(s):  # ν ≤ 2; the products still have a mean where q_i itself has one, and no copies are made
        return Theory(settings.d_k * mu**2 if settings.degrees > 1 and rho == 0 else math.nan, math.inf)
    copies = abs(rho) * (settings.kurtosis - 1) if rho else 0.0  # 0 · ∞ is 0 here: nothing is copied
    product = 2 * mu**2 * s**2 * (1 + rho) + s**4 * (1 + copies - rho**2)
    return Theory(settings.d_k * (mu**2 + rho * s**2), settings.d_k * product)


@dataclass(frozen=True)
class Estimate:
    """A number from a draw and its standard error (its sampling error, one standard deviation)."""

    value: float
    error: float


def estimate_mean(values: Floats) -> Estimate:
    """The mean, and s / √n. One value has no error: NaN."""
    n = values.size
    return Estimate(float(values.mean()), float(values.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan)


def estimate_variance(values: Floats) -> Estimate:
    """The unbiased variance, and its standard error √((m₄ − (n−3)/(n−1) s⁴) / n), m₄ the fourth central moment.

    One value has no variance: NaN. Where the fourth moment is infinite the error that is found means little.
    """
    n = values.size
    if n < 2:
        return Estimate(math.nan, math.nan)
    centred = values - values.mean()
    variance = float((centred**2).sum() / (n - 1))
    fourth = float((centred**4).mean())
    return Estimate(variance, math.sqrt(max(0.0, fourth - (n - 3) / (n - 1) * variance**2) / n))


@dataclass(frozen=True, eq=False)
class Draws:
    """n pairs (q, k) that were drawn.

    Attributes:
        products: (n,) q·k, float64.
        own_variances: Σ_i Var(q_i k_i), the d_k sample variances added up; NaN for one draw.
        mean_q, mean_k: means of all n·d_k components.
        mean_qk: mean of all products q_i k_i.
        mean_q2, mean_k2: means of q_i² and of k_i².
        mean_q2k2: mean of q_i² k_i².
    """

    settings: DrawSettings
    products: NDArray[np.float64]
    own_variances: float
    mean_q: float
    mean_k: float
    mean_qk: float
    mean_q2: float
    mean_k2: float
    mean_q2k2: float

    @property
    def cross_terms(self) -> float:
        """Σ_{i≠j} Cov(q_i k_i, q_j k_j): what the sample variance of q·k has over the d_k variances of its terms."""
        return estimate_variance(self.products).value - self.own_variances


def draw(settings: DrawSettings) -> Draws:
    """All the draws at once."""
    return next(last for done, last in draw_in_chunks(settings) if last is not None)


def draw_in_chunks(settings: DrawSettings) -> Generator[tuple[int, Draws | None], None, None]:
    """Draws chunk by chunk, so that others may compute in between.

    Yields:
        How many pairs are drawn so far, and None until the last chunk, then the draws.
    """
    random = np.random.default_rng(settings.seed)
    n, d_k = settings.draws, settings.d_k
    rows = max(1, _NUMBERS_AT_A_TIME // d_k)
    products = np.empty(n)
    sums = np.zeros(6)  # of q, k, qk, q², k², q²k²
    shift = np.zeros(d_k)  # the first chunk's means: sums of squares around them lose no digits
    terms, squares = np.zeros(d_k), np.zeros(d_k)
    for start in range(0, n, rows):
        size = min(rows, n - start)
        q, k = draw_pair(random, settings, (size, d_k))
        qk = q * k  # (size, d_k)
        products[start : start + size] = qk.sum(axis=1, dtype=np.float64)
        sums += [*(x.sum(dtype=np.float64) for x in (q, k, qk)), *(float(np.vdot(x, x)) for x in (q, k, qk))]
        if start == 0:
            shift = qk.mean(axis=0, dtype=np.float64)
        centred = qk - shift.astype(np.float32)
        terms += centred.sum(axis=0, dtype=np.float64)
        squares += np.einsum("nd,nd->d", centred, centred)
        if start + size < n:
            yield start + size, None
    own = float((squares - terms**2 / n).sum() / (n - 1)) if n > 1 else math.nan
    yield n, Draws(settings, products, own, *(float(mean) for mean in sums / (n * d_k)))


@dataclass(frozen=True, eq=False)
class VarianceBySize:
    """The variance of q·k at each d_k, from draws of its own.

    Attributes:
        sizes: values of d_k.
        draws: at each of them.
        variances: their estimates.
    """

    sizes: tuple[int, ...]
    draws: int
    variances: tuple[Estimate, ...]


def variance_by_size(settings: DrawSettings, draws: int = 1000) -> VarianceBySize:
    """The same settings at d_k = 1, 2, 4, … 1024, from at most `draws` pairs: of each, its first d_k components."""
    sizes = tuple(2**power for power in range(11))
    count = min(draws, settings.draws)
    products, sums = _sums_by_size(replace(settings, d_k=sizes[-1], draws=count, mean=0, scale=1))
    scale, mean = settings.scale, settings.mean
    # Σ (σx + μ)(σy + μ), so that μ and σ need no new draws.
    drawn = scale**2 * products + scale * mean * sums + mean**2 * np.array(sizes)  # (count, sizes)
    return VarianceBySize(sizes, count, tuple(estimate_variance(column) for column in drawn.T))


@lru_cache(maxsize=64)
def _sums_by_size(settings: DrawSettings) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Pairs x, y of mean 0: Σ x_i y_i and Σ (x_i + y_i) over the first 1, 2, 4, … components, (draws, sizes) each."""
    x, y = draw_pair(np.random.default_rng(settings.seed), settings, (settings.draws, settings.d_k))
    starts = [0, *(2**power for power in range(settings.d_k.bit_length() - 1))]
    products, sums = (
        np.add.reduceat(terms, starts, axis=1).cumsum(axis=1, dtype=np.float64) for terms in (x * y, x + y)
    )
    return products, sums


def draw_pair(
    random: np.random.Generator, settings: DrawSettings, shape: tuple[int, ...]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """q and k of the given shape, float32."""
    x, y = (_standard(random, settings, shape) for _ in range(2))
    if settings.correlation:
        copied = random.random(shape, dtype=np.float32) < abs(settings.correlation)
        y = np.where(copied, np.float32(math.copysign(1, settings.correlation)) * x, y)
    scale, mean = np.float32(settings.scale), np.float32(settings.mean)
    return x * scale + mean, y * scale + mean


def _standard(random: np.random.Generator, settings: DrawSettings, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Mean 0, variance 1; Student's t as it is."""
    if settings.distribution == "normal":
        return random.standard_normal(shape, dtype=np.float32)
    if settings.distribution == "uniform":
        return (random.random(shape, dtype=np.float32) * 2 - 1) * np.float32(math.sqrt(3))
    if settings.distribution == "rademacher":
        return random.integers(0, 2, shape, dtype=np.int8).astype(np.float32) * 2 - 1
    return random.standard_t(settings.degrees, shape).astype(np.float32)


def normal_density(x: Floats, mean: float, variance: float) -> Floats:
    """The density of N(mean, variance)."""
    density: Floats = np.exp(-((x - mean) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)
    return density


@dataclass(frozen=True, eq=False)
class Histogram:
    """A density from counts.

    Attributes:
        edges: (bins + 1,).
        density: (bins,) counts / (all draws · bin width).
        outside: how many of the draws lie left or right of the picture.
    """

    edges: NDArray[np.float64]
    density: NDArray[np.float64]
    outside: int


def histogram(values: Floats, bins: int = 61, step: float = 0.0) -> Histogram:
    """Over all values, or where some lie very far out, over the middle: 8 times the quartile distance each way.

    Args:
        step: the distance of neighbouring values where they lie on a lattice: bins are whole steps, so that each
            holds equally many places.
    """
    low, quarter, median, three_quarters, high = np.quantile(values, [0, 0.25, 0.5, 0.75, 1])
    reach = 8 * (three_quarters - quarter)
    if reach > 0:
        low, high = max(low, median - reach), min(high, median + reach)
    if step:
        width = step * max(1, math.ceil((high - low) / step / bins))
        low -= step / 2  # values in the middle of the bins
        edges = low + width * np.arange(math.ceil((high - low) / width + 1e-9) + 1)
    elif low < high:
        edges = np.linspace(low, high, bins + 1)
    else:  # one value
        edges = np.linspace(low - 0.5, low + 0.5, 2)
    counts, edges = np.histogram(values, edges)
    return Histogram(edges, counts / (values.size * np.diff(edges)), int(values.size - counts.sum()))


def lattice_step(settings: DrawSettings) -> float:
    """The distance of neighbouring values of q·k where only some can occur: Rademacher around 0; else 0."""
    if settings.distribution == "rademacher" and settings.mean == 0:
        return 2 * settings.scale**2
    return 0.0
