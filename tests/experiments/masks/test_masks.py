"""The mask experiments against oracles that share no code with them: loops, float64, other passes, gradients."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

import viz_transformer as vt
from tests.helpers import changed_copy
from viz_transformer.experiments.masks.causality import dependence, edit_target, runner_up
from viz_transformer.experiments.masks.masked_softmax import (
    mask_after,
    mask_before,
    output_with_blank_row,
    over_the_queries,
)
from viz_transformer.experiments.masks.padding import (
    LISTED,
    BatchPass,
    PaddedBatch,
    make_batch,
    module_masks,
    padding_leak,
    record_batch,
)

TEXTS = ("3 1 4 1 5 9", "2 7 1", "7 7 7 0 7")
PAD, START, END = "<pad>", "<s>", "</s>"


@pytest.fixture(scope="module")
def translator() -> vt.Translator:
    return vt.load("copy", "cpu")


@pytest.fixture(scope="module")
def batch(translator: vt.Translator) -> PaddedBatch:
    return make_batch(translator, TEXTS)


@pytest.fixture(scope="module")
def recorded(translator: vt.Translator, batch: PaddedBatch) -> BatchPass:
    return record_batch(translator.model, batch.source_ids, batch.target_ids, label_ids=batch.label_ids)


def softmax64(row: list[float]) -> list[float]:
    """By hand, in double precision."""
    top = max(row)
    powers = [math.exp(value - top) for value in row]
    return [power / sum(powers) for power in powers]


def ids_of(batch: PaddedBatch, sentence: int) -> tuple[list[int], list[int]]:
    n_source, n_target = batch.source_lengths[sentence], batch.target_lengths[sentence]
    return batch.source_ids[sentence, :n_source].tolist(), batch.target_ids[sentence, :n_target].tolist()


# --- the batch and its masks ---------------------------------------------------------------------------------------


def test_a_batch_is_padded_on_the_right_and_its_labels_are_one_place_earlier(batch: PaddedBatch) -> None:
    assert batch.source_tokens[1] == ("2", "7", "1", END, PAD, PAD, PAD)
    assert batch.source_lengths == (7, 4, 6)
    for read, labels, length in zip(batch.target_tokens, batch.label_tokens, batch.target_lengths, strict=True):
        assert read[0] == START
        assert read[1:length] == labels[: length - 1]
        assert labels[length - 1] == END
        assert set(read[length:]) | set(labels[length:]) <= {PAD}
    assert ((batch.target_ids == batch.pad_id) == (batch.label_ids == batch.pad_id)).all()


def test_given_targets_are_read_in_place_of_the_models_own(translator: vt.Translator) -> None:
    batch = make_batch(translator, ["1 2"], ["3 4 5"])
    assert batch.target_tokens == ((START, "3", "4", "5"),)
    assert batch.label_tokens == (("3", "4", "5", END),)


def test_an_empty_sentence_is_refused(translator: vt.Translator) -> None:
    with pytest.raises(vt.TextError, match="empty"):
        make_batch(translator, ["1 2", " "])
    with pytest.raises(ValueError, match="at least one"):
        make_batch(translator, [])
    with pytest.raises(ValueError, match="2 sources, but 1 targets"):
        make_batch(translator, ["1", "2"], ["1"])


@pytest.mark.parametrize("sentence", range(3))
@pytest.mark.parametrize("module", vt.ATTENTION_MODULES)
def test_every_cell_of_every_mask(batch: PaddedBatch, recorded: BatchPass, module: str, sentence: int) -> None:
    masks = module_masks(batch, recorded, module, sentence)  # type: ignore[arg-type]
    assert (masks.causal is not None) == (module == "decoder_self")
    for i in range(len(masks.query_tokens)):
        for j, key in enumerate(masks.key_tokens):
            assert masks.padding[i, j] == (key != PAD)
            if masks.causal is not None:
                assert masks.causal[i, j] == (j <= i)
            assert masks.combined[i, j] == (key != PAD and (module != "decoder_self" or j <= i))
    assert masks.combined.any(axis=1).all()  # every query, padding too, keeps a key


@pytest.mark.parametrize("module", vt.ATTENTION_MODULES)
def test_the_recorded_weights_obey_the_recorded_mask_in_every_layer(
    translator: vt.Translator, batch: PaddedBatch, recorded: BatchPass, module: str
) -> None:
    layers = {"encoder_self": translator.model.config.n_encoder_layers}.get(
        module, translator.model.config.n_decoder_layers
    )
    for layer in range(layers):
        weights = recorded.stage(module, layer, "weights")  # type: ignore[arg-type]
        for sentence in range(3):
            combined = module_masks(batch, recorded, module, sentence).combined  # type: ignore[arg-type]
            assert ((weights[sentence] > 0) == combined).all()  # broadcast over the heads


def test_a_padded_sentence_has_the_outputs_of_the_sentence_alone(
    translator: vt.Translator, batch: PaddedBatch, recorded: BatchPass
) -> None:
    for sentence, text in enumerate(TEXTS):
        alone = translator.trace(text)
        length = batch.target_lengths[sentence]
        np.testing.assert_allclose(recorded.label_log_probs[sentence, :length], alone.token_log_probs, atol=1e-5)
        order = np.argsort(-alone.log_probs, axis=1)[:, :LISTED]
        np.testing.assert_array_equal(recorded.likeliest[sentence, :length], order)


def test_each_row_of_a_target_is_one_training_example(
    translator: vt.Translator, batch: PaddedBatch, recorded: BatchPass
) -> None:
    source, target = ids_of(batch, 0)
    for row in range(len(target)):
        logits = translator.model(torch.tensor([source]), torch.tensor([target[: row + 1]]))[0, -1]
        expected = torch.nn.functional.cross_entropy(logits, torch.tensor(batch.label_ids[0, row]))
        found = recorded.label_log_probs[0, row]
        assert -found == pytest.approx(float(expected), abs=1e-5)


# --- masks around the softmax ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def head(recorded: BatchPass) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scaled scores, mask and weights of one head of the decoder: sentence 1, layer 0, head 1."""
    scores = recorded.stage("decoder_self", 0, "scaled_scores")[1, 1]
    mask = np.broadcast_to(recorded.stage("decoder_self", 0, "mask")[1, 0], scores.shape)
    return scores, mask, recorded.stage("decoder_self", 0, "weights")[1, 1]


