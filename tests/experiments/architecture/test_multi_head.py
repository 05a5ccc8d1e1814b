from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from tests.helpers import assert_near, softmax
from viz_transformer import Translator
from viz_transformer.experiments.architecture.multi_head import (
    attention_module,
    by_one_projection,
    by_slicing,
    by_small_projections,
    counted_cost,
    equal_cost,
    recorded_inputs,
    slice_strengths,
)
from viz_transformer.heads import ATTENTION_MODULES, AttentionModule


@pytest.mark.parametrize("module", ATTENTION_MODULES)
def test_two_ways_are_what_the_pass_recorded_and_slicing_is_not(
    translator: Translator, module: AttentionModule
) -> None:
    trace = translator.trace("3 1 4 1 5", target="1 5 9")
    record = trace.attention(module, 1)
    attention, inputs = attention_module(translator.model, module, 1), recorded_inputs(trace, module, 1)
    for way in (by_small_projections, by_one_projection):
        result = way(attention, inputs)
        assert_near(result.weights, record.weights, 1e-6)
        assert_near(result.concatenated, record.context.transpose(1, 0, 2).reshape(len(record.query_tokens), -1), 1e-6)
    sliced = by_slicing(attention, inputs)
    assert np.abs(sliced.concatenated - by_one_projection(attention, inputs).concatenated).max() > 0.01


def test_a_sliced_head_sees_its_own_slice_only(translator: Translator) -> None:
    trace = translator.trace("3 1 4 1 5")
    attention, inputs = attention_module(translator.model, "encoder_self", 0), recorded_inputs(trace, "encoder_self", 0)
    width = attention.d_k
    for way, is_local in ((by_slicing, True), (by_small_projections, False)):
        before = way(attention, inputs).concatenated
        moved = inputs.queries.clone()
        moved[:, :width] += 1.0  # the slice of head 1
        after = way(attention, type(inputs)(moved, moved, inputs.mask)).concatenated
        others = np.abs(after - before)[:, width:].max()
        assert bool(others == 0) is is_local


def test_slicing_is_attention_on_each_slice_alone(translator: Translator) -> None:
    trace = translator.trace("3 1 4")
    attention, inputs = attention_module(translator.model, "encoder_self", 0), recorded_inputs(trace, "encoder_self", 0)
    result, width = by_slicing(attention, inputs), attention.d_k
    x = inputs.queries.numpy()
    for head in range(attention.n_heads):
        own = slice(head * width, (head + 1) * width)
        q, k, v = (
            x[:, own] @ w.weight.detach().numpy()[own, own].T + w.bias.detach().numpy()[own]
            for w in (attention.w_q, attention.w_k, attention.w_v)
        )
        weights = softmax(q @ k.T / np.sqrt(width))
        assert_near(result.weights[head], weights, 1e-5)
        assert_near(result.concatenated[:, own], weights @ v, 1e-5)


def test_one_head_of_the_full_width_is_torchs_single_head(translator: Translator) -> None:
    trace = translator.trace("3 1 4 1 5")
    attention, inputs = attention_module(translator.model, "encoder_self", 0), recorded_inputs(trace, "encoder_self", 0)
    d = inputs.queries.shape[1]
    oracle = nn.MultiheadAttention(d, 1, batch_first=True).eval().requires_grad_(False)
    oracle.in_proj_weight.data = torch.cat([w.weight for w in (attention.w_q, attention.w_k, attention.w_v)])
    oracle.in_proj_bias.data = torch.cat([w.bias for w in (attention.w_q, attention.w_k, attention.w_v)])
    _, weights = oracle(inputs.queries[None], inputs.keys[None], inputs.keys[None])
    assert_near(by_one_projection(attention, inputs, n_heads=1).weights, weights, 1e-6)


def test_strengths_are_shares_of_the_squared_entries(translator: Translator) -> None:
    attention = attention_module(translator.model, "cross", 0)
    weight, width = attention.w_q.weight.detach().numpy(), attention.d_k
    strengths = slice_strengths(attention)
    assert_near(strengths.sum(axis=1), np.ones(attention.n_heads), 1e-6)
    row = np.square(weight[width : 2 * width])
    assert strengths[1, 2] == pytest.approx(row[:, 2 * width : 3 * width].sum() / row.sum(), rel=1e-5)


@pytest.mark.parametrize("length", [1, 7])
def test_heads_cost_nothing(length: int) -> None:
    costs = [equal_cost(12, n_heads, length) for n_heads in (1, 2, 3, 4, 6, 12)]
    assert len({(cost.parameters, cost.flops) for cost in costs}) == 1
    assert costs[0].flops == 4 * 12 * length * (24 + length)
    assert {counted_cost(12, cost.n_heads, length) for cost in costs} == {costs[0].flops}
    module = nn.MultiheadAttention(12, 3)
    assert costs[0].parameters == sum(parameter.numel() for parameter in module.parameters())
    assert [cost.distributions for cost in costs] == [length * n for n in (1, 2, 3, 4, 6, 12)]
    assert all(cost.n_heads * cost.d_k == 12 for cost in costs)
