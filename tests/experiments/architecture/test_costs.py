from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from tests.helpers import one, random_ids, random_model, tiny_config
from viz_transformer import Transformer, TransformerConfig, active_hooks
from viz_transformer.experiments.architecture.costs import (
    PAPER_BASE,
    PAPER_BIG,
    TABLE_3,
    TABLE_3_B,
    NarrowKeys,
    attention_flops,
    count_flops,
    count_parameters,
    counted_flops,
    flops_by_part,
    parameters_by_part,
    saved_by_narrow_keys,
    vocabulary_for,
)
from viz_transformer.experiments.architecture.shapes import Lengths


@pytest.mark.parametrize("tying", ["none", "target", "all"])
@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
@pytest.mark.parametrize("sublayers", ["both", "attention", "feed_forward"])
def test_parameters_are_those_of_the_model(tying: Any, norm_first: bool, positions: Any, sublayers: Any) -> None:
    config = tiny_config(
        weight_tying=tying,
        norm_first=norm_first,
        positions=positions,
        sublayers=sublayers,
        source_vocab_size=14 if tying == "all" else 19,
        n_encoder_layers=3,
    )
    assert count_parameters(config) == Transformer(config).count_parameters()


@pytest.mark.parametrize("config", [PAPER_BASE, PAPER_BIG], ids=["base", "big"])
def test_the_papers_models_count_as_torchs_own_layers_do(config: TransformerConfig) -> None:
    sizes: dict[str, Any] = {"d_model": config.d_model, "nhead": config.n_heads, "dim_feedforward": config.d_ff}
    with torch.device("meta"):
        layers = [nn.TransformerEncoderLayer(**sizes), nn.TransformerDecoderLayer(**sizes)]
    one_of_each = sum(parameter.numel() for layer in layers for parameter in layer.parameters())
    assert count_parameters(config) == 6 * one_of_each + 37_000 * config.d_model


def test_table_3_base_and_big_with_a_shared_vocabulary_of_37_000() -> None:
    # The paper prints 65 and 213 million; it does not say what it counted.
    assert count_parameters(PAPER_BASE) == 63_082_496
    assert count_parameters(PAPER_BIG) == 214_245_376
    assert abs(count_parameters(PAPER_BASE) / 65e6 - 1) < 0.03
    assert abs(count_parameters(PAPER_BIG) / 213e6 - 1) < 0.006


@pytest.mark.parametrize(("name", "config", "printed"), TABLE_3)
def test_table_3_comes_out_as_printed_with_the_vocabulary_that_is_said(
    name: str, config: TransformerConfig, printed: int
) -> None:
    low, high = vocabulary_for(config, printed)

    def millions(vocabulary: int) -> int:
        return round(
            count_parameters(replace(config, source_vocab_size=vocabulary, target_vocab_size=vocabulary)) / 1e6
        )

    assert millions(low) == millions(high) == printed
    assert millions(low - 1) < printed < millions(high + 1)
    said = (36_000, 36_000) if name == "big" else (40_932, 41_160)  # in the caption of the page
    assert low <= said[0] and said[1] <= high


def test_the_said_vocabulary_is_what_all_rows_of_base_size_share() -> None:
    ranges = [vocabulary_for(config, printed) for name, config, printed in TABLE_3 if name != "big"]
    assert (max(low for low, _ in ranges), min(high for _, high in ranges)) == (40_932, 41_160)
    assert vocabulary_for(PAPER_BIG, 213) == (35_296, 36_272)


@pytest.mark.parametrize("row", TABLE_3_B, ids=lambda row: f"d_k={row.d_k}")
def test_narrow_keys_save_what_torch_counts_and_the_paper_prints(row: NarrowKeys) -> None:
    d, heads, n_attentions = 512, 8, 6 + 2 * 6
    wide, narrow = (
        sum(parameter.numel() for parameter in torch.nn.Linear(d, heads * width, device="meta").parameters())
        for width in (64, row.d_k)
    )
    saved = saved_by_narrow_keys(PAPER_BASE, row.d_k)
    assert saved == n_attentions * 2 * (wide - narrow)
    assert abs(65 - saved / 1e6 - row.parameters) <= 1  # both are rounded


@given(n=st.integers(1, 4), d=st.integers(1, 12), heads=st.integers(1, 4), length=st.integers(1, 40))
def test_attention_is_4_n_d_l_2d_plus_l(n: int, d: int, heads: int, length: int) -> None:
    config = TransformerConfig(d_model=d * heads, n_heads=heads, positions="none")
    width = config.d_model
    assert n * attention_flops(config, length, length) == 4 * n * width * length * (2 * width + length)


@given(
    d=st.integers(1, 6),
    heads=st.integers(1, 3),
    f=st.integers(1, 9),
    s=st.integers(1, 9),
    t=st.integers(1, 9),
    sublayers=st.sampled_from(["both", "attention", "feed_forward"]),
)
def test_every_part_is_what_torch_counts(d: int, heads: int, f: int, s: int, t: int, sublayers: str) -> None:
    config = tiny_config(d_model=2 * d * heads, n_heads=heads, d_ff=f, sublayers=sublayers)
    counted = counted_flops(config, Lengths(s, t))
    assert {part.part: part.each for part in flops_by_part(config, Lengths(s, t))} == counted


@pytest.mark.parametrize(("source", "target"), [(1, 1), (5, 3), (3, 8)])
@pytest.mark.parametrize("sublayers", ["both", "attention", "feed_forward"])
def test_a_whole_pass_on_the_explicit_path_is_the_sum(source: int, target: int, sublayers: str) -> None:
    model = random_model(sublayers=sublayers)
    with torch.inference_mode(), active_hooks(lambda name, tensor: None), FlopCounterMode(display=False) as counter:
        model(one(random_ids(0, source)), one(random_ids(1, target)))
    parts = flops_by_part(model.config, Lengths(source, target))
    assert counter.get_total_flops() == sum(part.total for part in parts)


def test_a_product_of_two_matrices_takes_twice_its_three_sizes() -> None:
    assert count_flops(lambda: torch.ones(3, 5) @ torch.ones(5, 7)) == 2 * 3 * 5 * 7


def test_a_part_that_the_model_lacks_costs_no_operations_and_has_no_parameters() -> None:
    for sublayers, absent in (("attention", "ffn"), ("feed_forward", "self")):
        config = tiny_config(sublayers=sublayers)
        counts = {part.part: part.times for part in parameters_by_part(config)}
        assert counts[f"encoder_{absent}"] == counts[f"decoder_{absent}"] == 0
        assert not any(part.part.endswith(absent) for part in flops_by_part(config, Lengths(3, 4)))


def test_a_part_says_how_often_it_occurs() -> None:
    config = tiny_config(n_encoder_layers=3, weight_tying="target")
    parts = {part.part: part for part in parameters_by_part(config)}
    assert parts["encoder_self"].times == 3
    assert parts["output_projection"].total == 0
    assert parts["encoder_self"].total == 3 * parts["encoder_self"].each