def test_minus_infinity_gives_the_recorded_weights(head: tuple[np.ndarray, ...]) -> None:
    scores, mask, weights = head
    result = mask_before(scores, mask)
    np.testing.assert_array_equal(result.weights, weights)
    np.testing.assert_allclose(result.row_sums, 1, atol=1e-6)
    assert (result.leak == 0).all()


@pytest.mark.parametrize("fill", [-math.inf, -1e10, -1e9, -5.0, -0.5])
def test_every_fill_value_against_a_softmax_in_double_precision(head: tuple[np.ndarray, ...], fill: float) -> None:
    scores, mask, _ = head
    result = mask_before(scores, mask, fill)
    for i, row in enumerate(scores.tolist()):
        expected = softmax64([score if may else fill for score, may in zip(row, mask[i], strict=True)])
        np.testing.assert_allclose(result.weights[i], expected, atol=1e-6)
        assert result.leak[i] == pytest.approx(
            sum(w for w, may in zip(expected, mask[i], strict=True) if not may), abs=1e-6
        )
        assert result.row_sums[i] == pytest.approx(1, abs=1e-6)
    if fill <= -1e9:
        np.testing.assert_array_equal(result.weights, mask_before(scores, mask).weights)
    else:
        assert result.leak.max() > 0


def test_the_weights_multiplied_after_the_softmax_do_not_add_up_to_one(head: tuple[np.ndarray, ...]) -> None:
    scores, mask, _ = head
    result = mask_after(scores, mask)
    for i, row in enumerate(scores.tolist()):
        full = softmax64(row)
        kept = [w if may else 0 for w, may in zip(full, mask[i], strict=True)]
        np.testing.assert_allclose(result.weights[i], kept, atol=1e-6)
        assert result.row_sums[i] == pytest.approx(sum(kept), abs=1e-6)
    assert result.row_sums.min() < 0.9
    assert (result.leak == 0).all()


