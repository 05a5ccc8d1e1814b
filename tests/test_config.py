from __future__ import annotations

import json
from typing import Any

import pytest
import torch

from tests.helpers import assert_sentence, tiny_config
from viz_transformer import Transformer, TransformerConfig


def count_parameters(config: TransformerConfig) -> int:
    with torch.device("meta"):  # shapes only: nothing is allocated
        return Transformer(config).count_parameters()


def test_the_defaults_are_the_papers_base_model() -> None:
    # Table 3, row "base": N = 6, d_model = 512, d_ff = 2048, h = 8. §5.1: 37,000 tokens, shared.
    attention = 4 * (512 * 512 + 512)  # W_Q, W_K, W_V, W_O and their biases: 1,050,624
    feed_forward = (512 * 2048 + 2048) + (2048 * 512 + 512)  # W_1, b_1, W_2, b_2: 2,099,712
    norm = 2 * 512  # gain and bias
    encoder_layer = attention + feed_forward + 2 * norm  # 3,152,384
    decoder_layer = 2 * attention + feed_forward + 3 * norm  # 4,204,032
    embedding = 37_000 * 512  # §3.4: one matrix for source, target and output; the output has no bias
    by_hand = embedding + 6 * (encoder_layer + decoder_layer)
    assert by_hand == 63_082_496
    assert count_parameters(TransformerConfig()) == by_hand


def test_the_defaults_have_the_papers_variants() -> None:
    config = TransformerConfig()
    assert (config.d_k, config.dropout) == (64, 0.1)
    assert (config.norm_first, config.positions, config.activation) == (False, "sinusoidal", "relu")
    assert (config.weight_tying, config.scale_embeddings) == ("all", True)


@pytest.mark.parametrize(("tying", "matrices"), [("all", 1), ("target", 2), ("none", 3)])
def test_each_untied_embedding_adds_one_matrix(tying: str, matrices: int) -> None:
    rest = count_parameters(tiny_config()) - 14 * 16
    assert count_parameters(tiny_config(weight_tying=tying)) == rest + matrices * 14 * 16


def test_learned_positions_add_a_table_for_each_side() -> None:
    extra = count_parameters(tiny_config(positions="learned")) - count_parameters(tiny_config())
    assert extra == 2 * 24 * 16


WRONG: list[tuple[dict[str, Any], str, str]] = [
    *(
        ({name: value}, name, repr(value))
        for name in ("source_vocab_size", "target_vocab_size", "d_model", "n_heads", "d_ff", "max_len")
        for value in (0, -3, 2.0, True, "8", None)
    ),
    *(({name: value}, name, repr(value)) for name in ("n_encoder_layers", "n_decoder_layers") for value in (0, 1.5)),
    *(
        ({name: value}, name, repr(value))
        for name in ("dropout", "attention_dropout")
        for value in (-0.1, 1, 1.5, float("nan"), float("inf"), "0.1", True, None)
    ),
    *(({name: value}, name, repr(value)) for name in ("norm_first", "scale_embeddings") for value in (1, "yes", None)),
    ({"positions": "rotary"}, "positions", "'rotary'"),
    ({"weight_tying": True}, "weight_tying", "True"),
    ({"activation": ["relu"]}, "activation", "['relu']"),
    ({"d_model": 18}, "d_model", "18"),  # not divisible by 4 heads
    ({"d_model": 15, "n_heads": 3}, "d_model", "15"),  # odd, with sinusoids
    ({"d_model": 192, "max_len": 2**22 // 192 + 1}, "max_len", "21846"),  # a table of 16 MiB and a little
    ({"target_vocab_size": 15}, "weight_tying", "15"),  # tied to a source vocabulary of 14
    ({"pad_id": -1}, "pad_id", "-1"),
    ({"pad_id": 14}, "pad_id", "14"),
    ({"pad_id": 0.0}, "pad_id", "0.0"),
]


@pytest.mark.parametrize(("changes", "field", "value"), WRONG, ids=lambda x: str(x).replace(" ", ""))
def test_a_wrong_value_is_refused_with_a_sentence_that_names_field_and_value(
    changes: dict[str, Any], field: str, value: str
) -> None:
    with pytest.raises(ValueError) as caught:
        tiny_config(**changes)
    assert_sentence(caught.value, field, value)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"norm_first": True, "positions": "none", "activation": "gelu", "scale_embeddings": False},
        {"weight_tying": "none", "target_vocab_size": 9, "dropout": 0, "attention_dropout": 0.25, "pad_id": 3},
        {"d_model": 192, "max_len": 2**22 // 192},
        {"d_model": 15, "n_heads": 3, "positions": "learned"},  # an odd width is fine without sinusoids
    ],
)
def test_a_config_survives_json(changes: dict[str, Any]) -> None:
    config = tiny_config(**changes)
    assert TransformerConfig.from_dict(json.loads(json.dumps(config.to_dict()))) == config


def test_unknown_fields_are_refused_and_named() -> None:
    with pytest.raises(ValueError) as caught:
        TransformerConfig.from_dict({"d_model": 512, "rotary": True, "experts": 8})
    assert_sentence(caught.value, "experts", "rotary")
