"""Knock out heads, or single weights of one head, one at a time but many in a batch, and see how the output changes.

Shapes: T target tokens that the decoder reads; row t predicts token t + 1. Teacher forcing throughout: the tokens stay
those of the trace, and only their probabilities change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from viz_transformer.config import TransformerConfig
from viz_transformer.heads import ATTENTION_MODULES, HeadRef, hook_path, n_layers, stack_config
from viz_transformer.hooks import active_hooks
from viz_transformer.model import Transformer
from viz_transformer.trace import Floats, Trace

TOKENS_AT_A_TIME = 1024  # source and target tokens in one batch: small enough to show progress

Place = tuple[str, tuple[int, ...]]  # a hook point, and the index that is set to zero in one sentence's tensor there
Cell = tuple[int, int]  # query and key, from 0


def all_heads(config: TransformerConfig) -> list[HeadRef]:
    """Every head of a model: modules in the order of `ATTENTION_MODULES`, then layers, then heads."""
    return [
        HeadRef(module, layer, head)
        for module in ATTENTION_MODULES
        for layer in range(n_layers(config, module))
        for head in range(stack_config(config, module).n_heads)
    ]


def impact_of_heads(
    model: Transformer, trace: Trace, heads: Sequence[HeadRef] | None = None
) -> Iterator[tuple[HeadRef, Floats]]:
    """How the output changes when one head is knocked out, for each of `heads` (all of them if None) alone.

    The numbers are those of one pass per head under `AblateHeads([head])`, but many heads share a batch: the sentence
    is repeated, and in each row another head is set to zero at `context`.

    Yields:
        The head, and (T,) the change of the log-probability of each predicted token, in nats. Negative: less likely.

    Raises:
        ValueError: the model has no such head, or the trace was itself recorded under an intervention.
    """
    heads = all_heads(model.config) if heads is None else list(heads)
    for head in heads:
        head.check(model.config)
    places = [(f"{hook_path(head.module, head.layer)}.context", (head.head,)) for head in heads]
    for head, (before, after) in zip(heads, _before_and_after(model, trace, places), strict=True):
        yield head, after - before


def effect_of_weights(
    model: Transformer, trace: Trace, head: HeadRef, cells: Sequence[Cell]
) -> Iterator[tuple[Cell, Floats]]:
    """What the output loses when query i of a head gets nothing from key j, for each cell (i, j) alone.

    The weight is set to zero after the softmax, so that α_ij v_j is missing from that query's context; the other
    weights stay as they are: nothing is renormalised. An effect is positive where the key helped, like the weights and
    contributions that it is compared with; `impact_of_heads` has the opposite sign.

    Yields:
        The cell, and (T,) the fall of the log-probability of each predicted token, in nats. Negative: it rises.

    Raises:
        ValueError: as in `impact_of_heads`.
    """
    head.check(model.config)
    places = [(f"{hook_path(head.module, head.layer)}.weights", (head.head, *cell)) for cell in cells]
    for cell, (before, after) in zip(cells, _before_and_after(model, trace, places), strict=True):
        yield cell, before - after


def effect_at(head: HeadRef, cell: Cell, falls: Floats) -> float:
    """The one number that stands for a weight's effect: in the decoder the fall of the token that row i predicts.

    An encoder query predicts nothing by itself: there it is the fall of the whole output, the sum of `falls` (T,).
    """
    return float(falls.sum()) if head.module == "encoder_self" else float(falls[cell[0]])


def _before_and_after(model: Transformer, trace: Trace, places: Sequence[Place]) -> Iterator[tuple[Floats, Floats]]:
    """For each place, log p (T,) of the predicted tokens: in the unchanged pass, and with zeros at that place.

    Both come from one batch, whose last row is the unchanged sentence: zeros without effect leave them exactly equal.
    """
    if trace.interventions:
        raise ValueError("Knock-outs start from an unchanged pass; this trace was recorded under an intervention.")
    rows = max(1, TOKENS_AT_A_TIME // (len(trace.source_ids) + len(trace.target_ids)))
    for start in range(0, len(places), rows):
        *without, unchanged = _log_probs(model, trace, places[start : start + rows])
        yield from ((unchanged, log_probs) for log_probs in without)


@torch.inference_mode()
def _log_probs(model: Transformer, trace: Trace, places: Sequence[Place]) -> Floats:
    """(B + 1, T) log p of the predicted tokens: row b with zeros at place b, the last row as the trace was."""

    def set_to_zero(name: str, tensor: Tensor) -> Tensor | None:
        here = [(row, index) for row, (point, index) in enumerate(places) if point == name]
        if not here:
            return None
        changed = tensor.clone()  # (B + 1, H, T, …)
        for row, index in here:
            changed[(row, *index)] = 0.0
        return changed

    def repeated(ids: Sequence[int]) -> Tensor:
        return torch.tensor([list(ids)], device=model.device).expand(len(places) + 1, -1)  # (1, L) -> (B + 1, L)

    with active_hooks(set_to_zero):
        logits = model(repeated(trace.source_ids), repeated(trace.target_ids))  # (B + 1, T, V)
    predicted = repeated(trace.predicted_ids)[:, :, None]  # (B + 1, T, 1)
    # Row by row: all at once would need memory for a second copy of the logits, which may be large.
    rows = [row.log_softmax(dim=-1).gather(1, ids)[:, 0] for row, ids in zip(logits, predicted, strict=True)]
    log_probs: Floats = torch.stack(rows).cpu().numpy()  # (B + 1, T)
    return log_probs
