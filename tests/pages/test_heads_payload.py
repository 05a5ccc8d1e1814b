"""What goes to the component of all heads, read back as the browser reads it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import viz_transformer as vt
from tests.helpers import random_translator
from tests.packed import unpacked
from viz_transformer.views.codec import pack
from viz_transformer.views.head_stages import stages_content
from viz_transformer.views.heads import HeadsView, fitting
from viz_transformer.views.maps import STEPS_PER_UNIT, HeadScore, ModuleMaps, maps_content, maps_of


def sent(content: dict[str, Any]) -> Any:
    """A content after its way to the browser."""
    return unpacked(pack(content))


def weights_of(content: dict[str, Any]) -> list[np.ndarray]:
    """The weights of each module: (layers, H, T, S), NaN where nothing was sent."""
    content = sent(content)
    modules = []
    for module in content["modules"]:
        shape = (module["layers"], len(module["queries"]), len(module["keys"]))
        mask = np.unpackbits(module["mask"])[: np.prod(shape)].reshape(shape).astype(bool)
        assert module["mask"].size == -(-int(np.prod(shape)) // 8)
        assert module["codes"].dtype == np.uint16
        weights = np.full((shape[0], module["heads"], *shape[1:]), np.nan)
        assert module["allowed"] == mask.sum(axis=(1, 2)).tolist()
        values = module["codes"].astype(float) / content["steps"]
        for layer in range(shape[0]):
            count = module["heads"] * int(mask[layer].sum())
            weights[layer][:, mask[layer]] = values[:count].reshape(module["heads"], -1)
            values = values[count:]
        assert not values.size
        modules.append(weights)
    return modules


def test_every_weight_arrives_to_the_decimals_that_are_shown(translator: vt.Translator) -> None:
    trace = translator.trace("3 1 4 1 5 9")
    for weights, one in zip(weights_of(maps_content(maps_of(trace))), maps_of(trace), strict=True):
        sent = np.isfinite(weights)
        np.testing.assert_array_equal(sent, np.broadcast_to(one.mask[:, None], weights.shape))
        assert (one.weights[~sent] == 0).all()  # masked
        np.testing.assert_allclose(weights[sent], one.weights[sent], rtol=0, atol=0.5 / STEPS_PER_UNIT + 1e-9)
        assert [f"{w:.4f}" for w in weights[sent]] == [f"{w:.4f}" for w in one.weights[sent]]


@given(st.floats(0, 1, width=32))
def test_two_bytes_keep_four_decimals(weight: float) -> None:
    one = ModuleMaps("cross", np.full((1, 1, 1, 1), weight, np.float32), np.ones((1, 1, 1), bool), ["a"], ["b"])
    sent = weights_of(maps_content([one]))[0].item()
    tie = abs(weight * 10_000 % 1 - 0.5) < 1e-9  # either neighbour is as near
    assert tie or f"{sent:.4f}" == f"{weight:.4f}"


def test_a_row_without_numbers_is_left_out_like_a_masked_one() -> None:
    weights = np.array([[[[np.nan, np.nan], [0.25, 0.75]]]])
    one = ModuleMaps("cross", weights, np.ones((1, 2, 2), bool), ["a", "b"], ["c", "d"])
    np.testing.assert_array_equal(weights_of(maps_content([one]))[0], weights)


def test_scores_travel_with_their_heads(translator: vt.Translator) -> None:
    maps = maps_of(translator.trace("1 2 3"))
    values = {one.module: np.arange(8.0).reshape(2, 4) for one in maps}
    values["cross"][1, 2] = np.nan
    content = sent(maps_content(maps, [HeadScore("x", "x, <b>", values)]))
    assert content["scores"][0]["label"] == "x, <b>"
    np.testing.assert_array_equal(content["scores"][0]["values"]["cross"], [[0, 1, 2, 3], [4, 5, np.nan, 7]])


def test_what_does_not_fit_gets_a_sentence(translator: vt.Translator) -> None:
    maps = maps_of(translator.trace("1 2 3"))
    with pytest.raises(ValueError, match="4 query tokens and 1 key tokens"):
        maps_content([replace(maps[0], keys=["a"])])
    with pytest.raises(ValueError, match="2 layers of 4 heads"):
        maps_content(maps, [HeadScore("x", "x", {one.module: np.zeros((1, 1)) for one in maps})])
    with pytest.raises(ValueError, match="no attention module"):
        maps_content([])


def test_every_stage_arrives_as_it_was_recorded(translator: vt.Translator) -> None:
    trace = translator.trace("3 1 4")
    content = sent(stages_content(trace))
    for module in content["modules"]:
        assert (module["heads"], module["depth"]) == (4, 4)
        records = [trace.attention(module["name"], layer) for layer in range(module["layers"])]
        mask = np.stack([record.mask for record in records])
        np.testing.assert_array_equal(module["mask"], np.packbits(mask))
        for record, stages in zip(records, module["stages"], strict=True):
            for name in ("q", "k", "scores", "weights"):
                assert stages[name].dtype == np.float32
                np.testing.assert_array_equal(stages[name], getattr(record, name))
            np.testing.assert_array_equal(stages["scaled"], record.scaled_scores)


def test_a_view_has_nothing_that_the_maps_lack() -> None:
    sizes = {"encoder_self": (2, 4, 5, 5), "cross": (3, 4, 4, 5)}
    asked = HeadsView("decoder_self", 9, 9, (0, 7, 2, 0), ("key", 30), pinned=(99, 1))
    fitted = fitting(asked, sizes)
    assert fitted == replace(
        asked, module="encoder_self", layer=1, head=3, heads=(0, 2), token=("key", 4), pinned=(4, 1)
    )
    assert fitting(replace(asked, module="cross", heads=(9,), token=("query", 30)), sizes) == replace(
        asked, module="cross", layer=2, head=3, heads=(0, 1, 2, 3), token=("query", 3), pinned=(3, 1)
    )


def test_modules_with_different_numbers_of_heads_arrive_each_with_its_own() -> None:
    translator = random_translator(1, n_heads=2, n_decoder_heads=8)
    trace = translator.trace("3 1 4")
    maps = maps_of(trace)
    scores = [HeadScore("x", "x", {one.module: one.weights.max(axis=(2, 3)) for one in maps})]
    content = sent(maps_content(maps, scores))
    counts = {"encoder_self": 2, "decoder_self": 8, "cross": 8}
    assert {module["name"]: module["heads"] for module in content["modules"]} == counts
    for weights, one in zip(weights_of(content), maps, strict=True):
        is_sent = np.isfinite(weights)
        np.testing.assert_array_equal(is_sent, np.broadcast_to(one.mask[:, None], weights.shape))
        np.testing.assert_allclose(weights[is_sent], one.weights[is_sent], rtol=0, atol=1e-5)
    stages = sent(stages_content(trace))["modules"]
    assert {module["name"]: (module["heads"], module["depth"]) for module in stages} == {
        "encoder_self": (2, 8),
        "decoder_self": (8, 2),
        "cross": (8, 2),
    }
    for module in stages:
        for layer, one in enumerate(module["stages"]):
            np.testing.assert_array_equal(one["k"], trace.attention(module["name"], layer).k)


def test_a_view_has_heads_of_its_module_alone_and_keeps_those_that_another_one_has() -> None:
    sizes = {"encoder_self": (2, 8, 5, 5), "cross": (2, 2, 4, 5)}
    view = HeadsView("cross", 1, 7, tuple(range(8)))
    assert fitting(view, sizes) == replace(view, head=1)
    assert fitting(replace(view, module="encoder_self"), sizes) == replace(view, module="encoder_self")
    assert fitting(replace(view, heads=(1, 5)), sizes).heads == (1, 5)
    assert fitting(replace(view, heads=(5,)), sizes).heads == tuple(range(8))  # none of which cross-attention has
