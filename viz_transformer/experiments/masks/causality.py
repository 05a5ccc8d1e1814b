"""Edit one token of the target and see which outputs of the decoder change (paper §3.2.3: none before it may).

Shapes: S source tokens, T target tokens that the decoder reads, V target vocabulary. Row t reads token t and predicts
token t + 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from viz_transformer.experiments.masks.padding import Floats, Ids
from viz_transformer.hooks import active_hooks
from viz_transformer.interventions import ChangeMask, hooks_of
from viz_transformer.model import Transformer

_OFF = (ChangeMask("off", frozenset({"decoder_self"})),)


@dataclass(frozen=True, eq=False)
class Edit:
    """The decoder's output before and after one target token is replaced, under one mask.

    Attributes:
        place: the edited token, from 0.
        before, after: (T,) log p of each label.
        change: (T,) for each row the largest change of any of its V log-probabilities.
    """

    place: int
    before: Floats
    after: Floats
    change: Floats


def runner_up(likeliest: Ids, taken: int, special_ids: Sequence[int]) -> int:
    """The first id of likeliest (K,) that is neither `taken` nor one of `special_ids`, such as `</s>`."""
    return next((token_id for token_id in likeliest.tolist() if token_id not in (taken, *special_ids)), taken)


def edit_target(
    model: Transformer,
    source_ids: Sequence[int],
    target_ids: Sequence[int],
    place: int,
    replacement: int,
    label_ids: Sequence[int],
    *,
    causal: bool = True,
) -> Edit:
    """Replaces target token `place` by the id `replacement`, with the decoder's causal mask or without it.

    Args:
        label_ids: T ids, what each row should predict.

    Raises:
        ValueError: where there is no such token, or it is the start token, which every target begins with.
    """
    if not 1 <= place < len(target_ids):
        raise ValueError(f"Tokens 1 to {len(target_ids) - 1} of the target can be edited; {place} was asked for.")
    passes = _Passes(model, source_ids, causal=causal)
    edited = [*target_ids[:place], replacement, *target_ids[place + 1 :]]
    before, after = passes.log_probs(target_ids), passes.log_probs(edited)
    labels = torch.tensor(list(label_ids), device=model.device)[:, None]  # (T, 1)
    first, second = (log_probs.gather(1, labels)[:, 0].cpu().numpy() for log_probs in (before, after))
    return Edit(place, first, second, _largest_change(before, after))


def dependence(
    model: Transformer,
    source_ids: Sequence[int],
    target_ids: Sequence[int],
    replacements: Sequence[int],
    *,
    causal: bool = True,
) -> Iterator[Floats]:
    """Which output row depends on which target token, found by editing every token in turn.

    Args:
        replacements: T ids, the one that stands in for each token; the first, for the start token, is not used.

    Yields:
        T columns (T,), one for each token p: at row t the largest change of a log-probability of row t when token p is
        replaced. The column of the start token is NaN, as it is never edited.
    """
    if len(replacements) != len(target_ids):
        raise ValueError(f"There are {len(target_ids)} target tokens, but {len(replacements)} replacements.")
    passes = _Passes(model, source_ids, causal=causal)
    before = passes.log_probs(target_ids)
    yield np.full(len(target_ids), np.nan, dtype=np.float32)
    for place in range(1, len(target_ids)):
        edited = [*target_ids[:place], replacements[place], *target_ids[place + 1 :]]
        yield _largest_change(before, passes.log_probs(edited))


class _Passes:
    """Passes over one source, which the encoder reads once.

    Each pass reads one sentence, never a batch of edits, and computes the same stages of attention: passes of one shape
    then add the same numbers in the same order, so that equal results are equal to the last bit.
    """

    def __init__(self, model: Transformer, source_ids: Sequence[int], *, causal: bool) -> None:
        self.model = model
        self.hooks = (*hooks_of(() if causal else _OFF, model.config), _keep_nothing)
        self.source = torch.tensor([list(source_ids)], device=model.device)  # (1, S)
        with torch.inference_mode(), active_hooks(*self.hooks):
            self.memory = model.encode(self.source)  # (1, S, d_model)

    def log_probs(self, target_ids: Sequence[int]) -> Tensor:
        """T ids → (T, V)."""
        target = torch.tensor([list(target_ids)], device=self.model.device)
        with torch.inference_mode(), active_hooks(*self.hooks):
            return self.model.decode(target, self.memory, self.source)[0].log_softmax(dim=-1)


def _keep_nothing(name: str, tensor: Tensor) -> None:
    """A hook that does nothing: while any hook is active, attention computes stage by stage."""


def _largest_change(before: Tensor, after: Tensor) -> NDArray[np.float32]:
    """(T,) the largest change in each row between two (T, V)."""
    changes: NDArray[np.float32] = (after - before).abs().amax(dim=1).cpu().numpy()
    return changes