def test_multiplying_afterwards_is_what_the_intervention_of_that_name_does(
    translator: vt.Translator, batch: PaddedBatch, head: tuple[np.ndarray, ...]
) -> None:
    change = vt.ChangeMask("after_softmax", frozenset({"decoder_self"}))
    changed = record_batch(translator.model, batch.source_ids, batch.target_ids, [change])
    scores, mask, _ = head  # of layer 0: nothing before it has changed
    np.testing.assert_allclose(mask_after(scores, mask).weights, changed.stage("decoder_self", 0, "weights")[1, 1])


def test_renormalised_it_is_minus_infinity_again(head: tuple[np.ndarray, ...]) -> None:
    scores, mask, weights = head
    np.testing.assert_allclose(mask_after(scores, mask, renormalise=True).weights, weights, atol=1e-6)


def test_a_row_that_is_masked_everywhere(head: tuple[np.ndarray, ...]) -> None:
    scores, mask, _ = head
    row, nothing = scores[2:3], np.zeros_like(mask[2:3])
    assert np.isnan(mask_before(row, nothing).weights).all()
    for fill in (-1e10, -1e9, -5.0):
        np.testing.assert_allclose(mask_before(row, nothing, fill).weights, 1 / row.shape[1], rtol=1e-6)
    np.testing.assert_array_equal(mask_after(row, nothing).weights, 0)
    assert np.isnan(mask_after(row, nothing, renormalise=True).weights).all()


def test_one_nan_row_of_the_encoder_spoils_every_output(translator: vt.Translator, batch: PaddedBatch) -> None:
    source, target = ids_of(batch, 0)
    assert np.isnan(output_with_blank_row(translator.model, source, target, 2)).all()
    falsely_uniform = output_with_blank_row(translator.model, source, target, 2, -1e9)
    usual = translator.model(torch.tensor([source]), torch.tensor([target]))[0].log_softmax(-1).numpy()
    assert np.isfinite(falsely_uniform).all()
    assert np.abs(falsely_uniform - usual).max() > 1e-3
    with pytest.raises(ValueError, match="tokens 0 to 6; token 7"):
        output_with_blank_row(translator.model, source, target, 7)


def test_wrong_arguments_get_a_sentence() -> None:
    with pytest.raises(ValueError, match="scores are"):
        mask_before(np.zeros((2, 3), np.float32), np.ones((3, 2), bool))
    with pytest.raises(ValueError, match="scores are"):
        mask_after(np.zeros((2, 3), np.float32), np.ones((3, 2), bool))
    with pytest.raises(ValueError, match="NaN"):
        mask_before(np.zeros((2, 3), np.float32), np.ones((2, 3), bool), math.nan)


# --- causality -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [1, 3, 6])
def test_an_edit_changes_no_earlier_output_with_the_mask_and_every_one_without(
    translator: vt.Translator, batch: PaddedBatch, place: int
) -> None:
    source, target = ids_of(batch, 0)
    replacement = translator.target_tokenizer.encode("8").ids[0]
    on = edit_target(translator.model, source, target, place, replacement, target)
    off = edit_target(translator.model, source, target, place, replacement, target, causal=False)
    assert (on.change[:place] == 0).all()  # to the last bit, not only 1e-6
    assert (on.change[place:] > 1e-4).all()
    assert (off.change[:place] > 1e-4).all()


