"""Parameters and floating-point operations by part: closed forms, and what torch counts on the explicit path.

A multiplication and an addition are two operations, as `torch.utils.flop_counter` counts them: a product of an (n, m)
and an (m, p) matrix takes 2·n·m·p. Softmax, LayerNorm, activations, biases and look-ups are left out, there and here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from viz_transformer.attention import MultiHeadAttention
from viz_transformer.config import TransformerConfig
from viz_transformer.experiments.architecture.shapes import (
    DECODER_BOXES,
    ENCODER_BOXES,
    Box,
    Lengths,
    box_config,
    layers_of,
)
from viz_transformer.hooks import active_hooks
from viz_transformer.layers import FeedForward

# Vaswani et al. 2017, Table 3 and §5.1.
PAPER_BASE = TransformerConfig()
PAPER_BIG = TransformerConfig(d_model=1024, n_heads=16, d_ff=4096, dropout=0.3)
# Rows of Table 3 that change sizes this config has: name, config, parameters in millions as printed.
TABLE_3: tuple[tuple[str, TransformerConfig, int], ...] = (
    ("base", PAPER_BASE, 65),
    ("N = 2", replace(PAPER_BASE, n_encoder_layers=2, n_decoder_layers=2), 36),
    ("N = 4", replace(PAPER_BASE, n_encoder_layers=4, n_decoder_layers=4), 50),
    ("N = 8", replace(PAPER_BASE, n_encoder_layers=8, n_decoder_layers=8), 80),
    ("d_model = 256, d_k = 32", replace(PAPER_BASE, d_model=256), 28),
    ("d_model = 1024, d_k = 128", replace(PAPER_BASE, d_model=1024), 168),
    ("d_ff = 1024", replace(PAPER_BASE, d_ff=1024), 53),
    ("d_ff = 4096", replace(PAPER_BASE, d_ff=4096), 90),
    ("big", PAPER_BIG, 213),
)


class NarrowKeys(NamedTuple):
    """A row of Table 3 (B): the base model, whose eight heads compare in fewer dimensions; the values stay 64 wide."""

    d_k: int
    perplexity: float  # per word piece, on the development set
    bleu: float
    parameters: int  # in millions, as printed


TABLE_3_B = (NarrowKeys(16, 5.16, 25.1, 58), NarrowKeys(32, 5.01, 25.4, 60), NarrowKeys(64, 4.92, 25.8, 65))


def saved_by_narrow_keys(config: TransformerConfig, d_k: int) -> int:
    """How many parameters a model lacks whose W_Q and W_K have d_k columns a head, and whose W_V is as before."""
    n_attentions = config.n_encoder_layers + 2 * config.n_decoder_layers
    return n_attentions * 2 * (config.d_model + 1) * config.n_heads * (config.d_k - d_k)


class PartCost(NamedTuple):
    """One part of the model: its cost once, how often it occurs, and the closed form of once."""

    part: str
    each: int
    times: int
    formula: str

    @property
    def total(self) -> int:
        return self.each * self.times


def parameters_by_part(config: TransformerConfig) -> tuple[PartCost, ...]:
    """Every trained number, once: a matrix that is shared by weight tying counts where it stands first.

    A part that the model lacks is listed with 0 times.
    """
    d, v = config.d_model, config.target_vocab_size
    tied = config.weight_tying
    learned = 2 if config.positions == "learned" else 0

    def attention(box: Box) -> PartCost:
        return PartCost(box, attention_parameters(config), layers_of(config, box), "4·(d² + d)")

    def feed_forward(box: Box) -> PartCost:
        f = box_config(config, box).d_ff
        return PartCost(box, 2 * d * f + f + d, layers_of(config, box), "2·d·d_ff + d_ff + d")

    def norms(stack: str, boxes: Sequence[Box]) -> PartCost:
        times = sum(layers_of(config, box) for box in boxes if "_add_" in box)
        times += int(config.has_final_norms) + int(config.embedding_norm)
        return PartCost(f"{stack}_norm", 2 * d, times, "2·d")

    output = PartCost("output_projection", v * d, int(tied == "none"), "V·d")
    if config.output_bias:
        own = tied == "none"
        output = PartCost("output_projection", v * d * own + v, 1, "V·d + V" if own else "V")

    return (
        PartCost("target_embedding", v * d, 1, "V·d"),
        PartCost("source_embedding", config.source_vocab_size * d, int(tied != "all"), "V_source·d"),
        PartCost("positions", config.max_len * d, learned, "max_len·d"),
        attention("encoder_self"),
        feed_forward("encoder_ffn"),
        norms("encoder", ENCODER_BOXES),
        attention("decoder_self"),
        attention("cross"),
        feed_forward("decoder_ffn"),
        norms("decoder", DECODER_BOXES),
        output,
    )


def attention_parameters(config: TransformerConfig) -> int:
    """W_Q, W_K, W_V and W_O with their biases."""
    return 4 * (config.d_model**2 + config.d_model)


def count_parameters(config: TransformerConfig) -> int:
    """The sum of `parameters_by_part`: that of `Transformer(config).count_parameters()`, without building it."""
    return sum(part.total for part in parameters_by_part(config))


def vocabulary_for(config: TransformerConfig, millions: int) -> tuple[int, int]:
    """The smallest and the largest shared vocabulary with which the count rounds to `millions`; every matrix tied."""
    rest = count_parameters(config) - config.target_vocab_size * config.d_model
    low, high = millions * 1_000_000 - 500_000 - rest, millions * 1_000_000 + 499_999 - rest
    return -(-low // config.d_model), high // config.d_model


def attention_flops(config: TransformerConfig, queries: int, keys: int) -> int:
    """One multi-head attention: W_Q and W_O on the queries, W_K and W_V on the keys, then QKᵀ and weights · V.

    With L queries and L keys it is 4·d·L·(2d + L), and n such sequences cost n times that.
    """
    d = config.d_model
    return 4 * d * d * (queries + keys) + 4 * d * queries * keys


def flops_by_part(config: TransformerConfig, lengths: Lengths) -> tuple[PartCost, ...]:
    """One forward pass over one source and one target; a part that the model lacks is not listed."""
    s, t = lengths.source, lengths.target
    d, f, f_decoder = config.d_model, config.d_ff, config.decoder.d_ff
    in_layers: tuple[tuple[Box, int, str], ...] = (
        ("encoder_self", attention_flops(config, s, s), "4·d·S·(2d + S)"),
        ("encoder_ffn", 4 * s * d * f, "4·S·d·d_ff"),
        ("decoder_self", attention_flops(config, t, t), "4·d·T·(2d + T)"),
        ("cross", attention_flops(config, t, s), "4·d²·(T + S) + 4·d·T·S"),
        ("decoder_ffn", 4 * t * d * f_decoder, "4·T·d·d_ff"),
    )
    parts = (PartCost(box, each, layers_of(config, box), formula) for box, each, formula in in_layers)
    output = PartCost("output_projection", 2 * t * d * config.target_vocab_size, 1, "2·T·d·V")
    return (*(part for part in parts if part.times), output)


def counted_flops(config: TransformerConfig, lengths: Lengths) -> dict[str, int]:
    """Each part of `flops_by_part` once, as `torch.utils.flop_counter` counts it while the part's own modules run.

    They run on torch's "meta" device, which has shapes and no numbers, so that any size costs the same.
    """
    with torch.device("meta"):
        attention = MultiHeadAttention(config).eval()  # the number of its heads does not matter
        feed_forward, decoder_feed_forward = FeedForward(config), FeedForward(config.decoder)
        projection = nn.Linear(config.d_model, config.target_vocab_size, bias=False)
        source = torch.empty(1, lengths.source, config.d_model)
        target = torch.empty(1, lengths.target, config.d_model)

    def attend(queries: Tensor, keys: Tensor) -> Callable[[], Tensor]:
        mask = torch.ones(1, 1, 1, keys.shape[1], dtype=torch.bool, device="meta")
        return lambda: attention(queries, attention.project_keys_values(keys), mask)

    runs: dict[str, Callable[[], Tensor]] = {
        "encoder_self": attend(source, source),
        "encoder_ffn": lambda: feed_forward(source),
        "decoder_self": attend(target, target),
        "cross": attend(target, source),
        "decoder_ffn": lambda: decoder_feed_forward(target),
        "output_projection": lambda: projection(target),
    }
    return {part.part: count_flops(runs[part.part]) for part in flops_by_part(config, lengths)}


def count_flops(run: Callable[[], object]) -> int:
    """What torch counts while `run()` runs in this thread, every stage of attention computed by itself."""

    def see_every_stage(name: str, tensor: Tensor) -> None:
        return None

    with torch.inference_mode(), active_hooks(see_every_stage), FlopCounterMode(display=False) as counter:
        run()
    return int(counter.get_total_flops())
