"""Attention against two oracles: equation 1 of the paper in numpy, and `nn.MultiheadAttention`."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from tests.helpers import (
    ALL_ATTENTION,
    assert_near,
    assert_same_bits,
    attention_of,
    random_ids,
    random_model,
    softmax,
    tiny_config,
)
from viz_transformer import Transformer, active_hooks, record
from viz_transformer.attention import KeyValues, MultiHeadAttention
from viz_transformer.heads import AttentionModule, hook_path
from viz_transformer.masks import causal_mask
from viz_transformer.training.corpus import pad

SOURCE = pad([random_ids(0, 7), random_ids(1, 4), random_ids(2, 6)])
TARGET = pad([[1, 5, 6], [1, 9, 8, 7, 6], [1, 4]])
STAGES = ("q", "k", "v", "mask", "scores", "scaled_scores", "masked_scores", "weights", "context", "output")
STAGES += ("query_input", "key_input", "concatenated")


def recorded_stages(model: Transformer, module: AttentionModule, layer: int) -> dict[str, np.ndarray]:
    _, recorded = record(model, SOURCE, TARGET)
    return {stage: recorded[f"{hook_path(module, layer)}.{stage}"].numpy() for stage in STAGES}


def inputs_of(model: Transformer, module: AttentionModule, layer: int) -> tuple[Tensor, Tensor]:
    """The inputs of queries and of keys, (B, T, d_model) and (B, S, d_model), caught by a forward pre-hook."""
    caught: list[Tensor] = []
    attention = attention_of(model, module, layer)
    handle = attention.register_forward_pre_hook(lambda _, arguments: caught.append(arguments[0]))
    try:
        _, recorded = record(model, SOURCE, TARGET)
    finally:
        handle.remove()
    (x,) = caught
    return x, recorded["memory"] if module == "cross" else x


@pytest.mark.parametrize(("module", "layer"), ALL_ATTENTION)
@pytest.mark.parametrize("norm_first", [False, True])
def test_every_heads_weights_are_those_of_multihead_attention(
    module: AttentionModule, layer: int, norm_first: bool
) -> None:
    model = random_model(3, norm_first=norm_first)
    ours = attention_of(model, module, layer)
    oracle = nn.MultiheadAttention(16, 4, batch_first=True)
    with torch.no_grad():
        oracle.in_proj_weight.copy_(torch.cat([ours.w_q.weight, ours.w_k.weight, ours.w_v.weight]))
        oracle.in_proj_bias.copy_(torch.cat([ours.w_q.bias, ours.w_k.bias, ours.w_v.bias]))
        oracle.out_proj.weight.copy_(ours.w_o.weight)
        oracle.out_proj.bias.copy_(ours.w_o.bias)

    x, keys = inputs_of(model, module, layer)
    padded = (TARGET if module == "decoder_self" else SOURCE) == 0  # their masks: True = masked
    future = ~causal_mask(TARGET.shape[1]) if module == "decoder_self" else None
    with torch.no_grad():
        output, weights = oracle(
            x, keys, keys, key_padding_mask=padded, attn_mask=future, need_weights=True, average_attn_weights=False
        )

    stages = recorded_stages(model, module, layer)
    assert stages["weights"].shape == weights.shape
    assert_near(stages["weights"], weights, 1e-6)
    real = (SOURCE if module == "encoder_self" else TARGET) != 0
    assert_near(stages["output"][real.numpy()], output[real], 1e-5)


@pytest.mark.parametrize(("module", "layer"), ALL_ATTENTION)
def test_every_stage_follows_from_the_one_before(model: Transformer, module: AttentionModule, layer: int) -> None:
    stage = recorded_stages(model, module, layer)
    attention = attention_of(model, module, layer)
    scores = np.einsum("bhtd,bhsd->bhts", stage["q"], stage["k"])
    assert_near(stage["scores"], scores, 1e-5)
    assert_near(stage["scaled_scores"], stage["scores"] / math.sqrt(attention.d_k), 1e-6)
    mask = np.broadcast_to(stage["mask"], scores.shape)
    assert_same_bits(stage["masked_scores"], np.where(mask, stage["scaled_scores"], np.float32(-np.inf)))
    assert_near(stage["weights"], softmax(stage["masked_scores"]), 1e-6)
    assert_near(stage["context"], stage["weights"] @ stage["v"], 1e-6)
    batch, heads, length, width = stage["context"].shape
    concatenated = stage["context"].transpose(0, 2, 1, 3).reshape(batch, length, heads * width)
    assert_same_bits(stage["concatenated"], concatenated)
    assert_near(stage["output"], concatenated @ attention.w_o.weight.numpy().T + attention.w_o.bias.numpy(), 1e-5)


@pytest.mark.parametrize(("module", "layer"), ALL_ATTENTION)
def test_heads_are_neighbouring_columns_of_the_projections(
    model: Transformer, module: AttentionModule, layer: int
) -> None:
    attention = attention_of(model, module, layer)
    x, keys = inputs_of(model, module, layer)
    stage = recorded_stages(model, module, layer)
    assert_same_bits(stage["query_input"], x)
    assert_same_bits(stage["key_input"], keys)
    for name, linear, inputs in (
        ("q", attention.w_q, x),
        ("k", attention.w_k, keys),
        ("v", attention.w_v, keys),  # cross attention: Q from the decoder, K and V from the encoder
    ):
        for head in range(4):
            columns = slice(head * 4, (head + 1) * 4)
            expected = inputs @ linear.weight[columns].T + linear.bias[columns]
            assert_near(stage[name][:, head], expected, 1e-6)


def test_the_fused_path_equals_the_staged_one_in_the_module_itself() -> None:
    torch.manual_seed(0)
    attention = MultiHeadAttention(tiny_config()).eval().requires_grad_(False)
    x, memory = torch.randn(2, 3, 16), torch.randn(2, 5, 16)
    mask = torch.tensor([[True, False, True, True, False], [True, True, True, True, True]])[:, None, None, :]
    key_values = attention.project_keys_values(memory)
    fused = attention(x, key_values, mask)
    with active_hooks(lambda name, tensor: None):
        assert_near(attention(x, key_values, mask), fused, 1e-5)


def test_nothing_is_dropped_outside_training() -> None:
    torch.manual_seed(0)
    attention = MultiHeadAttention(tiny_config(attention_dropout=0.5)).requires_grad_(False).eval()
    x, memory = torch.randn(2, 3, 16), torch.randn(2, 5, 16)
    mask, key_values = torch.ones(1, 1, 1, 5, dtype=torch.bool), attention.project_keys_values(memory)
    # The context by equation 1, which knows no dropout.
    q = (x @ attention.w_q.weight.T + attention.w_q.bias).view(2, 3, 4, 4).transpose(1, 2)  # (B, H, T, D)
    weights = softmax((q @ key_values.keys.transpose(2, 3) / 2).numpy())  # √d_k = 2
    context = (torch.from_numpy(weights).float() @ key_values.values).transpose(1, 2).reshape(2, 3, 16)
    expected = context @ attention.w_o.weight.T + attention.w_o.bias
    assert_near(attention(x, key_values, mask), expected, 1e-5)
    with active_hooks(lambda name, tensor: None):
        assert_near(attention(x, key_values, mask), expected, 1e-5)


def test_attention_dropout_acts_in_training_in_both_paths() -> None:
    torch.manual_seed(0)
    attention = MultiHeadAttention(tiny_config(attention_dropout=0.5)).requires_grad_(False).train()
    # One key with the value 1 everywhere: each context is its weight after dropout, 0 or 1 / (1 - p) = 2.
    ones = torch.ones(200, 4, 1, 4)
    attention.w_o.weight.copy_(torch.eye(16))
    attention.w_o.bias.zero_()
    x, mask = torch.randn(200, 1, 16), torch.ones(1, 1, 1, 1, dtype=torch.bool)
    fused = attention(x, KeyValues(ones, ones), mask)
    with active_hooks(lambda name, tensor: None):
        staged = attention(x, KeyValues(ones, ones), mask)
    for result in (fused, staged):
        assert set(result.unique().tolist()) == {0.0, 2.0}
        assert 0.4 < (result == 0).float().mean() < 0.6
