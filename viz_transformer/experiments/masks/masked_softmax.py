"""Ways to apply a mask around the softmax: what the paper does (§3.2.3, −∞ before it) and its common substitutes.

Shapes: T queries, S keys. True = may attend. Everything is computed in float32, as in the model.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from viz_transformer.heads import hook_path
from viz_transformer.hooks import active_hooks
from viz_transformer.model import Transformer

Bools = NDArray[np.bool_]
Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class MaskedWeights:
    """Attention weights (T, S), and what their masked cells and their rows add up to."""

    weights: Floats
    mask: Bools

    @property
    def row_sums(self) -> NDArray[np.float64]:
        """(T,), 1 where the weights of a row are a distribution."""
        sums: NDArray[np.float64] = self.weights.sum(axis=-1, dtype=np.float64)
        return sums

    @property
    def leak(self) -> NDArray[np.float64]:
        """(T,) the weight that each row puts on cells that it must not see."""
        leaked: NDArray[np.float64] = np.where(self.mask, 0.0, self.weights).sum(axis=-1, dtype=np.float64)
        return leaked


def mask_before(scaled_scores: Floats, mask: Bools, fill: float = -math.inf) -> MaskedWeights:
    """softmax of the scaled scores (T, S) with `fill` in every masked cell; −∞ is what this project computes.

    A row that is masked everywhere becomes NaN with −∞, as exp(−∞) / 0 is 0 / 0, and uniform with any number, as
    all its scores are then equal.

    Raises:
        ValueError: where the shapes differ, or `fill` is not a number.
    """
    _check_shapes(scaled_scores, mask)
    if math.isnan(fill):
        raise ValueError("The fill value must be a number or −inf; it was NaN.")
    filled = torch.from_numpy(np.where(mask, scaled_scores, np.float32(fill)))
    return MaskedWeights(filled.softmax(dim=-1).numpy(), mask)


def mask_after(scaled_scores: Floats, mask: Bools, *, renormalise: bool = False) -> MaskedWeights:
    """softmax over *all* keys, then times the mask: the denominator still counts what is masked.

    Dividing by the row sum afterwards repairs it, up to rounding: exp(a) / Σ_all ÷ (Σ_kept / Σ_all).

    Raises:
        ValueError: where the shapes differ.
    """
    _check_shapes(scaled_scores, mask)
    weights = torch.from_numpy(scaled_scores.copy()).softmax(dim=-1) * torch.from_numpy(mask.copy())
    if renormalise:
        weights = weights / weights.sum(dim=-1, keepdim=True)
    return MaskedWeights(weights.numpy(), mask)


def over_the_queries(scaled_scores: Floats, mask: Bools) -> MaskedWeights:
    """The softmax over the wrong axis: the columns add up to 1, and the rows to anything.

    A key that no query may attend to has weight 0.

    Raises:
        ValueError: where the shapes differ.
    """
    turned = mask_before(scaled_scores.T, mask.T).weights.T
    return MaskedWeights(np.where(mask, turned, np.float32(0)), mask)


@torch.inference_mode()
def output_with_blank_row(
    model: Transformer, source_ids: Sequence[int], target_ids: Sequence[int], query: int, fill: float = -math.inf
) -> Floats:
    """The model's output where one query of the first encoder layer may attend to nothing.

    Args:
        source_ids, target_ids: S and T ids of one sentence.
        query: which source token, from 0, loses all its keys.
        fill: stands in that row's masked cells.

    Returns:
        (T, V) log-probabilities; NaN everywhere with −∞: every later token attends to the NaN, and even a weight
        of 0 times NaN is NaN.
    """
    if not 0 <= query < len(source_ids):
        raise ValueError(f"The source has tokens 0 to {len(source_ids) - 1}; token {query} was asked for.")
    point = f"{hook_path('encoder_self', 0)}.masked_scores"

    def blank(name: str, tensor: Tensor) -> Tensor | None:
        if name != point:
            return None
        changed = tensor.clone()  # (1, H, S, S)
        changed[:, :, query] = fill
        return changed

    with active_hooks(blank):
        return output_of(model, source_ids, target_ids)


@torch.inference_mode()
def output_of(model: Transformer, source_ids: Sequence[int], target_ids: Sequence[int]) -> Floats:
    """The model's output for S and T ids: (T, V) log-probabilities."""
    sources, targets = (torch.tensor([list(ids)], device=model.device) for ids in (source_ids, target_ids))
    logits: Tensor = model(sources, targets)  # (1, T, V)
    return logits[0].log_softmax(dim=-1).cpu().numpy()


def _check_shapes(scaled_scores: Floats, mask: Bools) -> None:
    if scaled_scores.shape != mask.shape:
        raise ValueError(f"The scores are {scaled_scores.shape}, but the mask is {mask.shape}.")
