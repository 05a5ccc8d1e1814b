"""The logit lens: what the output layer would say if the decoder ended after an earlier layer.

The output layer (the final LayerNorm where the model has one, the output projection and its bias) is given the
recorded states of every decoder layer. Where there is a final LayerNorm, as in pre-norm models, the lens applies it:
the output projection was trained to read what it gives. In a post-norm model as in the paper, a layer's states come
out of that layer's own LayerNorm and are read as they are, since nothing stands between the last layer and the
projection either. In both an earlier layer was never trained to be read there: what it "says" is a reading of its
states, not an output.

Sources: nostalgebraist 2020, "interpreting GPT: the logit lens"; TransformerLens, `ActivationCache.accumulated_resid`.
The direction of the divergence is that of Belrose et al. 2023, "Eliciting Latent Predictions from Transformers with the
Tuned Lens".

Shapes: N decoder layers, T target length, V target vocabulary.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from viz_transformer.config import TransformerConfig
from viz_transformer.model import Transformer
from viz_transformer.trace import Floats, Trace

AT_A_TIME = 2**22  # numbers in vocabulary-sized rows that are held at once: 16 MiB


@dataclass(frozen=True, eq=False)
class LogitLens:
    """What each layer would say at each position. Row 0 is the embedding, row n decoder layer n, row N the output.

    Attributes:
        token_ids: (N + 1, T, k) the likeliest tokens, the likeliest first.
        token_log_probs: (N + 1, T, k) their log-probabilities, in nats.
        predicted_log_probs: (N + 1, T) log p of the token that the position should predict, in nats.
        predicted_ranks: (N + 1, T) its place among all tokens by probability, 1 for the likeliest.
        entropies: (N + 1, T) of the whole distribution, in nats: 0 to log V.
        divergences: (N + 1, T) KL(output ‖ layer) in nats: what is still missing; 0 in the last row.
    """

    token_ids: NDArray[np.int64]
    token_log_probs: Floats
    predicted_log_probs: Floats
    predicted_ranks: NDArray[np.int64]
    entropies: Floats
    divergences: Floats


def layer_outputs(config: TransformerConfig) -> tuple[str, ...]:
    """Where the states of the decoder are recorded: the embedding, then the last sub-layer of each layer."""
    last = "add_feed_forward" if config.has_feed_forward else "add_cross_attention"
    layers = (f"decoder_layers.{layer}.{last}.output" for layer in range(config.n_decoder_layers))
    return ("target_embedding.output", *layers)


@torch.inference_mode()
def logit_lens(model: Transformer, trace: Trace, k: int = 5) -> LogitLens:
    """Applies the output layer to the recorded states of every decoder layer.

    Under interventions the states are those of the changed pass. Rows of the size of the vocabulary are made a few at a
    time, `AT_A_TIME` numbers of each kind, and let go.

    Args:
        model: the one that was traced.
        k: how many of the likeliest tokens are kept; at most V are.

    Raises:
        ValueError: the trace is another model's, or k is less than 1.
    """
    check_model(model, trace)
    if k < 1:
        raise ValueError(f"k, the number of likeliest tokens, must be at least 1; it was {k}.")
    k = min(k, model.config.target_vocab_size)
    names = layer_outputs(model.config)
    states = torch.stack([torch.tensor(trace.tensors[name], device=model.device) for name in names])  # (N + 1, T, d)
    predicted = torch.tensor(trace.predicted_ids, device=model.device)  # (T,)
    rows = max(1, AT_A_TIME // model.config.target_vocab_size)
    parts = [
        _read_positions(model, some, wanted, k)
        for some, wanted in zip(states.split(rows, dim=1), predicted.split(rows), strict=True)
    ]
    return LogitLens(*(torch.cat(column, dim=1).cpu().numpy() for column in zip(*parts, strict=True)))


def _read_positions(model: Transformer, states: Tensor, predicted: Tensor, k: int) -> tuple[Tensor, ...]:
    """The fields of `LogitLens` for some positions: states (N + 1, t, d_model), predicted (t,)."""
    output = _log_probs(model, states[-1])  # (t, V)
    shares = output.exp()
    layers = [_read_layer(_log_probs(model, layer), output, shares, predicted, k) for layer in states[:-1]]
    layers.append(_read_layer(output, output, shares, predicted, k))
    return tuple(torch.stack(column) for column in zip(*layers, strict=True))


def _read_layer(log_probs: Tensor, output: Tensor, shares: Tensor, predicted: Tensor, k: int) -> tuple[Tensor, ...]:
    """log_probs, and log p and p of the output, each (t, V) → (t, k), (t, k), and four of (t,)."""
    best = log_probs.topk(k, dim=1)
    wanted = log_probs.gather(1, predicted[:, None])  # (t, 1)
    ranks = 1 + (log_probs > wanted).sum(dim=1)
    entropies = -torch.linalg.vecdot(log_probs.exp(), log_probs)
    divergences = torch.linalg.vecdot(shares, output) - torch.linalg.vecdot(shares, log_probs)
    return best.indices, best.values, wanted[:, 0], ranks, entropies, divergences


def _log_probs(model: Transformer, states: Tensor) -> Tensor:
    """(t, d_model) → (t, V), as `Transformer.decode` ends."""
    log_probs: Tensor = model.output_projection(model.decoder_norm(states)).log_softmax(dim=-1)
    return log_probs


def check_model(model: Transformer, trace: Trace) -> None:
    """Raises a ValueError where the trace was recorded with a model of another config."""
    if model.config != trace.config:
        raise ValueError("The trace was recorded with another model: its config differs from this model's.")
