"""What each part adds to a logit: the parts against the logit, and against passes without a part.

The oracle carries every part forward as a vector, through every LayerNorm in turn; the function walks back from the
logit. Where both give the same numbers, a slip would have to be in both.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as some
from torch import Tensor, nn
from torch.nn import functional as F

from tests.analysis.test_logit_lens import VARIANTS, traced
from tests.helpers import assert_near, assert_sentence, random_model
from viz_transformer import AblateHeads, HeadRef, PositionsOff, ScaleScores, Transformer, logit_contributions
from viz_transformer.heads import DECODER_MODULES, hook_path
from viz_transformer.trace import Trace


def carried_forward(model: Transformer, recorded: Trace, row: int) -> dict[Any, Tensor]:
    """Each part, (d_model,) in float64, as it arrives at the output projection, every LayerNorm's σ held."""
    config = model.config
    parts: dict[Any, Tensor] = {}

    def at(name: str) -> Tensor:
        return torch.tensor(recorded.tensors[name][row], dtype=torch.float64)

    def normalise(name: str) -> None:
        norm = model.get_submodule(name)
        if isinstance(norm, nn.LayerNorm):
            whole = sum(parts.values(), torch.zeros(config.d_model, dtype=torch.float64))
            sigma = (whole.var(correction=0) + norm.eps).sqrt()
            for part, vector in parts.items():
                parts[part] = (vector - vector.mean()) / sigma * norm.weight.double()
            parts[name] = norm.bias.double()

    def add(residual: str, new: dict[Any, Tensor]) -> None:
        if not config.residuals:
            for part, vector in parts.items():
                parts[part] = torch.zeros_like(vector)
        parts.update(new)
        if not config.norm_first:
            normalise(f"{residual}.norm")

    parts["token"], parts["position"] = (
        at("target_embedding.scaled_tokens"),
        at("target_embedding.positions.encoding"),
    )
    normalise("target_embedding.norm")
    for layer in range(config.n_decoder_layers):
        here = f"decoder_layers.{layer}"
        for module in DECODER_MODULES if config.has_attention else ():
            path = hook_path(module, layer)
            w_o = model.get_submodule(path).w_o
            context = torch.tensor(recorded.tensors[f"{path}.context"][:, row], dtype=torch.float64)  # (H, D)
            width = context.shape[1]
            new: dict[Any, Tensor] = {}
            for head in range(len(context)):
                columns = w_o.weight[:, head * width : (head + 1) * width].double()
                new[module, layer, head] = F.linear(context[head], columns)
            new[module, layer, "bias"] = w_o.bias.double()
            add(path.replace(f"{here}.", f"{here}.add_"), new)
        if config.has_feed_forward:
            add(f"{here}.add_feed_forward", {("ffn", layer): at(f"{here}.feed_forward.output")})
    normalise("decoder_norm")
    return parts


@pytest.mark.parametrize("against", [None, 9])
@pytest.mark.parametrize("changes", VARIANTS, ids=str)
def test_each_part_is_what_its_vector_adds_at_the_output(changes: dict, against: int | None) -> None:
    model = random_model(4, **changes)
    recorded = traced(model)
    for row in (0, 3):
        token = recorded.predicted_ids[row]
        found = logit_contributions(model, recorded, row, token, against)
        weight = model.output_projection.weight.double()
        direction = weight[token] - (0 if against is None else weight[against])
        worth = {part: float(vector @ direction) for part, vector in carried_forward(model, recorded, row).items()}
        assert_near(found.token, worth.pop("token"), 1e-5)
        assert_near(found.position, worth.pop("position"), 1e-5)
        for module, heads in found.heads.items():
            for layer, head in np.ndindex(heads.shape):
                assert_near(heads[layer, head], worth.pop((module, layer, head)), 1e-5)
            for layer, value in enumerate(found.projection_biases[module]):
                assert_near(value, worth.pop((module, layer, "bias")), 1e-5)
        for layer, value in enumerate(found.feed_forwards):
            assert_near(value, worth.pop(("ffn", layer)), 1e-5)
        assert list(found.norm_biases) == list(worth)  # in the order of the computation
        for name, value in found.norm_biases.items():
            assert_near(value, worth[name], 1e-5)