def test_the_passes_of_an_edit_are_those_of_a_trace(translator: vt.Translator, batch: PaddedBatch) -> None:
    source, target = ids_of(batch, 0)
    replacement = translator.target_tokenizer.encode("8").ids[0]
    for causal in (True, False):
        changes = [] if causal else [vt.ChangeMask("off", frozenset({"decoder_self"}))]
        labels = np.arange(len(target)) + 5
        edit = edit_target(translator.model, source, target, 3, replacement, labels.tolist(), causal=causal)
        before = translator.trace(TEXTS[0], "3 1 4 1 5 9", interventions=changes).log_probs
        after = translator.trace(TEXTS[0], "3 1 8 1 5 9", interventions=changes).log_probs
        rows = np.arange(len(target))
        np.testing.assert_allclose(edit.before, before[rows, labels], atol=1e-5)
        np.testing.assert_allclose(edit.after, after[rows, labels], atol=1e-5)
        np.testing.assert_allclose(edit.change, np.abs(after - before).max(axis=1), atol=1e-5)


@pytest.mark.parametrize("causal", [True, False])
def test_dependence_is_where_the_gradient_is_not_zero(
    translator: vt.Translator, batch: PaddedBatch, causal: bool
) -> None:
    """A derivative with respect to each token's embedding says the same without any edit."""
    source, target = ids_of(batch, 0)
    n = len(target)
    found = np.stack([*dependence(translator.model, source, target, [8] * n, causal=causal)], axis=1)
    leaf: list[torch.Tensor] = []

    def hold(name: str, tensor: torch.Tensor) -> torch.Tensor | None:
        if name == "target_embedding.output":
            leaf.append(tensor.detach().requires_grad_())
            return leaf[0]
        if not causal and name.startswith("decoder_layers") and name.endswith("self_attention.mask"):
            return torch.ones_like(tensor)
        return None

    with vt.active_hooks(hold):
        log_probs = translator.model(torch.tensor([source]), torch.tensor([target]))[0].log_softmax(-1)
    for row in range(n):
        (gradient,) = torch.autograd.grad(log_probs[row].square().sum(), leaf[0], retain_graph=True)
        depends = (gradient[0].abs().amax(-1) > 0).numpy()
        replaced = np.arange(n) != 0
        same = np.array([token == 8 for token in target])  # an edit to the same token changes nothing
        np.testing.assert_array_equal((found[row] > 0)[replaced & ~same], depends[replaced & ~same])
    assert np.isnan(found[:, 0]).all()


def test_only_tokens_of_the_target_can_be_edited(translator: vt.Translator, batch: PaddedBatch) -> None:
    source, target = ids_of(batch, 1)
    for place in (0, len(target), -1):
        with pytest.raises(ValueError, match=f"Tokens 1 to 3 of the target can be edited; {place}"):
            edit_target(translator.model, source, target, place, 5, target)
    with pytest.raises(ValueError, match="4 target tokens, but 1 replacements"):
        next(dependence(translator.model, source, target, [5]))


def test_the_runner_up_is_an_ordinary_token_that_was_not_taken() -> None:
    likeliest = np.array([0, 1, 2, 3, 5, 4, 6])
    assert runner_up(likeliest, 4, range(4)) == 5
    assert runner_up(likeliest, 5, range(4)) == 4
    assert runner_up(likeliest[:4], 3, range(4)) == 3  # there is no other


def test_a_pass_keeps_nothing_of_the_size_of_the_vocabulary(recorded: BatchPass, batch: PaddedBatch) -> None:
    assert "logits" not in recorded.tensors
    assert recorded.likeliest.shape == (*batch.target_ids.shape, LISTED)
    assert recorded.label_log_probs.shape == batch.target_ids.shape


# --- padding ---------------------------------------------------------------------------------------------------------


