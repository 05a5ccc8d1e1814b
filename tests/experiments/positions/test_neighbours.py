"""Neighbours in embedding space, against torch's cosines, and on the shipped models."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import viz_transformer as vt
from tests.helpers import assert_near, assert_sentence
from viz_transformer.experiments.positions.neighbours import Floats, SignedToken, cosines, nearest, read_sum
from viz_transformer.translator import TextError


def table_of(name: str) -> Floats:
    table: Floats = vt.load(name, "cpu").model.source_embedding.tokens.weight.detach().numpy()
    return table


def near(name: str, text: str) -> list[str]:
    """The labels of the three nearest tokens."""
    translator = vt.load(name, "cpu")
    terms = read_sum(text, translator.source_tokenizer)
    found = nearest(cosines(table_of(name), terms), 3, {*range(4), *(term.token_id for term in terms)})
    return [translator.source_tokenizer.label(one.token_id) for one in found]


@given(
    seed=st.integers(0, 2**32 - 1),
    terms=st.lists(st.tuples(st.sampled_from((1, -1)), st.integers(0, 8)), min_size=1, max_size=4),
    sizes=st.lists(st.floats(0.1, 100), min_size=9, max_size=9),
)
def test_cosines_are_torchs_and_know_nothing_of_lengths(
    seed: int, terms: list[tuple[int, int]], sizes: list[float]
) -> None:
    table = np.random.default_rng(seed).standard_normal((9, 6)).astype(np.float32)
    signed = [SignedToken(*term) for term in terms]
    units = torch.nn.functional.normalize(torch.from_numpy(table))
    asked = sum((sign * units[place] for sign, place in terms), torch.zeros(6))
    found = cosines(table, signed)
    if asked.norm() > 1e-3:  # or else rounding says where it points
        expected = torch.nn.functional.cosine_similarity(torch.from_numpy(table), asked[None])
        assert_near(found, expected, 1e-4)
        assert_near(cosines(table * np.float32(sizes)[:, None], signed), found, 1e-4)


def test_a_word_and_its_own_negation_point_nowhere_and_a_row_of_zeros_is_near_to_nothing() -> None:
    table = np.float32([[1, 0], [0, 2], [0, 0]])
    assert cosines(table, [SignedToken(1, 0), SignedToken(-1, 0)]).tolist() == [0, 0, 0]
    assert cosines(table, [SignedToken(-1, 1)]).tolist() == [0, -1, 0]
    assert [one.token_id for one in nearest(np.float32([0.5, 0.9, 0.9, 0.1]), 2, {1})] == [2, 0]


def test_words_used_alike_are_near_and_what_they_differ_in_is_a_direction() -> None:
    assert near("en-de", "big")[0] == "large"
    assert near("en-de", "went − go + see")[0] == "saw"
    assert near("en-de", "boys - boy + girl")[0] == "girls"
    assert near("zh-en", "北京")[0] == "上海"
    assert near("zh-en", "妈妈")[0] == "母亲"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "big +  + small",
        "big - big",
        "big − small + small − big",
        "big - ",
        "telephones",
        "big + telephones",
        "𐌀",
    ],
)
def test_what_is_not_a_sum_of_tokens_gets_a_sentence(text: str) -> None:
    with pytest.raises(TextError) as caught:
        read_sum(text, vt.load("en-de", "cpu").source_tokenizer)
    assert_sentence(caught.value)


def test_a_hyphen_within_a_word_is_no_minus() -> None:
    tokenizer = vt.load("reverse", "cpu").source_tokenizer
    assert read_sum("3 - 1 + 4", tokenizer) == tuple(
        SignedToken(sign, tokenizer.encode(digit).ids[0]) for sign, digit in ((1, "3"), (-1, "1"), (1, "4"))
    )
    with pytest.raises(TextError, match="3-1"):
        read_sum("3-1", tokenizer)
