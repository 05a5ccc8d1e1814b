"""The two passes over one output, and the cost of the cache against what torch counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from tests.helpers import assert_near, assert_sentence, one, random_ids, random_model, random_translator
from viz_transformer import AblateHeads, ChangeMask, HeadRef
from viz_transformer.experiments.decoding.step_by_step import (
    cache_size,
    cached_step_cost,
    differences,
    step_by_step,
    uncached_step_cost,
)
from viz_transformer.hooks import active_hooks


@pytest.mark.parametrize("changes", [(), (AblateHeads([HeadRef("decoder_self", 1, 2)]),)])
def test_both_passes_give_the_same_rows(changes: Any) -> None:
    translator = random_translator(1)
    trace = translator.trace("1 2 3 4", "4 3 2 1", interventions=changes)
    generated = step_by_step(translator.model, trace.source_ids, trace.target_ids, changes)
    assert_near(generated.log_probs, trace.log_probs, 1e-5)
    for (module, layer), weights in generated.weights.items():
        assert_near(weights, trace.attention(module, layer).weights, 1e-5)
    assert len(generated.weights) == 4
    assert generated.encoder_passes == 1
    found = differences(trace, generated)
    assert set(found) == {"log_probs", "cross", "decoder_self"}
    gap = np.abs(trace.log_probs - generated.log_probs)
    assert found["log_probs"].largest == gap.max()
    assert gap[found["log_probs"].step].max() == gap.max()


def test_without_the_causal_mask_the_passes_differ_and_where_is_said() -> None:
    translator = random_translator(1)
    change = [ChangeMask("off", frozenset({"decoder_self"}))]
    trace = translator.trace("1 2 3 4", "4 3 2 1", interventions=change)
    found = differences(trace, step_by_step(translator.model, trace.source_ids, trace.target_ids, change))
    assert found["decoder_self"].largest > 0.01
    assert found["decoder_self"].step == 0 or found["decoder_self"].step < len(trace.target_ids) - 1


def test_without_attention_the_two_passes_agree_on_what_there_is() -> None:
    translator = random_translator(1, sublayers="feed_forward")
    trace = translator.trace("1 2 3 4", "4 3 2 1")
    found = differences(trace, step_by_step(translator.model, trace.source_ids, trace.target_ids))
    assert set(found) == {"log_probs"} and found["log_probs"].largest < 1e-5


def test_passes_over_other_outputs_are_not_compared() -> None:
    translator = random_translator(1)
    trace = translator.trace("1 2 3 4", "4 3 2 1")
    with pytest.raises(ValueError) as error:
        differences(trace, step_by_step(translator.model, trace.source_ids, trace.target_ids[:-1]))
    assert_sentence(error.value)


def counted(run: Any) -> int:
    """Multiply-adds of the matrix products that torch ran; every stage by itself, so that none is hidden."""
    with torch.inference_mode(), active_hooks(lambda name, tensor: None), FlopCounterMode(display=False) as counter:
        run()
    return counter.get_total_flops() // 2


@pytest.mark.parametrize("sublayers", ["both", "attention", "feed_forward"])
def test_the_costs_are_what_torch_counts(sublayers: str) -> None:
    model = random_model(0, n_decoder_layers=3, d_ff=40, sublayers=sublayers)
    source = one(random_ids(0, 6))
    target = [1, 5, 6, 7, 8]
    memory, cache = model.encode(source), model.new_cache()
    for step, token_id in enumerate(target):
        cached = counted(lambda token_id=token_id: model.decode(one([token_id]), memory, source, cache))
        uncached = counted(lambda step=step: model.decode(one(target[: step + 1]), memory, source))
        assert cached == cached_step_cost(model.config, 6, step)
        assert uncached == uncached_step_cost(model.config, 6, step)
        kept = [kv for layer in cache.layers for kv in (layer.own, layer.memory) if kv is not None]
        assert cache_size(model.config, 6, step) == sum(kv.keys.numel() + kv.values.numel() for kv in kept)
