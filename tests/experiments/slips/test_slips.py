"""What each slip does to a pass, against the same worked out in another way."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import torch

from tests.helpers import assert_near, changed_copy, ends_after, random_translator
from viz_transformer import Trace, Translator, load
from viz_transformer.experiments.positions.encoding import distances
from viz_transformer.experiments.slips.counted_padding import padded_loss
from viz_transformer.experiments.slips.divided_loss import SIZES, gradient_norms
from viz_transformer.experiments.slips.encodings import (
    closest_pair,
    neighbour_distances,
    repeated_dimensions,
)
from viz_transformer.experiments.slips.kept_graphs import BATCHES, kept_graphs
from viz_transformer.experiments.slips.unmasked_padding import padded_passes
from viz_transformer.experiments.slips.wrong_side import cross_passes
from viz_transformer.slips import CosineTwice
from viz_transformer.tokenizers import END_ID, PAD, PAD_ID


@cache
def shipped() -> tuple[Translator, Trace]:
    translator = load("zh-en", "cpu")
    return translator, translator.trace("你好,世界!")


# --- padding ---------------------------------------------------------------------------------------------------


def test_with_the_mask_padding_changes_nothing_and_without_it_everything() -> None:
    translator, trace = shipped()
    right, wrong = padded_passes(translator.model, trace, len(trace.source_ids) + 6)
    assert right.change < 1e-5 < 0.1 < wrong.change
    assert right.log_prob == pytest.approx(float(trace.token_log_probs.sum()), abs=1e-4)
    assert wrong.log_prob < right.log_prob - 1
    assert translator.target_tokenizer.decode(right.output) == translator.decode(trace)
    assert right.output == trace.predicted_ids


def test_unmasked_padding_is_a_model_that_never_heard_of_padding() -> None:
    """The oracle: the same weights, whose config calls another token padding."""
    translator = random_translator(2)
    trace = translator.trace("3 1 4 1 5", "2 7")
    width = len(trace.source_ids) + 3
    _right, wrong = padded_passes(translator.model, trace, width)
    unaware = random_translator(2, pad_id=translator.model.config.source_vocab_size - 1).model
    source = torch.tensor([[*trace.source_ids, *[PAD_ID] * 3]])
    assert unaware.config.pad_id not in source
    with torch.no_grad():
        memory = unaware.encode(source)
        logits = unaware.decode(torch.tensor([trace.target_ids]), memory, source)
    expected = logits.log_softmax(dim=-1)[0, range(len(trace.predicted_ids)), trace.predicted_ids]
    assert_near(wrong.log_probs, expected, 1e-5)
    alone = torch.tensor(trace.tensors["memory"])
    assert wrong.change == pytest.approx(float((memory[0, : len(alone)] - alone).abs().max()), abs=1e-6)


def test_without_padding_both_passes_are_the_same() -> None:
    translator, trace = shipped()
    right, wrong = padded_passes(translator.model, trace, len(trace.source_ids))
    assert right.change == wrong.change < 1e-6
    assert right.log_prob == wrong.log_prob
    assert right.output == wrong.output


def test_an_output_that_ends_in_the_last_place_has_ended() -> None:
    """The oracle: greedy search, which keeps the end token."""
    seed, length = ends_after()
    for max_len, is_ended in ((length, True), (length - 1, False)):
        translator = random_translator(seed, max_len=max_len)
        right, _wrong = padded_passes(translator.model, translator.trace("3", "2"), 2)
        assert right.output == translator.trace("3").predicted_ids
        assert (END_ID in right.output) == is_ended


# --- from the wrong side ---------------------------------------------------------------------------------------


def test_padded_to_one_length_it_runs_and_is_blind_to_the_target() -> None:
    translator, trace = shipped()
    found = cross_passes(translator.model, trace, "query", is_padded=True)
    length = max(len(trace.source_ids), len(trace.target_ids))
    assert (found.right.error, found.wrong.error) == ("", "")
    assert len(found.source_tokens) == len(found.target_tokens) == length
    assert PAD in (*found.source_tokens, *found.target_tokens)
    assert found.wrong.change == 0 < 0.1 < found.right.change
    assert found.right.log_prob == pytest.approx(float(trace.token_log_probs.sum()), abs=1e-4)
    assert found.wrong.log_prob < found.right.log_prob - 1
    for layer in range(trace.config.n_decoder_layers):
        right, wrong = found.right.weights(layer, 0), found.wrong.weights(layer, 0)
        assert right is not None and wrong is not None
        rows, columns = len(trace.target_ids), len(trace.source_ids)
        assert_near(right[:rows, :columns], trace.attention("cross", layer).weights[0], 1e-5)
        memory = torch.tensor(trace.tensors["memory"])
        attention = translator.model.decoder_layers[layer].cross_attention
        d_k = trace.config.d_k
        q, k = (linear(memory)[:, :d_k] for linear in (attention.w_q, attention.w_k))
        assert_near(wrong[:columns, :columns], (q @ k.T / d_k**0.5).softmax(dim=-1), 1e-4)


def test_each_with_its_own_length_it_stops_in_the_first_layer() -> None:
    translator, trace = shipped()
    assert len(trace.source_ids) != len(trace.target_ids)
    found = cross_passes(translator.model, trace, "query", is_padded=False)
    assert (found.source_tokens, found.target_tokens) == (trace.source_tokens, trace.target_tokens)
    assert "must match" in found.wrong.error and np.isnan(found.wrong.log_prob)
    first = found.wrong.weights(0, 0)
    assert first is not None and first.shape == (len(trace.source_ids),) * 2
    assert found.wrong.weights(1, 0) is None
    assert not found.right.error


def test_keys_of_the_decoder_padded_to_one_length_are_blind_to_the_source() -> None:
    translator, trace = shipped()
    found = cross_passes(translator.model, trace, "key", is_padded=True)
    length = max(len(trace.source_ids), len(trace.target_ids))
    assert (found.right.error, found.wrong.error) == ("", "")
    assert len(found.source_tokens) == len(found.target_tokens) == length
    assert found.wrong.change == 0 < 0.1 < found.right.change
    assert found.right.log_prob == pytest.approx(float(trace.token_log_probs.sum()), abs=1e-4)
    assert found.wrong.log_prob < found.right.log_prob - 1
    # The oracle: one head of the first layer, from its recorded input. The last of the target's padded keys is masked,
    # as the source's would be.
    x = torch.tensor(trace.tensors["decoder_layers.0.cross_attention.query_input"])  # (T, d_model)
    attention, d_k = translator.model.decoder_layers[0].cross_attention, trace.config.d_k
    q, k = (linear(x)[:, :d_k] for linear in (attention.w_q, attention.w_k))
    wrong = found.wrong.weights(0, 0)
    assert wrong is not None and wrong.shape == (length, length)
    n, kept = len(trace.target_ids), len(trace.source_ids)
    assert (n, kept, length) == (5, 6, 6)  # the target has a token of padding, whose key nobody masks
    scores = torch.tensor(wrong[:n, :n]).log()
    assert_near(scores - scores[:, :1], (q @ (k - k[:1]).T) / d_k**0.5, 1e-3)
    np.testing.assert_allclose(wrong.sum(axis=-1), 1, atol=1e-5)


def test_keys_of_the_decoder_each_with_its_own_length_stop_in_the_first_layer() -> None:
    translator, trace = shipped()
    found = cross_passes(translator.model, trace, "key", is_padded=False)
    assert found.wrong.error and np.isnan(found.wrong.log_prob)
    first = found.wrong.weights(0, 0)
    assert first is not None and first.shape == (len(trace.target_ids),) * 2
    assert found.wrong.weights(1, 0) is None
    assert found.wrong.change == 0 < 0.1 < found.right.change
    assert not found.right.error


# --- the loss --------------------------------------------------------------------------------------------------


def test_gradients_of_a_mean_stay_and_divided_twice_they_shrink() -> None:
    translator, trace = shipped()
    before = [parameter.clone() for parameter in translator.model.parameters()]
    found = gradient_norms(translator.model, trace)
    n = found.n_tokens
    assert n == len(trace.predicted_ids)
    for column, size in enumerate(SIZES):
        assert_near(found.right[:, column], found.right[:, 0], 1e-3)
        assert_near(found.wrong[:, column] * n * size, found.right[:, column], 1e-3)
    assert all(torch.equal(*pair) for pair in zip(before, translator.model.parameters(), strict=True))
    assert not any(parameter.requires_grad for parameter in translator.model.parameters())


def test_the_length_of_a_gradient_is_how_far_the_loss_falls_along_it() -> None:
    """The oracle: a finite difference along the gradient's own direction."""
    translator = random_translator(4)
    trace = translator.trace("3 1 4", "2 7 1")
    found = gradient_norms(translator.model, trace)
    model = changed_copy(translator.model).double().requires_grad_(True)
    source, target, labels = (torch.tensor([i]) for i in (trace.source_ids, trace.target_ids, trace.predicted_ids))

    def loss() -> torch.Tensor:
        log_probs = model(source, target).log_softmax(dim=-1)
        return -log_probs[0, torch.arange(len(trace.predicted_ids)), labels[0]].mean()

    loss().backward()
    parameters = list(model.parameters())
    length = torch.stack([parameter.grad.norm() for parameter in parameters if parameter.grad is not None]).norm()
    step = 1e-4
    values = []
    for sign in (1, -2):
        with torch.no_grad():
            for parameter in parameters:
                if parameter.grad is not None:
                    parameter += sign * step * parameter.grad / length
            values.append(float(loss()))
    slope = (values[0] - values[1]) / (2 * step)
    right, _wrong = found.whole
    assert right[0] == pytest.approx(slope, rel=1e-3)


