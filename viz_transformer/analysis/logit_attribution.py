"""Direct logit attribution: what each part of the decoder adds to one token's logit, on the direct path.

The logit is u · x: x is the recorded state that the output projection read, u the token's row of the projection. The
state is a sum of what was written into it: the embedding, each head's context through its rows of W_O, each
feed-forward network's output, biases. LayerNorms stand in between. With the standard deviation that each divided by
held as recorded, a LayerNorm is linear in what it reads: each part is centred, divided and multiplied by the gain, and
the bias is a part of its own. So the logit is the sum of one number for each part, and nothing is left over. The same
holds for the difference of two tokens' logits, which says more: a number that is added to all logits of a row changes
no probability, and no difference either.

Where the LayerNorms stand decides how much is held fixed. In pre-norm the direct path meets the final LayerNorm alone.
In post-norm, as in the paper, everything that a layer wrote goes through each LayerNorm after it: with N layers, up to
3 N of them are held.

What the numbers leave out: a part's effect through the attention, the feed-forward networks or the LayerNorms that come
after it. These are counted where they write. The encoder has no direct path: it acts through cross-attention. A part
that is taken out changes the output by another number; that is what `AblateHeads` measures.

Sources: Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits"; Wang et al. 2022, "Interpretability in
the Wild", §3.1; TransformerLens, `ActivationCache.logit_attrs` and `apply_ln_to_stack`.

Shapes: N decoder layers, H its heads, D = d_k, T target length.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from viz_transformer.analysis.logit_lens import check_model, layer_outputs
from viz_transformer.attention import MultiHeadAttention
from viz_transformer.config import TransformerConfig
from viz_transformer.heads import DECODER_MODULES, AttentionModule, hook_path, n_layers
from viz_transformer.layers import Residual
from viz_transformer.model import Transformer
from viz_transformer.tokenizers import check_ids
from viz_transformer.trace import Trace

Doubles = NDArray[np.float64]
Vectors = dict[AttentionModule, Doubles]


@dataclass(frozen=True, eq=False)
class LogitContributions:
    """What every part adds to a logit, or to the difference of two, at one position; in logits (nats), float64.

    Attributes:
        row: the position, from 0; it predicts target token row + 1.
        token_id, against: whose logit; minus that of `against`, unless it is None.
        logit: from the recorded state that the output projection read.
        token, position: the token's embedding, times its scale, and the positional encoding.
        heads: "decoder_self" and "cross" → (N, H); (0, H) in a model without attention.
        projection_biases: the same modules → (N,), the bias of W_O, which belongs to no head.
        feed_forwards: (N,), their biases included; (0,) in a model without them.
        norm_biases: the bias of each LayerNorm on the way, by its name in the model, in the order of the computation.
        output_bias: 0 in a model without one.
    """

    row: int
    token_id: int
    against: int | None
    logit: float
    token: float
    position: float
    heads: Mapping[AttentionModule, Doubles]
    projection_biases: Mapping[AttentionModule, Doubles]
    feed_forwards: Doubles
    norm_biases: Mapping[str, float]
    output_bias: float

    @property
    def total(self) -> float:
        """The sum of all parts: `logit`, but for rounding."""
        arrays = (*self.heads.values(), *self.projection_biases.values(), self.feed_forwards)
        biases = sum(self.norm_biases.values()) + self.output_bias
        return float(self.token + self.position + sum(array.sum() for array in arrays) + biases)


@torch.inference_mode()
def logit_contributions(
    model: Transformer, trace: Trace, row: int, token_id: int, against: int | None = None
) -> LogitContributions:
    """What each part of the decoder adds to the logit of `token_id` at position `row`, minus that of `against`.

    Everything is read from the recorded tensors; under interventions these are the changed pass's. Only a change of
    the sum itself (of what a sub-layer or a LayerNorm gave) would leave a gap between `total` and `logit`.

    Args:
        model: the one that was traced.
        row: from 0 to T - 1.
        token_id: any token of the target vocabulary, the predicted one or another.
        against: another token; None for the logit itself.

    Raises:
        ValueError: the trace is another model's; there is no such row or token; both tokens are the same.
    """
    check_model(model, trace)
    if not 0 <= row < len(trace.target_ids):
        raise ValueError(f"The target has positions 0 to {len(trace.target_ids) - 1}; row {row} was asked for.")
    ids = (token_id,) if against is None else (token_id, against)
    check_ids("token_id, against", ids, model.config.target_vocab_size)
    if token_id == against:
        raise ValueError(f"against must be another token than {token_id}: the difference is 0 everywhere.")
    walk = _Walk(model, trace, row, _difference(model.output_projection.weight, ids))
    logit = walk.worth("decoder_output")
    bias = model.output_projection.bias
    output_bias = 0.0 if bias is None else float(_difference(bias[:, None], ids).item())
    walk.norm("decoder_norm", walk.recorded(layer_outputs(model.config)[-1]))

    heads, projection_biases, feed_forwards = _empty(model.config)
    for layer in reversed(range(model.config.n_decoder_layers)):
        if model.config.has_feed_forward:
            with walk.sublayer(f"decoder_layers.{layer}.add_feed_forward"):
                feed_forwards[layer] = walk.worth(f"decoder_layers.{layer}.feed_forward.output")
        if model.config.has_attention:
            for module in reversed(DECODER_MODULES):
                kind = "cross" if module == "cross" else "self"
                with walk.sublayer(f"decoder_layers.{layer}.add_{kind}_attention"):
                    heads[module][layer], projection_biases[module][layer] = walk.worth_of_heads(module, layer)

    walk.norm("target_embedding.norm", walk.recorded(_TOKEN) + walk.recorded(_POSITION))
    return LogitContributions(
        row=row,
        token_id=token_id,
        against=against,
        logit=logit + output_bias,
        token=walk.worth(_TOKEN),
        position=walk.worth(_POSITION),
        heads=heads,
        projection_biases=projection_biases,
        feed_forwards=feed_forwards,
        norm_biases=dict(reversed(walk.norm_biases.items())),
        output_bias=output_bias,
    )


_TOKEN, _POSITION = "target_embedding.scaled_tokens", "target_embedding.positions.encoding"


class _Walk:
    """From the logit back to the embedding, with what the residual stream is worth at each point.

    A vector p that is added to the stream at this point adds `direction` · p to the logit. At the output projection the
    direction is the token's row of it; a LayerNorm on the way back changes it.
    """

    def __init__(self, model: Transformer, trace: Trace, row: int, direction: Doubles) -> None:
        self.norm_biases: dict[str, float] = {}
        self._model, self._trace, self._row = model, trace, row
        self._direction = direction  # (d_model,)

    def recorded(self, name: str) -> Doubles:
        """What a hook point saw at this position, (d_model,)."""
        return np.asarray(self._trace.tensors[name][self._row], dtype=np.float64)

    def worth(self, name: str) -> float:
        """What the vector that a hook point saw adds to the logit from here."""
        return float(self._direction @ self.recorded(name))

    def worth_of_heads(self, module: AttentionModule, layer: int) -> tuple[Doubles, float]:
        """(H,) what each head adds through its rows of W_O, and what the bias of W_O adds."""
        path = hook_path(module, layer)
        attention = self._model.get_submodule(path)
        assert isinstance(attention, MultiHeadAttention)
        along = self._direction @ _doubles(attention.w_o.weight)  # (d_model,) @ (d_model, H·D) -> (H·D,)
        by_column = along * self.recorded(f"{path}.concatenated")
        heads = by_column.reshape(attention.n_heads, -1).sum(axis=1)  # (H, D) -> (H,)
        return heads, float(self._direction @ _doubles(attention.w_o.bias))

    @contextmanager
    def sublayer(self, name: str) -> Iterator[None]:
        """Walks back over a residual connection; inside the block, `worth` holds for its sub-layer's output."""
        residual = self._model.get_submodule(name)
        assert isinstance(residual, Residual)
        if not residual.norm_first:  # in pre-norm, the LayerNorm is not on the direct path
            self.norm(f"{name}.norm", self.recorded(f"{name}.before_norm"))
        yield
        if not residual.is_residual:  # what came before does not reach the output directly
            self._direction = np.zeros_like(self._direction)

    def norm(self, name: str, x: Doubles) -> None:
        """Walks back over a LayerNorm that read x, (d_model,), with its standard deviation held fixed.

        u · (gain · (p - mean(p)) / σ + bias) = (v - mean(v)) · p + u · bias, where v = gain · u / σ.
        """
        norm = self._model.get_submodule(name)
        if not isinstance(norm, nn.LayerNorm):
            return  # this model has none here
        self.norm_biases[name] = float(self._direction @ _doubles(norm.bias))
        bent = _doubles(norm.weight) * self._direction / np.sqrt(x.var() + norm.eps)
        self._direction = bent - bent.mean()


def _empty(config: TransformerConfig) -> tuple[Vectors, Vectors, Doubles]:
    """Zeros for the heads, the biases of W_O and the feed-forward networks; see `LogitContributions`."""
    heads: Vectors = {
        module: np.zeros((n_layers(config, module), config.decoder.n_heads)) for module in DECODER_MODULES
    }
    biases: Vectors = {module: np.zeros(n_layers(config, module)) for module in DECODER_MODULES}
    return heads, biases, np.zeros(config.n_decoder_layers if config.has_feed_forward else 0)


def _difference(rows: Tensor, ids: Sequence[int]) -> Doubles:
    """The first token's row, minus the second's where there is one: (V, n) -> (n,)."""
    chosen = _doubles(rows[list(ids)])
    difference: Doubles = chosen[0] - chosen[1:].sum(axis=0)
    return difference


def _doubles(tensor: Tensor) -> Doubles:
    doubles: Doubles = tensor.detach().double().cpu().numpy()
    return doubles
