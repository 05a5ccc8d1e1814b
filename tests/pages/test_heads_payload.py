"""What goes to the component of all heads, read back as the browser reads it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import viz_transformer as vt
from viz_transformer.ui.components.maps import STEPS_PER_UNIT, HeadScore, ModuleMaps, maps_of, pack_maps, pack_stages


def unpack(packed: bytes) -> tuple[dict[str, Any], bytes]:
    length = int.from_bytes(packed[:4], "little")
    return json.loads(packed[4 : 4 + length]), packed[4 + length :]


def take(section: bytes, size: int) -> tuple[bytes, bytes]:
    return section[:size], section[size + -size % 4 :]


def weights_of(packed: bytes) -> list[np.ndarray]:
    """The weights of each module: (layers, H, T, S), NaN where nothing was sent."""
    header, rest = unpack(packed)
    modules = []
    for module in header["modules"]:
        shape = (module["layers"], len(module["queries"]), len(module["keys"]))
        bits, rest = take(rest, -(-int(np.prod(shape)) // 8))
        mask = np.unpackbits(np.frombuffer(bits, np.uint8))[: np.prod(shape)].reshape(shape).astype(bool)
        codes, rest = take(rest, 2 * header["heads"] * int(mask.sum()))
        weights = np.full((shape[0], header["heads"], *shape[1:]), np.nan)
        assert module["allowed"] == mask.sum(axis=(1, 2)).tolist()
        values = np.frombuffer(codes, "<u2").astype(float) / header["steps"]
        for layer in range(shape[0]):
            count = header["heads"] * int(mask[layer].sum())
            weights[layer][:, mask[layer]] = values[:count].reshape(header["heads"], -1)
            values = values[count:]
        modules.append(weights)
    assert not rest
    return modules


def test_every_weight_arrives_to_the_decimals_that_are_shown(translator: vt.Translator) -> None:
    trace = translator.trace("3 1 4 1 5 9")
    for weights, one in zip(weights_of(pack_maps(maps_of(trace))), maps_of(trace), strict=True):
        sent = np.isfinite(weights)
        np.testing.assert_array_equal(sent, np.broadcast_to(one.mask[:, None], weights.shape))
        assert (one.weights[~sent] == 0).all()  # masked
        np.testing.assert_allclose(weights[sent], one.weights[sent], rtol=0, atol=0.5 / STEPS_PER_UNIT + 1e-9)
        assert [f"{w:.4f}" for w in weights[sent]] == [f"{w:.4f}" for w in one.weights[sent]]


@given(st.floats(0, 1, width=32))
def test_two_bytes_keep_four_decimals(weight: float) -> None:
    one = ModuleMaps("cross", np.full((1, 1, 1, 1), weight, np.float32), np.ones((1, 1, 1), bool), ["a"], ["b"])
    sent = weights_of(pack_maps([one]))[0].item()
    tie = abs(weight * 10_000 % 1 - 0.5) < 1e-9  # either neighbour is as near
    assert tie or f"{sent:.4f}" == f"{weight:.4f}"


def test_a_row_without_numbers_is_left_out_like_a_masked_one() -> None:
    weights = np.array([[[[np.nan, np.nan], [0.25, 0.75]]]])
    one = ModuleMaps("cross", weights, np.ones((1, 2, 2), bool), ["a", "b"], ["c", "d"])
    np.testing.assert_array_equal(weights_of(pack_maps([one]))[0], weights)


def test_scores_travel_with_their_heads(translator: vt.Translator) -> None:
    maps = maps_of(translator.trace("1 2 3"))
    values = {one.module: np.arange(8.0).reshape(2, 4) for one in maps}
    values["cross"][1, 2] = np.nan
    header, _ = unpack(pack_maps(maps, [HeadScore("x", "x, <b>", values)]))
    assert header["scores"][0]["label"] == "x, <b>"
    assert header["scores"][0]["values"]["cross"] == [[0, 1, 2, 3], [4, 5, None, 7]]


def test_what_does_not_fit_gets_a_sentence(translator: vt.Translator) -> None:
    maps = maps_of(translator.trace("1 2 3"))
    with pytest.raises(ValueError, match="4 query tokens and 1 key tokens"):
        pack_maps([replace(maps[0], keys=["a"])])
    with pytest.raises(ValueError, match="2 layers of 4 heads"):
        pack_maps(maps, [HeadScore("x", "x", {one.module: np.zeros((1, 1)) for one in maps})])
    with pytest.raises(ValueError, match="no attention module"):
        pack_maps([])


def test_every_stage_arrives_as_it_was_recorded(translator: vt.Translator) -> None:
    trace = translator.trace("3 1 4")
    header, rest = unpack(pack_stages(trace))
    assert header["depth"] == 4
    for module in header["modules"]:
        records = [trace.attention(module["name"], layer) for layer in range(module["layers"])]
        size = module["layers"] * len(module["queries"]) * len(module["keys"])
        mask, rest = take(rest, size)
        np.testing.assert_array_equal(
            np.frombuffer(mask, np.uint8), np.concatenate([record.mask.ravel() for record in records])
        )
        for record in records:
            for stage in (record.q, record.k, record.scores, record.scaled_scores, record.weights):
                section, rest = take(rest, stage.nbytes)
                np.testing.assert_array_equal(np.frombuffer(section, "<f4").reshape(stage.shape), stage)
    assert not rest
