"""The stages of one head and the terms of one cell, against plain numpy on the model's own matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch

import viz_transformer as vt
from viz_transformer.analysis.divisor import recorded_divisor
from viz_transformer.analysis.measures import entropy
from viz_transformer.experiments.attention.steps import (
    cell_terms,
    head_stages,
    row_softmaxes,
    similarity,
    softmax,
)
from viz_transformer.heads import AttentionModule
from viz_transformer.interventions import Intervention
from viz_transformer.trace import Trace, trace

SOURCE, TARGET = (5, 6, 7, 8, 2), (1, 9, 4, 3)


def tiny(*, norm_first: bool, changes: Sequence[Intervention] = ()) -> tuple[vt.Transformer, Trace]:
    config = vt.TransformerConfig(
        source_vocab_size=20,
        target_vocab_size=20,
        d_model=24,
        n_heads=3,
        n_encoder_layers=2,
        n_decoder_layers=2,
        d_ff=32,
        max_len=16,
        norm_first=norm_first,
    )
    torch.manual_seed(3)
    model = vt.Transformer(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))  # biases and norms too
    tokens = [str(n) for n in range(5)]
    return model, trace(model, SOURCE, TARGET, TARGET, tokens, tokens[:4], tokens[:4], changes)


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("module", vt.ATTENTION_MODULES)
@pytest.mark.parametrize("layer", [0, 1])
def test_every_stage_follows_from_the_one_before(module: AttentionModule, layer: int, norm_first: bool) -> None:
    model, recorded = tiny(norm_first=norm_first)
    stack = model.encoder_layers if module == "encoder_self" else model.decoder_layers
    attention = stack[layer].cross_attention if module == "cross" else stack[layer].self_attention
    weight = {name: parameter.detach().double().numpy() for name, parameter in attention.named_parameters()}
    contexts = []
    for head in range(3):
        stages = head_stages(recorded, module, layer, head)
        columns = slice(8 * head, 8 * head + 8)
        close = {"rtol": 1e-4, "atol": 1e-5}
        for values, inputs, name in (
            (stages.q, stages.query_input, "w_q"),
            (stages.k, stages.key_input, "w_k"),
            (stages.v, stages.key_input, "w_v"),
        ):
            projected = inputs @ weight[f"{name}.weight"].T[:, columns] + weight[f"{name}.bias"][columns]
            np.testing.assert_allclose(values, projected, **close)
        np.testing.assert_allclose(stages.scores, stages.q @ stages.k.T, **close)
        np.testing.assert_allclose(stages.scaled_scores, stages.scores / 8**0.5, **close)
        np.testing.assert_array_equal(
            stages.masked_scores, np.where(stages.mask, stages.scaled_scores, -np.inf).astype(np.float32)
        )
        np.testing.assert_allclose(stages.weights, softmax(stages.masked_scores), **close)
        np.testing.assert_allclose(stages.context, stages.weights @ stages.v, **close)
        contexts.append(stages.context)
    np.testing.assert_array_equal(stages.concatenated, np.concatenate(contexts, axis=1))
    output = stages.concatenated @ weight["w_o.weight"].T + weight["w_o.bias"]
    np.testing.assert_allclose(stages.output, output, **close)


def test_what_enters_a_layer_is_the_output_of_the_one_before_and_with_pre_norm_its_norm() -> None:
    model, post = tiny(norm_first=False)
    before = post.tensors["encoder_layers.0.add_feed_forward.output"]
    np.testing.assert_array_equal(head_stages(post, "encoder_self", 1, 0).query_input, before)
    np.testing.assert_array_equal(head_stages(post, "cross", 1, 0).key_input, post.tensors["memory"])

    model, pre = tiny(norm_first=True)
    before = pre.tensors["encoder_layers.0.add_feed_forward.output"]
    normed = model.encoder_layers[1].add_self_attention.norm(torch.tensor(before)).detach().numpy()
    np.testing.assert_allclose(head_stages(pre, "encoder_self", 1, 0).query_input, normed, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("i", "j"), [(0, 0), (2, 1), (3, 3), (1, 3)])
def test_the_terms_of_a_cell_add_up_to_what_was_recorded(i: int, j: int) -> None:
    stages = head_stages(tiny(norm_first=False)[1], "decoder_self", 1, 2)
    terms = cell_terms(stages, i, j)
    assert terms.products.sum() == pytest.approx(terms.score, abs=1e-5)
    assert terms.score / terms.divisor == pytest.approx(terms.scaled, abs=1e-6)
    assert terms.is_allowed == (j <= i)
    assert terms.masked == (terms.scaled if terms.is_allowed else -np.inf)
    assert terms.exponential / terms.denominator == pytest.approx(terms.weight, abs=1e-6)
    contributions = sum(cell_terms(stages, i, key).contribution for key in range(4))
    np.testing.assert_allclose(contributions, terms.context, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("changes", "divisor"),
    [
        ([], 8**0.5),
        ([vt.ScaleScores("sqrt_d_k")], 8**0.5),
        ([vt.ScaleScores("none")], 1.0),
        ([vt.ScaleScores("sqrt_d_model")], 24**0.5),
        ([vt.Temperature(2.5)], 2.5 * 8**0.5),
        ([vt.ScaleHead(vt.HeadRef("cross", 1, 2), 0.5)], 2 * 8**0.5),
    ],
    ids=str,
)
def test_the_divisor_is_the_one_of_the_pass(changes: list[Intervention], divisor: float) -> None:
    recorded = tiny(norm_first=False, changes=changes)[1]
    terms = cell_terms(head_stages(recorded, "cross", 1, 2), 1, 3)
    assert terms.divisor == pytest.approx(divisor, rel=1e-6)
    assert terms.score / terms.divisor == pytest.approx(terms.scaled, rel=1e-6)


def test_scores_of_nothing_but_zeros_are_divided_by_the_papers_divisor() -> None:
    assert recorded_divisor(np.zeros((2, 3)), np.zeros((2, 3)), 9) == 3


def test_a_row_that_may_attend_to_nothing_is_nan() -> None:
    stages = head_stages(tiny(norm_first=False)[1], "decoder_self", 0, 0)
    blank = replace(stages, masked_scores=np.full_like(stages.masked_scores, -np.inf))
    assert np.isnan(cell_terms(blank, 0, 0).exponential)
    assert np.isnan(softmax(blank.masked_scores)).all()


def test_the_row_is_shown_unscaled_scaled_and_masked() -> None:
    stages = head_stages(tiny(norm_first=False)[1], "decoder_self", 0, 1)
    rows = row_softmaxes(stages, 1)
    np.testing.assert_allclose(rows.sum(axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(rows[0], np.exp(stages.scores[1]) / np.exp(stages.scores[1]).sum(), rtol=1e-5)
    np.testing.assert_array_equal(rows[2], stages.weights[1])
    assert (rows[:2] > 0).all()
    assert (rows[2, 2:] == 0).all()


def test_entropy_counts_bits() -> None:
    weights = np.array([[1, 0, 0, 0], [0.5, 0.5, 0, 0], [0.25, 0.25, 0.25, 0.25]])
    np.testing.assert_allclose(entropy(weights), [0, 1, 2])
    assert not np.signbit(entropy(weights)[0])


def test_similarity_is_lengths_and_an_angle() -> None:
    near = similarity(np.array([3.0, 0.0]), np.array([2.0, 2.0]))
    assert (near.query_norm, near.key_norm) == pytest.approx((3, 8**0.5))
    assert near.degrees == pytest.approx(45)
    assert near.query_norm * near.key_norm * near.cosine == pytest.approx(6)
    assert similarity(np.zeros(3), np.ones(3)).cosine == 0
    assert similarity(np.full(3, 0.1), np.full(3, 0.1)).degrees == pytest.approx(0, abs=1e-5)


def test_temperature_divides_the_scaled_scores_once_more() -> None:
    _, plain = tiny(norm_first=False)
    model, _ = tiny(norm_first=False)
    tokens = [str(n) for n in range(5)]
    change = vt.Temperature(2.5)
    hot = trace(model, SOURCE, TARGET, TARGET, tokens, tokens[:4], tokens[:4], interventions=[change])
    first, second = (one.attention("encoder_self", 0) for one in (plain, hot))
    np.testing.assert_allclose(second.scaled_scores, first.scaled_scores / 2.5, rtol=1e-6)
    np.testing.assert_allclose(second.weights, softmax(first.scores / 8**0.5 / 2.5), rtol=1e-4, atol=1e-6)
    assert entropy(second.weights).mean() > entropy(first.weights).mean()


@pytest.mark.parametrize("temperature", [0, -1.0, float("nan"), float("inf"), True, "2"])
def test_a_temperature_is_a_number_above_zero(temperature: object) -> None:
    with pytest.raises(ValueError, match=r"from 0\.001 to 1000"):
        vt.Temperature(temperature)  # type: ignore[arg-type]
