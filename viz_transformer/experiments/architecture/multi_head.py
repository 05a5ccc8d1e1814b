"""Three ways to write multi-head attention, on one module's own weights and inputs, and one head of the same cost.

Shapes: T queries, S keys, H heads, D = d_model / H.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from viz_transformer.attention import MultiHeadAttention
from viz_transformer.config import TransformerConfig
from viz_transformer.experiments.architecture.costs import attention_flops, attention_parameters, count_flops
from viz_transformer.heads import AttentionModule, hook_path
from viz_transformer.model import Transformer
from viz_transformer.trace import Trace

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Inputs:
    """What a recorded attention module read: (T, d_model), (S, d_model), and its mask (T or 1, S)."""

    queries: Tensor
    keys: Tensor
    mask: Tensor


class HeadsResult(NamedTuple):
    """The weights of all heads (H, T, S), and the heads' contexts side by side (T, d_model), before W_O."""

    weights: Floats
    concatenated: Floats


def recorded_inputs(trace: Trace, module: AttentionModule, layer: int) -> Inputs:
    """What one module of the traced pass read."""
    path = hook_path(module, layer)
    queries, keys, mask = (
        torch.tensor(trace.tensors[f"{path}.{name}"]) for name in ("query_input", "key_input", "mask")
    )
    return Inputs(queries, keys, mask[0])


def attention_module(model: Transformer, module: AttentionModule, layer: int) -> MultiHeadAttention:
    """The module itself, for its weights."""
    found = model.get_submodule(hook_path(module, layer))
    assert isinstance(found, MultiHeadAttention)
    return found


@torch.inference_mode()
def by_small_projections(attention: MultiHeadAttention, inputs: Inputs) -> HeadsResult:
    """H times three projections of d_model → D, one head after the other, as the paper writes it."""
    heads = []
    for head in range(attention.n_heads):
        columns = slice(head * attention.d_k, (head + 1) * attention.d_k)
        q, k, v = (
            x @ weight[columns].T + bias[columns]  # (L, d_model) @ (d_model, D) -> (L, D)
            for x, weight, bias in _projections(attention, inputs)
        )
        heads.append(_attend(q[None], k[None], v[None], inputs.mask))
    return _joined(torch.cat([weights for weights, _ in heads]), torch.cat([context for _, context in heads]))


@torch.inference_mode()
def by_one_projection(attention: MultiHeadAttention, inputs: Inputs, n_heads: int | None = None) -> HeadsResult:
    """One projection of d_model → d_model, its result split into heads, as most programs write it.

    Args:
        n_heads: how many heads; None for the module's own number, 1 for one head of the full width at the same cost.
    """
    q, k, v = (
        (x @ weight.T + bias).unflatten(1, (n_heads or attention.n_heads, -1)).transpose(0, 1)  # (H, L, D)
        for x, weight, bias in _projections(attention, inputs)
    )
    return _joined(*_attend(q, k, v, inputs.mask))


@torch.inference_mode()
def by_slicing(attention: MultiHeadAttention, inputs: Inputs) -> HeadsResult:
    """The embedding itself cut into H slices, head i seeing slice i alone, through D × D of the module's weights.

    Some programs do this and call it multi-head. It is another model: the rest of the weights has no use.
    """
    n_heads = attention.n_heads
    projected = []
    for x, weight, bias in _projections(attention, inputs):
        slices = x.unflatten(1, (n_heads, -1)).transpose(0, 1)  # (H, L, D)
        blocks = _blocks(weight, n_heads)[range(n_heads), range(n_heads)]  # (H, D, D), on the diagonal
        projected.append(slices @ blocks.transpose(1, 2) + bias.unflatten(0, (n_heads, 1, -1)))
    return _joined(*_attend(projected[0], projected[1], projected[2], inputs.mask))


def slice_strengths(attention: MultiHeadAttention) -> Floats:
    """(H, H) what share of head i's W_Q (squared entries) reads slice j of the embedding; each row adds up to 1."""
    squares = _blocks(attention.w_q.weight.detach(), attention.n_heads).square().sum(dim=(2, 3))
    return (squares / squares.sum(dim=1, keepdim=True)).cpu().numpy()


class EqualCost(NamedTuple):
    """One width split into `n_heads` heads: what it costs, and how many distributions over the keys it has."""

    n_heads: int
    d_k: int
    parameters: int
    flops: int
    distributions: int


def equal_cost(d_model: int, n_heads: int, length: int) -> EqualCost:
    """What self-attention over `length` tokens costs."""
    config = TransformerConfig(d_model=d_model, n_heads=n_heads, positions="none")
    return EqualCost(
        n_heads,
        config.d_k,
        attention_parameters(config),
        attention_flops(config, length, length),
        n_heads * length,
    )


def counted_cost(d_model: int, n_heads: int, length: int) -> int:
    """The operations that torch counts while a module of this size runs over `length` tokens."""
    config = TransformerConfig(d_model=d_model, n_heads=n_heads, positions="none")
    with torch.device("meta"):
        attention = MultiHeadAttention(config).eval()
        x, mask = torch.empty(1, length, d_model), torch.ones(1, 1, 1, length, dtype=torch.bool)
    return count_flops(lambda: attention(x, attention.project_keys_values(x), mask))


def _projections(attention: MultiHeadAttention, inputs: Inputs) -> list[tuple[Tensor, Tensor, Tensor]]:
    return [
        (x, projection.weight.cpu(), projection.bias.cpu())
        for x, projection in (
            (inputs.queries, attention.w_q),
            (inputs.keys, attention.w_k),
            (inputs.keys, attention.w_v),
        )
    ]


def _blocks(weight: Tensor, n_heads: int) -> Tensor:
    blocks: Tensor = weight.unflatten(0, (n_heads, -1)).unflatten(2, (n_heads, -1)).transpose(1, 2)  # (H, H, D, D)
    return blocks


def _attend(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])  # (H, T, S)
    weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)
    return weights, weights @ v  # (H, T, S), (H, T, D)


def _joined(weights: Tensor, context: Tensor) -> HeadsResult:
    return HeadsResult(weights.numpy(), context.transpose(0, 1).flatten(1).numpy())  # (H, T, D) -> (T, H·D)