# --- positions -------------------------------------------------------------------------------------------------


def test_distances_of_the_right_encoding_depend_on_the_offset_alone() -> None:
    translator, trace = shipped()
    wrong = translator.trace_ids("你好,世界!", trace.predicted_ids, interventions=[CosineTwice()])
    right_encoding, wrong_encoding = (one.positional_encoding("source") for one in (trace, wrong))
    d, length = trace.config.d_model, len(trace.source_ids)
    frequencies = 10_000.0 ** (-np.arange(0, d, 2) / d)
    i, j = np.indices((length, length))
    right_distances, wrong_distances = (
        distances(one.astype(np.float64)).astype(np.float32) for one in (right_encoding, wrong_encoding)
    )
    # |PE(i) − PE(j)|² = Σ 2 − 2 cos ω(i − j) of sines and cosines, Σ 2 (cos ωi − cos ωj)² of cosines twice.
    offset = ((i - j)[..., None] * frequencies).astype(np.float64)
    assert_near(right_distances, np.sqrt((2 - 2 * np.cos(offset)).sum(-1)), 1e-4)
    twice = 2 * (np.cos(i[..., None] * frequencies) - np.cos(j[..., None] * frequencies)) ** 2
    assert_near(wrong_distances, np.sqrt(twice.sum(-1)), 1e-4)
    assert np.ptp(neighbour_distances(right_distances)) < 1e-4 < 0.5 < np.ptp(neighbour_distances(wrong_distances))
    assert repeated_dimensions(right_encoding) == 0
    assert repeated_dimensions(wrong_encoding) == d // 2
    assert closest_pair(wrong_distances) == (0, 1)


