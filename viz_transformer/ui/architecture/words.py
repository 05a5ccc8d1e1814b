"""What the boxes of Figure 1 are called, what they do, and which page tells more about each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from viz_transformer.experiments.architecture.shapes import Box
from viz_transformer.views.text import _


@dataclass(frozen=True)
class BoxWords:
    """One box.

    Attributes:
        title: its lines in the drawing.
        text: a sentence.
        page: the address of the page that tells more.
        link: the text of the link to it.
        parameters: what the link asks that page for, besides model, texts and place.
    """

    title: str
    text: str
    page: str
    link: str
    parameters: Mapping[str, str] = field(default_factory=dict)


def box_words(norm_first: bool) -> dict[Box, BoxWords]:
    """The words for all boxes of a pre-norm or a post-norm model."""
    attention = _("Open this layer in “Attention step by step” →")
    positions = _("Open the lesson “Positional encoding” →")
    norms = _("Open the lesson “Norm” →")
    feed = _("Open the lesson “Feed-forward” →")
    add = (
        BoxWords(
            _("Norm, then add"),
            _("x + Sublayer(LayerNorm(x)): pre-norm. The stream itself is never normalised inside the stack."),
            "architecture",
            norms,
            {"lesson": "norm"},
        )
        if norm_first
        else BoxWords(
            _("Add & Norm"),
            _("LayerNorm(x + Sublayer(x)): post-norm, as in the paper. The arrow around the sub-layer carries x."),
            "architecture",
            norms,
            {"lesson": "norm"},
        )
    )
    ffn = BoxWords(
        _("Feed-forward"),
        _("Two linear maps with an activation between them, the same ones at every position."),
        "architecture",
        feed,
        {"lesson": "ffn"},
    )
    place = BoxWords(
        _("Positional\nencoding"),
        _("One vector for each position, added to the token's vector."),
        "positions",
        positions,
    )
    tokens = _("See the tokens on the page “Overview” →")
    return {
        "source": BoxWords(
            _("Input embedding"),
            _(
                "Each source token's row of the embedding matrix: a one-hot vector times that matrix. Then times "
                "√d_model."
            ),
            ".",
            tokens,
        ),
        "source_positions": place,
        "encoder_self": BoxWords(
            _("Multi-head attention"),
            _("Every source token attends to all source tokens: Q, K and V come from the layer's own input."),
            "attention",
            attention,
        ),
        "encoder_add_self": add,
        "encoder_ffn": ffn,
        "encoder_add_ffn": add,
        "memory": BoxWords(
            _("Memory"),
            _("The encoder's output. Every decoder layer reads its keys and values from it."),
            "attention",
            _("See how cross-attention reads it →"),
            {"module": "cross"},
        ),
        "target": BoxWords(
            _("Output embedding"),
            _(
                "Each target token's row of the embedding matrix, times √d_model. Row t reads token t and predicts "
                "token t + 1."
            ),
            ".",
            tokens,
        ),
        "target_positions": place,
        "decoder_self": BoxWords(
            _("Masked multi-head attention"),
            _(
                "Every target token attends to itself and to the tokens before it; the causal mask hides those "
                "after it."
            ),
            "attention",
            attention,
        ),
        "decoder_add_self": add,
        "cross": BoxWords(
            _("Multi-head attention"),
            _("Cross-attention: Q comes from the decoder, K and V from the encoder's memory."),
            "attention",
            attention,
        ),
        "decoder_add_cross": add,
        "decoder_ffn": ffn,
        "decoder_add_ffn": add,
        "linear": BoxWords(
            _("Linear"),
            _(
                "One number, the logit, for each token of the target vocabulary: the decoder's output times the "
                "output matrix."
            ),
            "architecture",
            _("Open the lesson “Cost” for weight tying →"),
            {"lesson": "cost"},
        ),
        "softmax": BoxWords(
            _("Softmax"),
            _("Log-probabilities of the next token, one row for each target token read."),
            "decoding",
            _("Open the page “Decoding” →"),
        ),
    }


def part_names() -> dict[str, str]:
    """The names of the model's parts, by `PartCost.part` of `experiments.architecture.costs`."""
    return {
        "target_embedding": _("Target embedding"),
        "source_embedding": _("Source embedding"),
        "positions": _("Learned positions"),
        "encoder_self": _("Encoder self-attention"),
        "encoder_ffn": _("Encoder feed-forward"),
        "encoder_norm": _("Encoder LayerNorms"),
        "decoder_self": _("Decoder self-attention"),
        "cross": _("Cross-attention"),
        "decoder_ffn": _("Decoder feed-forward"),
        "decoder_norm": _("Decoder LayerNorms"),
        "output_projection": _("Output projection"),
    }
