"""The parts of Figure 1 of the paper: embedding with positions, feed-forward, encoder and decoder layers.

Shapes: B batch, L length, T target (query) length, S source (key) length, D = d_model where one matrix is meant.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from viz_transformer.attention import KeyValues, MultiHeadAttention
from viz_transformer.config import Activation, TransformerConfig
from viz_transformer.hooks import HookPoint, hooks_active


def sinusoidal_encoding(
    positions: Tensor, d_model: int, base: float = 10_000.0, *, sines_first: bool = False
) -> Tensor:
    """PE(pos, 2i) = sin(pos / base^(2i / d_model)), PE(pos, 2i+1) = cos of the same angle (paper §3.5).

    Sines and cosines are interleaved, as the paper writes them; many libraries put all sines first.

    Args:
        positions: (L,) positions, counted from 0; fractions are allowed.
        d_model: an even width.
        base: the longest wavelength is 2π times it.
        sines_first: all sines in the first half, all cosines in the second.

    Returns:
        (L, d_model) float32, each value in [-1, 1].
    """
    device = "cpu" if positions.device.type == "mps" else positions.device  # mps has no float64
    exponents = torch.arange(0, d_model, 2, dtype=torch.float64, device=device) / d_model
    angles = positions.to(device, torch.float64)[:, None] / base**exponents  # (L, d_model / 2)
    waves = torch.stack([angles.sin(), angles.cos()], dim=1 if sines_first else 2)  # (L, 2, d_model / 2) or turned
    return waves.flatten(1).to(positions.device, torch.float32)  # (L, d_model)


class PositionalEncoding(nn.Module):
    """One vector for each position: computed (sinusoidal), trained (learned), or zero (none)."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.kind, self.max_len = config.positions, config.max_len
        if config.positions == "learned":
            self.table = nn.Parameter(torch.empty(config.max_len, config.d_model))
            nn.init.normal_(self.table, std=config.d_model**-0.5)
        elif config.positions == "sinusoidal":
            table = sinusoidal_encoding(torch.arange(config.max_len), config.d_model, sines_first=config.sines_first)
            self.register_buffer("table", table, persistent=False)
        else:
            self.register_buffer("table", torch.zeros(config.max_len, config.d_model), persistent=False)
        self.positions = HookPoint("(L,) int, which row of the table each token gets")
        self.encoding = HookPoint("(L, d_model)")

    def forward(self, length: int, start: int = 0) -> Tensor:
        """Encodings of positions `start` … `start + length - 1`: (L, d_model).

        Raises:
            ValueError: where a position lies outside the table.
        """
        positions = self.positions(torch.arange(start, start + length, device=self.table.device))
        if start + length > self.max_len or (hooks_active() and int(positions.max()) >= self.max_len):
            raise ValueError(
                f"This model knows positions 0 to {self.max_len - 1}; position {int(positions.max())} was asked for."
            )
        return self.encoding(self.table[positions])


class Embedding(nn.Module):
    """Token vectors, scaled by √d_model (§3.4), plus positions (§3.5), in some models a norm; then dropout (§5.4)."""

    def __init__(self, config: TransformerConfig, vocab_size: int) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, config.d_model)
        self.positions = PositionalEncoding(config)
        self.scale = math.sqrt(config.d_model) if config.scale_embeddings else 1.0
        self.norm = nn.LayerNorm(config.d_model) if config.embedding_norm else nn.Identity()
        self.dropout = nn.Dropout(config.dropout)
        self.scaled_tokens = HookPoint("(B, L, d_model) token vectors, times the scale")
        self.output = HookPoint("(B, L, d_model) tokens + positions, in some models normed: the X of the first layer")

    def forward(self, ids: Tensor, start: int = 0) -> Tensor:
        """ids (B, L), the first of them at position `start` → (B, L, d_model)."""
        x = self.scaled_tokens(self.tokens(ids) * self.scale)
        x = self.norm(x + self.positions(ids.shape[1], start))  # (B, L, d_model) + (L, d_model)
        embedded: Tensor = self.dropout(self.output(x))
        return embedded


ACTIVATIONS: dict[Activation, Callable[[Tensor], Tensor]] = {"relu": F.relu, "gelu": F.gelu, "swish": F.silu}


