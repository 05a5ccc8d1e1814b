"""What large scores do to the softmax: its weights, their entropy, and the gradient that it lets through.

Three ways to compare a query with n keys of d_k components, each drawn from N(0, 1): q·k, q·k / √d_k, and additive
attention, vᵀ tanh(W_q q + W_k k) (Bahdanau et al. 2015; paper §3.2.1), with d_k hidden units but at most
32, its matrices and its v drawn with variance 1 / fan-in, as a fresh network's are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]

MECHANISMS = ("dot", "scaled", "additive")
SIZES = tuple(2**power for power in range(11))  # d_k from 1 to 1024
MAX_KEYS = 64
MAX_HIDDEN = 32  # units of additive attention: more of them show the same and take longer


def softmax(scores: Floats) -> NDArray[np.float64]:
    """Over the last axis."""
    powers = np.exp(scores.astype(np.float64) - scores.max(axis=-1, keepdims=True))
    weights: NDArray[np.float64] = powers / powers.sum(axis=-1, keepdims=True)
    return weights


def jacobian(weights: Floats) -> NDArray[np.float64]:
    """∂w/∂s = diag(w) − w wᵀ of weights (n,) → (n, n): how the weights respond to the scores."""
    return np.diag(weights).astype(np.float64) - np.outer(weights, weights)


def jacobian_norm(weights: Floats) -> NDArray[np.float64]:
    """The Frobenius norm of `jacobian`, √(Σw² − 2Σw³ + (Σw²)²), of weights (…, n) → (…). 0 where one weight is 1."""
    w = weights.astype(np.float64)
    second, third = (w**2).sum(axis=-1), (w**3).sum(axis=-1)
    lengths: NDArray[np.float64] = np.sqrt(np.maximum(0, second - 2 * third + second**2))
    return lengths


def entropy_bits(weights: Floats) -> NDArray[np.float64]:
    """−Σ w log₂ w of weights (…, n) → (…): log₂ n where all are equal, 0 where one is 1."""
    w = weights.astype(np.float64)
    bits: NDArray[np.float64] = -np.where(w > 0, w * np.log2(np.where(w > 0, w, 1)), 0).sum(axis=-1) + 0.0
    return bits


def draw_scores(seed: int = 0, repeats: int = 24) -> dict[str, NDArray[np.float64]]:
    """Scores of queries and keys drawn at every d_k: for each of `MECHANISMS`, (sizes, repeats, 64 keys)."""
    found = {name: np.empty((len(SIZES), repeats, MAX_KEYS)) for name in MECHANISMS}
    for place, d_k in enumerate(SIZES):
        random = np.random.default_rng((seed, d_k))
        hidden = min(d_k, MAX_HIDDEN)
        for repeat in range(repeats):
            q = random.standard_normal(d_k, dtype=np.float32)
            keys = random.standard_normal((MAX_KEYS, d_k), dtype=np.float32)
            w_q, w_k = random.standard_normal((2, d_k, hidden), dtype=np.float32) / np.float32(math.sqrt(d_k))
            v = random.standard_normal(hidden, dtype=np.float32) / np.float32(math.sqrt(hidden))
            dot = keys @ q  # (64,)
            found["dot"][place, repeat] = dot
            found["scaled"][place, repeat] = dot / math.sqrt(d_k)
            found["additive"][place, repeat] = np.tanh(q @ w_q + keys @ w_k) @ v
    return found


@dataclass(frozen=True, eq=False)
class Saturation:
    """What becomes of the softmax over n keys, for each mechanism and each d_k of `SIZES`.

    Attributes:
        weights: mechanism → (sizes, repeats, n).
        entropy, largest, gradient: mechanism → (2, sizes): mean over the repeats and its standard error, of the
            entropy in bits, of the largest weight, and of the norm of the softmax's Jacobian.
    """

    weights: dict[str, NDArray[np.float64]]
    entropy: dict[str, NDArray[np.float64]]
    largest: dict[str, NDArray[np.float64]]
    gradient: dict[str, NDArray[np.float64]]


def saturation(scores: Mapping[str, NDArray[np.float64]], n_keys: int) -> Saturation:
    """The softmax over the first `n_keys` of what `draw_scores` drew.

    Raises:
        ValueError: for a number of keys outside 1 to 64.
    """
    if not 1 <= n_keys <= MAX_KEYS:
        raise ValueError(f"The number of keys must be from 1 to {MAX_KEYS}; it was {n_keys}.")
    weights = {name: softmax(drawn[..., :n_keys]) for name, drawn in scores.items()}
    measures = (entropy_bits, lambda w: w.max(axis=-1), jacobian_norm)
    return Saturation(weights, *({name: _mean_and_error(f(w)) for name, w in weights.items()} for f in measures))


def _mean_and_error(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """(sizes, repeats) → (2, sizes)."""
    return np.stack([values.mean(axis=1), values.std(axis=1, ddof=1) / math.sqrt(values.shape[1])])
