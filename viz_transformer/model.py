"""The encoder-decoder Transformer (paper §3, Figure 1), written to be read and looked into.

Shapes: B batch, T target length, S source length, H heads, D = d_k = d_model / H, V target vocabulary.
"""

from __future__ import annotations

import math
from copy import deepcopy
from dataclasses import replace

import torch
from torch import Tensor, nn

from viz_transformer.attention import KeyValues, MultiHeadAttention
from viz_transformer.config import TransformerConfig
from viz_transformer.hooks import HookPoint, name_hook_points
from viz_transformer.layers import DecoderLayer, Embedding, EncoderLayer, LayerCache
from viz_transformer.masks import causal_mask, combine, padding_mask, target_padding_mask


class DecoderCache:
    """Keys and values of the positions decoded so far, so that a step computes only the new one."""

    def __init__(self, n_layers: int) -> None:
        self.layers = [LayerCache() for _ in range(n_layers)]
        self.target_ids: Tensor | None = None  # (B, t)

    def extend(self, new_ids: Tensor) -> Tensor:
        """Appends new_ids (B, T) and returns all ids so far (B, t + T)."""
        old = self.target_ids
        self.target_ids = new_ids if old is None else torch.cat([old, new_ids], dim=1)
        return self.target_ids

    @property
    def n_rows(self) -> int:
        """How many hypotheses it holds; one, still empty, at the start."""
        return 1 if self.target_ids is None else self.target_ids.shape[0]

    def reorder(self, rows: Tensor) -> None:
        """Row i goes on from what was row `rows[i]`; a beam can grow, shrink and swap hypotheses.

        The memory's keys and values stay: all hypotheses of a beam read the same source.
        """
        if self.target_ids is None:
            return
        self.target_ids = self.target_ids[rows]
        for layer in self.layers:
            if layer.own is not None:
                layer.own = KeyValues(layer.own.keys[rows], layer.own.values[rows])


class Transformer(nn.Module):
    """`model(source_ids (B, S), target_ids (B, T)) -> logits (B, T, V)`; row t predicts target token t + 1.

    Short sequences are padded on the right with `config.pad_id`. Every sequence needs at least one real token.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        self.source_embedding = Embedding(config, config.source_vocab_size)
        self.target_embedding = Embedding(config, config.target_vocab_size)
        self.encoder_layers = nn.ModuleList(EncoderLayer(config) for _ in range(config.n_encoder_layers))
        self.decoder_layers = nn.ModuleList(DecoderLayer(config.decoder) for _ in range(config.n_decoder_layers))
        # Pre-norm leaves the residual stream unnormalised, so each stack ends with one norm more.
        self.encoder_norm = nn.LayerNorm(config.d_model) if config.has_final_norms else nn.Identity()
        self.decoder_norm = nn.LayerNorm(config.d_model) if config.has_final_norms else nn.Identity()
        self.output_projection = nn.Linear(config.d_model, config.target_vocab_size, bias=config.output_bias)
        self.source_tokens = HookPoint("(B, S) int ids")
        self.target_tokens = HookPoint("(B, T) int ids")
        self.memory = HookPoint("(B, S, d_model) the encoder's output")
        self.decoder_output = HookPoint("(B, T, d_model) what the output projection reads")
        self.logits = HookPoint("(B, T, V)")
        self._initialise()
        if config.weight_tying != "none":
            self.output_projection.weight = self.target_embedding.tokens.weight
        if config.weight_tying == "all":
            self.source_embedding.tokens.weight = self.target_embedding.tokens.weight
        name_hook_points(self)

    def encode(self, source_ids: Tensor) -> Tensor:
        """source_ids (B, S) → memory (B, S, d_model)."""
        source_ids = self.source_tokens(source_ids)
        source_mask = padding_mask(source_ids, self.config.pad_id)
        x = self.source_embedding(source_ids)
        for layer in self.encoder_layers:
            x = layer(x, source_mask)
        return self.memory(self.encoder_norm(x))

    def decode(
        self, target_ids: Tensor, memory: Tensor, source_ids: Tensor, cache: DecoderCache | None = None
    ) -> Tensor:
        """target_ids (B, T), memory (B or 1, S, d_model), source_ids (B or 1, S) → logits (B, T, V).

        With a cache, target_ids are the new positions only; they continue those of the calls before.
        """
        is_generating = cache is not None  # then nothing comes after the newest token, whatever the mask
        cache = DecoderCache(len(self.decoder_layers)) if cache is None else cache
        target_ids = self.target_tokens(target_ids)
        all_ids = cache.extend(target_ids)
        length, new = all_ids.shape[1], target_ids.shape[1]
        source_mask = padding_mask(self.source_tokens(source_ids), self.config.pad_id)
        target_mask = target_padding_mask(all_ids, self.config.pad_id, self.config.start_id)  # (B, 1, 1, length)
        if self.config.causal or is_generating:
            target_mask = combine(target_mask, causal_mask(new, length, device=all_ids.device))  # & (new, length)
        x = self.target_embedding(target_ids, start=length - new)
        for layer, layer_cache in zip(self.decoder_layers, cache.layers, strict=True):
            x = layer(x, memory, target_mask, source_mask, layer_cache)
        return self.logits(self.output_projection(self.decoder_output(self.decoder_norm(x))))

    def forward(self, source_ids: Tensor, target_ids: Tensor) -> Tensor:
        """source_ids (B, S), target_ids (B, T) → logits (B, T, V)."""
        return self.decode(target_ids, self.encode(source_ids), source_ids)

    def new_cache(self) -> DecoderCache:
        """An empty cache for `decode`."""
        return DecoderCache(len(self.decoder_layers))

    @torch.no_grad()
    def standard_form(self) -> Transformer:
        """The same function with every score divided by √d_k and the causal mask on, as generation has it.

        A model that was trained without scaling is one with scaling whose W_Q and b_Q are √d_k times as large. One
        that was trained without the causal mask cannot see later tokens when it writes: there are none.
        """
        config = replace(self.config, scale_scores=True, causal=True)
        if config == self.config:
            return self
        model = deepcopy(self)
        model.config = config
        for attention in (module for module in model.modules() if isinstance(module, MultiHeadAttention)):
            for parameter in attention.w_q.parameters():
                parameter.mul_(math.sqrt(attention.d_k) / attention.divisor)
            attention.divisor = math.sqrt(attention.d_k)
        return model

    def count_parameters(self) -> int:
        """The number of trained values; a shared matrix counts once."""
        return sum(parameter.numel() for parameter in self.parameters())

    @property
    def device(self) -> torch.device:
        return self.output_projection.weight.device

    def _initialise(self) -> None:
        for name, parameter in self.named_parameters():
            if name.endswith("tokens.weight"):
                nn.init.normal_(parameter, std=self.config.d_model**-0.5)  # √d_model times it has variance 1
            elif parameter.dim() == 2 and not name.endswith("table"):
                nn.init.xavier_uniform_(parameter)
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)
