"""The encoding in closed form, against the model's own, scipy and brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy.linalg import block_diag
from scipy.spatial.distance import cdist

from tests.helpers import assert_sentence
from viz_transformer.experiments.positions.encoding import (
    distances,
    dot_of_offset,
    encode,
    encoding,
    frequencies,
    rotation,
    rotation_error,
    wavelengths,
)
from viz_transformer.layers import sinusoidal_encoding

SHAPES = [(1, 2, 10_000.0), (7, 6, 100.0), (50, 64, 10_000.0), (128, 512, 10_000.0), (20, 8, 1.0)]


@pytest.mark.parametrize(("length", "width", "base"), SHAPES)
def test_it_is_the_encoding_of_the_model_and_of_the_paper(length: int, width: int, base: float) -> None:
    found = encoding(length, width, base)
    np.testing.assert_allclose(found, sinusoidal_encoding(torch.arange(length), width, base).numpy(), atol=1e-6)
    for pos in {0, length // 2, length - 1}:
        for i in {0, width // 4, width // 2 - 1}:
            assert found[pos, 2 * i] == pytest.approx(math.sin(pos / base ** (2 * i / width)))
            assert found[pos, 2 * i + 1] == pytest.approx(math.cos(pos / base ** (2 * i / width)))


def test_a_curve_repeats_after_its_wavelength() -> None:
    waves = wavelengths(16)
    assert waves[0] == pytest.approx(2 * math.pi)
    assert waves[-1] < 2 * math.pi * 10_000
    for i, wave in enumerate(waves):
        start, later = encode(np.array([3.3, 3.3 + wave]), 16)
        np.testing.assert_allclose(start[2 * i : 2 * i + 2], later[2 * i : 2 * i + 2], atol=1e-9)


@pytest.mark.parametrize(("length", "width", "base"), SHAPES)
def test_dot_products_and_distances_know_only_the_offset(length: int, width: int, base: float) -> None:
    vectors = encoding(length, width, base)
    offsets = np.subtract.outer(np.arange(length), np.arange(length)).astype(float)
    expected = dot_of_offset(offsets.ravel(), width, base).reshape(length, length)
    np.testing.assert_allclose(vectors @ vectors.T, expected, atol=1e-9)
    np.testing.assert_allclose(distances(vectors), cdist(vectors, vectors), atol=1e-9)
    squares = np.maximum(width - 2 * expected, 0)
    np.testing.assert_allclose(distances(vectors), np.sqrt(squares), atol=1e-5)


@pytest.mark.parametrize("k", [0, 1, 5, 31])
@pytest.mark.parametrize(("length", "width", "base"), SHAPES)
def test_the_rotation_moves_every_position_k_further(length: int, width: int, base: float, k: int) -> None:
    matrix = rotation(k, width, base)
    blocks = [
        [[math.cos(w * k), math.sin(w * k)], [-math.sin(w * k), math.cos(w * k)]] for w in frequencies(width, base)
    ]
    np.testing.assert_allclose(matrix, block_diag(*blocks), atol=1e-12)
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(width), atol=1e-12)
    assert np.linalg.det(matrix) == pytest.approx(1)
    assert rotation_error(k, length, width, base) < 1e-11
    vectors = encoding(length + k, width, base)
    for pos in {0, length - 1}:
        np.testing.assert_allclose(matrix @ vectors[pos], vectors[pos + k], atol=1e-11)


def test_rotations_add_up() -> None:
    np.testing.assert_allclose(rotation(3, 12) @ rotation(4, 12), rotation(7, 12), atol=1e-12)


@pytest.mark.parametrize("width", [0, 1, 7, -2])
def test_an_odd_width_is_refused(width: int) -> None:
    with pytest.raises(ValueError, match="must be even") as error:
        encoding(4, width)
    assert_sentence(error.value, width)


def test_a_base_below_1_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1") as error:
        frequencies(4, 0.5)
    assert_sentence(error.value)
