from __future__ import annotations

import torch

from viz_transformer.masks import causal_mask, combine, padding_mask, target_padding_mask


def test_padding_may_not_be_attended_to() -> None:
    mask = padding_mask(torch.tensor([[5, 6, 0], [7, 0, 0]]), pad_id=0)
    assert mask.tolist() == [[[[True, True, False]]], [[[True, False, False]]]]


def test_the_padding_id_is_the_callers() -> None:
    assert padding_mask(torch.tensor([[0, 9]]), pad_id=9).flatten().tolist() == [True, False]


def test_the_start_token_is_no_padding_even_where_it_has_its_id() -> None:
    ids = torch.tensor([[9, 5, 9], [9, 9, 9]])
    assert target_padding_mask(ids, pad_id=9, start_id=9).squeeze().tolist() == [
        [True, True, False],
        [True] + [False] * 2,
    ]
    assert target_padding_mask(ids, pad_id=9, start_id=5).squeeze().tolist() == [[False, True, False], [False] * 3]


def test_a_query_may_attend_to_its_own_place_and_before() -> None:
    assert causal_mask(3).tolist() == [[True, False, False], [True, True, False], [True, True, True]]


def test_with_a_cache_the_queries_are_the_last_places() -> None:
    assert causal_mask(2, 4).tolist() == causal_mask(4)[2:].tolist()


def test_all_masks_must_allow_and_shapes_broadcast() -> None:
    combined = combine(padding_mask(torch.tensor([[5, 0], [5, 6]]), 0), causal_mask(2))
    assert combined.shape == (2, 1, 2, 2)
    assert combined[0, 0].tolist() == [[True, False], [True, False]]
    assert combined[1, 0].tolist() == [[True, False], [True, True]]
