"""The logit lens against the forward pass itself, cut off after a layer."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as some
from torch import nn

from tests.helpers import assert_near, assert_sentence, one, random_ids, random_model
from viz_transformer import AblateHeads, HeadRef, Transformer, logit_lens
from viz_transformer.analysis import logit_lens as module
from viz_transformer.interventions import Intervention
from viz_transformer.trace import Trace, trace

VARIANTS: tuple[dict, ...] = (
    {},
    {"norm_first": True},
    {"final_norms": True},
    {"norm_first": True, "final_norms": False, "weight_tying": "none"},
    {"output_bias": True, "embedding_norm": True},
    {"n_decoder_heads": 2, "decoder_d_ff": 8, "norm_first": True, "output_bias": True},
    {"n_encoder_layers": 1, "n_decoder_layers": 1},
    {"n_decoder_layers": 3, "sublayers": "attention"},
    {"sublayers": "feed_forward", "norm_first": True},
    {"residuals": False},
    {"residuals": False, "norm_first": True},
    {"positions": "none", "scale_embeddings": False, "activation": "swish"},
)


def traced(model: Transformer, seed: int = 1, length: int = 6, changes: tuple[Intervention, ...] = ()) -> Trace:
    source, target = random_ids(seed, 7), random_ids(seed + 1, length)
    reads = [1, *target[:-1]]
    texts = [[str(i) for i in ids] for ids in (source, reads, target)]
    return trace(model, source, reads, target, *texts, changes)


def cut_off_after(model: Transformer, layer: int, of: Trace) -> torch.Tensor:
    """(T, V) log-probabilities of a copy of the model that has only this many decoder layers."""
    layers = model.decoder_layers
    try:
        model.decoder_layers = nn.ModuleList(list(layers)[:layer])
        logits = model(one(of.source_ids), one(of.target_ids))
    finally:
        model.decoder_layers = layers
    return logits[0].double().log_softmax(dim=-1)


@pytest.mark.parametrize("changes", VARIANTS, ids=str)
def test_each_layer_says_what_a_decoder_that_ends_there_would_say(changes: dict) -> None:
    model = random_model(3, **changes)
    recorded = traced(model)
    lens = logit_lens(model, recorded, k=4)
    assert lens.token_ids.shape == (model.config.n_decoder_layers + 1, 6, 4)
    output = cut_off_after(model, model.config.n_decoder_layers, recorded)
    for layer in range(model.config.n_decoder_layers + 1):
        log_probs = cut_off_after(model, layer, recorded)
        for t, wanted in enumerate(recorded.predicted_ids):
            by_size = sorted(range(14), key=lambda token: -float(log_probs[t, token]))
            assert lens.token_ids[layer, t].tolist() == by_size[:4]
            assert_near(lens.token_log_probs[layer, t], [float(log_probs[t, token]) for token in by_size[:4]], 1e-5)
            assert lens.predicted_ranks[layer, t] == 1 + by_size.index(wanted)
            assert_near(lens.predicted_log_probs[layer, t], log_probs[t, wanted], 1e-5)
            p, q = log_probs[t].exp(), output[t].exp()
            assert_near(lens.entropies[layer, t], -sum(float(x) * np.log(float(x)) for x in p), 1e-5)
            missing = sum(float(y) * (np.log(float(y)) - np.log(float(x))) for x, y in zip(p, q, strict=True))
            assert_near(lens.divergences[layer, t], missing, 1e-5)


@pytest.mark.parametrize("changes", VARIANTS, ids=str)
def test_the_last_row_is_the_output_of_the_pass(changes: dict) -> None:
    model = random_model(5, **changes)
    recorded = traced(model)
    lens = logit_lens(model, recorded)
    assert_near(lens.predicted_log_probs[-1], recorded.token_log_probs, 1e-6)
    assert lens.predicted_ranks[-1].tolist() == recorded.token_ranks.tolist()
    assert lens.token_ids[-1, :, 0].tolist() == recorded.log_probs.argmax(axis=1).tolist()
    assert (lens.divergences[-1] == 0).all()


def test_under_an_intervention_it_reads_the_changed_pass() -> None:
    model = random_model(2, peaked=3.0)
    unchanged = traced(model)
    changed = traced(model, changes=(AblateHeads([HeadRef("cross", 1, head) for head in range(4)]),))
    before, after = logit_lens(model, unchanged), logit_lens(model, changed)
    assert_near(after.predicted_log_probs[:2], before.predicted_log_probs[:2], 0)  # embedding and layer 1 come before
    assert np.abs(after.predicted_log_probs[2] - before.predicted_log_probs[2]).max() > 0.01
    assert_near(after.predicted_log_probs[2], changed.token_log_probs, 1e-6)


@settings(deadline=None, max_examples=20)
@given(seed=some.integers(0, 99), length=some.integers(2, 12), at_a_time=some.integers(1, 200), k=some.integers(1, 20))
def test_however_many_rows_at_a_time_the_numbers_are_the_same(seed: int, length: int, at_a_time: int, k: int) -> None:
    model = random_model(seed % 3, peaked=2.0)
    recorded = traced(model, seed, length)
    whole = logit_lens(model, recorded, k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "AT_A_TIME", at_a_time)
        parts = logit_lens(model, recorded, k)
    assert whole.token_ids.shape == (3, length, min(k, 14))
    for name, values in vars(whole).items():
        assert_near(getattr(parts, name), values, 1e-5 if values.dtype == np.float32 else 0)
    assert (np.diff(whole.token_log_probs, axis=2) <= 0).all()
    assert (whole.entropies >= 0).all() and (whole.entropies <= np.log(14) + 1e-6).all()
    assert (whole.divergences > -1e-6).all()


def test_it_says_what_does_not_fit() -> None:
    model = random_model()
    with pytest.raises(ValueError) as error:
        logit_lens(model, traced(model), k=0)
    assert_sentence(error.value, "0")
    with pytest.raises(ValueError) as error:
        logit_lens(random_model(n_heads=2), traced(model))
    assert_sentence(error.value, "another model")
