"""Slips as interventions, each against the mistake written out in numpy."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.helpers import ALL_ATTENTION, assert_near, assert_same_bits, one, random_ids, random_model, softmax
from viz_transformer import record
from viz_transformer.heads import hook_path
from viz_transformer.interventions import Intervention
from viz_transformer.slips import FILL, CosineTwice, InvertMasks, MaskDiagonal, QueryFromMemory, SoftmaxOverQueries
from viz_transformer.training.corpus import pad

SOURCE = pad([random_ids(0, 7), random_ids(1, 4)])
TARGET = pad([[1, 5, 6], [1, 9, 8, 7, 6]])
EQUAL = one(random_ids(2, 5)), one([1, *random_ids(3, 4)])
SLIPS: list[Intervention] = [SoftmaxOverQueries(), InvertMasks(), MaskDiagonal(), CosineTwice()]


@pytest.mark.parametrize("slip", [*SLIPS, QueryFromMemory()])
def test_a_slip_changes_the_pass_and_without_it_everything_is_as_before(slip: Intervention) -> None:
    model = random_model(peaked=3.0)
    right = record(model, *EQUAL)[0]
    wrong = record(model, *EQUAL, [slip])[0]
    assert (right - wrong).abs().max() > 1e-3
    assert wrong.isfinite().all()
    assert_same_bits(record(model, *EQUAL)[0], right)


@pytest.mark.parametrize("slip", SLIPS)
def test_padding_and_masks_make_no_nan(slip: Intervention) -> None:
    logits, recorded = record(random_model(), SOURCE, TARGET, [slip])
    assert logits.isfinite().all()
    assert all(tensor.isfinite().all() for name, tensor in recorded.items() if name.endswith(".weights"))


@pytest.mark.parametrize("place", ALL_ATTENTION)
def test_over_the_queries_columns_add_up_to_one(place: tuple) -> None:
    path = hook_path(*place)
    _, recorded = record(random_model(peaked=3.0), SOURCE, TARGET, [SoftmaxOverQueries()])
    scores, mask = recorded[f"{path}.scaled_scores"].numpy(), recorded[f"{path}.mask"].numpy()
    filled = np.where(mask, scores, FILL)
    expected = np.swapaxes(softmax(np.swapaxes(filled, -1, -2)), -1, -2)
    assert_near(recorded[f"{path}.weights"], expected, 1e-6)
    weights = recorded[f"{path}.weights"]
    assert (weights.sum(dim=-2) - 1).abs().max() < 1e-5
    assert (weights.sum(dim=-1) - 1).abs().max() > 0.05


@pytest.mark.parametrize("place", ALL_ATTENTION)
def test_the_wrong_way_round_a_query_sees_what_it_must_not(place: tuple) -> None:
    path = hook_path(*place)
    model = random_model(peaked=3.0)
    right = record(model, SOURCE, TARGET)[1][f"{path}.mask"].numpy()
    _, recorded = record(model, SOURCE, TARGET, [InvertMasks()])
    scores = recorded[f"{path}.scaled_scores"].numpy()
    weights = recorded[f"{path}.weights"].numpy()
    right = np.broadcast_to(right, weights.shape)
    assert_near(weights, softmax(np.where(right, np.float32(FILL), scores)), 1e-6)
    has_key = ~right.all(axis=-1)  # rows that have something that they must not see
    assert np.abs(weights * right)[has_key].max(initial=0) == 0
    assert np.abs(weights[~has_key] - 1 / weights.shape[-1]).max(initial=0) < 1e-6


@pytest.mark.parametrize("place", ALL_ATTENTION)
def test_with_the_diagonal_masked_no_token_of_the_target_attends_to_itself(place: tuple) -> None:
    path = hook_path(*place)
    model = random_model(peaked=3.0)
    right = record(model, SOURCE, TARGET)[1][f"{path}.mask"]
    _, recorded = record(model, SOURCE, TARGET, [MaskDiagonal()])
    mask, weights = recorded[f"{path}.mask"].numpy(), recorded[f"{path}.weights"].numpy()
    if place[0] != "decoder_self":
        assert_same_bits(recorded[f"{path}.mask"], right)
        return
    assert (mask == np.tril(right.numpy(), -1)).all()
    scores = recorded[f"{path}.scaled_scores"].numpy()
    assert_near(weights, softmax(np.where(mask, scores, np.float32(FILL))), 1e-6)
    assert_near(weights[..., 0, :], np.full_like(weights[..., 0, :], 1 / weights.shape[-1]), 1e-6)
    assert np.abs(np.diagonal(weights, axis1=-2, axis2=-1)[..., 1:]).max() == 0


def test_without_a_causal_mask_the_diagonal_is_all_that_is_masked() -> None:
    model, (source, target) = random_model(causal=False), EQUAL
    _, recorded = record(model, source, target, [MaskDiagonal()])
    n = target.shape[1]
    assert (recorded[f"{hook_path('decoder_self', 0)}.mask"][0, 0] == ~torch.eye(n, dtype=torch.bool)).all()


@pytest.mark.parametrize("n_queries", [1, 2, 4])
def test_queries_that_come_after_cached_keys_do_not_attend_to_themselves_either(n_queries: int) -> None:
    change = MaskDiagonal().hook(random_model().config)
    change("decoder_layers.0.self_attention.q", torch.zeros(1, 1, n_queries, 8))
    mask = change("decoder_layers.0.self_attention.mask", torch.ones(1, 1, n_queries, 4, dtype=torch.bool))
    assert mask is not None
    assert (mask[0, 0] == ~torch.eye(4, dtype=torch.bool)[-n_queries:]).all()


def test_cosines_alone_are_the_papers_cosines_twice() -> None:
    model = random_model()
    d_model = model.config.d_model
    _, recorded = record(model, SOURCE, TARGET, [CosineTwice()])
    for side, length in (("source", SOURCE.shape[1]), ("target", TARGET.shape[1])):
        angles = np.arange(length)[:, None] / 10_000 ** (np.arange(0, d_model, 2) / d_model)
        expected = np.repeat(np.cos(angles), 2, axis=1)
        assert_near(recorded[f"{side}_embedding.positions.encoding"], expected, 1e-6)


@pytest.mark.parametrize("positions", ["learned", "none"])
def test_without_sines_cosines_change_nothing(positions: str) -> None:
    model = random_model(positions=positions)
    assert_same_bits(record(model, SOURCE, TARGET, [CosineTwice()])[0], record(model, SOURCE, TARGET)[0])


def test_a_query_from_the_encoder_asks_with_the_memory() -> None:
    model = random_model(peaked=3.0)
    _, recorded = record(model, *EQUAL, [QueryFromMemory()])
    for layer, decoder in enumerate(model.decoder_layers):
        path = hook_path("cross", layer)
        assert_same_bits(recorded[f"{path}.query_input"], recorded["memory"])
        asked = torch.nn.functional.linear(recorded["memory"], decoder.cross_attention.w_q.weight)
        q = recorded[f"{path}.q"].transpose(1, 2).flatten(2)
        assert_near(q, asked + decoder.cross_attention.w_q.bias, 1e-5)


def test_a_query_from_the_encoder_stops_where_the_lengths_differ_and_cannot_write() -> None:
    model = random_model()
    with pytest.raises(RuntimeError, match="must match"):
        record(model, SOURCE, TARGET, [QueryFromMemory()])
    hook = QueryFromMemory().hook(model.config)
    with pytest.raises(ValueError, match="cannot write"):
        hook("decoder_layers.0.cross_attention.query_input", torch.zeros(1, 1, 8))
