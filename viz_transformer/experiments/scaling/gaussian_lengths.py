"""How long a vector of d independent N(0, 1) components is: ‖x‖² is χ²_d, so ‖x‖ has density 2r·f(r²).

For large d that is nearly N(√d, 1/2): the vectors lie in a thin shell of radius √d, whose thickness does not grow.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]


def chi_square_density(t: Floats, d: int) -> NDArray[np.float64]:
    """f(t) = t^(d/2 − 1) e^(−t/2) / (2^(d/2) Γ(d/2)) for t > 0, else 0."""
    t = np.asarray(t, dtype=np.float64)
    positive = np.where(t > 0, t, 1.0)
    log_density = (d / 2 - 1) * np.log(positive) - positive / 2 - d / 2 * math.log(2) - math.lgamma(d / 2)
    return np.where(t > 0, np.exp(log_density), 0.0)


def length_density(r: Floats, d: int) -> NDArray[np.float64]:
    """2r·f(r²): the density of ‖x‖, x of d components N(0, 1). At r = 0 its limit: √(2/π) for d = 1, else 0."""
    r = np.asarray(r, dtype=np.float64)
    at_zero = math.sqrt(2 / math.pi) if d == 1 else 0.0
    return np.where(r == 0, at_zero, 2 * r * chi_square_density(r**2, d))


def length_mean(d: int) -> float:
    """E‖x‖ = √2 Γ((d + 1)/2) / Γ(d/2), a little below √d."""
    return math.sqrt(2) * math.exp(math.lgamma((d + 1) / 2) - math.lgamma(d / 2))


def length_variance(d: int) -> float:
    """Var‖x‖ = d − (E‖x‖)², which tends to 1/2."""
    return d - length_mean(d) ** 2


def draw_lengths(d: int, draws: int, seed: int = 0) -> NDArray[np.float64]:
    """(draws,) lengths of vectors of d components N(0, 1), drawn component by component.

    Raises:
        ValueError: for a d or a number of draws below 1.
    """
    if d < 1 or draws < 1:
        raise ValueError(f"d and the number of draws must be at least 1; they were {d} and {draws}.")
    random = np.random.default_rng(seed)
    lengths = np.empty(draws)
    rows = max(1, 2_000_000 // d)
    for start in range(0, draws, rows):
        x = random.standard_normal((min(rows, draws - start), d), dtype=np.float32)
        lengths[start : start + len(x)] = np.sqrt(np.einsum("nd,nd->n", x, x, dtype=np.float64))
    return lengths
