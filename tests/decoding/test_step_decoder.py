"""The two step decoders: the fused one against the model itself, and which searches take which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.helpers import assert_near, changed_copy, one, random_ids, random_model
from viz_transformer import AblateHeads, HeadRef, ScaleScores, Transformer, active_hooks, beam_search
from viz_transformer.decoding.step_decoder import FusedDecoder, HookedDecoder, new_step_decoder

VARIANTS: list[dict[str, Any]] = [
    {},
    {"norm_first": True},
    {"activation": "gelu", "positions": "learned"},
    {"positions": "none", "scale_embeddings": False, "weight_tying": "none"},
    {"n_heads": 1, "n_decoder_layers": 1},
    {"scale_scores": False},
]


def fresh_rows(model: Transformer, source: Sequence[int], outputs: Sequence[Sequence[int]]) -> Tensor:
    """log p of the token after each of `outputs`, each from a pass of its own."""
    with torch.inference_mode():
        return torch.cat([model(one(source), one([1, *ids]))[:, -1].log_softmax(dim=-1) for ids in outputs])


@pytest.mark.parametrize("changes", VARIANTS, ids=str)
@pytest.mark.parametrize("kind", ["fused", "hooked"])
def test_hypotheses_that_come_go_and_swap_are_those_of_fresh_passes(changes: dict[str, Any], kind: str) -> None:
    model = random_model(3, max_len=72, **changes)  # longer than the first buffer of the cache, twice
    source, dice = random_ids(1, 7), np.random.default_rng(5)
    decoder = FusedDecoder(model, source) if kind == "fused" else HookedDecoder(model, source, ())
    outputs: list[list[int]] = [[]]
    rows = decoder.step([0], [1])
    for length in range(1, 72):
        assert_near(rows, fresh_rows(model, source, outputs), 1e-5)
        n_rows = int(dice.integers(1, 5))
        parents = dice.integers(0, len(outputs), size=n_rows).tolist() if length % 3 else list(range(len(outputs)))
        last = dice.integers(2, 14, size=len(parents)).tolist()
        outputs = [[*outputs[parent], token] for parent, token in zip(parents, last, strict=True)]
        rows = decoder.step(parents, last)


def test_a_plain_search_is_fused_and_any_other_runs_the_model_itself() -> None:
    model, source = changed_copy(random_model(0)), random_ids(0, 5)
    change = [AblateHeads([HeadRef("cross", 0, 1)])]
    assert isinstance(new_step_decoder(model, source), FusedDecoder)
    assert isinstance(new_step_decoder(model, source, change), HookedDecoder)
    assert isinstance(new_step_decoder(model, source, banned_ids=(1, 5)), HookedDecoder)  # padding may be written
    assert isinstance(new_step_decoder(model, [5, 0, 2]), HookedDecoder)  # padding is read
    attention_only = random_model(0, sublayers="attention")
    assert isinstance(new_step_decoder(attention_only, source), HookedDecoder)
    with active_hooks(lambda name, tensor: None):
        assert isinstance(new_step_decoder(model, source), HookedDecoder)
    model.train()
    assert isinstance(new_step_decoder(model, source), HookedDecoder)


def test_hooks_that_are_active_see_every_step_of_a_search() -> None:
    seen: list[str] = []
    with active_hooks(lambda name, tensor: seen.append(name)):
        steps = list(beam_search(random_model(0), random_ids(0, 5), beam_size=2, max_len=4))
    assert seen.count("memory") == 1
    assert seen.count("decoder_layers.0.cross_attention.weights") == len(steps)


@pytest.mark.parametrize("pad_id", [0, 1, 3, 5, 13])
@pytest.mark.parametrize("seed", range(3))
def test_a_change_that_changes_nothing_changes_no_number_whatever_pads(pad_id: int, seed: int) -> None:
    model = random_model(seed, peaked=2.0, pad_id=pad_id)
    for source in ([4, 5, 13, 6, 3, 5, 2], [4, 6, 7, 2]):
        *_, plain = beam_search(model, source, max_len=10)
        *_, hooked = beam_search(model, source, max_len=10, interventions=[ScaleScores("sqrt_d_k")])
        assert plain.best.ids == hooked.best.ids
        assert_near(plain.best.log_probs, hooked.best.log_probs, 1e-5)
