"""What a scene asks, against oracles that share no code with it: the model's own layers, loops, formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as some

import viz_transformer as vt
from tests.packed import unpacked
from viz_transformer.experiments.lecture.answers import (
    MAX_SIDE,
    Axis,
    Cells,
    Curve,
    Number,
    allowed_in,
    cell_or_usual,
    entropy_of,
    gradient_curve,
    learning_rate_curve,
    mask_of,
    mask_of_batch,
    next_token,
    packed_answer,
    score_sd_curve,
    score_sd_drawn,
    score_sd_of,
    weight_at,
    weights_of,
)
from viz_transformer.experiments.masks.padding import make_batch, module_masks, record_batch
from viz_transformer.experiments.scaling.saturation import draw_scores
from viz_transformer.experiments.scaling.variance import DrawSettings, draw
from viz_transformer.trace import Trace
from viz_transformer.views.codec import pack

SOURCE = "3 1 4 1 5 9"


@pytest.fixture(scope="module")
def trace(translator: vt.Translator) -> Trace:
    return translator.trace(SOURCE)


def weights_by_hand(trace: Trace, module: str, layer: int, head: int) -> list[list[float]]:
    """The softmax of q·k / √d_k over the keys that the mask leaves, in double precision."""
    record = trace.attention(module, layer)  # type: ignore[arg-type]
    q, k = record.q[head].astype(float), record.k[head].astype(float)
    rows = []
    for i in range(len(q)):
        scores = [float(q[i] @ k[j]) / math.sqrt(q.shape[1]) if record.mask[i, j] else -math.inf for j in range(len(k))]
        powers = [math.exp(score - max(scores)) for score in scores]
        rows.append([power / sum(powers) for power in powers])
    return rows


@pytest.mark.parametrize("module", vt.ATTENTION_MODULES)
def test_weights_are_those_of_the_head_with_its_tokens(trace: Trace, module: vt.AttentionModule) -> None:
    cells = weights_of(trace, module, 1, 2)
    np.testing.assert_allclose(cells.truth, weights_by_hand(trace, module, 1, 2), atol=1e-6)
    reads_source = module == "encoder_self"
    assert cells.rows == (trace.source_tokens if reads_source else trace.target_tokens)
    assert cells.columns == (trace.target_tokens if module == "decoder_self" else trace.source_tokens)
    assert cells.writes == (() if reads_source else trace.predicted_tokens)
    later = [(i, j) for i in range(len(cells.rows)) for j in range(i + 1, len(cells.columns))]
    assert [cell for cell in np.ndindex(cells.truth.shape) if not cells.allowed[cell]] == (
        later if module == "decoder_self" else []
    )


def test_a_mask_takes_away_what_comes_later(trace: Trace) -> None:
    cells = mask_of(trace, "decoder_self", 0)
    n = len(trace.target_tokens)
    assert cells.truth.tolist() == [[float(j > i) for j in range(n)] for i in range(n)]
    assert cells.allowed.all()
    assert allowed_in(cells).value == n * (n + 1) / 2
    assert cells.chance == pytest.approx((n + 1) / (2 * n))  # marking no cell is right on and below the diagonal
    assert not mask_of(trace, "cross", 0).truth.any()


@pytest.mark.parametrize("part", ["padding", "causal", "combined"])
def test_the_masks_of_a_batch_take_away_padding_and_what_comes_later(translator: vt.Translator, part: str) -> None:
    batch = make_batch(translator, (SOURCE, "2 7"), ("1 2 3", "5"))
    recorded = record_batch(translator.model, batch.source_ids, batch.target_ids)
    cells = mask_of_batch(module_masks(batch, recorded, "decoder_self", 1), part)
    ids = batch.target_ids[1]
    expected = [
        [float((part != "causal" and ids[j] == batch.pad_id) or (part != "padding" and j > i)) for j in range(len(ids))]
        for i in range(len(ids))
    ]
    assert cells.truth.tolist() == expected
    with pytest.raises(KeyError):
        mask_of_batch(module_masks(batch, recorded, "decoder_self", 1), "every")


def test_the_next_token_is_what_the_model_finds_likeliest(translator: vt.Translator, trace: Trace) -> None:
    model, label = translator.model, translator.target_tokenizer.label
    for step in range(len(trace.target_ids)):
        with torch.inference_mode():
            logits = model(torch.tensor([trace.source_ids]), torch.tensor([trace.target_ids[: step + 1]]))[0, -1]
        expected = logits.double().softmax(-1).numpy()
        found = next_token(trace, step, label)
        assert found.read == trace.target_tokens[: step + 1]
        assert sorted(found.tokens) == sorted(label(n) for n in range(len(expected)))
        by_label = {label(n): expected[n] for n in range(len(expected))}
        np.testing.assert_allclose(found.probabilities, [by_label[token] for token in found.tokens], atol=1e-5)
        assert (np.diff(found.probabilities) <= 0).all()


def test_numbers_of_a_head_are_those_of_its_matrices(trace: Trace) -> None:
    weights = weights_by_hand(trace, "cross", 0, 1)
    record = trace.attention("cross", 0)
    cell = cell_or_usual(record, 1, (2, 3), None)
    assert cell == (2, 3)
    weight = weight_at(record, 1, cell)
    assert weight.value == pytest.approx(weights[2][3], abs=1e-6)
    assert (weight.query, weight.key) == (trace.target_tokens[2], trace.source_tokens[3])
    assert entropy_of(record, 1, 2).value == pytest.approx(-sum(w * math.log2(w) for w in weights[2]), abs=1e-5)
    scores = [float(q @ k) for q in record.q[1].astype(float) for k in record.k[1].astype(float)]
    mean = sum(scores) / len(scores)
    deviation = math.sqrt(sum((score - mean) ** 2 for score in scores) / (len(scores) - 1))
    assert score_sd_of(record, 1, scaled=False).value == pytest.approx(deviation, rel=1e-4)
    assert score_sd_of(record, 1, scaled=True).value == pytest.approx(
        deviation / math.sqrt(record.q.shape[2]), rel=1e-4
    )


def test_without_a_cell_it_is_the_largest_weight_of_a_row(trace: Trace) -> None:
    record = trace.attention("encoder_self", 0)
    weights = weights_by_hand(trace, "encoder_self", 0, 0)
    assert len(weights) == 7  # six digits and the end
    for row, i in ((None, 3), (0, 0), (1, 1), (99, 6)):
        assert cell_or_usual(record, 0, None, row) == (i, weights[i].index(max(weights[i])))
    assert cell_or_usual(record, 0, (99, 99), None) == (6, 6)
    assert cell_or_usual(record, 0, (2, 99), None) == (2, 6)


def test_a_matrix_that_nobody_could_mark_is_refused_in_a_sentence() -> None:
    side = MAX_SIDE + 1
    tokens = ("a",) * side
    with pytest.raises(ValueError, match=f"{side} rows and {side} columns"):
        Cells(np.zeros((side, side), np.float32), np.ones((side, side), bool), tokens, tokens)


def test_the_deviation_of_drawn_scores_grows_as_the_root_of_d_k() -> None:
    curve = score_sd_curve(DrawSettings(seed=3))
    # Four standard errors of a deviation from 1000 draws; the kurtosis of a sum of d_k products is 3 + 6 / d_k.
    assert (np.abs(curve.y / np.sqrt(curve.x) - 1) < 4 * np.sqrt((2 + 6 / curve.x) / 4000)).all()
    assert curve.x[0] == 1
    assert curve.x[-1] == 1024
    drawn = score_sd_drawn(draw(DrawSettings(d_k=256, draws=20_000, seed=1))).value
    assert drawn == pytest.approx(16, rel=0.03)
    wider = score_sd_drawn(draw(DrawSettings(d_k=256, draws=20_000, scale=2, seed=1))).value
    assert wider == pytest.approx(64, rel=0.03)
    with pytest.raises(ValueError, match="no standard deviation"):
        score_sd_drawn(draw(DrawSettings(draws=1)))


def test_the_gradient_is_the_norm_of_the_jacobian_that_autograd_finds() -> None:
    scores, n_keys = draw_scores(2, repeats=3), 5
    norms = []
    for drawn in scores["dot"]:  # a d_k
        found = []
        for row in drawn[:, :60].reshape(-1, n_keys):
            jacobian = torch.autograd.functional.jacobian(lambda s: s.softmax(-1), torch.tensor(row[:n_keys]).double())
            found.append(float(jacobian.norm()))
        norms.append(sum(found) / len(found))
    curve = gradient_curve(scores, n_keys)
    np.testing.assert_allclose(curve.y, np.array(norms) / max(norms), rtol=1e-6, atol=1e-8)  # from float32
    assert curve.x.tolist() == [2.0**power for power in range(11)]
    with pytest.raises(ValueError, match="no gradient"):
        gradient_curve(scores, 1)


@given(some.integers(64, 1024), some.integers(100, 16_000), some.integers(2000, 100_000))
def test_the_learning_rate_is_the_papers_formula(d_model: int, warmup: int, steps: int) -> None:
    curve = learning_rate_curve(d_model, warmup, steps)
    for step, rate in zip(curve.x, curve.y, strict=True):
        assert rate == pytest.approx(d_model**-0.5 * min(step**-0.5, step * warmup**-1.5))
    assert min(warmup, steps) in curve.x
    assert_within_axes(curve)


def assert_within_axes(curve: Curve) -> None:
    assert (np.diff(curve.x) > 0).all()
    for values, axis in ((curve.x, curve.x_axis), (curve.y, curve.y_axis)):
        assert axis.low <= values.min()
        assert values.max() <= axis.high


@given(some.integers(0, 20), some.sampled_from([1, 2, 16, 64]), some.floats(0, 3))
def test_every_curve_lies_within_its_axes(seed: int, n_keys: int, scale: float) -> None:
    assert_within_axes(score_sd_curve(DrawSettings(seed=seed, scale=scale)))
    if n_keys > 1:
        assert_within_axes(gradient_curve(draw_scores(seed, repeats=2), n_keys))


def test_the_browser_gets_the_very_numbers(translator: vt.Translator, trace: Trace) -> None:
    cells = weights_of(trace, "cross", 0, 0)
    sent = unpacked(pack(packed_answer(cells), str))
    assert sent["truth"].tolist() == cells.truth.tolist()
    assert sent["rows"] == [*cells.rows]
    token = next_token(trace, 1, translator.target_tokenizer.label)
    sent = unpacked(pack(packed_answer(token), str))
    assert sent["tokens"] == [*token.tokens]
    assert sent["probabilities"].tolist() == token.probabilities.tolist()
    curve = Curve(np.array([1.0, 2.0]), np.array([0.5, 1.0]), Axis(1, 2, 2), Axis(0, 1))
    sent = unpacked(pack(packed_answer(curve), str))
    assert sent["axes"] == {"x": {"low": 1, "high": 2, "log": 2}, "y": {"low": 0, "high": 1, "log": 0}}
    assert unpacked(pack(packed_answer(Number(3.0, "a", "b")), str)) == {"value": 3.0}
