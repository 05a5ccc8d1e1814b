"""Edit one token of the target and see which outputs of the decoder change (paper §3.2.3: none before it may).

Shapes: T target tokens that the decoder reads, V target vocabulary. Row t reads token t and predicts token t + 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from viz_transformer.experiments.masks.padding import Floats, record_batch
from viz_transformer.interventions import ChangeMask
from viz_transformer.model import Transformer

_OFF = (ChangeMask("off", frozenset({"decoder_self"})),)


@dataclass(frozen=True, eq=False)
class Edit:
    """The decoder's output before and after one target token is replaced, under one mask.

    Attributes:
        place: the edited token, from 0.
        before, after: (T, V) log-probabilities.
    """

    place: int
    before: Floats
    after: Floats

    @property
    def change(self) -> Floats:
        """(T,) for each row the largest change of any of its V log-probabilities."""
        changes: Floats = np.abs(self.after - self.before).max(axis=1)
        return changes


def runner_up(log_probs: Floats, taken: int, special_ids: Sequence[int]) -> int:
    """The most likely id of log_probs (V,) that is neither `taken` nor one of `special_ids`, such as `</s>`."""
    allowed = log_probs.copy()
    allowed[[*special_ids, taken]] = -np.inf
    return int(allowed.argmax())


def edit_target(
    model: Transformer,
    source_ids: Sequence[int],
    target_ids: Sequence[int],
    place: int,
    replacement: int,
    *,
    causal: bool = True,
) -> Edit:
    """Replaces target token `place` by the id `replacement`, with the decoder's causal mask or without it.

    Raises:
        ValueError: where there is no such token, or it is the start token, which every target begins with.
    """
    before = _log_probs(model, source_ids, target_ids, causal)
    return _edit(model, source_ids, target_ids, place, replacement, before, causal)


def dependence(
    model: Transformer,
    source_ids: Sequence[int],
    target_ids: Sequence[int],
    replacements: Sequence[int],
    *,
    causal: bool = True,
) -> NDArray[np.float32]:
    """Which output row depends on which target token, found by editing every token in turn.

    Args:
        replacements: T ids, the one that stands in for each token; the first, for the start token, is not used.

    Returns:
        (T, T): at row t, column p the largest change of a log-probability of row t when token p is replaced. The
        column of the start token is NaN, as it is never edited.
    """
    if len(replacements) != len(target_ids):
        raise ValueError(f"There are {len(target_ids)} target tokens, but {len(replacements)} replacements.")
    before = _log_probs(model, source_ids, target_ids, causal)
    columns = [np.full(len(target_ids), np.nan, dtype=np.float32)]
    for place in range(1, len(target_ids)):
        edit = _edit(model, source_ids, target_ids, place, replacements[place], before, causal)
        columns.append(edit.change)
    return np.stack(columns, axis=1)


def _edit(
    model: Transformer,
    source_ids: Sequence[int],
    target_ids: Sequence[int],
    place: int,
    replacement: int,
    before: Floats,
    causal: bool,
) -> Edit:
    if not 1 <= place < len(target_ids):
        raise ValueError(f"Tokens 1 to {len(target_ids) - 1} of the target can be edited; {place} was asked for.")
    edited = [*target_ids[:place], replacement, *target_ids[place + 1 :]]
    return Edit(place, before, _log_probs(model, source_ids, edited, causal))


def _log_probs(model: Transformer, source_ids: Sequence[int], target_ids: Sequence[int], causal: bool) -> Floats:
    """S and T ids → (T, V). One sentence a pass, never a batch of edits: passes of one shape take the same sums in
    the same order, so that what is equal is equal to the last bit."""
    sources, targets = (np.array([list(ids)], dtype=np.int64) for ids in (source_ids, target_ids))
    log_probs: Floats = record_batch(model, sources, targets, () if causal else _OFF).log_probs[0]
    return log_probs
