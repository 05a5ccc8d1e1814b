"""Scores and lengths of a model's own vectors, compared with torch on the recorded tensors."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from tests.helpers import random_translator
from viz_transformer import Translator
from viz_transformer.experiments.scaling.head_statistics import at_initialisation, head_scores, norm_lengths


@pytest.fixture(scope="module")
def wide() -> Translator:
    return random_translator(4, d_model=64, max_len=40)


def test_the_variance_is_that_of_the_scores_that_may_be_used(wide: Translator) -> None:
    trace = wide.trace("1 2 3 4 5", "3 4 5")
    for one in head_scores(trace):
        record = trace.attention(one.head.module, one.head.layer)
        q, k = (torch.tensor(x[one.head.head]).double() for x in (record.q, record.k))
        scores = (q @ k.T)[torch.tensor(record.mask.copy())]
        assert one.cells == record.mask.sum() == len(scores)
        assert one.variance == pytest.approx(scores.var().item(), rel=1e-4)
        assert one.scaled_variance == pytest.approx(one.variance / trace.config.d_k, rel=1e-4)
        assert one.mean == pytest.approx(scores.mean().item(), abs=1e-4)
        assert one.expected_scaled_variance == pytest.approx((q**2).mean().item() * (k**2).mean().item(), rel=1e-4)


def test_one_pair_has_no_variance(wide: Translator) -> None:
    trace = wide.trace_ids("1", [2])  # the decoder reads the start token alone
    single = [one for one in head_scores(trace) if one.cells == 1]
    assert {one.head.module for one in single} == {"decoder_self"}
    assert all(math.isnan(one.variance) and math.isnan(one.scaled_variance) for one in single)


def test_a_fresh_model_has_the_variance_of_its_layer_norms(wide: Translator) -> None:
    original = wide.trace(" ".join("1234567890" * 3), " ".join("98765" * 5))
    fresh = at_initialisation(wide.model, original, seed=1)
    assert fresh.source_tokens == original.source_tokens
    expected = [one.expected_scaled_variance for one in head_scores(fresh) if one.head.layer == 1]
    assert np.mean(expected) == pytest.approx(1, abs=0.25)  # behind a layer norm: mean square 1 on both sides
    first = [one.expected_scaled_variance for one in head_scores(fresh) if one.head == ("encoder_self", 0, 0)]
    assert 1.2 < first[0] < 4  # embedding and position: about (1 + ½)²
    again = at_initialisation(wide.model, original, seed=1)
    np.testing.assert_array_equal(fresh.log_probs, again.log_probs)


def test_lengths_are_those_around_torchs_layer_norm(wide: Translator) -> None:
    trace = wide.trace("1 2 3", "4 5")
    found = norm_lengths(trace)
    assert [(one.layer, one.sublayer) for one in found if one.stack == "encoder"] == [
        (layer, sublayer) for layer in (0, 1) for sublayer in ("self", "ffn")
    ]
    assert len(found) == 2 * (2 + 3)
    norm = wide.model.encoder_layers[0].add_self_attention.norm
    x = torch.tensor(trace.tensors["encoder_layers.0.self_attention.query_input"].copy())
    before = x + torch.tensor(trace.tensors["encoder_layers.0.self_attention.output"].copy())
    after = F.layer_norm(before, (64,), norm.weight, norm.bias)
    np.testing.assert_allclose(found[0].before, before.norm(dim=-1).numpy(), rtol=1e-5)
    np.testing.assert_allclose(found[0].after, after.norm(dim=-1).numpy(), rtol=1e-5)
    layer = wide.model.encoder_layers[0]
    before = after + layer.feed_forward(after)
    np.testing.assert_allclose(found[1].before, before.norm(dim=-1).detach().numpy(), rtol=1e-5)


def test_an_untrained_norm_puts_vectors_on_the_shell(wide: Translator) -> None:
    fresh = at_initialisation(wide.model, wide.trace("1 2 3", "4 5"))
    for one in norm_lengths(fresh):
        np.testing.assert_allclose(one.after, math.sqrt(64), rtol=1e-4)
        assert one.shell == 8


@pytest.mark.parametrize(
    ("sublayers", "expected"), [("attention", ["self", "self", "cross"]), ("feed_forward", ["ffn", "ffn"])]
)
def test_a_norm_that_a_model_lacks_is_not_listed(sublayers: str, expected: list[str]) -> None:
    trace = random_translator(2, sublayers=sublayers, n_encoder_layers=1, n_decoder_layers=1).trace("1 2", "3")
    assert [one.sublayer for one in norm_lengths(trace)] == expected


def test_a_pre_norm_model_closes_no_residual_with_a_norm() -> None:
    translator = random_translator(2, norm_first=True)
    assert norm_lengths(translator.trace("1 2", "3")) == []
