"""The slip of masking only in the decoder: a sentence in a padded batch, whose padding nothing masks.

Shapes: S padded source length, L its real tokens, T target length, H heads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from viz_transformer.decoding.search import greedy_batch
from viz_transformer.experiments.masks.padding import record_batch
from viz_transformer.heads import hook_path, n_layers
from viz_transformer.hooks import active_hooks
from viz_transformer.interventions import Intervention, hooks_of
from viz_transformer.model import Transformer
from viz_transformer.trace import Trace
from viz_transformer.training.slips import CHANGES

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class PaddedPass:
    """One pass over a padded source.

    Attributes:
        log_probs: (T,) log p of each token of the target.
        tensors: the weights of encoder self-attention by the names of their hook points, each (H, S, S).
        change: the largest change that the padding makes to a number of the encoder's output at a real token.
        log_prob: of the whole target.
        output: ids that the model writes by itself, the end token last, unless it was cut off at the model's length.
    """

    log_probs: Floats
    tensors: Mapping[str, Floats]
    change: float
    log_prob: float
    output: tuple[int, ...]

    def weights(self, layer: int, head: int) -> Floats:
        """(S, S) of a head of encoder self-attention."""
        weights: Floats = self.tensors[_weights_of(layer)][head]
        return weights


def padded_passes(model: Transformer, trace: Trace, width: int) -> tuple[PaddedPass, PaddedPass]:
    """Two passes over the texts of a trace, the source padded: with the padding masked, and without the mask.

    Args:
        width: S, the tokens of the padded source; at least as many as the source has.
    """
    source = np.array([[*trace.source_ids, *[model.config.pad_id] * (width - len(trace.source_ids))]])
    return _padded(model, trace, source, ()), _padded(model, trace, source, CHANGES["encoder-mask"])


def _padded(model: Transformer, trace: Trace, source: NDArray[np.int64], changes: Sequence[Intervention]) -> PaddedPass:
    labels = np.array([trace.predicted_ids])
    recorded = record_batch(model, source, np.array([trace.target_ids]), changes, labels)
    alone = trace.tensors["memory"]  # (L, d_model)
    log_probs = recorded.label_log_probs[0]
    with torch.inference_mode(), active_hooks(*hooks_of(changes, model.config)):
        (output,) = greedy_batch(model, torch.from_numpy(source).to(model.device))
    change = float(np.abs(recorded.tensors["memory"][0, : len(alone)] - alone).max())
    layers = range(n_layers(model.config, "encoder_self"))
    weights = {_weights_of(layer): recorded.tensors[_weights_of(layer)][0] for layer in layers}
    log_prob = float(log_probs.sum(dtype=float))
    end = [model.config.end_id] if len(output) < model.config.max_len else []  # which `greedy_batch` leaves out
    return PaddedPass(log_probs, weights, change, log_prob, (*output, *end))


def _weights_of(layer: int) -> str:
    return f"{hook_path('encoder_self', layer)}.weights"
