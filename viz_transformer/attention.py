"""Multi-head attention as the paper writes it (§3.2), with a hook point at every stage.

Shapes: B batch, T target (query) length, S source (key) length, H heads, D = d_k = d_model / H.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from viz_transformer.config import TransformerConfig
from viz_transformer.hooks import HookPoint, every_stage_is_seen, hooks_active


@dataclass
class KeyValues:
    """The keys and values that one attention module has computed so far, each (B, H, S, D)."""

    keys: Tensor
    values: Tensor


def attention_stages(
    q: Tensor, k: Tensor, mask: Tensor, divisor: float, see: Callable[[str, Tensor], Tensor]
) -> Tensor:
    """softmax(QKᵀ / √d_k + mask), stage by stage (paper §3.2.1, equation 1).

    Args:
        q, k: (B, H, T, D) and (B, H, S, D).
        mask: bool, broadcast to (B, H, T, S).
        divisor: √d_k, as a rule.
        see: gets each stage's name and tensor, and gives what goes on.

    Returns:
        (B, H, T, S) the weights.
    """
    scores = see("scores", q @ k.transpose(-2, -1))  # (B, H, T, S)
    scaled_scores = see("scaled_scores", scores / divisor)
    masked_scores = see("masked_scores", scaled_scores + _added(mask, q.dtype))
    return see("weights", masked_scores.softmax(dim=-1))


def attention_weights(q: Tensor, k: Tensor, mask: Tensor, divisor: float) -> Tensor:
    """The same operations in one tensor, which each overwrites: the same bits, without keeping the stages."""
    weights = q @ k.transpose(-2, -1)  # (B, H, T, S)
    weights /= divisor
    weights += _added(mask, q.dtype)
    return torch.softmax(weights, dim=-1, out=weights)


def _added(mask: Tensor, dtype: torch.dtype) -> Tensor:
    """What a mask adds to the scores: 0 where a query may attend, -inf where it may not."""
    return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill_(~mask, -torch.inf)


class MultiHeadAttention(nn.Module):
    """MultiHead(Q, K, V) = Concat(head_1, …, head_H) W_O, head_i = Attention(Q W_Q, K W_K, V W_V).

    With no hook active the heads run through the fused kernel; with hooks one stage is computed after the other, in
    the order of the formula. Both give the same output to 1e-5.
    """

    __call__: Callable[..., Tensor]  # that of nn.Module returns Any

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.n_heads, self.d_k = config.n_heads, config.d_k
        self.dropout, self.divisor = config.attention_dropout, config.score_divisor
        self.w_q = nn.Linear(config.d_model, config.d_model)
        self.w_k = nn.Linear(config.d_model, config.d_model)
        self.w_v = nn.Linear(config.d_model, config.d_model)
        self.w_o = nn.Linear(config.d_model, config.d_model)

        self.query_input = HookPoint("(B, T, d_model) what asks, as it enters W_Q")
        self.key_input = HookPoint("(B, S, d_model) what is asked, as it enters W_K and W_V")
        self.q = HookPoint("(B, H, T, D)")
        self.k = HookPoint("(B, H, S, D)")
        self.v = HookPoint("(B, H, S, D)")
        self.mask = HookPoint("(B or 1, 1, T or 1, S) bool, True = may attend")
        self.scores = HookPoint("(B, H, T, S) QKᵀ")
        self.scaled_scores = HookPoint("(B, H, T, S) QKᵀ / √d_k, or QKᵀ in a model without scaling")
        self.masked_scores = HookPoint("(B, H, T, S) -inf where masked")
        self.weights = HookPoint("(B, H, T, S) softmax over the keys, before dropout")
        self.context = HookPoint("(B, H, T, D) weights @ V, before W_O")
        self.concatenated = HookPoint("(B, T, d_model) the heads' contexts side by side")
        self.output = HookPoint("(B, T, d_model) heads side by side, times W_O")

    def project_keys_values(self, x: Tensor) -> KeyValues:
        """x (B, S, d_model) → its keys and values, each (B, H, S, D)."""
        x = self.key_input(x)
        return KeyValues(self._split_heads(self.w_k(x)), self._split_heads(self.w_v(x)))

    def forward(self, x: Tensor, key_values: KeyValues, mask: Tensor) -> Tensor:
        """x (B, T, d_model) attends to `key_values`, where `mask` (broadcast to (B, H, T, S)) is True.

        Returns:
            (B, T, d_model)
        """
        x = self.query_input(x)
        q = self._split_heads(self.w_q(x))  # (B, H, T, D)
        k, v = key_values.keys, key_values.values  # (B, H, S, D)
        if hooks_active():
            context = self._attend_as_written(q, k, v, mask)
        else:
            dropout = self.dropout if self.training else 0.0
            context = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=dropout, scale=1 / self.divisor)
        concatenated = self.concatenated(context.transpose(1, 2).flatten(2))  # (B, H, T, D) -> (B, T, H·D)
        return self.output(self.w_o(concatenated))

    def _attend_as_written(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
        q, k, v, mask = self.q(q), self.k(k), self.v(v), self.mask(mask)
        if every_stage_is_seen():
            weights = attention_stages(q, k, mask, self.divisor, lambda stage, tensor: getattr(self, stage)(tensor))
        else:
            weights = attention_weights(q, k, mask, self.divisor)
        return self.context(F.dropout(weights, self.dropout, self.training) @ v)  # (B, H, T, D)

    def _split_heads(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        return x.view(batch, length, self.n_heads, self.d_k).transpose(1, 2)  # (B, L, H·D) -> (B, H, L, D)
