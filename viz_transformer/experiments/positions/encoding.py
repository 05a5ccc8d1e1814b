"""The sinusoidal positional encoding (paper §3.5) in closed form, float64, for any width and base.

PE(pos, 2i) = sin(ω_i pos), PE(pos, 2i + 1) = cos(ω_i pos), ω_i = base^(−2i / d_model). Sines and cosines interleaved.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def frequencies(d_model: int, base: float = 10_000.0) -> Floats:
    """(d_model / 2,) angular frequencies ω_i, in radians a position.

    Raises:
        ValueError: where d_model is odd or below 2, or the base is below 1.
    """
    if d_model < 2 or d_model % 2:
        raise ValueError(f"d_model must be even, a sine and a cosine for each wavelength; it was {d_model}.")
    if not base >= 1:
        raise ValueError(f"The base must be at least 1; it was {base}.")
    return base ** (-np.arange(0, d_model, 2) / d_model)


def wavelengths(d_model: int, base: float = 10_000.0) -> Floats:
    """(d_model / 2,) 2π / ω_i, in positions: from 2π up to nearly base · 2π."""
    return 2 * math.pi / frequencies(d_model, base)


def encoding(length: int, d_model: int, base: float = 10_000.0) -> Floats:
    """(length, d_model) of positions 0 to length − 1."""
    return encode(np.arange(length, dtype=np.float64), d_model, base)


def encode(positions: Floats, d_model: int, base: float = 10_000.0) -> Floats:
    """positions (L,), fractions allowed → (L, d_model)."""
    angles = positions[:, None] * frequencies(d_model, base)  # (L, d_model / 2)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(positions), d_model)


def dot_of_offset(offsets: Floats, d_model: int, base: float = 10_000.0) -> Floats:
    """PE(pos)·PE(pos + k) = Σ_i cos(ω_i k), whatever pos is: offsets k (K,) → (K,)."""
    products: Floats = np.cos(offsets[:, None] * frequencies(d_model, base)).sum(axis=1)
    return products


def distances(vectors: Floats) -> Floats:
    """(L, d) → (L, L) Euclidean distances between its rows, from their differences: |a|² + |b|² − 2 a·b is inexact."""
    rows = torch.tensor(vectors)
    found: Floats = torch.cdist(rows, rows, compute_mode="donot_use_mm_for_euclid_dist").numpy()  # never (L, L, d)
    return found


def rotation(k: float, d_model: int, base: float = 10_000.0) -> Floats:
    """M_k (d_model, d_model) with PE(pos + k) = M_k PE(pos) for every pos: a block of rotation for each wavelength.

    Row 2i holds cos(ω_i k) and sin(ω_i k), row 2i + 1 −sin(ω_i k) and cos(ω_i k), in columns 2i and 2i + 1.
    """
    angles = frequencies(d_model, base) * k
    matrix = np.zeros((d_model, d_model))
    even, odd = np.arange(0, d_model, 2), np.arange(1, d_model, 2)
    matrix[even, even] = matrix[odd, odd] = np.cos(angles)
    matrix[even, odd] = np.sin(angles)
    matrix[odd, even] = -np.sin(angles)
    return matrix


def rotation_error(k: int, length: int, d_model: int, base: float = 10_000.0) -> float:
    """The largest |PE(pos + k) − M_k PE(pos)| over all dimensions and pos = 0 … length − 1: rounding, nothing else."""
    vectors = encoding(length + k, d_model, base)
    return float(np.abs(vectors[k:] - vectors[:length] @ rotation(k, d_model, base).T).max())