def test_padding_leaks_into_the_encoder_only_without_its_mask(translator: vt.Translator, batch: PaddedBatch) -> None:
    leak = padding_leak(translator.model, batch, 1)
    config = translator.model.config
    assert leak.change_on.shape == leak.change_off.shape == (4,)
    assert leak.pad_weight_off.shape == (config.n_encoder_layers, config.n_heads, 4)
    assert leak.change_on.max() < 1e-5
    assert leak.change_off.min() > 1e-3
    assert (leak.pad_weight_on == 0).all()
    assert (leak.pad_weight_off > 0).all()
    np.testing.assert_allclose(leak.log_probs_on, leak.log_probs_alone, atol=1e-5)
    assert np.abs(leak.log_probs_off - leak.log_probs_alone).max() > 1e-4


def test_the_leak_against_passes_made_by_other_means(translator: vt.Translator, batch: PaddedBatch) -> None:
    leak = padding_leak(translator.model, batch, 1)
    alone = translator.trace(TEXTS[1])
    np.testing.assert_allclose(leak.log_probs_alone, alone.token_log_probs, atol=1e-5)
    # The whole batch, its mask replaced by hand: neighbours reach a sentence through its padding alone.
    seen: dict[str, torch.Tensor] = {}

    def unmask(name: str, tensor: torch.Tensor) -> torch.Tensor | None:
        seen[name] = tensor
        return torch.ones_like(tensor) if name.startswith("encoder") and name.endswith(".mask") else None

    with torch.inference_mode(), vt.active_hooks(unmask):
        translator.model(torch.tensor(batch.source_ids), torch.tensor(batch.target_ids))
    difference = seen["memory"][1, :4].numpy() - alone.tensors["memory"]
    np.testing.assert_allclose(leak.change_off, np.abs(difference).max(axis=1), atol=1e-5)
    kept = seen["encoder_layers.0.self_attention.weights"][1, :, :4, :4].sum(-1).numpy()
    np.testing.assert_allclose(leak.pad_weight_off[0], 1 - kept, atol=1e-5)


def test_zeros_as_the_embedding_of_padding_are_no_mask(translator: vt.Translator, batch: PaddedBatch) -> None:
    """Against a model whose row of `<pad>` is zero in the table of embeddings."""
    model, pad_id = changed_copy(translator.model), translator.model.config.pad_id
    with torch.no_grad():
        model.source_embedding.tokens.weight[pad_id] = 0
    zeros, own = padding_leak(translator.model, batch, 1, zeros=True), padding_leak(translator.model, batch, 1)
    other = padding_leak(model, batch, 1)
    np.testing.assert_array_equal(zeros.pad_weight_off, other.pad_weight_off)
    np.testing.assert_array_equal(zeros.change_off, other.change_off)  # its logits are others: the table is shared
    np.testing.assert_array_equal(zeros.log_probs_on, own.log_probs_on)
    assert np.abs(zeros.log_probs_off - own.log_probs_off).max() > 1e-4
    assert (zeros.pad_weight_off > 0).all() and zeros.change_off.min() > 1e-3


def test_a_sentence_without_padding_leaks_nothing(translator: vt.Translator, batch: PaddedBatch) -> None:
    leak = padding_leak(translator.model, batch, 0)
    assert leak.change_off.max() == 0
    assert (leak.pad_weight_off == 0).all()


def test_recorded_arrays_are_read_only(recorded: BatchPass) -> None:
    with pytest.raises(ValueError, match="read-only"):
        recorded.stage("cross", 0, "weights")[0, 0, 0, 0] = 1


def test_over_the_queries_columns_add_up_to_1_and_a_key_that_nobody_may_see_has_no_weight() -> None:
    scores = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)
    mask = np.array([[True, False, False], [True, True, False], [True, True, False], [False, True, False]])
    found = over_the_queries(scores, mask)
    np.testing.assert_allclose(found.weights.sum(axis=0), [1, 1, 0], rtol=1e-6)
    for query, key in ((0, 0), (3, 1)):
        kept = scores[mask[:, key], key].astype(np.float64)
        share = np.exp(float(scores[query, key])) / np.exp(kept).sum()
        assert found.weights[query, key] == pytest.approx(share, rel=1e-5)
    assert (found.leak == 0).all()
