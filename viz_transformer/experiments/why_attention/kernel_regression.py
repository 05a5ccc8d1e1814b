"""Attention as soft look-up: Nadaraya-Watson kernel regression, and a recorded head written as one.

Shapes: Q queries, P points (keys with their values), H heads, T queries, S keys, D = d_k.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from viz_transformer.analysis.divisor import recorded_divisor
from viz_transformer.trace import AttentionRecord

Floats = NDArray[np.float64]

X_MAX = 6.0  # keys and queries are drawn from 0 to here


class Points(NamedTuple):
    """P scattered points: x the keys, y the values."""

    x: Floats
    y: Floats


def curve(x: ArrayLike) -> Floats:
    """The function behind the points: sin(2x) + x / 2."""
    x = np.asarray(x, dtype=np.float64)
    y: Floats = np.sin(2 * x) + x / 2
    return y


def scattered(count: int, noise: float, seed: int) -> Points:
    """`count` points at uniform x in 0 … X_MAX, sorted, y = curve(x) + normal noise of that standard deviation."""
    generator = np.random.default_rng(seed)
    x = np.sort(generator.uniform(0, X_MAX, count))
    return Points(x, curve(x) + noise * generator.standard_normal(count))


def kernel_weights(queries: ArrayLike, keys: ArrayLike, width: float) -> Floats:
    """softmax over the keys of −(query − key)² / (2·width²): (Q, P), each row adds up to 1."""
    distances = np.subtract.outer(np.asarray(queries, dtype=np.float64), np.asarray(keys, dtype=np.float64))
    scores = -(distances**2) / (2 * width**2)
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(exponentials / exponentials.sum(axis=1, keepdims=True))


def nadaraya_watson(queries: ArrayLike, points: Points, width: float) -> Floats:
    """(Q,) the average of the values, weighted by how near their keys are (Nadaraya 1964, Watson 1964)."""
    return np.asarray(kernel_weights(queries, points.x, width) @ points.y)


class HeadAsKernel(NamedTuple):
    """One recorded head as kernel regression.

    Since q·k = (‖q‖² + ‖k‖² − ‖q − k‖²) / 2, and ‖q‖² is the same for all keys of a query,
    exp(q·k / √d_k) ∝ exp(−‖q − k‖² / (2·width²)) · exp(‖k‖² / (2·√d_k)) with width = d_k^¼.
    Where the model or an intervention divides by something else, that stands in place of √d_k.

    Attributes:
        width: d_k^¼.
        gaussian: (T, S) the weights of the Gaussian kernel alone.
        factors: (S,) exp(‖k‖² / (2·√d_k)), divided by the largest of them.
        product: (T, S) the weights of kernel times factor: the recorded weights again.
        difference: the largest number in `product` − the recorded weights.
    """

    width: float
    gaussian: Floats
    factors: Floats
    product: Floats
    difference: float


def head_as_kernel(record: AttentionRecord, head: int) -> HeadAsKernel:
    """Works a head's weights out from distances in place of dot products."""
    q, k = record.q[head].astype(np.float64), record.k[head].astype(np.float64)  # (T, D), (S, D)
    root = recorded_divisor(record.scores[head], record.scaled_scores[head], q.shape[1])  # √d_k in the paper
    distances = np.square(q[:, None] - k[None]).sum(axis=2)  # (T, S) ‖q − k‖²
    lengths = np.square(k).sum(axis=1)  # (S,) ‖k‖²
    kernel = np.where(record.mask, -distances / (2 * root), -np.inf)
    product = _softmax(kernel + lengths / (2 * root))
    return HeadAsKernel(
        math.sqrt(root),
        _softmax(kernel),
        np.exp((lengths - lengths.max()) / (2 * root)),
        product,
        float(np.abs(product - record.weights[head]).max()),
    )


def _softmax(scores: Floats) -> Floats:
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(exponentials / exponentials.sum(axis=1, keepdims=True))