@settings(deadline=None, max_examples=60)
@given(
    changes=some.sampled_from(VARIANTS),
    seed=some.integers(0, 99),
    row=some.integers(0, 4),
    token=some.integers(0, 13),
    against=some.none() | some.integers(0, 13),
)
def test_the_parts_sum_to_the_recorded_logit(
    changes: dict, seed: int, row: int, token: int, against: int | None
) -> None:
    against = None if against == token else against
    model = random_model(seed % 5, **changes)
    recorded = traced(model, seed, 5)
    found = logit_contributions(model, recorded, row, token, against)
    logits = recorded.tensors["logits"][row].astype(np.float64)
    expected = logits[token] - (0 if against is None else logits[against])
    assert_near(found.logit, expected, 1e-4)
    assert_near(found.total, expected, 1e-4)


@pytest.mark.parametrize("layers", [1, 2])
def test_in_pre_norm_the_last_cross_attention_without_a_head_loses_just_that(layers: int) -> None:
    """Where nothing but the final LayerNorm follows, and its σ is held, the direct effect is all there is."""
    model = random_model(1, norm_first=True, sublayers="attention", n_decoder_layers=layers)
    whole = traced(model)
    norm = model.decoder_norm
    last = f"decoder_layers.{layers - 1}.add_cross_attention.output"
    x = torch.tensor(whole.tensors[last])
    sigma = (x.var(dim=1, keepdim=True, correction=0) + norm.eps).sqrt()
    for head in range(4):
        without = traced(model, changes=(AblateHeads([HeadRef("cross", layers - 1, head)]),))
        y = torch.tensor(without.tensors[last])
        frozen = (y - y.mean(dim=1, keepdim=True)) / sigma * norm.weight + norm.bias
        logits = model.output_projection(frozen)
        for row, token in enumerate(whole.predicted_ids):
            found = logit_contributions(model, whole, row, token)
            lost = float(whole.tensors["logits"][row, token] - logits[row, token])
            assert_near(found.heads["cross"][layers - 1, head], lost, 1e-5)


@pytest.mark.parametrize("changes", [{}, {"norm_first": True}], ids=str)
def test_a_head_that_is_taken_out_adds_nothing_and_the_sum_is_the_changed_logit(changes: dict) -> None:
    model = random_model(6, **changes)
    recorded = traced(
        model, changes=(AblateHeads([HeadRef("cross", 0, 2)]), ScaleScores("none"), PositionsOff("target"))
    )
    found = logit_contributions(model, recorded, 2, 7)
    assert found.heads["cross"][0, 2] == 0
    assert found.position == 0
    assert (np.delete(found.heads["cross"].ravel(), 2) != 0).all()
    assert_near(found.total, recorded.tensors["logits"][2, 7], 1e-4)


def test_a_difference_of_two_tokens_does_not_depend_on_a_common_shift() -> None:
    model = random_model(2, output_bias=True, weight_tying="none")
    before = logit_contributions(model, traced(model), 1, 5, against=8)
    with torch.no_grad():
        model.output_projection.weight.add_(0.7)
        model.output_projection.bias.add_(3.0)
    after = logit_contributions(model, traced(model), 1, 5, against=8)
    assert_near(after.logit, before.logit, 1e-5)
    for module in DECODER_MODULES:
        assert_near(after.heads[module], before.heads[module], 1e-5)


def test_both_tokens_are_worth_their_difference() -> None:
    model = random_model(2, n_decoder_heads=2, norm_first=True)
    recorded = traced(model)
    first, second = (logit_contributions(model, recorded, 3, token) for token in (5, 8))
    both = logit_contributions(model, recorded, 3, 5, against=8)
    assert both.heads["cross"].shape == (2, 2)
    assert_near(both.heads["cross"], first.heads["cross"] - second.heads["cross"], 1e-9)
    assert_near(both.total, first.total - second.total, 1e-9)


@pytest.mark.parametrize(
    ("asked", "named"),
    [((6, 5, None), "row 6"), ((-1, 5, None), "row -1"), ((0, 14, None), "14"), ((0, 5, 99), "99"), ((0, 5, 5), "5")],
)
def test_it_says_what_there_is_not(asked: tuple, named: str) -> None:
    model = random_model()
    with pytest.raises(ValueError) as error:
        logit_contributions(model, traced(model), *asked)
    assert_sentence(error.value, named)


def test_it_refuses_the_trace_of_another_model() -> None:
    with pytest.raises(ValueError) as error:
        logit_contributions(random_model(), traced(random_model(norm_first=True)), 0, 5)
    assert_sentence(error.value, "another model")
