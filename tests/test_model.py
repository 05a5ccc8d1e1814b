"""The model against `torch.nn.Transformer`, its fused path against its recorded one, its cache against none."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from tests.helpers import assert_near, assert_same_bits, one, random_ids, random_model, tiny_config
from viz_transformer import Transformer, TransformerConfig, record
from viz_transformer.attention import MultiHeadAttention
from viz_transformer.layers import DecoderLayer, EncoderLayer, Residual
from viz_transformer.training.corpus import pad

SOURCE = pad([random_ids(0, 7), random_ids(1, 4), random_ids(2, 6), [2]])
TARGET = pad([[1, 5, 6], [1, 9, 8, 7, 6, 5], [1, 4], [1]])


def copy_attention(oracle: nn.MultiheadAttention, ours: MultiHeadAttention) -> None:
    oracle.in_proj_weight.copy_(torch.cat([ours.w_q.weight, ours.w_k.weight, ours.w_v.weight]))
    oracle.in_proj_bias.copy_(torch.cat([ours.w_q.bias, ours.w_k.bias, ours.w_v.bias]))
    oracle.out_proj.load_state_dict(ours.w_o.state_dict())


def copy_layer(oracle: Any, ours: EncoderLayer | DecoderLayer) -> None:
    residuals: list[Residual] = [ours.add_self_attention, ours.add_feed_forward]
    copy_attention(oracle.self_attn, ours.self_attention)
    if isinstance(ours, DecoderLayer):
        copy_attention(oracle.multihead_attn, ours.cross_attention)
        residuals.insert(1, ours.add_cross_attention)
    for i, residual in enumerate(residuals, start=1):
        getattr(oracle, f"norm{i}").load_state_dict(residual.norm.state_dict())
    oracle.linear1.load_state_dict(ours.feed_forward.w_1.state_dict())
    oracle.linear2.load_state_dict(ours.feed_forward.w_2.state_dict())


@torch.no_grad()
def torch_transformer(model: Transformer) -> nn.Transformer:
    """`nn.Transformer` with the weights of ours. Its stacks end in a norm always, ours in pre-norm only."""
    config = model.config
    oracle = nn.Transformer(
        config.d_model,
        config.n_heads,
        config.n_encoder_layers,
        config.n_decoder_layers,
        config.d_ff,
        activation=config.activation,
        batch_first=True,
        norm_first=config.norm_first,
    )
    for layers, ours in ((oracle.encoder.layers, model.encoder_layers), (oracle.decoder.layers, model.decoder_layers)):
        for theirs, layer in zip(layers, ours, strict=True):
            copy_layer(theirs, layer)
    if config.norm_first:
        oracle.encoder.norm.load_state_dict(model.encoder_norm.state_dict())
        oracle.decoder.norm.load_state_dict(model.decoder_norm.state_dict())
    else:
        oracle.encoder.norm = oracle.decoder.norm = None
    return oracle.eval()


# nn.Transformer asks for nested tensors whatever its layers are, and then warns that it cannot have them.
@pytest.mark.filterwarnings("ignore:enable_nested_tensor is True, but:UserWarning")
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors is in prototype:UserWarning")
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("gradients", [False, True], ids=["fast-path", "plain-path"])  # of nn.Transformer
def test_outputs_equal_torch_nn_transformer(activation: str, norm_first: bool, gradients: bool) -> None:
    model = random_model(5, activation=activation, norm_first=norm_first, weight_tying="none")
    model.output_projection = nn.Identity()  # type: ignore[assignment]  so that "logits" are the decoder's output
    oracle = torch_transformer(model)
    with torch.set_grad_enabled(gradients):
        expected = oracle(
            model.source_embedding(SOURCE),
            model.target_embedding(TARGET),
            tgt_mask=nn.Transformer.generate_square_subsequent_mask(TARGET.shape[1], dtype=torch.bool),
            src_key_padding_mask=SOURCE == 0,  # their masks: True = masked
            tgt_key_padding_mask=TARGET == 0,
            memory_key_padding_mask=SOURCE == 0,
        ).detach()
    real = TARGET != 0
    assert_near(model(SOURCE, TARGET)[real], expected[real], 1e-5)


def configs_of(widths: list[int]) -> st.SearchStrategy[TransformerConfig]:
    return st.builds(
        lambda heads, width, **values: tiny_config(n_heads=heads, d_model=heads * width, **values),
        heads=st.sampled_from([1, 2, 3]),
        width=st.sampled_from(widths),  # of a head; even, for the sinusoids
        n_encoder_layers=st.integers(1, 3),
        n_decoder_layers=st.integers(1, 3),
        d_ff=st.integers(1, 20),
        norm_first=st.booleans(),
        positions=st.sampled_from(["sinusoidal", "learned", "none"]),
        weight_tying=st.sampled_from(["none", "target", "all"]),
        scale_embeddings=st.booleans(),
        activation=st.sampled_from(["relu", "gelu"]),
    )


configs = configs_of([8, 12])
seeds = st.integers(0, 2**32 - 1)


@given(config=configs, seed=seeds)
def test_recording_changes_no_logit(config: TransformerConfig, seed: int) -> None:
    model = random_model(seed, **config.to_dict())
    plain = model(SOURCE, TARGET)
    logits, recorded = record(model, SOURCE, TARGET)
    assert_near(logits, plain, 1e-5)
    assert_same_bits(recorded["logits"], logits)
    again_logits, again = record(model, SOURCE, TARGET)
    assert_same_bits(again_logits, logits)
    assert recorded.keys() == again.keys()
    for name, tensor in recorded.items():
        assert_same_bits(again[name], tensor)


@given(config=configs_of([2, 4]), seed=seeds)
def test_the_two_paths_are_one_formula_at_any_width(config: TransformerConfig, seed: int) -> None:
    # A norm over two or four numbers magnifies float32's rounding beyond 1e-5: compare the formula, in float64.
    model = random_model(seed, **config.to_dict()).double()
    assert_near(record(model, SOURCE, TARGET)[0], model(SOURCE, TARGET), 1e-9)


@given(config=configs, seed=seeds, chunks=st.lists(st.integers(1, 3), min_size=1, max_size=4))
def test_a_cached_decode_equals_an_uncached_one(config: TransformerConfig, seed: int, chunks: list[int]) -> None:
    model = random_model(seed, **config.to_dict())
    target = one([1, *random_ids(seed, sum(chunks))][:-1])
    source = one(random_ids(seed + 1, 6))
    memory, cache = model.encode(source), model.new_cache()
    ends = list(itertools.accumulate(chunks))
    pieces = [
        model.decode(target[:, end - length : end], memory, source, cache)
        for end, length in zip(ends, chunks, strict=True)
    ]
    assert_near(torch.cat(pieces, dim=1).log_softmax(-1), model(source, target).log_softmax(-1), 1e-5)


@given(config=configs, seed=seeds, data=st.data())
def test_a_reordered_beam_in_the_cache_equals_no_cache(
    config: TransformerConfig, seed: int, data: st.DataObject
) -> None:
    model = random_model(seed, **config.to_dict())
    source = one(random_ids(seed, 6))
    memory, cache = model.encode(source), model.new_cache()
    rows = [[1]]  # the hypotheses; they grow, shrink, double and swap
    model.decode(torch.tensor(rows), memory, source, cache)
    for _ in range(4):
        parents = data.draw(st.lists(st.integers(0, len(rows) - 1), min_size=1, max_size=4))
        new = [[data.draw(st.integers(0, 13))] for _ in parents]  # padding too: it is masked in its own row only
        rows = [rows[parent] + last for parent, last in zip(parents, new, strict=True)]
        cache.reorder(torch.tensor(parents))
        assert cache.n_rows == len(rows)
        logits = model.decode(torch.tensor(new), memory, source, cache)
        fresh = model(source.expand(len(rows), -1), torch.tensor(rows))
        assert_near(logits[:, -1].log_softmax(-1), fresh[:, -1].log_softmax(-1), 1e-5)
        assert_same_bits(logits[:, -1].argmax(-1), fresh[:, -1].argmax(-1))


def test_an_empty_cache_can_be_reordered(model: Transformer) -> None:
    cache = model.new_cache()
    cache.reorder(torch.tensor([0]))
    assert cache.n_rows == 1


def test_one_source_serves_a_batch_of_hypotheses(model: Transformer) -> None:
    source, targets = one(random_ids(0, 6)), pad([[1, 5, 6], [1, 7, 8]])
    shared = model.decode(targets, model.encode(source), source)
    assert_near(shared, model(source.expand(2, -1), targets), 1e-6)


@pytest.mark.parametrize(
    ("tying", "shared"), [("all", (True, True)), ("target", (True, False)), ("none", (False,) * 2)]
)
def test_tied_matrices_are_one_parameter(tying: str, shared: tuple[bool, bool]) -> None:
    model = Transformer(tiny_config(weight_tying=tying))
    target = model.target_embedding.tokens.weight
    assert (model.output_projection.weight is target, model.source_embedding.tokens.weight is target) == shared


def test_embeddings_times_their_scale_start_with_variance_one() -> None:
    model = Transformer(tiny_config(source_vocab_size=2000, target_vocab_size=2000, d_model=64))
    scaled = model.source_embedding.tokens.weight.detach() * model.source_embedding.scale
    assert abs(scaled.std().item() - 1) < 0.02


def test_the_padding_id_may_be_any_id() -> None:
    source, target = random_ids(0, 5), [1, 7, 8]
    model = random_model(pad_id=13)
    alone = model(one([i for i in source if i != 13]), one(target))
    padded = model(one([*(i for i in source if i != 13), 13, 13]), one([*target, 13]))
    assert_near(padded[:, :3], alone, 1e-5)


def test_gradients_reach_every_parameter() -> None:
    model = random_model(weight_tying="none").requires_grad_(True)
    model(SOURCE, TARGET).square().sum().backward()
    # The key's bias adds the same to a whole row of scores, which the softmax takes out again: its gradient is 0.
    silent = {name for name, p in model.named_parameters() if p.grad is None or not p.grad.abs().max() > 1e-6}
    assert all(name.endswith("w_k.bias") for name in silent), silent


def test_the_paths_agree_on_a_longer_text() -> None:
    model = random_model(9, max_len=130, d_model=32)
    source, target = one(random_ids(3, 120)), one([1, *random_ids(4, 100)])
    logits, _ = record(model, source, target)
    assert_near(logits, model(source, target), 1e-5)
    assert np.isfinite(logits.numpy()).all()
