"""Mask only in the decoder: a sentence in a padded batch, whose padding nothing masks.

Shapes: S padded source length, L its real tokens, T target length, H heads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from viz_transformer.decoding.search import greedy_batch
from viz_transformer.experiments.masks.padding import BatchPass, label_log_probs, record_batch
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
        change: the largest change of a number of the encoder's output, at a real token, by the padding.
        log_prob: of the whole target.
        output: ids that the model writes by itself.
    """

    recorded: BatchPass
    change: float
    log_prob: float
    output: tuple[int, ...]

    def weights(self, layer: int, head: int) -> Floats:
        """(S, S) of a head of encoder self-attention."""
        weights: Floats = self.recorded.stage("encoder_self", layer, "weights")[0, head]
        return weights


def padded_passes(model: Transformer, trace: Trace, width: int) -> tuple[PaddedPass, PaddedPass]:
    """The texts of a trace, the source padded to `width` tokens: with the padding masked, and without."""
    source = np.array([[*trace.source_ids, *[model.config.pad_id] * (width - len(trace.source_ids))]])
    return _padded(model, trace, source, ()), _padded(model, trace, source, CHANGES["encoder-mask"])


def _padded(model: Transformer, trace: Trace, source: NDArray[np.int64], changes: Sequence[Intervention]) -> PaddedPass:
    recorded = record_batch(model, source, np.array([trace.target_ids]), changes)
    alone = trace.tensors["memory"]  # (L, d_model)
    log_probs = label_log_probs(recorded.log_probs[0], np.array(trace.predicted_ids))
    with torch.inference_mode(), active_hooks(*hooks_of(changes, model.config)):
        (output,) = greedy_batch(model, torch.from_numpy(source).to(model.device))
    change = float(np.abs(recorded.tensors["memory"][0, : len(alone)] - alone).max())
    return PaddedPass(recorded, change, float(log_probs.sum()), tuple(output))
