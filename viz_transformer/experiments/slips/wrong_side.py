"""A slip: cross-attention takes its queries from the encoder, or its keys from the decoder. Where the pass fails, and
where it runs unnoticed.

Shapes: T target length, S source length, H heads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from viz_transformer.experiments.architecture.multi_head import attention_module
from viz_transformer.experiments.masks.padding import label_log_probs
from viz_transformer.heads import hook_path, parse_hook_path
from viz_transformer.hooks import Hook, active_hooks
from viz_transformer.model import Transformer
from viz_transformer.slips import QueryFromMemory
from viz_transformer.tokenizers import PAD
from viz_transformer.trace import Trace

Floats = NDArray[np.float32]
Part = Literal["query", "key"]
"""What comes from the wrong side: Q from the encoder's output, or K from the decoder."""


@dataclass(frozen=True, eq=False)
class CrossPass:
    """One pass, up to where it stopped.

    Attributes:
        tensors: the weights of cross-attention by the names of their hook points, for the layers that the pass reached:
            each (H, T, S); with the slip (H, S, S) or (H, T, T).
        error: what torch said where it stopped; or "".
        log_prob: of the whole target, in nats; NaN where it stopped.
        change: the largest change of a weight of the first layer when all tokens are replaced of the side that the slip
            forgets: of the target where Q is the encoder's, of the source where K is the decoder's.
    """

    tensors: Mapping[str, Floats]
    error: str
    log_prob: float
    change: float

    def weights(self, layer: int, head: int) -> Floats | None:
        """(T, S), with the slip (S, S) or (T, T); None for a layer that was not reached."""
        weights = self.tensors.get(f"{hook_path('cross', layer)}.weights")
        return None if weights is None else weights[head]


@dataclass(frozen=True, eq=False)
class CrossPasses:
    """Both passes over the same tokens, with their labels."""

    right: CrossPass
    wrong: CrossPass
    source_tokens: tuple[str, ...]
    target_tokens: tuple[str, ...]


def cross_passes(model: Transformer, trace: Trace, part: Part, *, is_padded: bool) -> CrossPasses:
    """Two passes over the texts of a trace: a right one, and one with `part` from the wrong side.

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
    slip = QueryFromMemory().hook(model.config) if part == "query" else keys_of_target(model)
    others = (
        (source, [model.config.start_id] * len(target))
        if part == "query"
        else ([model.config.end_id] * len(source), target)
    )
    right, wrong = (_passed(model, (source, target), others, trace.predicted_ids, hooks) for hooks in ((), (slip,)))
    return CrossPasses(right, wrong, source_tokens, target_tokens)


def keys_of_target(model: Transformer) -> Hook:
    """Gives W_K of cross-attention what W_Q gets, as in `cross(query=x, key=x, value=memory)`.

    The mask stands for the source's keys: where the target has another length, no key is masked.
    """
    asks = torch.empty(0)  # (B, T, d_model) of the module that is being computed

    def change(name: str, tensor: Tensor) -> Tensor | None:
        nonlocal asks
        place = parse_hook_path(name)
        if place is None or place[0] != "cross":
            return None
        if place[2] == "query_input":
            asks = tensor
        elif place[2] == "k":
            return attention_module(model, "cross", place[1]).project_keys_values(asks).keys  # (B, H, T, D)
        elif place[2] == "mask" and tensor.shape[-1] != asks.shape[1]:
            return torch.ones(1, 1, 1, asks.shape[1], dtype=torch.bool, device=tensor.device)  # (1, 1, 1, T)
        return None

    return change


def _passed(
    model: Transformer,
    texts: tuple[list[int], list[int]],
    others: tuple[list[int], list[int]],
    labels: Sequence[int],
    hooks: Sequence[Hook],
) -> CrossPass:
    """The pass over two texts, and how far the weights of its first layer are from those of the pass over `others`."""
    weights, error, logits = _run(model, texts, hooks)
    first, *_rest = weights
    change = float((weights[first] - _run(model, others, hooks)[0][first]).abs().max())
    log_prob = float("nan")
    if logits is not None:
        log_probs = logits[0].log_softmax(dim=-1).cpu().numpy()  # (T, V)
        log_prob = float(label_log_probs(log_probs[: len(labels)], np.array(labels)).sum(dtype=float))
    return CrossPass({name: tensor[0].cpu().numpy() for name, tensor in weights.items()}, error, log_prob, change)


@torch.inference_mode()
def _run(
    model: Transformer, texts: tuple[list[int], list[int]], hooks: Sequence[Hook]
) -> tuple[dict[str, Tensor], str, Tensor | None]:
    """The weights of cross-attention by layer, the error that stopped the pass, and its logits (1, T, V)."""
    recorded: dict[str, Tensor] = {}

    def recorder(name: str, tensor: Tensor) -> None:
        if name.endswith(".cross_attention.weights"):
            recorded[name] = tensor  # (1, H, T, S)

    ids = (torch.tensor([text], device=model.device) for text in texts)
    with active_hooks(*hooks, recorder):
        try:
            return recorded, "", model(*ids)
        except torch.OutOfMemoryError:  # a RuntimeError, too
            raise
        except RuntimeError as error:  # torch's: sizes that do not fit
            return recorded, str(error), None
