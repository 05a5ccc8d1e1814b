from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.helpers import assert_near, assert_sentence, random_translator
from viz_transformer import Translator
from viz_transformer.experiments.architecture.position_wise import position_wise


@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("layer", [0, 1])
def test_the_feed_forward_commutes_with_a_permutation_and_is_a_convolution(activation: str, layer: int) -> None:
    translator = random_translator(1, activation=activation)
    trace = translator.trace("3 1 4 1 5")
    order = [5, 2, 0, 1, 4, 3]
    result = position_wise(translator.model, trace, layer, order)
    assert result.permutation_difference < 1e-6
    assert result.convolution_difference < 1e-5
    assert result.recorded_difference < 1e-6
    assert_near(result.permuted_outputs, result.outputs[order], 1e-6)
    assert_near(result.outputs, trace.tensors[f"encoder_layers.{layer}.feed_forward.output"], 1e-6)


def test_only_attention_carries_from_one_position_to_another(translator: Translator) -> None:
    trace = translator.trace("3 1 4 1 5")
    result = position_wise(translator.model, trace, 0, range(6))
    off_diagonal = ~np.eye(6, dtype=bool)
    assert result.ffn_change[off_diagonal].max() < 1e-6
    assert result.ffn_change.diagonal().min() > 1e-3
    assert result.attention_change[off_diagonal].min() > 1e-6


@pytest.mark.parametrize("sublayers", ["attention", "feed_forward"])
def test_a_model_without_one_of_the_two_sub_layers_gets_a_sentence(sublayers: str) -> None:
    translator = random_translator(1, sublayers=sublayers)
    with pytest.raises(ValueError) as caught:
        position_wise(translator.model, translator.trace("3 1 4"), 1, range(4))
    assert_sentence(caught.value, "both sub-layers")


def test_the_changes_are_distances_of_outputs(translator: Translator) -> None:
    trace = translator.trace("3 1 4")
    result = position_wise(translator.model, trace, 1, range(4))
    feed_forward = translator.model.get_submodule("encoder_layers.1.feed_forward")
    x = torch.tensor(trace.tensors["encoder_layers.1.feed_forward.input"])
    expected = (feed_forward(2 * x[2]) - feed_forward(x[2])).norm()
    assert result.ffn_change[2, 2] == pytest.approx(float(expected), rel=1e-4)
