"""The gradients of a loss that is divided twice, in batches that repeat one sentence 1 to 4 times.

The loss of a batch is a mean over its tokens, so repeating a sentence should change neither it nor its gradient.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from viz_transformer.model import Transformer
from viz_transformer.trace import Trace
from viz_transformer.training.loop import mean_loss

SIZES = (1, 2, 3, 4)


@dataclass(frozen=True, eq=False)
class GradientNorms:
    """Euclidean norms of the gradients.

    Attributes:
        parts: P parts of the model: the beginnings of their parameters' names.
        n_tokens: of one sentence's target.
        right, wrong: (P, sizes) of the mean, and of the mean divided by the number of tokens once more.
    """

    parts: tuple[str, ...]
    n_tokens: int
    right: NDArray[np.float32]
    wrong: NDArray[np.float32]

    @property
    def whole(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(sizes,) of all parts together, right and wrong."""
        right, wrong = (np.sqrt((norms.astype(np.float64) ** 2).sum(axis=0)) for norms in (self.right, self.wrong))
        return right, wrong


def gradient_norms(model: Transformer, trace: Trace) -> GradientNorms:
    """The gradient norms for the texts of a trace; the model itself stays as it is."""
    model = deepcopy(model).requires_grad_(True)
    parameters = dict(model.named_parameters())
    parts = dict.fromkeys(_part(name) for name in parameters)
    ids = (trace.source_ids, trace.target_ids, trace.predicted_ids)
    rights: list[list[float]] = []
    wrongs: list[list[float]] = []
    with torch.enable_grad():
        for size in SIZES:
            source, target, labels = (torch.tensor([row] * size, device=model.device) for row in ids)
            loss = mean_loss(model(source, target), labels)
            for divided, norms in ((loss, rights), (loss / labels.numel(), wrongs)):
                gradients = torch.autograd.grad(divided, list(parameters.values()), retain_graph=True)
                by_name = dict(zip(parameters, gradients, strict=True))
                norms.append([_norm([by_name[name] for name in by_name if _part(name) == part]) for part in parts])
    right, wrong = (np.array(norms, dtype=np.float32).T for norms in (rights, wrongs))
    return GradientNorms(tuple(parts), len(trace.predicted_ids), right, wrong)


def _part(name: str) -> str:
    """`encoder_layers.0.feed_forward.w_1.bias` → `encoder_layers.0`; outside the layers, the first part of the name."""
    first, second, *_rest = name.split(".")
    return f"{first}.{second}" if first.endswith("_layers") else first


def _norm(gradients: list[Tensor]) -> float:
    return float(torch.stack([gradient.norm() for gradient in gradients]).norm())
