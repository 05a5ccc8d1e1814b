from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.helpers import assert_near
from viz_transformer.experiments.why_attention import layer_timing
from viz_transformer.experiments.why_attention.layer_timing import (
    MAX_D,
    MAX_N,
    Timing,
    clamped,
    layer,
    lengths_to_time,
    measure,
    ratio,
    restricted_attention,
)
from viz_transformer.experiments.why_attention.layer_types import LAYER_TYPES, LayerType, Sizes, connections


@pytest.mark.parametrize("kind", LAYER_TYPES)
def test_every_layer_keeps_the_shape_and_depends_on_what_the_drawing_says(kind: LayerType) -> None:
    sizes = Sizes(9, 4, 3, 4)
    run = layer(kind, sizes)
    x = torch.randn(1, 9, 4, generator=torch.Generator().manual_seed(0), requires_grad=True)
    output = run(x)
    assert output.shape == x.shape
    (gradient,) = torch.autograd.grad(output[0, -1].square().sum(), x)
    moved = {place for place in range(9) if gradient[0, place].abs().max() > 0}
    if kind == "dilated":  # its second layer is timed, the first alone is drawn below it
        assert moved == {2, 5, 8}
        return
    graph = connections(kind, sizes, max_layers=1)
    seen = {place for _, place, level, to in graph.edges if (level, to) == (1, 8)}
    assert moved == (set(range(9)) if kind == "recurrent" else seen)


@pytest.mark.parametrize("r", [1, 2, 5, 7, 20])
def test_restricted_attention_is_attention_under_a_band_mask(r: int) -> None:
    generator = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(2, 7, 4, generator=generator) for _ in range(3))
    back = torch.arange(7)[:, None] - torch.arange(7)
    band = (back >= 0) & (back < r)
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=band)
    assert_near(restricted_attention(q, k, v, r), expected, 1e-5)


def test_a_measurement_covers_every_layer_and_length() -> None:
    timings = list(measure((1, 4), Sizes(1, 2, 3, 2)))
    assert [(one.n, one.kind) for one in timings] == [(n, kind) for n in (1, 4) for kind in LAYER_TYPES]
    assert all(0 < one.low <= one.seconds <= one.high for one in timings)
    assert [one.progress for one in timings] == pytest.approx([(n + 1) / 10 for n in range(10)])


def test_quartiles_and_median_are_those_of_the_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    took = iter([5.0, 1.0, 100.0, 2.0, 3.0, 4.0, 2.5, 3.5, 6.0])
    clock = 0.0
    is_start = True

    def now() -> float:
        nonlocal clock, is_start
        clock += 0.0 if is_start else next(took)
        is_start = not is_start
        return clock

    monkeypatch.setattr(layer_timing, "perf_counter", now)
    monkeypatch.setattr(layer_timing, "LAYER_TYPES", ("attention",))
    (one,) = measure((2,), Sizes(1, 2, 1, 1))
    expected = np.percentile([5, 1, 100, 2, 3, 4, 2.5, 3.5, 6], [25, 50, 75])
    assert (one.low, one.seconds, one.high) == pytest.approx(tuple(expected))


def test_a_ratio_says_how_far_it_may_be_off() -> None:
    fast, slow = Timing("attention", 1, 2.0, 1.9, 2.1, 1.0), Timing("recurrent", 1, 6.0, 5.7, 6.6, 1.0)
    found = ratio(slow, fast)
    assert (found.value, found.low, found.high) == pytest.approx((3.0, 5.7 / 2.1, 6.6 / 1.9))
    assert found.is_steady
    assert not ratio(slow._replace(high=12.0), fast).is_steady


def test_sizes_and_lengths_have_their_limits() -> None:
    assert clamped(Sizes(10**9, 10**9, 1, 1)) == Sizes(MAX_N, MAX_D, 1, 1)
    assert lengths_to_time(1) == (16,)
    assert lengths_to_time(512) == (16, 32, 64, 128, 256, 512)
    assert lengths_to_time(700)[-1] == 512
