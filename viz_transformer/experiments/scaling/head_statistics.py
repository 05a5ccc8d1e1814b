"""How large the scores of a model's own heads are, and how long the vectors before and after its layer norms."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from viz_transformer.experiments.heads.knock_out import all_heads
from viz_transformer.heads import HeadRef
from viz_transformer.model import Transformer
from viz_transformer.seeds import seeded
from viz_transformer.trace import Trace, trace


@dataclass(frozen=True)
class HeadScores:
    """The scores of one head over the cells (query, key) that its mask allows.

    Attributes:
        cells: how many there are.
        mean: of QKᵀ.
        variance: of QKᵀ, around that mean; NaN for one cell.
        scaled_variance: of QKᵀ / √d_k.
        mean_q2, mean_k2: mean square of a component of Q, and of K. The theory assumes 1.
    """

    head: HeadRef
    cells: int
    mean: float
    variance: float
    scaled_variance: float
    mean_q2: float
    mean_k2: float

    @property
    def expected_scaled_variance(self) -> float:
        """What it would be if q and k were independent, of mean 0 and of these sizes: E[q_i²]·E[k_i²]."""
        return self.mean_q2 * self.mean_k2


def head_scores(trace: Trace) -> list[HeadScores]:
    """Every head of the recorded pass, in the order of `all_heads`."""
    return [_scores_of(trace, head) for head in all_heads(trace.config)]


def _scores_of(trace: Trace, head: HeadRef) -> HeadScores:
    record = trace.attention(head.module, head.layer)
    scores, scaled = (
        stage[head.head][record.mask].astype(np.float64) for stage in (record.scores, record.scaled_scores)
    )
    mean_q2, mean_k2 = (float((x[head.head].astype(np.float64) ** 2).mean()) for x in (record.q, record.k))
    variance, scaled_variance = (
        float(values.var(ddof=1)) if values.size > 1 else float("nan") for values in (scores, scaled)
    )
    return HeadScores(head, scores.size, float(scores.mean()), variance, scaled_variance, mean_q2, mean_k2)


def at_initialisation(model: Transformer, original: Trace, seed: int = 0) -> Trace:
    """The pass over the very tokens of `original` by a model of the same config that has learned nothing."""
    with seeded(seed):
        fresh = Transformer(model.config)
    return trace(
        fresh.eval().to(model.device),
        source_ids=original.source_ids,
        source_tokens=original.source_tokens,
        target_ids=original.target_ids,
        target_tokens=original.target_tokens,
        predicted_ids=original.predicted_ids,
        predicted_tokens=original.predicted_tokens,
    )


# The sub-layers of each stack, and the modules that close their residuals.
_RESIDUALS = {"self": "add_self_attention", "cross": "add_cross_attention", "ffn": "add_feed_forward"}
_STACKS = {"encoder": ("self", "ffn"), "decoder": ("self", "cross", "ffn")}


@dataclass(frozen=True, eq=False)
class NormLengths:
    """The lengths of the vectors at one layer norm, one for each token.

    Attributes:
        stack, layer, sublayer: "encoder" or "decoder"; from 0; the sub-layer before it: "self", "cross" or "ffn".
        before, after: (L,) ‖x + Sublayer(x)‖ and ‖LayerNorm(x + Sublayer(x))‖, both recorded.
        shell: √d_model, where LayerNorm with gain 1 and bias 0 puts every vector.
    """

    stack: str
    layer: int
    sublayer: str
    before: NDArray[np.float64]
    after: NDArray[np.float64]
    shell: float


def norm_lengths(trace: Trace) -> list[NormLengths]:
    """The layer norms of a post-norm model in the order of the computation; empty for a pre-norm one."""
    if trace.config.norm_first:
        return []
    found = []
    layers = {"encoder": trace.config.n_encoder_layers, "decoder": trace.config.n_decoder_layers}
    for stack, sublayers in _STACKS.items():
        for layer, sublayer in product(range(layers[stack]), sublayers):
            path = f"{stack}_layers.{layer}.{_RESIDUALS[sublayer]}"
            if f"{path}.before_norm" not in trace.tensors:
                continue  # the model was trained without this sub-layer
            before, after = (
                np.linalg.norm(trace.tensors[f"{path}.{name}"].astype(np.float64), axis=-1)
                for name in ("before_norm", "after_norm")
            )
            found.append(NormLengths(stack, layer, sublayer, before, after, trace.config.d_model**0.5))
    return found
