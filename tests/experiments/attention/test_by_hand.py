"""Typed matrices: read right, refused with a sentence, and attended to as PyTorch does."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from viz_transformer.experiments.attention.by_hand import HandError, attend, parse_mask, parse_matrix

MASK = np.tril(np.ones((3, 3), dtype=bool))


@pytest.mark.parametrize("text", ["1 -2\n0.5 3", " 1, −2 \n\n.5;3\n", "1\t-2\r\n0.5 3e0"])
def test_rows_are_lines_and_numbers_are_parted_by_spaces_commas_or_semicolons(text: str) -> None:
    np.testing.assert_array_equal(parse_matrix("Q", text), np.array([[1, -2], [0.5, 3]], dtype=np.float32))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "Q has 0 rows; 2 to 4"),
        ("1 2", "Q has 1 rows; 2 to 4"),
        ("1 2\n" * 5, "Q has 5 rows; 2 to 4"),
        ("1\n2", "The rows of Q have 1 numbers"),
        ("1 2 3 4 5\n1 2 3 4 5", "The rows of Q have 5 numbers"),
        ("1 2\n3", "Row 2 of Q has 1 numbers, but row 1 has 2"),
        ("1 2\n3 x", "Row 2 of Q: “x” is not a number"),
        ("1 2\n3 <b>", "“<b>” is not a number"),
        ("1 2\nnan 1", "nan is too large or not finite"),
        ("1 2\ninf 1", "inf is too large or not finite"),
        ("1 2\n1e9 1", "1e9 is too large"),
    ],
)
def test_what_is_typed_wrong_gets_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(HandError) as caught:
        parse_matrix("Q", text)
    assert sentence in str(caught.value)
    assert caught.value.template.format(**caught.value.values) == str(caught.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1 0\n1 2", "Row 2 of M has 2; a mask may only have 1"),
        ("1 0\n0 0", "Row 2 of M has no 1"),
        ("1 0\n1 a", "is not a number"),
    ],
)
def test_a_mask_has_ones_and_zeros_and_leaves_each_query_a_key(text: str, sentence: str) -> None:
    with pytest.raises(HandError, match=sentence):
        parse_mask("M", text)


def test_a_mask_is_true_where_it_may_attend() -> None:
    np.testing.assert_array_equal(parse_mask("M", "1 0 0\n1 1 0\n1 1 1"), MASK)


def test_the_stages_are_those_of_pytorch() -> None:
    random = np.random.default_rng(1)
    q, k = (random.normal(size=(3, 4)).astype(np.float32) for _ in "qk")
    v = random.normal(size=(3, 2)).astype(np.float32)
    stages = attend(q, k, v, MASK)
    expected = torch.nn.functional.scaled_dot_product_attention(
        *(torch.tensor(array)[None] for array in (q, k, v)), attn_mask=torch.tensor(MASK)
    )[0]
    np.testing.assert_allclose(stages.context, expected.numpy(), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(stages.weights.sum(axis=1), 1, atol=1e-6)
    assert stages.weights[0].tolist() == [1, 0, 0]


def test_a_sum_that_is_easy_on_paper() -> None:
    q = k = parse_matrix("Q", "2 0 0 0\n0 0 0 2")
    stages = attend(q, k, parse_matrix("V", "1 0\n0 1"), np.ones((2, 2), dtype=bool))
    np.testing.assert_array_equal(stages.scores, [[4, 0], [0, 4]])
    np.testing.assert_array_equal(stages.scaled_scores, [[2, 0], [0, 2]])
    np.testing.assert_allclose(stages.weights[0, 0], np.e**2 / (np.e**2 + 1), rtol=1e-6)


@pytest.mark.parametrize(
    ("shapes", "sentence"),
    [
        (((3, 4), (3, 3), (3, 4), (3, 3)), "Q has 4 columns and K has 3"),
        (((3, 4), (3, 4), (2, 4), (3, 3)), "K has 3 rows and V has 2"),
        (((2, 4), (3, 4), (3, 4), (3, 3)), "The mask has 3 rows and 3 columns; QKᵀ has 2 and 3"),
    ],
)
def test_sizes_that_do_not_fit_get_a_sentence(shapes: tuple[tuple[int, int], ...], sentence: str) -> None:
    q, k, v, mask = (np.ones(shape, dtype=np.float32) for shape in shapes)
    with pytest.raises(HandError, match=sentence):
        attend(q, k, v, mask == 1)