def test_the_closest_pair_is_the_closest() -> None:
    encoding = np.array([[0, 0], [5, 0], [5, 1], [9, 9]], dtype=np.float32)
    assert closest_pair(distances(encoding)) == (1, 2)


# --- padding in the loss -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("further", [0, 1, 6])
def test_the_loss_with_padding_counted_is_torchs_without_an_index_to_ignore(further: int) -> None:
    translator, trace = shipped()
    found = padded_loss(translator.model, trace, further)
    assert found.right == pytest.approx(-float(trace.token_log_probs.mean()), abs=1e-5)
    padding = [PAD_ID] * further
    labels = torch.tensor([*trace.predicted_ids, *padding])
    with torch.no_grad():
        logits = translator.model(
            torch.tensor([trace.source_ids]), torch.tensor([[*trace.target_ids, *padding]])
        )[0]  # fmt: skip
    cross_entropy = torch.nn.functional.cross_entropy
    assert found.right == pytest.approx(cross_entropy(logits, labels, ignore_index=PAD_ID).item(), abs=1e-5)
    assert found.wrong == pytest.approx(cross_entropy(logits, labels).item(), abs=1e-5)
    assert (found.wrong > found.right + 1) is bool(further)


# --- graphs that are kept ----------------------------------------------------------------------------------------


def test_a_sum_of_losses_keeps_the_graph_of_each() -> None:
    """The oracle: one graph, which is counted by what torch calls on the way back through it."""
    translator, trace = shipped()
    right, wrong = kept_graphs(translator.model, trace)
    model = changed_copy(translator.model).requires_grad_(True)
    source, target, labels = (torch.tensor([i]) for i in (trace.source_ids, trace.target_ids, trace.predicted_ids))
    loss = torch.nn.functional.cross_entropy(model(source, target)[0], labels[0])
    called: set[object] = set()
    for node in _all_before(loss.grad_fn):
        node.register_hook(lambda *_grads, node=node: called.add(node))
    loss.backward()
    n_parameters = len(list(model.parameters()))
    assert abs(int(right.nodes[0, 0]) - len(called)) <= 6  # the loss itself can be written with a few nodes more
    per_batch = int(right.nodes[0, 0]) - n_parameters + 1  # the weights' own nodes are shared; a sum is one more
    assert (right.nodes == right.nodes[0, 0]).all()
    assert (np.diff(wrong.nodes) == per_batch).all() and wrong.nodes[0, 0] == right.nodes[0, 0] + 1
    assert not right.megabytes[0].any() and not wrong.megabytes[0].any()  # the backward pass has let go of them
    assert right.megabytes[1] == pytest.approx(float(right.megabytes[1, 0]))
    assert wrong.megabytes[1] == pytest.approx(right.megabytes[1, 0] * np.arange(1, BATCHES + 1), rel=1e-3)
    assert all(parameter.grad is None and not parameter.requires_grad for parameter in translator.model.parameters())


def _all_before(node: Any) -> set[Any]:
    found, waiting = set(), [node]
    while waiting:
        one = waiting.pop()
        if one is not None and one not in found:
            found.add(one)
            waiting.extend(before for before, _n in one.next_functions)
    return found
