from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from tests.helpers import assert_near, random_translator
from viz_transformer.config import TransformerConfig
from viz_transformer.experiments.architecture.residual_stream import (
    DEPTH_D_MODEL,
    Stack,
    batch_norm_change,
    layer_norm,
    mean_cosine,
    random_stack,
    recorded_norms,
    root_mean_square,
    stream_sizes,
    tied_logits,
)
from viz_transformer.layers import EncoderLayer, Residual


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_recorded_norms_follow_the_formula_and_the_residual(norm_first: bool, stack: Stack) -> None:
    translator = random_translator(1, norm_first=norm_first)
    trace = translator.trace("3 1 4 1 5", target="1 5")
    norms = recorded_norms(translator.model, trace, stack)
    sublayers = ["self", "ffn"] if stack == "encoder" else ["self", "cross", "ffn"]
    assert [(norm.layer, norm.sublayer) for norm in norms] == [(n, name) for n in range(2) for name in sublayers]
    paths = {"self": "self_attention", "cross": "cross_attention", "ffn": "feed_forward"}
    x = trace.tensors[f"{'source' if stack == 'encoder' else 'target'}_embedding.output"]
    for norm in norms:
        assert norm.formula_difference < 1e-5
        path = f"{stack}_layers.{norm.layer}"
        added = trace.tensors[f"{path}.{paths[norm.sublayer]}.output"]
        assert_near(norm.before, x if norm_first else x + added, 1e-5)
        x = trace.tensors[f"{path}.add_{paths[norm.sublayer]}.output"]
        assert_near(x, norm.before + added if norm_first else norm.after, 1e-5)


def test_layer_norm_is_torchs() -> None:
    norm = nn.LayerNorm(6)
    nn.init.normal_(norm.weight)
    nn.init.normal_(norm.bias)
    x = np.random.default_rng(0).normal(size=(3, 6)).astype(np.float32)
    assert_near(layer_norm(x, norm).astype(np.float32), norm(torch.tensor(x)), 1e-5)


def test_without_gain_every_normalised_vector_lies_on_the_sphere_of_radius_root_d() -> None:
    x = np.random.default_rng(0).normal(3, 7, size=(5, 64)).astype(np.float32)
    assert_near(root_mean_square(layer_norm(x, nn.LayerNorm(64)).astype(np.float32)), np.ones(5), 1e-4)


@pytest.mark.parametrize(("stack", "places"), [("encoder", 5), ("decoder", 7)])
def test_the_stream_is_followed_from_the_embedding_up(stack: Stack, places: int) -> None:
    trace = random_translator(1).trace("3 1 4", target="1 5")
    names, sizes = stream_sizes(trace, stack)
    assert len(names) == places
    assert names[0] == f"{'source' if stack == 'encoder' else 'target'}_embedding.output"
    for place, name in enumerate(names):
        rows = trace.tensors[name]
        assert_near(sizes[:, place], np.linalg.norm(rows, axis=1) / np.sqrt(rows.shape[1]), 1e-5)


def test_post_norm_holds_the_stream_at_one_and_pre_norm_lets_it_grow() -> None:
    post, pre = (random_stack(12, norm_first=first) for first in (False, True))
    assert list(post["layer"]) == list(range(1, 13))
    assert_near(post["stream"], np.ones(12), 1e-3)
    assert pre["stream"].iloc[-1] > 2 * pre["stream"].iloc[0]
    assert post["gradient"].gt(0).all() and pre["gradient"].gt(0).all()


@pytest.mark.parametrize("norm_first", [False, True])
def test_a_random_stack_of_one_layer_has_the_gradient_that_differences_give(norm_first: bool) -> None:
    ours = random_stack(1, norm_first=norm_first, seed=3)
    assert ours.equals(random_stack(1, norm_first=norm_first, seed=3))
    # The same random draw, and its gradient by differences.
    config = TransformerConfig(
        d_model=DEPTH_D_MODEL, n_heads=4, d_ff=4 * DEPTH_D_MODEL, dropout=0.0, norm_first=norm_first
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        layer = EncoderLayer(config)
        for parameter in layer.parameters():
            if parameter.dim() == 2:
                nn.init.xavier_uniform_(parameter)
        x = torch.randn(1, 16, DEPTH_D_MODEL).double()
        direction = torch.randn(DEPTH_D_MODEL).double()
    layer = layer.double().requires_grad_(False)
    mask = torch.ones(1, 1, 1, 16, dtype=torch.bool)
    weight = layer.feed_forward.w_2.weight
    original = weight.clone()

    def loss(change: torch.Tensor) -> float:
        weight.copy_(original + change)
        out = layer(x, mask)
        out = nn.functional.layer_norm(out, (DEPTH_D_MODEL,)) if norm_first else out
        return float((out @ direction).mean())

    assert ours["stream"][0] == pytest.approx(float(layer(x, mask).square().mean().sqrt()), rel=1e-4)
    generator = torch.Generator().manual_seed(0)
    # For random directions u of length 1, the mean of (dL/du)² is ‖gradient‖² / (number of entries).
    slopes = []
    for _ in range(400):
        u = torch.randn(weight.shape, generator=generator, dtype=torch.float64)
        slopes.append((loss(1e-5 * u) - loss(-1e-5 * u)) / 2e-5)
    assert np.sqrt(np.mean(np.square(slopes))) == pytest.approx(ours["gradient"][0], rel=0.12)


@pytest.mark.parametrize("tying", ["all", "target"])
def test_tied_logits_are_the_recorded_ones(tying: str) -> None:
    translator = random_translator(1, weight_tying=tying, norm_first=True)
    trace = translator.trace("3 1 4")
    assert_near(tied_logits(translator.model, trace), trace.tensors["logits"], 1e-5)


def test_untied_they_are_others() -> None:
    translator = random_translator(1, weight_tying="none")
    trace = translator.trace("3 1 4")
    assert np.abs(tied_logits(translator.model, trace) - trace.tensors["logits"]).max() > 0.1


def test_batch_norm_hears_of_its_neighbours() -> None:
    x = np.random.default_rng(0).normal(size=(4, 6)).astype(np.float32)
    norm = nn.BatchNorm1d(6, affine=False).double()
    whole, fewer = (norm(torch.tensor(one, dtype=torch.float64)) for one in (x, x[:-1]))
    assert batch_norm_change(x) == pytest.approx(float((whole[:-1] - fewer).abs().max()), rel=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_without_residuals_tokens_become_alike_at_once(seed: int) -> None:
    bare, post = (random_stack(3, norm_first=False, has_residual=one, seed=seed) for one in (False, True))
    assert_near(bare["stream"], np.ones(3), 1e-3)  # normalised as well
    assert bare["alike"].iloc[1] > 0.95 > 0.7 > post["alike"].iloc[1]
    assert post["alike"].is_monotonic_increasing


def test_how_alike_tokens_are_is_the_cosine_of_all_pairs() -> None:
    x = torch.randn(4, 6)
    pairs = [(i, j) for i in range(4) for j in range(i)]
    cosines = [float(nn.functional.cosine_similarity(x[i], x[j], dim=0)) for i, j in pairs]
    assert mean_cosine(x) == pytest.approx(np.mean(cosines), abs=1e-6)


def test_without_a_residual_what_a_sub_layer_read_is_forgotten() -> None:
    y = torch.randn(1, 3, 8)
    add = Residual(TransformerConfig(d_model=8, n_heads=2, dropout=0.0, residuals=False))
    assert_near(add(torch.ones(1, 3, 8), lambda _x: y), nn.functional.layer_norm(y, (8,)), 1e-5)
