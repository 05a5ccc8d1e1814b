"""What an imported model computes, against `transformers`: log-probabilities and the weights of all heads."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import MarianMTModel

from tests.helpers import assert_near
from tests.marian.opus import batch, different, opus, their_tokenizer
from viz_transformer import Translator, from_huggingface, load, record
from viz_transformer.cli.main import main
from viz_transformer.heads import ATTENTION_MODULES, hook_path

MODELS: dict[str, Callable[..., MarianMTModel]] = {"opus": opus, "different": different}


def imported(folder: Path, models: Path, name: str, *options: str) -> Translator:
    assert main(["import", str(folder), name, "--models", str(models), *options]) == 0
    return load(models / name, device="cpu")


def assert_same_numbers(ours: Translator, theirs: MarianMTModel, tolerance: float = 1e-5) -> None:
    """On a padded batch, and on its first pair alone."""
    sources, targets = batch(theirs)
    config = ours.model.config
    theirs.set_attn_implementation("eager")  # the other ways give no weights
    for rows in (slice(0, 3), slice(0, 1), slice(1, 2)):
        source, target = sources[rows], targets[rows]
        with torch.no_grad():
            expected = theirs(
                input_ids=source,
                attention_mask=(source != config.pad_id).long(),
                decoder_input_ids=target,
                output_attentions=True,
            )
            logits, seen = record(ours.model, source, target)
            fused = ours.model(source, target)
        is_real = target != config.pad_id
        is_real[:, 0] = True
        wanted = expected.logits.log_softmax(-1)[is_real]
        assert_near(logits.log_softmax(-1)[is_real], wanted, tolerance)
        assert_near(fused.log_softmax(-1)[is_real], wanted, tolerance)
        kinds = (expected.encoder_attentions, expected.decoder_attentions, expected.cross_attentions)
        for module, kind in zip(ATTENTION_MODULES, kinds, strict=True):
            for layer, weights in enumerate(kind):
                mine = seen[f"{hook_path(module, layer)}.weights"]
                rows_of = (source != config.pad_id) if module == ATTENTION_MODULES[0] else is_real
                for row, keep in enumerate(rows_of):
                    assert_near(mine[row][:, keep], weights[row][:, keep], tolerance / 5)


@pytest.mark.parametrize("name", MODELS)
def test_an_imported_model_computes_what_it_computed(name: str, tmp_path: Path) -> None:
    theirs = MODELS[name](tmp_path / "theirs")
    assert theirs.final_logits_bias.abs().max() > 1
    assert_same_numbers(imported(tmp_path / "theirs", tmp_path / "models", "mine"), theirs)


def test_opus_has_padding_for_its_start_token(tmp_path: Path) -> None:
    opus(tmp_path)
    config = from_huggingface(tmp_path).model.config
    assert config.pad_id == config.start_id == config.target_vocab_size - 1
    assert (config.end_id, config.unknown_id) == (0, 1)
    assert config.sines_first and config.output_bias and config.activation == "swish"


def test_the_other_model_differs_in_every_option(tmp_path: Path) -> None:
    one, other = opus(tmp_path / "one").config.to_dict(), different(tmp_path / "other").config.to_dict()
    named = """vocab_size decoder_vocab_size max_position_embeddings d_model encoder_layers decoder_layers
        encoder_attention_heads decoder_attention_heads encoder_ffn_dim decoder_ffn_dim activation_function
        scale_embedding dropout attention_dropout pad_token_id decoder_start_token_id eos_token_id
        share_encoder_decoder_embeddings"""
    assert [name for name in named.split() if one[name] == other[name]] == []


@pytest.mark.parametrize("activation", ["relu", "gelu", "swish", "silu"])
def test_every_activation(activation: str, tmp_path: Path) -> None:
    theirs = opus(tmp_path, activation_function=activation)
    assert_same_numbers(from_huggingface(tmp_path), theirs)


@pytest.mark.parametrize("shape", [different, opus])
def test_three_matrices_of_their_own(shape: Any, tmp_path: Path) -> None:
    theirs = shape(tmp_path, tie_word_embeddings=False, share_encoder_decoder_embeddings=False)
    ours = from_huggingface(tmp_path)
    assert ours.model.config.weight_tying == "none"
    assert_same_numbers(ours, theirs)


def test_a_pickled_checkpoint_with_all_that_old_ones_hold(tmp_path: Path) -> None:
    theirs = opus(tmp_path)
    (tmp_path / "model.safetensors").unlink()
    weights = theirs.state_dict()
    assert {"lm_head.weight", "model.decoder.embed_positions.weight", "model.encoder.embed_tokens.weight"} <= {*weights}
    torch.save(weights, tmp_path / "pytorch_model.bin")
    assert_same_numbers(from_huggingface(tmp_path), theirs)


def test_weights_in_several_files(tmp_path: Path) -> None:
    theirs = opus(tmp_path)
    (tmp_path / "model.safetensors").unlink()
    theirs.save_pretrained(tmp_path, max_shard_size="40KB")
    assert len([*tmp_path.glob("model-*-of-*.safetensors")]) > 2
    assert_same_numbers(from_huggingface(tmp_path), theirs)


def test_a_checkpoint_without_a_bias(tmp_path: Path) -> None:
    """`transformers` takes zeros then."""
    opus(tmp_path)
    weights = load_file(tmp_path / "model.safetensors")
    del weights["final_logits_bias"]
    save_file(weights, tmp_path / "model.safetensors", {"format": "pt"})
    assert_same_numbers(from_huggingface(tmp_path), MarianMTModel.from_pretrained(tmp_path).eval())


def test_fields_that_a_config_leaves_out_are_what_transformers_takes(tmp_path: Path) -> None:
    opus(tmp_path, scale_embedding=False, activation_function="gelu")
    config = json.loads((tmp_path / "config.json").read_text())
    for name in ("scale_embedding", "activation_function", "share_encoder_decoder_embeddings", "eos_token_id"):
        config.pop(name, None)
    del config["decoder_vocab_size"]
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert_same_numbers(from_huggingface(tmp_path), MarianMTModel.from_pretrained(tmp_path).eval())


def test_a_model_in_half_precision(tmp_path: Path) -> None:
    theirs = opus(tmp_path)
    theirs.half().save_pretrained(tmp_path)
    theirs = MarianMTModel.from_pretrained(tmp_path, dtype=torch.float32).eval()
    assert_same_numbers(from_huggingface(tmp_path), theirs)


@pytest.mark.parametrize("with_tokenizer", ["object", "folder", "where it came from"])
def test_a_model_of_transformers(with_tokenizer: str, tmp_path: Path) -> None:
    opus(tmp_path)
    theirs = MarianMTModel.from_pretrained(tmp_path).eval()
    choices: dict[str, Any] = {"object": their_tokenizer(tmp_path), "folder": tmp_path, "where it came from": None}
    ours = from_huggingface(theirs, tokenizer=choices[with_tokenizer])
    assert_same_numbers(ours, theirs)
    folder = from_huggingface(tmp_path)
    assert ours.model.config == folder.model.config
    assert ours.source_tokenizer.to_json() == folder.source_tokenizer.to_json()
    assert ours.target_tokenizer.encode("你好") == folder.target_tokenizer.encode("你好")


def test_saved_in_full_by_default_and_in_half_if_asked(tmp_path: Path) -> None:
    theirs = opus(tmp_path / "theirs")
    full = imported(tmp_path / "theirs", tmp_path, "full")
    half = imported(tmp_path / "theirs", tmp_path, "half", "--half")
    with torch.no_grad():
        for (name, one), other in zip(full.model.named_parameters(), half.model.parameters(), strict=True):
            assert torch.equal(other, one.half().float()), name
    assert torch.equal(full.model.target_embedding.tokens.weight, theirs.model.shared.weight)


def test_a_trace_is_of_the_pass_that_translates(tmp_path: Path) -> None:
    theirs = opus(tmp_path)
    ours = from_huggingface(tmp_path)
    trace = ours.trace("Where is the hospital?", "医院在哪里?")
    assert trace.source_tokens[-1] == trace.predicted_tokens[-1] == "</s>"
    assert trace.target_tokens[0] == "<pad>"
    tokenizer = their_tokenizer(tmp_path)
    source, labels = tokenizer("Where is the hospital?", text_target="医院在哪里?", return_tensors="pt").values(), None
    ids, mask, labels = source
    assert trace.predicted_ids == tuple(labels[0].tolist())
    with torch.no_grad():
        logits = theirs(input_ids=ids, attention_mask=mask, labels=labels).logits
    assert_near(trace.log_probs, logits[0].log_softmax(-1), 1e-5)
    for module in ATTENTION_MODULES:
        assert trace.attention(module, 1).weights.shape[0] == 4
