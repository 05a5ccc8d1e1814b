"""Permuted words, with positions and as a bag of words; kinds of positions on a task that needs order."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import random_translator
from viz_transformer import PositionsOff, Translator
from viz_transformer.experiments.positions.learned import (
    ASKED_LENGTH,
    STEPS,
    TRAINED_LENGTH,
    LearnedOrder,
    learn_order,
)
from viz_transformer.experiments.positions.order import order_effect, retrace

TRANSLATOR = random_translator(3)


@given(st.permutations(range(6)))
def test_without_positions_the_outputs_permute_and_with_them_they_do_not(order: list[int]) -> None:
    trace = TRANSLATOR.trace("1 2 3 4 5", "1")
    effect = order_effect(TRANSLATOR.model, trace, order)
    assert effect.without_positions.max() < 1e-5
    assert effect.size == pytest.approx(np.abs(trace.tensors["memory"]).max())
    moved = [place for place, token in enumerate(order) if place != token]
    if moved:
        assert effect.with_positions[moved].min() > 1e-3
    else:
        assert effect.with_positions.max() == 0


def test_a_model_made_without_positions_is_a_bag_of_words_by_itself() -> None:
    translator = random_translator(3, positions="none")
    effect = order_effect(translator.model, translator.trace("1 2 3", "1"), [2, 0, 1, 3])
    assert effect.with_positions.max() < 1e-5


def test_orders_need_every_token_and_an_unchanged_pass(translator: Translator) -> None:
    trace = translator.trace("1 2 3", "1")
    for wrong in ([0, 1, 2], [0, 0, 1, 2]):
        with pytest.raises(ValueError):
            order_effect(translator.model, trace, wrong)
    changed = retrace(translator.model, trace, [PositionsOff()])
    with pytest.raises(ValueError, match="unchanged pass"):
        order_effect(translator.model, changed, [1, 0, 2, 3])


@pytest.fixture(scope="module")
def learned() -> dict[str, LearnedOrder]:
    found = {}
    for kind in ("sinusoidal", "learned", "none"):
        *early, (done, result) = learn_order(kind)  # type: ignore[arg-type]
        assert [step for step, _ in early] == list(range(10, STEPS, 10))
        assert all(nothing is None for _, nothing in early)
        assert done == STEPS
        assert result is not None
        found[kind] = result
    return found


def test_order_is_learned_with_positions_and_not_without(learned: dict[str, LearnedOrder]) -> None:
    for one in learned.values():
        assert np.isnan(one.accuracy[0])
        assert one.losses[0] == pytest.approx(np.log(8), abs=0.3)
    for kind in ("sinusoidal", "learned"):
        assert learned[kind].losses[-1] < 0.1
    assert learned["none"].losses[-1] > 1.5
    assert learned["learned"].accuracy[1:TRAINED_LENGTH].min() > 0.9
    assert learned["learned"].accuracy[TRAINED_LENGTH + 1 :].mean() < 0.5  # rows that no training touched
    assert learned["none"].accuracy[1:].mean() < 0.5
    assert learned["sinusoidal"].accuracy[1:TRAINED_LENGTH].mean() > 0.6


def test_what_is_shown_of_them_is_what_was_trained(learned: dict[str, LearnedOrder]) -> None:
    for one in learned.values():
        assert one.weights.shape == (ASKED_LENGTH, ASKED_LENGTH)
        np.testing.assert_allclose(one.weights.sum(axis=1), 1, atol=1e-5)
    assert not learned["none"].table.any()
    rows = np.arange(1, TRAINED_LENGTH)
    assert learned["learned"].weights[rows, rows - 1].mean() > 0.3


def test_training_leaves_the_dice_of_others_alone() -> None:
    torch.manual_seed(7)
    before = torch.get_rng_state()
    next(learn_order("learned"))
    assert torch.equal(before, torch.get_rng_state())
