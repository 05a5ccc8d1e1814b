from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.helpers import assert_near, assert_sentence, changed_copy, one, random_ids, random_model, tiny_config
from viz_transformer import Transformer, record
from viz_transformer.layers import Embedding, FeedForward, PositionalEncoding, Residual, sinusoidal_encoding


@pytest.mark.parametrize(("length", "d_model", "base"), [(50, 16, 10_000.0), (512, 512, 10_000.0), (7, 2, 100.0)])
def test_sinusoids_are_the_papers_interleaved(length: int, d_model: int, base: float) -> None:
    expected = np.empty((length, d_model))
    for position in range(length):
        for i in range(d_model // 2):
            angle = position / base ** (2 * i / d_model)
            expected[position, 2 * i] = np.sin(angle)
            expected[position, 2 * i + 1] = np.cos(angle)
    encoding = sinusoidal_encoding(torch.arange(length), d_model, base)
    assert encoding.dtype == torch.float32
    assert_near(encoding, expected, 1e-6)


def test_sines_first_are_the_same_numbers_in_another_order() -> None:
    interleaved = sinusoidal_encoding(torch.arange(9), 16)
    halves = sinusoidal_encoding(torch.arange(9), 16, sines_first=True)
    assert_near(halves[:, :8], interleaved[:, 0::2], 0)
    assert_near(halves[:, 8:], interleaved[:, 1::2], 0)


def test_sinusoids_far_out_keep_their_precision() -> None:
    # computed in float64: in float32 the angle 99,999 would be off by 0.004
    assert_near(sinusoidal_encoding(torch.tensor([99_999]), 2), [[np.sin(99_999), np.cos(99_999)]], 1e-6)


def test_positions_between_two_places_are_allowed() -> None:
    assert_near(sinusoidal_encoding(torch.tensor([0.5]), 2), [[np.sin(0.5), np.cos(0.5)]], 1e-7)


@pytest.mark.parametrize("kind", ["sinusoidal", "learned", "none"])
def test_positions_start_where_they_are_told_to(kind: str) -> None:
    encoding = PositionalEncoding(tiny_config(positions=kind))
    assert_near(encoding(3, start=5).detach(), encoding(8).detach()[5:], 0)


def test_no_positions_means_zeros() -> None:
    assert not PositionalEncoding(tiny_config(positions="none"))(24).any()


@pytest.mark.parametrize(("length", "start"), [(25, 0), (1, 24), (5, 20)])
def test_a_position_outside_the_table_is_refused_with_a_sentence(length: int, start: int) -> None:
    with pytest.raises(ValueError) as caught:
        PositionalEncoding(tiny_config())(length, start)
    assert_sentence(caught.value, "0 to 23", start + length - 1)


@pytest.mark.parametrize(("scaled", "factor"), [(True, 4.0), (False, 1.0)])  # √16
def test_embeddings_are_token_vectors_times_the_scale_plus_positions(scaled: bool, factor: float) -> None:
    embedding = Embedding(tiny_config(scale_embeddings=scaled), vocab_size=14).eval()
    with torch.no_grad():
        output = embedding(one([5, 6, 5]), start=2)
        expected = embedding.tokens.weight[[5, 6, 5]] * factor + sinusoidal_encoding(torch.arange(2, 5), 16)
    assert_near(output[0], expected, 1e-6)


@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_feed_forward_is_two_products_around_the_activation(activation: str) -> None:
    layer = FeedForward(tiny_config(activation=activation)).requires_grad_(False)
    x = torch.randn(2, 3, 16, generator=torch.Generator().manual_seed(0))
    hidden = x @ layer.w_1.weight.T + layer.w_1.bias
    # gelu by its definition, x Φ(x), not its tanh approximation
    active = hidden.clamp(min=0) if activation == "relu" else hidden * (1 + (hidden / 2**0.5).erf()) / 2
    assert_near(layer(x), active @ layer.w_2.weight.T + layer.w_2.bias, 1e-6)


@pytest.mark.parametrize("norm_first", [False, True])
def test_residuals_normalise_after_the_sum_or_before_the_sublayer(norm_first: bool) -> None:
    residual = Residual(tiny_config(norm_first=norm_first)).eval().requires_grad_(False)
    x = torch.randn(1, 2, 16, generator=torch.Generator().manual_seed(0))

    def norm(x: torch.Tensor) -> torch.Tensor:
        return (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True, correction=0) + 1e-5).sqrt()

    expected = x + 2 * norm(x) if norm_first else norm(x + 2 * x)
    assert_near(residual(x, lambda x: 2 * x), expected, 1e-6)


def test_dropout_is_on_embeddings_and_residuals_in_training_only() -> None:
    model = changed_copy(random_model(dropout=0.5))
    source, target = one(random_ids(0, 5)), one([1, 5])
    assert_near(model(source, target), model(source, target), 0)
    model.train()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        assert not torch.equal(model(source, target), model(source, target))


def test_what_a_sublayer_adds_is_dropped_in_training_under_both_norms() -> None:
    x = torch.zeros(1, 50, 16)
    pre, post = (Residual(tiny_config(dropout=0.5, norm_first=first)).train() for first in (True, False))
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        assert set(pre(x, torch.ones_like).unique().tolist()) == {0.0, 2.0}  # 1 / (1 - p), or nothing
        assert post(x, torch.ones_like).std() > 0.5  # the norm of equal numbers is 0: without dropout all would be
    assert not post.eval()(x, torch.ones_like).any()


def test_recorded_weights_are_those_before_dropout() -> None:
    # also in training mode no weight above 1 and no row that misses 1 is ever shown
    model = changed_copy(random_model(attention_dropout=0.5)).train()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        _, recorded = record(model, one(random_ids(0, 6)), one([1, 5, 6]))
    weights = recorded["encoder_layers.0.self_attention.weights"]
    assert_near(weights.sum(-1), np.ones(weights.shape[:-1]), 1e-5)


def test_the_residual_stream_of_pre_norm_ends_in_a_norm() -> None:
    for norm_first in (False, True):
        model: Transformer = random_model(norm_first=norm_first)
        memory = record(model, one(random_ids(0, 5)), one([1]))[1]["memory"]
        last = "encoder_layers.1.add_feed_forward.output"
        stream = record(model, one(random_ids(0, 5)), one([1]))[1][last]
        expected = model.encoder_norm(stream) if norm_first else stream
        assert_near(memory, expected, 1e-6)
        assert torch.equal(memory, stream) is not norm_first


@pytest.mark.parametrize("norm_first", [False, True])
def test_what_a_norm_reads_and_gives_is_recorded(norm_first: bool) -> None:
    model: Transformer = random_model(norm_first=norm_first)
    recorded = record(model, one(random_ids(0, 5)), one([1, 5]))[1]
    layer = model.decoder_layers[1]
    path = "decoder_layers.1.add_feed_forward"
    before, after = recorded[f"{path}.before_norm"], recorded[f"{path}.after_norm"]
    assert_near(after, layer.add_feed_forward.norm(before), 1e-6)
    added, output = recorded["decoder_layers.1.feed_forward.output"], recorded[f"{path}.output"]
    assert_near(output, before + added if norm_first else after, 1e-6)
    hidden = recorded["decoder_layers.1.feed_forward.hidden"]
    assert hidden.shape == (1, 2, model.config.d_ff) and (hidden >= 0).all()
    assert_near(added, layer.feed_forward.w_2(hidden), 1e-5)
    logits = model.output_projection(recorded["decoder_output"])
    assert_near(recorded["logits"], logits, 1e-6)
