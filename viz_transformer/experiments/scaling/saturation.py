"""What large scores do to the softmax: its weights, their entropy, and the gradient that it lets through.

Three ways to compare a query with n keys of d_k components, each drawn from N(0, 1): q·k, q·k / √d_k, and additive
attention, vᵀ tanh(W_q q + W_k k) (Bahdanau et al. 2015; paper §3.2.1), with d_k hidden units but at most
32, its matrices and its v drawn with variance 1 / fan-in, as a fresh network's are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]

MECHANISMS = ("dot", "scaled", "additive")
SIZES = tuple(2**power for power in range(11))  # d_k from 1 to 1024
MAX_KEYS = 64
MAX_HIDDEN = 32  # units of additive attention: more of them show the same and take longer
DRAWS = 500  # queries at each d_k
ADDITIVE_DRAWS = 24  # the same for additive attention: they are drawn with their keys and matrices, and take longer


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


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of queries and keys that were drawn at every d_k of `SIZES`: `scores["dot"]`, of `MECHANISMS`.

    Given q, the scores q·k of keys from N(0, 1) are independent, and each is ‖q‖ times a number from N(0, 1): so many
    are drawn without drawing a key, and the same numbers at every d_k, that a curve over d_k is as smooth as the truth.

    Attributes:
        lengths: (sizes, repeats) ‖q‖ of queries of d_k components.
        normal: (repeats, 64) from N(0, 1).
        additive: (sizes, fewer repeats, 64) the scores of additive attention, drawn with all their matrices.
    """

    lengths: NDArray[np.float32]
    normal: NDArray[np.float32]
    additive: NDArray[np.float32]

    def __getitem__(self, mechanism: str) -> NDArray[np.float32]:
        """(sizes, repeats, 64)."""
        if mechanism == "additive":
            return self.additive
        scale = np.sqrt(SIZES, dtype=np.float32) if mechanism == "scaled" else np.ones(len(SIZES), dtype=np.float32)
        return (self.lengths / scale[:, None])[..., None] * self.normal


def draw_scores(seed: int = 0, repeats: int = DRAWS) -> Scores:
    """Draws `repeats` queries, each with 64 keys; for additive attention at most 24."""
    random = np.random.default_rng(seed)
    lengths = np.sqrt(random.chisquare(np.array(SIZES)[:, None], (len(SIZES), repeats)))
    normal = random.standard_normal((repeats, MAX_KEYS), dtype=np.float32)
    additive = np.empty((len(SIZES), min(repeats, ADDITIVE_DRAWS), MAX_KEYS), dtype=np.float32)
    for place, d_k in enumerate(SIZES):
        hidden = min(d_k, MAX_HIDDEN)
        for one in additive[place]:
            q = random.standard_normal(d_k, dtype=np.float32)
            keys = random.standard_normal((MAX_KEYS, d_k), dtype=np.float32)
            w_q, w_k = random.standard_normal((2, d_k, hidden), dtype=np.float32) / np.float32(math.sqrt(d_k))
            v = random.standard_normal(hidden, dtype=np.float32) / np.float32(math.sqrt(hidden))
            one[:] = np.tanh(q @ w_q + keys @ w_k) @ v
    return Scores(lengths.astype(np.float32), normal, additive)


@dataclass(frozen=True, eq=False)
class Saturation:
    """What becomes of the softmax over n keys, for each mechanism and each d_k of `SIZES`.

    Attributes:
        weights: mechanism → (sizes, draws, n): as many groups of n keys as each query has.
        entropy, largest, gradient: mechanism → (2, sizes): mean over the draws and its standard error, of the
            entropy in bits, of the largest weight, and of the norm of the softmax's Jacobian.
    """

    weights: dict[str, NDArray[np.float64]]
    entropy: dict[str, NDArray[np.float64]]
    largest: dict[str, NDArray[np.float64]]
    gradient: dict[str, NDArray[np.float64]]


def saturation(scores: Scores, n_keys: int) -> Saturation:
    """The softmax over groups of `n_keys` of what `draw_scores` drew.

    Raises:
        ValueError: for a number of keys outside 1 to 64.
    """
    if not 1 <= n_keys <= MAX_KEYS:
        raise ValueError(f"The number of keys must be from 1 to {MAX_KEYS}; it was {n_keys}.")
    used = MAX_KEYS // n_keys * n_keys
    weights = {name: softmax(scores[name][..., :used].reshape(len(SIZES), -1, n_keys)) for name in MECHANISMS}
    measures = (entropy_bits, lambda w: w.max(axis=-1), jacobian_norm)
    return Saturation(weights, *({name: _mean_and_error(f(w)) for name, w in weights.items()} for f in measures))


def _mean_and_error(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """(sizes, draws) → (2, sizes)."""
    return np.stack([values.mean(axis=1), values.std(axis=1, ddof=1) / math.sqrt(values.shape[1])])
