"""Does the order of the words matter? The encoder's output under permuted words, without positions, with shifted ones.

Shapes: S source tokens, D = d_model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from viz_transformer.interventions import Intervention, PermuteSource, PositionsOff
from viz_transformer.model import Transformer
from viz_transformer.trace import Trace, trace


def retrace(model: Transformer, original: Trace, changes: Sequence[Intervention]) -> Trace:
    """The pass over the very tokens of `original`, under these changes."""
    return trace(
        model,
        source_ids=original.source_ids,
        source_tokens=original.source_tokens,
        target_ids=original.target_ids,
        target_tokens=original.target_tokens,
        predicted_ids=original.predicted_ids,
        predicted_tokens=original.predicted_tokens,
        interventions=changes,
    )


@dataclass(frozen=True, eq=False)
class OrderEffect:
    """How the encoder's output of each token changes when the tokens are read in another order.

    Attributes:
        order: token `order[i]` is read at place i.
        with_positions, without_positions: (S,) for place i the largest change of any of the D numbers of that token's
            output: |memory of the permuted sentence at i − memory of the sentence at order[i]|.
        size: the largest number of the encoder's output, for comparison.
    """

    order: tuple[int, ...]
    with_positions: NDArray[np.float32]
    without_positions: NDArray[np.float32]
    size: float


def order_effect(model: Transformer, original: Trace, order: Sequence[int]) -> OrderEffect:
    """Reads the source in another order, with its positions and as a bag of words.

    Raises:
        ValueError: where `order` is no permutation of the source tokens, or the trace is itself one of a changed pass.
    """
    if original.interventions:
        raise ValueError("Orders are compared with an unchanged pass; this trace was recorded under an intervention.")
    permute, off = PermuteSource(tuple(order)), PositionsOff("source")
    permute.apply(original.source_tokens)
    gaps = []
    for changes in ((), (off,)):
        straight, permuted = (
            retrace(model, original, more).tensors["memory"] for more in (changes, (*changes, permute))
        )
        gaps.append(np.abs(permuted - straight[list(order)]).max(axis=1))
    return OrderEffect(tuple(order), gaps[0], gaps[1], float(np.abs(original.tensors["memory"]).max()))
