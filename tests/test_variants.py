"""Models without a part: what the config leaves out is really left out."""

from __future__ import annotations

import math

import pytest
import torch

from tests.helpers import assert_near, assert_sentence, one, random_ids, random_model, random_translator
from viz_transformer import ATTENTION_MODULES, AblateHeads, HeadRef, ScaleScores, Transformer, record
from viz_transformer.analysis.measures import measure_heads
from viz_transformer.decoding.search import greedy_batch
from viz_transformer.experiments.heads.contributions import rollout
from viz_transformer.experiments.heads.knock_out import all_heads, impact_of_heads
from viz_transformer.layers import FeedForward
from viz_transformer.seeds import seeded

SOURCE, TARGET = one(random_ids(1, 7)), one([1, *random_ids(2, 5)[:-1]])


def with_later_token_changed(target: torch.Tensor) -> torch.Tensor:
    changed = target.clone()
    changed[0, -1] = 4 if int(target[0, -1]) != 4 else 5
    return changed


@pytest.mark.parametrize("seed", [0, 1])
def test_without_scaling_the_scores_are_not_divided(seed: int) -> None:
    model = random_model(seed, scale_scores=False)
    logits, recorded = record(model, SOURCE, TARGET)
    for name, scores in recorded.items():
        if name.endswith(".scores"):
            assert_near(recorded[name.replace(".scores", ".scaled_scores")], scores, 0)
    assert_near(logits, model(SOURCE, TARGET), 1e-5)  # the fused path does the same
    scaled = random_model(seed)
    # The same weights, scaled, with scaling switched off from outside, is the same function.
    assert_near(record(scaled, SOURCE, TARGET, [ScaleScores("none")])[0], logits, 1e-5)
    assert_near(record(model, SOURCE, TARGET, [ScaleScores("sqrt_d_k")])[0], scaled(SOURCE, TARGET), 1e-5)


def test_without_the_causal_mask_a_row_reads_what_comes_next_and_writing_cannot() -> None:
    model, usual = random_model(causal=False), random_model()
    changed = with_later_token_changed(TARGET)
    assert_near(usual(SOURCE, changed)[:, :-1], usual(SOURCE, TARGET)[:, :-1], 1e-6)
    assert (model(SOURCE, changed)[:, 0] - model(SOURCE, TARGET)[:, 0]).abs().max() > 1e-3
    assert greedy_batch(model, SOURCE) == greedy_batch(usual, SOURCE)


@pytest.mark.parametrize("changes", [{"scale_scores": False}, {"causal": False}, {"scale_scores": False, "n_heads": 2}])
def test_the_standard_form_writes_the_same(changes: dict) -> None:
    model = random_model(3, peaked=3.0, **changes)
    standard = model.standard_form()
    assert standard.config.scale_scores and standard.config.causal
    assert model.config != standard.config  # the first is left as it was
    memory = model.encode(SOURCE)
    assert_near(standard.encode(SOURCE), memory, 1e-5)
    cached = [part.decode(TARGET, memory, SOURCE, part.new_cache()) for part in (model, standard)]
    assert_near(cached[1], cached[0], 1e-5)
    assert_near(standard(SOURCE, TARGET), cached[0], 1e-5)
    assert greedy_batch(standard, SOURCE) == greedy_batch(model, SOURCE)
    if "scale_scores" in changes:
        ratio = standard.encoder_layers[0].self_attention.w_q.weight / model.encoder_layers[0].self_attention.w_q.weight
        assert_near(ratio, torch.full_like(ratio, math.sqrt(model.config.d_k)), 1e-5)


def test_a_usual_model_is_its_own_standard_form() -> None:
    model = random_model()
    assert model.standard_form() is model


def test_attention_only_has_no_feed_forward_layer() -> None:
    model = random_model(sublayers="attention")
    assert not any(isinstance(module, FeedForward) for module in model.modules())
    assert_near(record(model, SOURCE, TARGET)[0], model(SOURCE, TARGET), 1e-5)
    heads = [HeadRef("cross", layer, head) for layer in range(2) for head in range(4)]
    assert (record(model, SOURCE, TARGET, [AblateHeads(heads)])[0] - model(SOURCE, TARGET)).abs().max() > 1e-3


def test_feed_forward_only_sees_no_other_token() -> None:
    model = random_model(sublayers="feed_forward")
    assert not any("attention" in name for name, _ in model.named_parameters())
    other_source = one(random_ids(9, 4))
    assert_near(model(other_source, TARGET), model(SOURCE, TARGET), 0)
    first_changed = TARGET.clone()
    first_changed[0, 1] = 4 if int(TARGET[0, 1]) != 4 else 5
    assert_near(model(SOURCE, first_changed)[:, 2:], model(SOURCE, TARGET)[:, 2:], 1e-6)
    assert all(len(output) <= model.config.max_len for output in greedy_batch(model, SOURCE))


def test_of_a_model_without_attention_there_are_no_heads_to_look_at() -> None:
    translator = random_translator(sublayers="feed_forward")
    trace = translator.trace("3 1 4", "1 5")
    assert all_heads(trace.config) == []
    assert measure_heads(trace) == {}
    assert list(impact_of_heads(translator.model, trace)) == []
    usual = random_translator().trace("3 1 4", "1 5").to_frame()
    assert trace.to_frame().dtypes.equals(usual.dtypes) and trace.to_frame().empty


def test_what_needs_attention_says_that_a_model_has_none() -> None:
    translator = random_translator(sublayers="feed_forward")
    trace = translator.trace("3 1 4", "1 5")
    for module in ATTENTION_MODULES:
        head = HeadRef(module, 0, 0)
        for ask in (
            lambda module=module: trace.attention(module, 0),
            lambda: rollout(trace),
            lambda head=head: next(impact_of_heads(translator.model, trace, [head])),
            lambda head=head: translator.trace("3 1 4", interventions=[AblateHeads([head])]),
        ):
            with pytest.raises(ValueError) as caught:
                ask()
            assert_sentence(caught.value, "no attention")


def test_the_parts_that_are_left_draw_the_weights_that_they_always_drew() -> None:
    # Shipped models name a seed: a new field of the config must not change what it draws.
    with seeded(5):
        weights = Transformer(random_model().config).state_dict()
    order = [name.split(".", 2)[2].split(".")[0] for name in weights if name.startswith("encoder_layers.0.")]
    assert list(dict.fromkeys(order)) == ["self_attention", "feed_forward", "add_self_attention", "add_feed_forward"]