class FeedForward(nn.Module):
    """FFN(x) = activation(x W_1 + b_1) W_2 + b_2, the same at every position (§3.3)."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.w_1 = nn.Linear(config.d_model, config.d_ff)
        self.w_2 = nn.Linear(config.d_ff, config.d_model)
        self.activation = ACTIVATIONS[config.activation]
        self.input = HookPoint("(B, L, d_model) what enters W_1")
        self.hidden = HookPoint("(B, L, d_ff) after the activation")
        self.output = HookPoint("(B, L, d_model) hidden, times W_2")

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.hidden(self.activation(self.w_1(self.input(x))))  # (B, L, d_ff)
        return self.output(self.w_2(hidden))


class Residual(nn.Module):
    """Add & Norm around a sub-layer: LayerNorm(x + Sublayer(x)), or pre-norm x + Sublayer(LayerNorm(x)).

    In a model without residual connections nothing is added: LayerNorm(Sublayer(x)), or Sublayer(LayerNorm(x)).
    """

    __call__: Callable[..., Tensor]  # that of nn.Module returns Any

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.norm_first, self.is_residual = config.norm_first, config.residuals
        self.norm = nn.LayerNorm(config.d_model)
        self.dropout = nn.Dropout(config.dropout)
        self.before_norm = HookPoint("(B, L, d_model) what LayerNorm reads: x + Sublayer(x), or x itself in pre-norm")
        self.after_norm = HookPoint("(B, L, d_model) what LayerNorm gave")
        self.output = HookPoint("(B, L, d_model)")

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        if self.norm_first:
            return self.output(self._add(x, self.dropout(sublayer(self._normalise(x)))))
        return self.output(self._normalise(self._add(x, self.dropout(sublayer(x)))))

    def _add(self, x: Tensor, new: Tensor) -> Tensor:
        return x + new if self.is_residual else new

    def _normalise(self, x: Tensor) -> Tensor:
        return self.after_norm(self.norm(self.before_norm(x)))


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward, each in a residual (left half of Figure 1)."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.has_attention, self.has_feed_forward = config.has_attention, config.has_feed_forward
        if self.has_attention:
            self.self_attention = MultiHeadAttention(config)
        if self.has_feed_forward:
            self.feed_forward = FeedForward(config)
        if self.has_attention:
            self.add_self_attention = Residual(config)
        if self.has_feed_forward:
            self.add_feed_forward = Residual(config)

    def forward(self, x: Tensor, source_mask: Tensor) -> Tensor:
        """x (B, S, d_model), source_mask (B, 1, 1, S) → (B, S, d_model)."""

        def attend_to_source(x: Tensor) -> Tensor:
            return self.self_attention(x, self.self_attention.project_keys_values(x), source_mask)

        if self.has_attention:
            x = self.add_self_attention(x, attend_to_source)
        return self.add_feed_forward(x, self.feed_forward) if self.has_feed_forward else x


@dataclass
class LayerCache:
    """What one decoder layer keeps between steps: its own keys and values, and those of the memory."""

    own: KeyValues | None = None  # (B, H, t, D), one column longer at every step
    memory: KeyValues | None = None  # (B or 1, H, S, D), computed once

    def extend_own(self, new: KeyValues) -> KeyValues:
        """Appends the new positions and returns all of them."""
        if self.own is None:
            self.own = new
        else:
            keys = torch.cat([self.own.keys, new.keys], dim=2)
            values = torch.cat([self.own.values, new.values], dim=2)
            self.own = KeyValues(keys, values)
        return self.own


class DecoderLayer(nn.Module):
    """Masked self-attention, attention to the encoder's output, feed-forward (right half of Figure 1)."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.has_attention, self.has_feed_forward = config.has_attention, config.has_feed_forward
        if self.has_attention:
            self.self_attention = MultiHeadAttention(config)
            self.cross_attention = MultiHeadAttention(config)
        if self.has_feed_forward:
            self.feed_forward = FeedForward(config)
        if self.has_attention:
            self.add_self_attention = Residual(config)
            self.add_cross_attention = Residual(config)
        if self.has_feed_forward:
            self.add_feed_forward = Residual(config)

    def forward(
        self, x: Tensor, memory: Tensor, target_mask: Tensor, source_mask: Tensor, cache: LayerCache | None = None
    ) -> Tensor:
        """x (B, T, d_model), memory (B or 1, S, d_model) → (B, T, d_model).

        With a cache, x holds only the new positions; target_mask is (B, 1, T, all positions so far).
        """
        if not self.has_attention:
            return self.add_feed_forward(x, self.feed_forward)
        cache = LayerCache() if cache is None else cache
        if cache.memory is None:
            cache.memory = self.cross_attention.project_keys_values(memory)
        memory_key_values = _expand(cache.memory, x.shape[0])

        def attend_to_target(x: Tensor) -> Tensor:
            key_values = cache.extend_own(self.self_attention.project_keys_values(x))
            return self.self_attention(x, key_values, target_mask)

        def attend_to_memory(x: Tensor) -> Tensor:  # Q from the decoder, K and V from the encoder
            return self.cross_attention(x, memory_key_values, source_mask)

        x = self.add_self_attention(x, attend_to_target)
        x = self.add_cross_attention(x, attend_to_memory)
        return self.add_feed_forward(x, self.feed_forward) if self.has_feed_forward else x


def _expand(key_values: KeyValues, batch: int) -> KeyValues:
    """One source seen by all hypotheses of a beam: a view, nothing is copied."""
    return KeyValues(
        key_values.keys.expand(batch, -1, -1, -1),  # (1 or B, H, S, D) -> (B, H, S, D)
        key_values.values.expand(batch, -1, -1, -1),
    )
