"""Attention masks. **True means "may attend"**, everywhere in this package.

That is the convention of `torch.nn.functional.scaled_dot_product_attention`. `torch.nn.Transformer` and
`nn.MultiheadAttention` use the opposite one: there True means "masked".
"""

from __future__ import annotations

import torch
from torch import Tensor


def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    """Every query may attend to every key that is not padding.

    Args:
        ids: (B, S) token ids of the keys.
        pad_id: the id that fills short sequences up to the length of the batch.

    Returns:
        (B, 1, 1, S) bool, broadcast over heads and queries.
    """
    return (ids != pad_id)[:, None, None, :]


def target_padding_mask(ids: Tensor, pad_id: int, start_id: int) -> Tensor:
    """The same for a target, whose first token is the start token, even where that has the padding's id.

    Args:
        ids: (B, T) token ids of the keys, from the first position on.
        pad_id: the id that fills short sequences.
        start_id: the id that every target begins with.

    Returns:
        (B, 1, 1, T) bool.
    """
    mask = padding_mask(ids, pad_id)
    if start_id == pad_id:  # as in Marian: only its place tells it from padding
        mask[..., 0] = True
    return mask


def causal_mask(query_length: int, key_length: int | None = None, device: torch.device | None = None) -> Tensor:
    """A query may attend to keys at its own position and before (paper §3.2.3).

    With a cache the queries are the *last* `query_length` of `key_length` positions.

    Returns:
        (T, S) bool, lower triangular.
    """
    key_length = query_length if key_length is None else key_length
    ones = torch.ones(query_length, key_length, dtype=torch.bool, device=device)
    return ones.tril(diagonal=key_length - query_length)


def combine(*masks: Tensor) -> Tensor:
    """A query may attend where every mask allows it; shapes broadcast."""
    result = masks[0]
    for mask in masks[1:]:
        result = result & mask
    return result
