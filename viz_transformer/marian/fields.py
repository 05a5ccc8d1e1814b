"""Turns a Marian config into a TransformerConfig, and refuses what this project's Transformer cannot do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from viz_transformer.checkpoint import CheckpointError
from viz_transformer.config import MAX_SIZE, Activation, TransformerConfig, WeightTying
from viz_transformer.marian.files import CONFIG

# What `transformers` takes where a config leaves a field out.
_USUAL: dict[str, Any] = {
    "vocab_size": 58_101, "decoder_vocab_size": None, "max_position_embeddings": 1024, "d_model": 1024,
    "encoder_layers": 12, "decoder_layers": 12, "encoder_attention_heads": 16, "decoder_attention_heads": 16,
    "encoder_ffn_dim": 4096, "decoder_ffn_dim": 4096, "activation_function": "gelu", "scale_embedding": False,
    "share_encoder_decoder_embeddings": True, "tie_word_embeddings": True, "dropout": 0.1, "attention_dropout": 0.0,
    "pad_token_id": 58_100, "eos_token_id": 0, "decoder_start_token_id": 58_100,
}  # fmt: skip
_SIZES = {
    "max_position_embeddings": "max_len", "d_model": "d_model", "encoder_layers": "n_encoder_layers",
    "decoder_layers": "n_decoder_layers", "encoder_attention_heads": "n_heads",
    "decoder_attention_heads": "n_decoder_heads", "encoder_ffn_dim": "d_ff", "decoder_ffn_dim": "decoder_d_ff",
}  # fmt: skip
_SWITCHES = "scale_embedding", "share_encoder_decoder_embeddings", "tie_word_embeddings"
_IDS = {"pad_token_id": "pad_id", "decoder_start_token_id": "start_id", "eos_token_id": "end_id"}
_ACTIVATIONS: dict[str, Activation] = {"relu": "relu", "gelu": "gelu", "swish": "swish", "silu": "swish"}
# Fields of old configs. `transformers` always computes as if they had these values, whatever they say.
_FIXED = {
    "normalize_before": False, "normalize_embedding": False, "add_final_layer_norm": False, "add_bias_logits": False,
    "static_position_embeddings": True, "is_encoder_decoder": True, "is_decoder": False,
}  # fmt: skip


def config_of(fields: Mapping[str, Any], *, unknown_id: int, output_bias: bool) -> TransformerConfig:
    """The config of a Transformer that computes what `transformers.MarianMTModel` computes.

    Args:
        fields: those of its config.json.
        unknown_id: the id of `<unk>` in its vocabulary.
        output_bias: whether its weights have a bias of the logits.

    Raises:
        CheckpointError: a sentence that names the field that does not fit.
    """
    for name, fixed in _FIXED.items():
        if fields.get(name, fixed) is not fixed:
            raise _refused(name, fields[name], str(fixed).lower())
    values = {name: fields.get(name, usual) for name, usual in _USUAL.items()}
    values["decoder_vocab_size"] = values["decoder_vocab_size"] or values["vocab_size"]
    for name in (*_SIZES, "vocab_size", "decoder_vocab_size"):
        _require_int(name, values[name], 1, MAX_SIZE)
    for name in _SWITCHES:
        if not isinstance(values[name], bool):
            raise _refused(name, values[name], "true, false")
    activation = values["activation_function"]
    if not isinstance(activation, str) or activation not in _ACTIVATIONS:
        raise _refused("activation_function", activation, ", ".join(_ACTIVATIONS))
    is_shared, is_tied = values["share_encoder_decoder_embeddings"], values["tie_word_embeddings"]
    if is_shared and values["decoder_vocab_size"] != values["vocab_size"]:
        raise _refused("decoder_vocab_size", values["decoder_vocab_size"], str(values["vocab_size"]))
    for name in _IDS:
        _require_int(name, values[name], 0, min(values["vocab_size"], values["decoder_vocab_size"]) - 1)
    tying = "none" if not is_tied else "all" if is_shared else "target"
    try:
        return TransformerConfig(
            source_vocab_size=values["vocab_size"],
            target_vocab_size=values["decoder_vocab_size"],
            **{ours: values[theirs] for theirs, ours in (_SIZES | _IDS).items()},
            dropout=values["dropout"],
            attention_dropout=values["attention_dropout"],
            weight_tying=cast(WeightTying, tying),
            scale_embeddings=values["scale_embedding"],
            activation=_ACTIVATIONS[activation],
            sines_first=True,
            output_bias=output_bias,
            unknown_id=unknown_id,
        )
    except ValueError as error:
        raise CheckpointError("{config}: {reason}", config=CONFIG, reason=error) from error


def _refused(name: str, value: object, allowed: str) -> CheckpointError:
    return CheckpointError(
        "{config}: {name} is {value!r}; a Marian model can be imported only with {allowed}.",
        config=CONFIG,
        name=name,
        value=value,
        allowed=allowed,
    )


def _require_int(name: str, value: object, low: int, high: int) -> None:
    if type(value) is not int or not low <= value <= high:
        raise CheckpointError(
            "{config}: {name} must be a whole number from {low} to {high}; it is {value!r}.",
            config=CONFIG,
            name=name,
            low=low,
            high=high,
            value=value,
        )
