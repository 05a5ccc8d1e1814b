"""The decoder as a search runs it: hypotheses to continue in, log-probabilities of the next token out.

Two ways, one result: a search that is recorded or changed runs the model itself and passes every hook point; any other
runs the same formulas in fewer, larger operations. Tests hold them equal to 1e-5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Protocol, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from viz_transformer.config import TransformerConfig
from viz_transformer.hooks import active_hooks, hooks_active
from viz_transformer.interventions import Intervention, hooks_of
from viz_transformer.layers import DecoderLayer
from viz_transformer.model import Transformer


class StepDecoder(Protocol):
    """The encoder's output and the keys and values of what was decoded so far, for all live hypotheses."""

    def step(self, parents: Sequence[int], last_ids: Sequence[int]) -> Tensor:
        """Row i continues what was row parents[i] with last_ids[i]; returns log p of the next token (rows, V)."""


def new_step_decoder(
    model: Transformer,
    source_ids: Sequence[int],
    interventions: Sequence[Intervention] = (),
    banned_ids: Sequence[int] | None = None,
) -> StepDecoder:
    """Encodes the source. Hooks that are active by now, and interventions, act in every pass of the search."""
    is_plain = not interventions and not hooks_active() and not model.training
    config = model.config
    # Padding is masked, which FusedDecoder does not do.
    may_write_padding = banned_ids is not None and config.pad_id not in banned_ids
    has_padding = config.pad_id in source_ids or may_write_padding
    is_whole = config.sublayers == "both" and config.residuals
    if is_plain and not has_padding and is_whole:
        return FusedDecoder(model, source_ids)
    return HookedDecoder(model, source_ids, interventions)


def never_written(config: TransformerConfig) -> tuple[int, ...]:
    """The ids that no output holds: of padding and of the start token, in some models the same; never the end's."""
    return tuple(dict.fromkeys(one for one in (config.pad_id, config.start_id) if one != config.end_id))


class HookedDecoder:
    """`Transformer.decode` with its cache, under interventions."""

    def __init__(self, model: Transformer, source_ids: Sequence[int], interventions: Sequence[Intervention]) -> None:
        self.model, self.interventions = model, interventions
        self.source_ids = torch.tensor([list(source_ids)], device=model.device)  # (1, S)
        self.cache = model.new_cache()
        with self._forward():
            self.memory = model.encode(self.source_ids)  # (1, S, d_model), computed once

    def step(self, parents: Sequence[int], last_ids: Sequence[int]) -> Tensor:
        """See `StepDecoder`."""
        device = self.model.device
        with self._forward():
            if list(parents) != list(range(self.cache.n_rows)):
                self.cache.reorder(torch.tensor(parents, device=device))
            last = torch.tensor(last_ids, device=device)[:, None]  # (rows, 1)
            logits = self.model.decode(last, self.memory, self.source_ids, self.cache)  # (rows, 1, V)
            return logits[:, -1].log_softmax(dim=-1)

    def _forward(self) -> ExitStack:
        # Entered around each call, never across a yield: what a generator leaves set would reach its caller.
        hooks = hooks_of(self.interventions, self.model.config)  # first, since it may raise
        stack = ExitStack()
        stack.enter_context(torch.inference_mode())
        stack.enter_context(active_hooks(*hooks))
        return stack


class FusedDecoder:
    """One new position at a time and nothing else: no hook points, no masks, in eval mode.

    The keys and values of all layers lie in one buffer, so that a beam is reordered in one operation. Weights are held
    outside of their modules, whose calls would take as long as a small model's multiplications.
    """

    @torch.inference_mode()
    def __init__(self, model: Transformer, source_ids: Sequence[int]) -> None:
        self.model, config = model, model.config.decoder
        memory = model.encode(torch.tensor([list(source_ids)], device=model.device))  # (1, S, d_model)
        self.layers = [_FusedLayer(cast(DecoderLayer, layer), memory) for layer in model.decoder_layers]
        self.tokens, self.scale = model.target_embedding.tokens.weight, model.target_embedding.scale
        self.positions = model.target_embedding.positions.table
        self.output = model.output_projection.weight, model.output_projection.bias
        self.kept = memory.new_empty(len(self.layers), 2, 1, config.n_heads, _FIRST_ROOM, config.d_k)
        self.length = 0  # how many positions of `kept` are filled

    @torch.inference_mode()
    def step(self, parents: Sequence[int], last_ids: Sequence[int]) -> Tensor:
        """See `StepDecoder`."""
        n_rows, room = self.kept.shape[2], self.kept.shape[4]
        if list(parents) != list(range(n_rows)):
            self.kept = self.kept.index_select(2, torch.tensor(parents, device=self.kept.device))
        if self.length == room:
            self.kept = F.pad(self.kept, (0, 0, 0, room))
        last = torch.tensor(last_ids, device=self.kept.device)  # (rows,)
        x = self.tokens[last] * self.scale + self.positions[self.length]  # (rows, d_model)
        x = self.model.target_embedding.norm(x)
        self.length += 1
        for layer, kept in zip(self.layers, self.kept[..., : self.length, :].unbind(), strict=True):
            x = layer(x, kept)
        return F.linear(self.model.decoder_norm(x), *self.output).log_softmax(dim=-1)


