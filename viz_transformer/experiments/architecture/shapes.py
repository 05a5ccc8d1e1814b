"""The shape of every tensor of a forward pass, from the config alone, by the boxes of Figure 1 of the paper.

Shapes: S source length, T target length, H heads, D = d_k = d_model / H, V target vocabulary. A batch of B sequences
puts a B in front of each.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from viz_transformer.config import TransformerConfig

EncoderBox = Literal["encoder_self", "encoder_add_self", "encoder_ffn", "encoder_add_ffn"]
DecoderBox = Literal[
    "decoder_self", "decoder_add_self", "cross", "decoder_add_cross", "decoder_ffn", "decoder_add_ffn"
]  # fmt: skip
OtherBox = Literal["source", "source_positions", "memory", "target", "target_positions", "linear", "softmax"]
Box = EncoderBox | DecoderBox | OtherBox
ENCODER_BOXES: tuple[EncoderBox, ...] = get_args(EncoderBox)
DECODER_BOXES: tuple[DecoderBox, ...] = get_args(DecoderBox)
BOXES: tuple[Box, ...] = (
    "source", "source_positions", *ENCODER_BOXES, "memory",
    "target", "target_positions", *DECODER_BOXES, "linear", "softmax",
)  # fmt: skip

# Where a layer's box is in the model.
_MODULE = {
    "encoder_self": "self_attention",
    "encoder_add_self": "add_self_attention",
    "encoder_ffn": "feed_forward",
    "encoder_add_ffn": "add_feed_forward",
    "decoder_self": "self_attention",
    "decoder_add_self": "add_self_attention",
    "cross": "cross_attention",
    "decoder_add_cross": "add_cross_attention",
    "decoder_ffn": "feed_forward",
    "decoder_add_ffn": "add_feed_forward",
}


class Lengths(NamedTuple):
    """How many tokens the encoder and the decoder read."""

    source: int
    target: int


class TensorShape(NamedTuple):
    """One tensor: its name in `Trace.tensors`, its shape in letters and in numbers."""

    name: str
    letters: tuple[str, ...]
    shape: tuple[int, ...]

    @property
    def stage(self) -> str:
        """The last part of the name."""
        return self.name.rpartition(".")[2]


def tensor_shapes(config: TransformerConfig, lengths: Lengths) -> tuple[TensorShape, ...]:
    """Every tensor that a pass of one sequence records, box by box, layer by layer."""
    shapes: list[TensorShape] = []
    for box in BOXES:
        for layer in range(layers_of(config, box)):
            shapes += box_shapes(config, lengths, box, layer)
    return tuple(shapes)


def layers_of(config: TransformerConfig, box: Box) -> int:
    """How often a box is in the model: once, once in each layer of its stack, or never."""
    if box in _MODULE and not (config.has_feed_forward if box.endswith("ffn") else config.has_attention):
        return 0
    if box in ENCODER_BOXES:
        return config.n_encoder_layers
    return config.n_decoder_layers if box in DECODER_BOXES else 1


def box_config(config: TransformerConfig, box: Box) -> TransformerConfig:
    """The config of the box's stack: its heads and its feed-forward width are the box's."""
    return config.decoder if box in DECODER_BOXES else config


def boxes_of(config: TransformerConfig) -> tuple[Box, ...]:
    """The boxes that a model has, in the order of the computation."""
    return tuple(box for box in BOXES if layers_of(config, box))


def box_shapes(config: TransformerConfig, lengths: Lengths, box: Box, layer: int) -> tuple[TensorShape, ...]:
    """The tensors of one box, in the order of the computation; `layer`, from 0, counts for boxes of a stack only."""
    stack = box_config(config, box)
    sizes = {
        "1": 1,
        "S": lengths.source,
        "T": lengths.target,
        "H": stack.n_heads,
        "D": stack.d_k,
        "d_model": config.d_model,
        "d_ff": stack.d_ff,
        "V": config.target_vocab_size,
    }
    return tuple(
        TensorShape(name, letters, tuple(sizes[letter] for letter in letters))
        for name, letters in _letters(box, layer).items()
    )


def _letters(box: Box, layer: int) -> dict[str, tuple[str, ...]]:
    if box in _MODULE:
        stack = "encoder_layers" if box in ENCODER_BOXES else "decoder_layers"
        query = "S" if box in ENCODER_BOXES else "T"
        key = "S" if box == "cross" else query
        path = f"{stack}.{layer}.{_MODULE[box]}"
        if _MODULE[box].endswith("attention") and not _MODULE[box].startswith("add"):
            stages = _attention(query, key, is_causal=box == "decoder_self")
        elif _MODULE[box] == "feed_forward":
            stages = {"input": (query, "d_model"), "hidden": (query, "d_ff"), "output": (query, "d_model")}
        else:
            stages = dict.fromkeys(("before_norm", "after_norm", "output"), (query, "d_model"))
        return {f"{path}.{stage}": letters for stage, letters in stages.items()}
    if box == "memory":
        return {"memory": ("S", "d_model")}
    if box == "linear":
        return {"decoder_output": ("T", "d_model"), "logits": ("T", "V")}
    if box == "softmax":
        return {"log_probs": ("T", "V")}
    side, _, part = box.partition("_")
    length = "S" if side == "source" else "T"
    if part == "positions":
        path = f"{side}_embedding"
        return {
            f"{path}.positions.positions": (length,),
            f"{path}.positions.encoding": (length, "d_model"),
            f"{path}.output": (length, "d_model"),
        }
    return {f"{side}_tokens": (length,), f"{side}_embedding.scaled_tokens": (length, "d_model")}


def _attention(query: str, key: str, *, is_causal: bool) -> dict[str, tuple[str, ...]]:
    return {
        "query_input": (query, "d_model"),
        "key_input": (key, "d_model"),
        "q": ("H", query, "D"),
        "k": ("H", key, "D"),
        "v": ("H", key, "D"),
        "mask": ("1", query if is_causal else "1", key),
        **dict.fromkeys(("scores", "scaled_scores", "masked_scores", "weights"), ("H", query, key)),
        "context": ("H", query, "D"),
        "concatenated": (query, "d_model"),
        "output": (query, "d_model"),
    }
