"""A slip: cross-attention takes its queries from the encoder. Where the pass fails, and where it runs unnoticed.

Shapes: T target length, S source length, H heads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from viz_transformer.experiments.masks.padding import label_log_probs
from viz_transformer.heads import hook_path
from viz_transformer.hooks import active_hooks
from viz_transformer.interventions import Intervention, hooks_of
from viz_transformer.model import Transformer
from viz_transformer.slips import QueryFromMemory
from viz_transformer.tokenizers import PAD
from viz_transformer.trace import Trace

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class CrossPass:
    """One pass, up to where it stopped.

    Attributes:
        tensors: the weights of cross-attention by the names of their hook points, for the layers that the pass reached:
            each (H, T, S), or (H, S, S) under the slip.
        error: what torch said where it stopped; or "".
        log_prob: of the whole target, in nats; NaN where it stopped.
        change: the largest change of any of these weights when every target token is replaced by the start token.
    """

    tensors: Mapping[str, Floats]
    error: str
    log_prob: float
    change: float

    def weights(self, layer: int, head: int) -> Floats | None:
        """(T, S), or (S, S) under the slip; None for a layer that was not reached."""
        weights = self.tensors.get(f"{hook_path('cross', layer)}.weights")
        return None if weights is None else weights[head]


@dataclass(frozen=True, eq=False)
class CrossQueries:
    """Both passes over the same tokens, with their labels."""

    right: CrossPass
    wrong: CrossPass
    source_tokens: tuple[str, ...]
    target_tokens: tuple[str, ...]


def cross_queries(model: Transformer, trace: Trace, *, is_padded: bool) -> CrossQueries:
    """Two passes over the texts of a trace: with queries from the decoder, and from the encoder.

    Args:
        is_padded: whether source and target are padded to one length, as by code that gives everything the same length.
    """
    source, target = list(trace.source_ids), list(trace.target_ids)
    source_tokens, target_tokens = trace.source_tokens, trace.target_tokens
    if is_padded:
        length, pad = max(len(source), len(target)), model.config.pad_id
        source_tokens = (*source_tokens, *[PAD] * (length - len(source)))
        target_tokens = (*target_tokens, *[PAD] * (length - len(target)))
        source, target = (ids + [pad] * (length - len(ids)) for ids in (source, target))
    passes = (_passed(model, source, target, trace.predicted_ids, change) for change in ((), (QueryFromMemory(),)))
    right, wrong = passes
    return CrossQueries(right, wrong, source_tokens, target_tokens)


def _passed(
    model: Transformer,
    source: Sequence[int],
    target: Sequence[int],
    labels: Sequence[int],
    changes: Sequence[Intervention],
) -> CrossPass:
    tensors, error, logits = _run(model, source, target, changes)
    others, *_rest = _run(model, source, [model.config.start_id] * len(target), changes)
    names = [name for name in tensors if name.endswith(".cross_attention.weights")]
    change = max(float((tensors[name] - others[name]).abs().max()) for name in names)
    log_prob = float("nan")
    if logits is not None:
        log_probs = logits[0].log_softmax(dim=-1).cpu().numpy()  # (T, V)
        log_prob = float(label_log_probs(log_probs[: len(labels)], np.array(labels)).sum(dtype=float))
    return CrossPass({name: tensors[name][0].cpu().numpy() for name in names}, error, log_prob, change)


@torch.inference_mode()
def _run(
    model: Transformer, source: Sequence[int], target: Sequence[int], changes: Sequence[Intervention]
) -> tuple[dict[str, Tensor], str, Tensor | None]:
    """What the pass recorded, the error that stopped it, and its logits (1, T, V)."""
    recorded: dict[str, Tensor] = {}

    def recorder(name: str, tensor: Tensor) -> None:
        recorded[name] = tensor

    ids = (torch.tensor([row], device=model.device) for row in (list(source), list(target)))
    with active_hooks(*hooks_of(changes, model.config), recorder):
        try:
            return recorded, "", model(*ids)
        except torch.OutOfMemoryError:  # a RuntimeError, too
            raise
        except RuntimeError as error:  # torch's: sizes that do not fit
            return recorded, str(error), None
