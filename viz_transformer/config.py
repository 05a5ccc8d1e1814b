"""The sizes and the variants of a Transformer, checked when they are set."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from typing import Any, Literal, get_args

from viz_transformer.sentences import SentenceError

PositionKind = Literal["sinusoidal", "learned", "none"]
WeightTying = Literal["none", "target", "all"]
Activation = Literal["relu", "gelu", "swish"]
Sublayers = Literal["both", "attention", "feed_forward"]

_KINDS = {"positions": PositionKind, "weight_tying": WeightTying, "activation": Activation, "sublayers": Sublayers}

# Far beyond what models of this kind need: the most that a config from a stranger's file can ask for.
MAX_SIZE, MAX_LAYERS = 2**20, 256
MAX_TABLE = (
    2**22
)  # numbers in a table of positions, max_len × d_model: the one part whose size no file of weights bounds


_SIZES = (
    "source_vocab_size", "target_vocab_size", "d_model", "n_heads", "n_encoder_layers", "n_decoder_layers", "d_ff",
    "max_len",
)  # fmt: skip
_SWITCHES = (
    "norm_first", "scale_embeddings", "scale_scores", "causal", "residuals", "sines_first", "embedding_norm",
    "output_bias",
)  # fmt: skip


@dataclass(frozen=True)
class TransformerConfig:
    """Everything that fixes the shape of a Transformer. The defaults are the paper's base model.

    Source: Vaswani et al. 2017, "Attention Is All You Need", Table 3 (row "base"), §3.4, §3.5, §5.4.

    Raises:
        ValueError: a sentence that names the field, what it was and what is allowed.
    """

    source_vocab_size: int = 37_000  # §5.1: byte-pair encoding, shared by source and target
    target_vocab_size: int = 37_000
    d_model: int = 512
    n_heads: int = 8
    n_encoder_layers: int = 6
    n_decoder_layers: int = 6
    d_ff: int = 2048
    max_len: int = 512  # the longest sequence, in tokens, start and end included; not given in the paper
    dropout: float = 0.1  # on the output of each sub-layer and on embedding + position (§5.4)
    attention_dropout: float = 0.0  # on the weights after softmax; not in the paper's text, in its code
    norm_first: bool = False  # False: LayerNorm(x + Sublayer(x)), as in the paper; True: pre-norm
    positions: PositionKind = "sinusoidal"
    weight_tying: WeightTying = "all"  # §3.4: both embeddings and the output projection share one matrix
    scale_embeddings: bool = True  # §3.4: embeddings are multiplied by √d_model
    activation: Activation = "relu"
    # What models from elsewhere have:
    n_decoder_heads: int | None = None  # None: as many as the encoder, n_heads
    decoder_d_ff: int | None = None  # None: as wide as the encoder's, d_ff
    sines_first: bool = False  # sinusoids: all sines, then all cosines; the paper interleaves them (§3.5)
    embedding_norm: bool = False  # a LayerNorm on embedding + position
    final_norms: bool | None = None  # a LayerNorm after each stack; None: in pre-norm only, which needs it
    output_bias: bool = False  # added to the logits; §3.4 has none
    # To see what a part is for, a model can be trained without it:
    scale_scores: bool = True  # §3.2.1: QKᵀ is divided by √d_k
    causal: bool = True  # §3.2.3: False lets the decoder see the targets that it should predict
    sublayers: Sublayers = "both"  # §3.1: or layers of attention alone, or of feed-forward alone
    residuals: bool = True  # §3.1: False hands on LayerNorm(Sublayer(x)), without x
    pad_id: int = 0  # fills short sequences
    start_id: int = 1  # what the decoder reads first; it may be that of padding or of the end, too
    end_id: int = 2  # ends every sequence
    unknown_id: int = 3  # stands for what the vocabulary lacks

    @property
    def d_k(self) -> int:
        """Width of one head's queries, keys and values: d_model / n_heads."""
        return self.d_model // self.n_heads

    @property
    def score_divisor(self) -> float:
        """What QKᵀ is divided by: √d_k, or 1 without scaling."""
        return math.sqrt(self.d_k) if self.scale_scores else 1.0

    @property
    def has_attention(self) -> bool:
        """Whether any layer attends to anything."""
        return self.sublayers != "feed_forward"

    @property
    def has_feed_forward(self) -> bool:
        return self.sublayers != "attention"

    @property
    def special_ids(self) -> tuple[int, ...]:
        """The ids of padding, start, end and what is unknown, each once."""
        return tuple(dict.fromkeys((self.pad_id, self.start_id, self.end_id, self.unknown_id)))

    @property
    def has_final_norms(self) -> bool:
        """Whether a LayerNorm follows each stack."""
        return self.norm_first if self.final_norms is None else self.final_norms

    @cached_property
    def decoder(self) -> TransformerConfig:
        """The config as the decoder's layers read it: `n_heads` and `d_ff` are theirs."""
        if self.n_decoder_heads is None and self.decoder_d_ff is None:
            return self
        n_heads, d_ff = self.n_decoder_heads or self.n_heads, self.decoder_d_ff or self.d_ff
        return replace(self, n_heads=n_heads, d_ff=d_ff, n_decoder_heads=None, decoder_d_ff=None)

    def __post_init__(self) -> None:
        for name in _SIZES:
            _require_int(name, getattr(self, name), 1, MAX_LAYERS if name.endswith("_layers") else MAX_SIZE)
        for name in ("n_decoder_heads", "decoder_d_ff"):
            if getattr(self, name) is not None:
                _require_int(name, getattr(self, name), 1, MAX_SIZE)
        for name in ("dropout", "attention_dropout"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1:
                raise SentenceError(
                    "{name} must be a number from 0 up to, but not including, 1; it was {value!r}.",
                    name=name,
                    value=value,
                )
        if self.final_norms is not None and not isinstance(self.final_norms, bool):
            raise SentenceError("final_norms must be true, false or null; it was {value!r}.", value=self.final_norms)
        for name in _SWITCHES:
            if not isinstance(getattr(self, name), bool):
                raise SentenceError(
                    "{name} must be true or false; it was {value!r}.", name=name, value=getattr(self, name)
                )
        for name, kind in _KINDS.items():
            value, allowed = getattr(self, name), get_args(kind)
            if value not in allowed:
                raise SentenceError(
                    "{name} must be one of {allowed}; it was {value!r}.",
                    name=name,
                    allowed=", ".join(allowed),
                    value=value,
                )
        for n_heads in (self.n_heads, self.n_decoder_heads or self.n_heads):
            if self.d_model % n_heads:
                raise SentenceError(
                    "d_model must be divisible by n_heads, so that every head gets d_k = d_model / n_heads columns; "
                    "{d_model} is not divisible by {n_heads}.",
                    d_model=self.d_model,
                    n_heads=n_heads,
                )
        if self.positions == "sinusoidal" and self.d_model % 2:
            raise SentenceError(
                "Sinusoidal positions need an even d_model, a sine and a cosine for each wavelength; it was {d_model}.",
                d_model=self.d_model,
            )
        if self.max_len * self.d_model > MAX_TABLE:
            raise SentenceError(
                "max_len × d_model, the size of the table of positions, must be at most {largest}: with d_model "
                "{d_model} max_len is at most {limit}; it was {max_len}.",
                largest=MAX_TABLE,
                d_model=self.d_model,
                limit=MAX_TABLE // self.d_model,
                max_len=self.max_len,
            )
        if self.weight_tying == "all" and self.source_vocab_size != self.target_vocab_size:
            raise SentenceError(
                'weight_tying="all" shares one embedding between source and target, so both vocabularies must have '
                "the same size; they have {source_vocab_size} and {target_vocab_size} tokens.",
                source_vocab_size=self.source_vocab_size,
                target_vocab_size=self.target_vocab_size,
            )
        for name in ("pad_id", "start_id", "end_id", "unknown_id"):
            _require_int(name, getattr(self, name), 0, min(self.source_vocab_size, self.target_vocab_size) - 1)

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> TransformerConfig:
        """The config that `to_dict` wrote; unknown fields raise a ValueError that names them."""
        unknown = sorted(set(values) - {field.name for field in fields(cls)})
        if unknown:
            raise SentenceError(
                "The model's config has fields that this version does not know: {unknown}.",
                unknown=", ".join(unknown[:5]),
            )
        return cls(**values)


def _require_int(name: str, value: object, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise SentenceError(
            "{name} must be a whole number from {low} to {high}; it was {value!r}.",
            name=name,
            low=low,
            high=high,
            value=value,
        )
