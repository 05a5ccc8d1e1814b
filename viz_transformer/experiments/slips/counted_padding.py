"""The loss of a target that is padded, as in a batch beside a longer one: with its padding left out, and counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from viz_transformer.experiments.masks.padding import record_batch
from viz_transformer.model import Transformer
from viz_transformer.trace import Trace


@dataclass(frozen=True, eq=False)
class PaddedLoss:
    """−log p of every label of a padded target, in nats.

    Attributes:
        losses: (T + further,) those of the T tokens, then those of the padding.
        n_tokens: T.
    """

    losses: NDArray[np.float32]
    n_tokens: int

    @property
    def right(self) -> float:
        """The mean over the tokens."""
        return float(self.losses[: self.n_tokens].mean())

    @property
    def wrong(self) -> float:
        """The mean over tokens and padding."""
        return float(self.losses.mean())


def padded_loss(model: Transformer, trace: Trace, further: int) -> PaddedLoss:
    """One pass over the texts of a trace, whose target is followed by so many tokens of padding."""
    padding = [model.config.pad_id] * further
    source, target, labels = (
        np.array([[*ids, *more]], dtype=np.int64)
        for ids, more in ((trace.source_ids, ()), (trace.target_ids, padding), (trace.predicted_ids, padding))
    )
    return PaddedLoss(-record_batch(model, source, target, label_ids=labels).label_log_probs[0], len(trace.target_ids))
