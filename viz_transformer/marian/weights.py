"""Fills our model with the tensors of a Marian model, which have the names of `transformers`."""

from __future__ import annotations

import re
from collections.abc import Mapping

import torch
from torch import Tensor

from viz_transformer.checkpoint import CheckpointError, for_reading, unfilled
from viz_transformer.config import TransformerConfig
from viz_transformer.layers import sinusoidal_encoding
from viz_transformer.model import Transformer

BIAS = "final_logits_bias"
SHARED, HEAD = "model.shared.weight", "lm_head.weight"
SOURCE, TARGET = "model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"
# By kind of tying, the names that each of our matrices may have there; under all of them it must be the same.
_EMBEDDINGS: dict[str, dict[str, tuple[str, ...]]] = {
    "all": {"source_embedding.tokens.weight": (SHARED, SOURCE, TARGET, HEAD)},
    "target": {"source_embedding.tokens.weight": (SOURCE,), "target_embedding.tokens.weight": (TARGET, HEAD)},
    "none": {
        "source_embedding.tokens.weight": (SOURCE, SHARED),
        "target_embedding.tokens.weight": (TARGET, SHARED),
        "output_projection.weight": (HEAD,),
    },
}
_NUMBERS = torch.float16, torch.bfloat16, torch.float32, torch.float64
_PARTS = {
    "encoder_layers": "model.encoder.layers", "decoder_layers": "model.decoder.layers",
    "self_attention": "self_attn", "cross_attention": "encoder_attn",
    "w_q": "q_proj", "w_k": "k_proj", "w_v": "v_proj", "w_o": "out_proj",
    "feed_forward": "", "w_1": "fc1", "w_2": "fc2", "norm": "",
    "add_self_attention": "self_attn_layer_norm", "add_cross_attention": "encoder_attn_layer_norm",
    "add_feed_forward": "final_layer_norm",
}  # fmt: skip


def filled(config: TransformerConfig, weights: Mapping[str, Tensor]) -> Transformer:
    """A model of this config with these weights, in float32.

    Raises:
        CheckpointError: a sentence about a tensor that is missing, unexpected, not finite, or of another shape or type.
    """
    with unfilled():
        model = Transformer(config)
    rest = dict(weights)
    for name, tensor in rest.items():
        if tensor.dtype not in _NUMBERS:
            raise CheckpointError(
                "The weights hold {name!r} in {kind}. Quantised weights are not imported, only those in {allowed}.",
                name=name,
                kind=str(tensor.dtype).removeprefix("torch."),
                allowed=", ".join(str(one).removeprefix("torch.") for one in _NUMBERS),
            )
        if not bool(tensor.isfinite().all()):
            raise CheckpointError("In the weights, {name!r} holds values that are not finite numbers.", name=name)
    _check_positions(rest, config)
    embeddings = _EMBEDDINGS[config.weight_tying]
    taken = set()
    with torch.no_grad():
        for name, parameter in model.named_parameters():  # lists a shared matrix once
            names = embeddings.get(name) or (their_name(name),)
            found = [theirs for theirs in names if theirs in rest]
            if not found:
                raise CheckpointError("The weights lack {name!r}.", name=names[0])
            tensor = rest[found[0]]
            for other in found[1:]:
                if not torch.equal(rest[other], tensor):
                    raise CheckpointError(
                        "The weights hold {name!r} and {other!r}, which should be one matrix according to "
                        "config.json (tie_word_embeddings, share_encoder_decoder_embeddings), but they differ.",
                        name=found[0],
                        other=other,
                    )
            taken |= {*found}
            tensor = tensor[0] if found[0] == BIAS and tensor.dim() == 2 and len(tensor) == 1 else tensor
            if tensor.shape != parameter.shape:
                raise CheckpointError(
                    "The weights do not fit config.json: {name!r} should be {expected} but is {found}.",
                    name=found[0],
                    expected=tuple(parameter.shape),
                    found=tuple(tensor.shape),
                )
            parameter.copy_(tensor)
    extra = sorted(rest.keys() - taken)
    if extra:
        raise CheckpointError(
            "The weights hold {name!r}, which a model with this config.json does not have.", name=extra[0]
        )
    return for_reading(model)


def their_name(ours: str) -> str:
    """What `transformers` calls one of our parameters: "encoder_layers.0.feed_forward.w_1.bias" is fc1's there."""
    if ours == "output_projection.bias":
        return BIAS
    parts = [_PARTS.get(part, part) for part in ours.split(".")]
    return ".".join(filter(None, parts))


def _check_positions(rest: dict[str, Tensor], config: TransformerConfig) -> None:
    """Takes the tables of positions out of `rest`, which must be the sinusoids that our model computes."""
    for name in [name for name in rest if re.fullmatch(r"model\.(encoder|decoder)\.embed_positions\.weight", name)]:
        found = rest.pop(name)
        expected = sinusoidal_encoding(torch.arange(config.max_len), config.d_model, sines_first=True)
        if found.shape != expected.shape or not torch.allclose(found, expected.to(found.dtype), rtol=0, atol=1e-6):
            raise CheckpointError(
                "{name!r} is not a table of sinusoids for {length} positions (max_position_embeddings), as Marian"
                " has it.",
                name=name,
                length=config.max_len,
            )
