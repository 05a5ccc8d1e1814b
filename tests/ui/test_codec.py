"""The codec: what Python packs is a safetensors file that the reference implementation reads back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from hypothesis.extra.numpy import array_shapes, arrays

from tests.packed import unpacked
from viz_transformer.views.codec import DTYPES, pack


def same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[name], b[name]) for name in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)


names = some.text("abcXYZ_", min_size=1, max_size=4)
leaves = some.one_of(
    some.none(),
    some.booleans(),
    some.integers(-(2**40), 2**40),
    some.floats(allow_nan=False, allow_infinity=False),
    some.text(),
    some.sampled_from(DTYPES).flatmap(lambda dtype: arrays(dtype, array_shapes(min_dims=0, min_side=0, max_side=3))),
)
contents = some.dictionaries(
    names,
    some.recursive(leaves, lambda part: some.lists(part, max_size=3) | some.dictionaries(names, part, max_size=3)),
)


@given(contents)
def test_what_is_packed_is_read_back_to_the_last_bit(content: dict[str, Any]) -> None:
    assert same(content, unpacked(pack(content)))


@given(contents)
def test_equal_content_gives_equal_bytes(content: dict[str, Any]) -> None:
    assert pack(content) == pack(content)


def test_equal_arrays_travel_once() -> None:
    ones = np.ones((30, 30), np.float32)
    once, twice = pack({"a": ones}), pack({"a": ones, "b": ones.copy(), "c": [ones]})
    assert len(twice) < len(once) + 200
    assert len(pack({"a": ones, "b": ones.astype(np.float64)})) > 3 * ones.nbytes  # of another type: not equal
    assert len(pack({"a": ones, "b": ones.reshape(900)})) > 2 * ones.nbytes


def test_what_was_packed_before_travels_as_its_bytes() -> None:
    packed = pack({"words": ["a", "b"]})
    read = unpacked(pack({"once": packed, "again": [packed], "none": b""}))
    assert read["once"].dtype == np.uint8 and not read["none"].size
    assert unpacked(read["once"].tobytes()) == unpacked(read["again"][0].tobytes()) == {"words": ["a", "b"]}


@pytest.mark.parametrize("dtype", ["float16", "int64", "complex64", "uint32"])
def test_an_array_that_a_browser_cannot_read_is_refused_by_its_path(dtype: str) -> None:
    with pytest.raises(TypeError, match=f"modules/0/weights: .* this one is {dtype}"):
        pack({"modules": [{"weights": np.zeros(2, dtype)}]})


def test_a_number_that_json_has_not_is_refused() -> None:
    with pytest.raises(ValueError, match="Out of range float"):
        pack({"loss": float("nan")})


def test_slices_and_other_orders_of_memory_keep_their_numbers() -> None:
    grid = np.arange(12, dtype=np.float32).reshape(3, 4)
    read = unpacked(pack({"turned": grid.T, "part": grid[:, 1:3], "big": grid.astype(">f4").astype("<f4")}))
    assert np.array_equal(read["turned"], grid.T)
    assert np.array_equal(read["part"], grid[:, 1:3])


def test_arrays_that_begin_alike_are_told_apart() -> None:
    zeros = np.zeros(1000, np.float32)
    other = zeros.copy()
    other[-1] = 1
    read = unpacked(pack({"a": zeros, "b": other, "c": other.copy()}))
    assert not read["a"].any()
    assert np.array_equal(read["b"], other) and np.array_equal(read["c"], other)
