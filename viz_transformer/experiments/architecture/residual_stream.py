"""The residual stream and the LayerNorms on it: recorded in a pass, and in random stacks of any depth.

Shapes: L length, N layers.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from viz_transformer.config import TransformerConfig
from viz_transformer.layers import EncoderLayer
from viz_transformer.model import Transformer
from viz_transformer.seeds import seeded
from viz_transformer.trace import Trace

Floats = NDArray[np.float32]
Stack = Literal["encoder", "decoder"]

DEPTH_D_MODEL, DEPTH_LENGTH = 64, 16  # of the random stacks


class NormRecord(NamedTuple):
    """One LayerNorm of a recorded pass, (L, d_model) each.

    Attributes:
        layer: from 0.
        sublayer: "self", "cross" or "ffn".
        before, after: what it read and what it gave.
        formula_difference: the largest number in `after` − gain · (x − mean) / √(variance + ε) − bias, in float64.
    """

    layer: int
    sublayer: str
    before: Floats
    after: Floats
    formula_difference: float


def recorded_norms(model: Transformer, trace: Trace, stack: Stack) -> tuple[NormRecord, ...]:
    """The LayerNorms inside one stack's layers, in the order of the computation."""
    sublayers = {"self": "add_self_attention", "cross": "add_cross_attention", "ffn": "add_feed_forward"}
    records = []
    for layer in range(len(getattr(model, f"{stack}_layers"))):
        for sublayer, name in sublayers.items():
            path = f"{stack}_layers.{layer}.{name}"
            if f"{path}.before_norm" not in trace.tensors:
                continue  # an encoder layer has no cross-attention, and a model may lack a sub-layer
            before, after = trace.tensors[f"{path}.before_norm"], trace.tensors[f"{path}.after_norm"]
            norm = model.get_submodule(f"{path}.norm")
            assert isinstance(norm, nn.LayerNorm)
            difference = float(np.abs(after - layer_norm(before, norm)).max())
            records.append(NormRecord(layer, sublayer, before, after, difference))
    return tuple(records)


def layer_norm(x: Floats, norm: nn.LayerNorm) -> NDArray[np.float64]:
    """x (L, d_model), each row by itself: gain · (x − mean) / √(variance + ε) + bias."""
    x64 = x.astype(np.float64)
    centred = x64 - x64.mean(axis=-1, keepdims=True)
    scaled = centred / np.sqrt(x64.var(axis=-1, keepdims=True) + norm.eps)
    gain, bias = (parameter.detach().cpu().numpy().astype(np.float64) for parameter in (norm.weight, norm.bias))
    normalised: NDArray[np.float64] = scaled * gain + bias
    return normalised


def batch_norm_change(x: Floats, eps: float = 1e-5) -> float:
    """x (L, d_model), L > 1: how far BatchNorm's output of the other tokens moves when the last one is taken away.

    Mean and variance are over the tokens, without gain and bias.
    """

    def normalised(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        scaled: NDArray[np.float64] = (rows - rows.mean(axis=0)) / np.sqrt(rows.var(axis=0) + eps)
        return scaled

    x64 = x.astype(np.float64)
    return float(np.abs(normalised(x64)[:-1] - normalised(x64[:-1])).max())


def root_mean_square(x: Floats) -> Floats:
    """(L, d_model) → (L,) √(mean of squares): ‖x‖ / √d_model."""
    sizes: Floats = np.sqrt(np.square(x.astype(np.float64)).mean(axis=-1)).astype(np.float32)
    return sizes


def stream_sizes(trace: Trace, stack: Stack) -> tuple[list[str], Floats]:
    """The residual stream from the embedding upwards: names of the places, and each token's root mean square there.

    Returns:
        P names, of `Trace.tensors`, and (L, P).
    """
    side = "source" if stack == "encoder" else "target"
    names = [f"{side}_embedding.output"]
    names += [name for name in trace.tensors if name.startswith(f"{stack}_layers.") and _ends_residual(name)]
    return names, np.stack([root_mean_square(trace.tensors[name]) for name in names], axis=1)


def _ends_residual(name: str) -> bool:
    _stack, _layer, module, stage = name.split(".")
    return module.startswith("add_") and stage == "output"


def random_stack(n_layers: int, *, norm_first: bool, has_residual: bool = True, seed: int = 0) -> pd.DataFrame:
    """A fresh stack of encoder layers on random vectors: how the stream grows, and what gradient comes back.

    The loss is the mean of (output · a fixed random vector), the output being what the next part of the model would
    read: in pre-norm after the last norm. Weights as in `Transformer`: Xavier uniform. Without residual connections
    each sub-layer's output is normalised and takes the place of what it read.

    Returns:
        Columns layer (from 1), stream (root mean square of the residual stream after it, over all tokens), alike (mean
        cosine between the vectors of two tokens there) and gradient (Euclidean length of the loss's gradient at its
        W_2).
    """
    config = TransformerConfig(
        d_model=DEPTH_D_MODEL,
        n_heads=4,
        d_ff=4 * DEPTH_D_MODEL,
        dropout=0.0,
        norm_first=norm_first,
        residuals=has_residual,
    )
    with seeded(seed):
        layers = [EncoderLayer(config) for _ in range(n_layers)]
        for layer in layers:
            for parameter in layer.parameters():
                if parameter.dim() == 2:
                    nn.init.xavier_uniform_(parameter)
        x = torch.randn(1, DEPTH_LENGTH, config.d_model)
        direction = torch.randn(config.d_model)
    with torch.enable_grad():
        mask = torch.ones(1, 1, 1, DEPTH_LENGTH, dtype=torch.bool)
        sizes, cosines = [], []
        for layer in layers:
            x = layer(x, mask)
            sizes.append(float(x.detach().square().mean().sqrt()))
            cosines.append(mean_cosine(x.detach()[0]))
        output = nn.functional.layer_norm(x, (config.d_model,)) if norm_first else x
        weights = [layer.feed_forward.w_2.weight for layer in layers]
        gradients = torch.autograd.grad((output @ direction).mean(), weights)
    lengths = [float(gradient.norm()) for gradient in gradients]
    return pd.DataFrame({"layer": range(1, n_layers + 1), "stream": sizes, "alike": cosines, "gradient": lengths})


def mean_cosine(x: Tensor) -> float:
    """x (L, d_model), L > 1 → the mean cosine over all pairs of two tokens."""
    directions = nn.functional.normalize(x.double(), dim=-1)
    cosines = directions @ directions.T  # (L, L), 1 on its diagonal
    count = len(x)
    return float((cosines.sum() - count) / (count * (count - 1)))


def tied_logits(model: Transformer, trace: Trace) -> Floats:
    """(T, V) the recorded decoder output times the target embedding, transposed, plus the output bias if there is one:
    the logits, where they are tied.
    """
    embedding, bias = model.target_embedding.tokens.weight, model.output_projection.bias
    logits: Floats = trace.tensors["decoder_output"] @ embedding.detach().cpu().numpy().T
    if bias is not None:
        logits += bias.detach().cpu().numpy()
    return logits
