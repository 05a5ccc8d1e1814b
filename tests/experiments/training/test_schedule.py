"""The paper's schedule and its smoothed targets, against written-out formulas and PyTorch."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from tests.helpers import assert_near, assert_sentence
from viz_transformer.experiments.training.schedule import lowest_loss, noam_rates, smoothed_target


@given(d_model=st.integers(1, 1024), warmup=st.integers(1, 500))
def test_the_rate_rises_to_its_peak_and_falls(d_model: int, warmup: int) -> None:
    rates = noam_rates(600, d_model, warmup)
    expected = [d_model**-0.5 * min(step**-0.5, step * warmup**-1.5) for step in range(1, 601)]
    np.testing.assert_allclose(rates, expected, rtol=1e-12)
    assert int(rates.argmax()) + 1 == warmup
    assert rates.max() == pytest.approx((d_model * warmup) ** -0.5)


@given(label=st.integers(0, 13), smoothing=st.floats(0, 1), seed=st.integers(0, 99))
def test_the_target_is_the_one_of_the_loss(label: int, smoothing: float, seed: int) -> None:
    target = smoothed_target(label, 14, smoothing)
    assert target.sum() == pytest.approx(1)
    logits = torch.from_numpy(np.random.default_rng(seed).normal(size=(1, 14)))
    theirs = F.cross_entropy(logits, torch.tensor([label]), label_smoothing=smoothing)
    ours = -(torch.from_numpy(target) * logits.log_softmax(-1)[0]).sum()
    assert_near(ours, theirs, 1e-9)
    assert theirs.item() >= lowest_loss(target) - 1e-9
    best = torch.from_numpy(target).clamp_min(1e-300).log()[None]
    assert_near(
        F.cross_entropy(best, torch.tensor([label]), label_smoothing=smoothing), np.array(lowest_loss(target)), 1e-6
    )


def test_wrong_numbers_are_refused_with_a_sentence() -> None:
    for arguments, name in (((0, 1, 1), "steps"), ((1, 0, 1), "d_model"), ((1, 1, 0), "warmup")):
        with pytest.raises(ValueError) as caught:
            noam_rates(*arguments)
        assert_sentence(caught.value, name)
    for arguments, name in (((14, 14, 0.1), "label"), ((-1, 14, 0.1), "label"), ((0, 14, 1.1), "smoothing")):
        with pytest.raises(ValueError) as caught:
            smoothed_target(*arguments)
        assert_sentence(caught.value, name)