_FIRST_ROOM = 8  # positions at first, few: all are copied when a beam is reordered


class _FusedLayer:
    """A decoder layer at one position of every hypothesis; W_Q, W_K and W_V of its self-attention are one matrix."""

    def __init__(self, layer: DecoderLayer, memory: Tensor) -> None:
        own, cross, feed_forward = layer.self_attention, layer.cross_attention, layer.feed_forward
        self.n_heads, self.d_k, self.norm_first = own.n_heads, own.d_k, layer.add_feed_forward.norm_first
        self.scale = 1 / own.divisor
        projections = (own.w_q, own.w_k, own.w_v)
        w_qkv = torch.cat([w.weight.T for w in projections], dim=1)  # (d_model, 3·H·D)
        self.own_qkv = (w_qkv.T, torch.cat([w.bias for w in projections]))
        self.own_output, self.cross_q, self.cross_output = map(_weights, (own.w_o, cross.w_q, cross.w_o))
        self.w_1, self.w_2, self.activation = (
            _weights(feed_forward.w_1),
            _weights(feed_forward.w_2),
            feed_forward.activation,
        )
        residuals = (layer.add_self_attention, layer.add_cross_attention, layer.add_feed_forward)
        self.norms = [(r.norm.normalized_shape, r.norm.weight, r.norm.bias, r.norm.eps) for r in residuals]
        self.memory = cross.project_keys_values(memory)  # (1, H, S, D)

    def __call__(self, x: Tensor, kept: Tensor) -> Tensor:
        """x (rows, d_model), kept (2, rows, H, positions, D), of which the last is filled here → (rows, d_model)."""
        x = self._add_and_norm(0, x, lambda x: self._attend_to_target(x, kept))
        x = self._add_and_norm(1, x, self._attend_to_memory)
        return self._add_and_norm(2, x, self._feed_forward)

    def _add_and_norm(self, n: int, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        if self.norm_first:
            return x + sublayer(F.layer_norm(x, *self.norms[n]))
        return F.layer_norm(x + sublayer(x), *self.norms[n])

    def _attend_to_target(self, x: Tensor, kept: Tensor) -> Tensor:
        qkv = F.linear(x, *self.own_qkv).view(-1, 3, self.n_heads, self.d_k)  # (rows, 3, H, D)
        kept[..., -1, :] = qkv[:, 1:].transpose(0, 1)  # (2, rows, H, D)
        keys, values = kept.unbind()  # (rows, H, positions, D)
        context = F.scaled_dot_product_attention(qkv[:, 0, :, None], keys, values, scale=self.scale)  # (rows, H, 1, D)
        return F.linear(context.flatten(1), *self.own_output)

    def _attend_to_memory(self, x: Tensor) -> Tensor:
        # All hypotheses read one source, so they attend to it as the queries of one sequence.
        q = F.linear(x, *self.cross_q).view(1, -1, self.n_heads, self.d_k).transpose(1, 2)  # (1, H, rows, D)
        context = F.scaled_dot_product_attention(q, self.memory.keys, self.memory.values, scale=self.scale)
        return F.linear(context.transpose(1, 2).flatten(2)[0], *self.cross_output)  # (rows, H·D) -> (rows, d_model)

    def _feed_forward(self, x: Tensor) -> Tensor:
        return F.linear(self.activation(F.linear(x, *self.w_1)), *self.w_2)


def _weights(linear: nn.Linear) -> tuple[Tensor, Tensor]:
    return linear.weight, linear.bias
