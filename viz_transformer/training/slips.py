"""Training with a slip: a mistake in the model or the loop, active in every pass of a run, its films and scores."""

from __future__ import annotations

from typing import Literal

from torch import Tensor

from viz_transformer.interventions import ChangeMask, Intervention, ScaleScores
from viz_transformer.slips import CosineTwice, InvertMasks, MaskDiagonal, SoftmaxOverQueries
from viz_transformer.training.corpus import Batch
from viz_transformer.training.loop import Trainer, mean_loss

Slip = Literal[
    "none", "softmax-axis", "sqrt-d-model", "polarity", "diagonal", "encoder-mask", "loss", "pad-loss", "cos-cos"
]

CHANGES: dict[Slip, tuple[Intervention, ...]] = {
    "none": (),
    "softmax-axis": (SoftmaxOverQueries(),),
    "sqrt-d-model": (ScaleScores("sqrt_d_model"),),
    "polarity": (InvertMasks(),),
    "diagonal": (MaskDiagonal(),),
    # As in nn.Transformer with `tgt_mask` alone: the padding of the source is masked nowhere.
    "encoder-mask": (ChangeMask("off", frozenset({"encoder_self", "cross"})),),
    "loss": (),
    "pad-loss": (),
    "cos-cos": (CosineTwice(),),
}
"""What each changes in the forward pass."""


class DividingTrainer(Trainer):
    """Divides the loss by its number of tokens, although it is their mean already."""

    def loss(self, batch: Batch) -> Tensor:
        """The mean loss per token, divided by the number of tokens once more."""
        return super().loss(batch) / (batch.label_ids != self.model.config.pad_id).sum()


NO_ID = -1  # of no label, so that none is left out


class PaddingTrainer(Trainer):
    """Counts padding in the loss, as a label like all others."""

    def loss(self, batch: Batch) -> Tensor:
        """The mean loss per label, padding included."""
        logits = self.model(batch.source_ids, batch.target_ids)
        return mean_loss(logits, batch.label_ids, self.options.label_smoothing, pad_id=NO_ID)


TRAINERS: dict[Slip, type[Trainer]] = {"loss": DividingTrainer, "pad-loss": PaddingTrainer}
"""Who trains, where the slip is in the loss."""
