"""One head of one attention module, stage by stage, and one number of it, term by term (paper §3.2.1, equation 1).

Shapes: T target (query) length, S source (key) length, D = d_k.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from viz_transformer.analysis.divisor import recorded_divisor
from viz_transformer.heads import AttentionModule, hook_path
from viz_transformer.trace import Trace

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class HeadStages:
    """What one head computed, as it was recorded (or, by hand, as `by_hand.attend` computed it).

    Attributes:
        query_input, key_input: (T, d_model), (S, d_model) what enters W_Q, and W_K and W_V; None by hand.
        q, k, v: (T, D), (S, D), (S, D).
        scores, scaled_scores, masked_scores, weights: (T, S).
        mask: (T, S) bool, True = may attend.
        context: (T, D) weights @ V.
        concatenated, output: (T, d_model) all heads side by side, and that times W_O; None by hand.
    """

    q: Floats
    k: Floats
    v: Floats
    scores: Floats
    scaled_scores: Floats
    mask: NDArray[np.bool_]
    masked_scores: Floats
    weights: Floats
    context: Floats
    query_input: Floats | None = None
    key_input: Floats | None = None
    concatenated: Floats | None = None
    output: Floats | None = None


def head_stages(trace: Trace, module: AttentionModule, layer: int, head: int) -> HeadStages:
    """The recorded stages of one head; raises a ValueError where the model has no such module or layer."""
    return layer_stages(trace, module, layer)[head]


def layer_stages(trace: Trace, module: AttentionModule, layer: int) -> list[HeadStages]:
    """The recorded stages of all heads of a layer; what the trace works out on demand, it works out once for all."""
    record = trace.attention(module, layer)
    path = hook_path(module, layer)
    query_input, key_input, concatenated = (
        trace.tensors[f"{path}.{name}"] for name in ("query_input", "key_input", "concatenated")
    )
    return [
        HeadStages(
            q=record.q[head],
            k=record.k[head],
            v=record.v[head],
            scores=record.scores[head],
            scaled_scores=record.scaled_scores[head],
            mask=record.mask,
            masked_scores=record.masked_scores[head],
            weights=record.weights[head],
            context=record.context[head],
            query_input=query_input,
            key_input=key_input,
            concatenated=concatenated,
            output=record.output,
        )
        for head in range(len(record.q))
    ]


@dataclass(frozen=True, eq=False)
class CellTerms:
    """How one weight comes about and what it does, query i and key j.

    Recorded: `score`, `scaled`, `masked`, `row_max`, `weight`, `value`, `context`. Worked out from recorded numbers
    in float64, term by term: `products`, `exponential`, `denominator`, `contribution`.

    Attributes:
        products: (D,) q_id · k_jd; they add up to `score`.
        divisor: what the head's scores were divided by, √d_k in the paper; score / divisor = scaled.
        is_allowed: whether the query may attend to the key.
        row_max: the largest masked score of the row; the softmax subtracts it first, which changes no weight.
        exponential: exp(masked - row_max).
        denominator: the sum of the row's exponentials; exponential / denominator = weight.
        value: (D,) v_j.
        contribution: (D,) weight · v_j; over all keys they add up to `context`.
        context: (D,) row i of weights @ V.
    """

    products: NDArray[np.float64]
    score: float
    divisor: float
    scaled: float
    is_allowed: bool
    masked: float
    row_max: float
    exponential: float
    denominator: float
    weight: float
    value: Floats
    contribution: NDArray[np.float64]
    context: Floats


def cell_terms(stages: HeadStages, i: int, j: int) -> CellTerms:
    """The terms of weight (i, j)."""
    row = stages.masked_scores[i].astype(np.float64)
    row_max = float(row.max())
    exponentials = np.exp(row - row_max) if np.isfinite(row_max) else np.full_like(row, np.nan)  # all masked: 0 / 0
    weight = float(stages.weights[i, j])
    return CellTerms(
        products=stages.q[i].astype(np.float64) * stages.k[j],
        score=float(stages.scores[i, j]),
        divisor=recorded_divisor(stages.scores, stages.scaled_scores, stages.q.shape[1]),
        scaled=float(stages.scaled_scores[i, j]),
        is_allowed=bool(stages.mask[i, j]),
        masked=float(stages.masked_scores[i, j]),
        row_max=row_max,
        exponential=float(exponentials[j]),
        denominator=float(exponentials.sum()),
        weight=weight,
        value=stages.v[j],
        contribution=weight * stages.v[j].astype(np.float64),
        context=stages.context[i],
    )


def softmax(scores: NDArray[np.floating]) -> NDArray[np.float64]:
    """Over the last axis; a row of -inf alone is NaN, as in PyTorch."""
    scores = np.asarray(scores, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return np.asarray(exponentials / exponentials.sum(axis=-1, keepdims=True))


def row_softmaxes(stages: HeadStages, i: int) -> Floats:
    """(3, S) the softmax of row i of QKᵀ, the softmax of it after the division, and the recorded weights."""
    rows = [softmax(stages.scores[i]), softmax(stages.scaled_scores[i]), stages.weights[i]]
    return np.stack(rows).astype(np.float32)


@dataclass(frozen=True)
class Similarity:
    """The dot product as lengths and an angle: q·k = |q| |k| cos(angle)."""

    query_norm: float
    key_norm: float
    cosine: float

    @property
    def degrees(self) -> float:
        """The angle between them, 0 to 180."""
        return math.degrees(math.acos(max(-1.0, min(1.0, self.cosine))))


def similarity(query: NDArray[np.floating], key: NDArray[np.floating]) -> Similarity:
    """Of two vectors (D,); the cosine of a zero vector counts as 0."""
    query, key = np.asarray(query, dtype=np.float64), np.asarray(key, dtype=np.float64)
    norms = float(np.linalg.norm(query)), float(np.linalg.norm(key))
    product = norms[0] * norms[1]
    return Similarity(*norms, float(query @ key) / product if product else 0.0)
