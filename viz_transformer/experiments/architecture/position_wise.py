"""The feed-forward network treats every position by itself and alike: as a convolution of width 1 does.

Shapes: L length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from viz_transformer.attention import MultiHeadAttention
from viz_transformer.layers import FeedForward
from viz_transformer.model import Transformer
from viz_transformer.trace import Trace

Floats = NDArray[np.float32]


class PositionWise(NamedTuple):
    """What one encoder layer's two sub-layers did to changed inputs.

    Attributes:
        inputs, outputs: (L, d_model) of the feed-forward, as recorded.
        permuted_outputs: (L, d_model) of the feed-forward on the permuted inputs.
        permutation_difference: the largest number in FFN(permuted x) − permuted FFN(x).
        convolution_difference: the largest number in FFN(x) − two convolutions of width 1 with the same weights.
        recorded_difference: the largest number in FFN(x) − what the pass recorded.
        ffn_change, attention_change: (L, L) how far output i moves (Euclidean length) when input j alone is doubled.
    """

    inputs: Floats
    outputs: Floats
    permuted_outputs: Floats
    permutation_difference: float
    convolution_difference: float
    recorded_difference: float
    ffn_change: Floats
    attention_change: Floats


@torch.inference_mode()
def position_wise(model: Transformer, trace: Trace, layer: int, order: Sequence[int]) -> PositionWise:
    """The experiment on one encoder layer of a recorded pass.

    Args:
        order: a permutation of the L source positions: position i gets what stood at `order[i]`.

    Raises:
        ValueError: where the model's layers have only one of the two sub-layers.
    """
    if model.config.sublayers != "both":
        raise ValueError("This experiment needs both sub-layers, self-attention and feed-forward; the model lacks one.")
    path = f"encoder_layers.{layer}"
    feed_forward = model.get_submodule(f"{path}.feed_forward")
    attention = model.get_submodule(f"{path}.self_attention")
    assert isinstance(feed_forward, FeedForward) and isinstance(attention, MultiHeadAttention)
    x = torch.tensor(trace.tensors[f"{path}.feed_forward.input"], device=model.device)  # (L, d_model)
    queries = torch.tensor(trace.tensors[f"{path}.self_attention.query_input"], device=model.device)[None]
    mask = torch.ones(1, 1, 1, len(x), dtype=torch.bool, device=model.device)

    def attend(x: Tensor) -> Tensor:
        return attention(x, attention.project_keys_values(x), mask)

    outputs, permuted = feed_forward(x), feed_forward(x[list(order)])
    recorded = trace.tensors[f"{path}.feed_forward.output"]
    return PositionWise(
        x.cpu().numpy(),
        outputs.cpu().numpy(),
        permuted.cpu().numpy(),
        _largest(permuted - outputs[list(order)]),
        _largest(convolved(feed_forward, x) - outputs),
        float(np.abs(outputs.cpu().numpy() - recorded).max()),
        _changes(feed_forward, x[None]),
        _changes(attend, queries),
    )


def convolved(feed_forward: FeedForward, x: Tensor) -> Tensor:
    """(L, d_model) → (L, d_model) by two `conv1d` of width 1 over the positions.

    On the CPU: in a convolution, unlike in a matrix product, a GPU rounds its inputs to the 10 bits of TF32.
    """

    def convolve(signal: Tensor, linear: nn.Linear) -> Tensor:
        """(1, d_in, L) → (1, d_out, L)"""
        return F.conv1d(signal, linear.weight[:, :, None].cpu(), linear.bias.cpu())

    hidden = feed_forward.activation(convolve(x.T[None].cpu(), feed_forward.w_1))  # (1, d_ff, L)
    return convolve(hidden, feed_forward.w_2)[0].T.to(x.device)


def _changes(sublayer: Callable[[Tensor], Tensor], x: Tensor) -> Floats:
    """x (1, L, d_model) → (L, L), the row of each output and the column of each doubled input."""
    before = sublayer(x)
    columns = []
    for position in range(x.shape[1]):
        changed = x.clone()
        changed[0, position] *= 2
        columns.append((sublayer(changed) - before)[0].norm(dim=-1))
    return torch.stack(columns, dim=1).cpu().numpy()


def _largest(difference: Tensor) -> float:
    return float(difference.abs().max())
