"""Three answers to "how much did this token matter to this head": its weight, its contribution, its effect.

The effect is in `knock_out.effect_of_weights`. Here are the contributions, and two aggregates over heads and layers
that are often shown instead of what the model computed. Shapes: H heads, T queries, S keys, D = d_k.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from viz_transformer.attention import MultiHeadAttention
from viz_transformer.heads import hook_path
from viz_transformer.model import Transformer
from viz_transformer.trace import AttentionRecord, Floats, Trace


def contributions(model: Transformer, record: AttentionRecord) -> Floats:
    """‖α_ij v_j W_O‖ of every head: the length of what key j adds to the module's output at query i.

    W_O here means the head's rows of it, in the convention x W; its bias belongs to no key. Summed over heads and keys,
    the vectors (not their lengths) give `record.output` without that bias. Source: Kobayashi et al. 2020, "Attention
    is Not Only a Weight".

    Returns:
        (H, T, S), at least 0.
    """
    attention = model.get_submodule(hook_path(record.module, record.layer))
    assert isinstance(attention, MultiHeadAttention)
    heads, _, width = record.v.shape
    w_o = attention.w_o.weight.detach().cpu().numpy()  # (d_model, H·D): a Linear keeps W_O transposed
    by_head = w_o.reshape(-1, heads, width)  # (d_model, H, D)
    lengths = np.linalg.norm(np.einsum("hsd,mhd->hsm", record.v, by_head), axis=2)  # (H, S)
    return np.asarray(record.weights * lengths[:, None, :])


def rank_correlation(first: ArrayLike, second: ArrayLike) -> float:
    """Spearman's ρ: 1 for the same order, -1 for the opposite one. Equal values share their mean rank.

    NaN for fewer than two values, or where one side is constant.
    """
    ranks = [pd.Series(np.asarray(values, dtype=np.float64)).rank() for values in (first, second)]
    if any(rank.nunique() < 2 for rank in ranks):
        return float("nan")
    return float(ranks[0].corr(ranks[1]))


def mean_over_heads(record: AttentionRecord) -> Floats:
    """(T, S) the weights averaged over the heads: an aggregate that no forward pass uses."""
    return np.asarray(record.weights.mean(axis=0))


def rollout(trace: Trace) -> NDArray[np.float64]:
    """Attention rollout through the encoder: an aggregate that no forward pass uses.

    Each layer becomes ½ (mean over heads) + ½ I, for the residual connection. The product of the layers, the last one
    leftmost, says how position i of the memory would mix the source tokens if values were passed on unchanged.
    Defined only for a stack of self-attention; in the decoder, cross-attention feeds every layer.
    Source: Abnar & Zuidema 2020, "Quantifying Attention Flow in Transformers", §3.

    Returns:
        (S, S); each row sums to 1.
    """
    mixed = np.eye(len(trace.source_ids))
    for layer in range(trace.config.n_encoder_layers):
        weights = trace.attention("encoder_self", layer).weights.mean(axis=0, dtype=np.float64)
        mixed = (0.5 * weights + 0.5 * np.eye(len(weights))) @ mixed
    return mixed
