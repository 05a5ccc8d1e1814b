"""The decoder as a search runs it: hypotheses to continue in, log-probabilities of the next token out.

Two ways, one result: a search that is watched or changed runs the model itself, every hook point passed; any other runs
the same formulas in fewer, larger operations. Tests hold them equal to 1e-5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Protocol

import torch
from torch import Tensor
from torch.nn import functional as F

from viz_transformer.hooks import active_hooks, hooks_active
from viz_transformer.interventions import Intervention
from viz_transformer.layers import DecoderLayer, Residual
from viz_transformer.model import Transformer
from viz_transformer.tokenizers import PAD_ID


class StepDecoder(Protocol):
    """The encoder's output and the keys and values of what was decoded so far, for all live hypotheses."""

    def step(self, parents: Sequence[int], last_ids: Sequence[int]) -> Tensor:
        """Row i continues what was row parents[i] with last_ids[i]; returns log p of the next token (rows, V)."""


def new_step_decoder(
    model: Transformer,
    source_ids: Sequence[int],
    interventions: Sequence[Intervention] = (),
    banned_ids: Sequence[int] = (PAD_ID,),
) -> StepDecoder:
    """Encodes the source. Hooks that are active by now, and interventions, act in every pass of the search."""
    is_plain = not interventions and not hooks_active() and not model.training
    has_padding = PAD_ID in source_ids or PAD_ID not in banned_ids  # it is masked, which FusedDecoder does not do
    if is_plain and not has_padding:
        return FusedDecoder(model, source_ids)
    return HookedDecoder(model, source_ids, interventions)


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
        hooks = [intervention.hook(self.model.config) for intervention in self.interventions]  # may raise: first
        stack = ExitStack()
        stack.enter_context(torch.inference_mode())
        stack.enter_context(active_hooks(*hooks))
        return stack


class FusedDecoder:
    """One new position at a time and nothing else: no hook points, no masks, in eval mode.

    The keys and values of all layers lie in one buffer, so that a beam is reordered in one operation.
    """

    @torch.inference_mode()
    def __init__(self, model: Transformer, source_ids: Sequence[int]) -> None:
        self.model, config = model, model.config
        memory = model.encode(torch.tensor([list(source_ids)], device=model.device))  # (1, S, d_model)
        self.layers = [_FusedLayer(layer, memory) for layer in model.decoder_layers]
        # keys and values of t positions, and room for more
        self.kept = memory.new_empty(config.n_decoder_layers, 2, 1, config.n_heads, _ROOM, config.d_k)
        self.length = 0

    @torch.inference_mode()
    def step(self, parents: Sequence[int], last_ids: Sequence[int]) -> Tensor:
        """See `StepDecoder`."""
        model, place = self.model, self.length
        if list(parents) != list(range(self.kept.shape[2])):
            self.kept = self.kept.index_select(2, torch.tensor(parents, device=model.device))
        if place == self.kept.shape[4]:
            self.kept = F.pad(self.kept, (0, 0, 0, place))  # twice the room
        embedding = model.target_embedding
        x = embedding.tokens(torch.tensor(last_ids, device=model.device)) * embedding.scale  # (rows, d_model)
        x = x + embedding.positions.table[place]
        for layer, kept in zip(self.layers, self.kept, strict=True):
            x = layer(x, kept, place)
        self.length += 1
        return model.output_projection(model.decoder_norm(x)).log_softmax(dim=-1)


_ROOM = 16  # positions that the first buffer holds


class _FusedLayer:
    """A decoder layer at one position of every hypothesis: W_Q, W_K and W_V are one matrix."""

    def __init__(self, layer: DecoderLayer, memory: Tensor) -> None:
        self.layer, own = layer, layer.self_attention
        projections = (own.w_q, own.w_k, own.w_v)
        self.weight = torch.cat([projection.weight for projection in projections])  # (3·H·D, d_model)
        self.bias = torch.cat([projection.bias for projection in projections])
        self.memory = layer.cross_attention.project_keys_values(memory)  # (1, H, S, D)

    def __call__(self, x: Tensor, kept: Tensor, place: int) -> Tensor:
        """x (rows, d_model); kept (2, rows, H, room, D), of which `place` positions are filled → (rows, d_model)."""
        own, cross = self.layer.self_attention, self.layer.cross_attention

        def attend_to_target(x: Tensor) -> Tensor:
            qkv = F.linear(x, self.weight, self.bias).view(-1, 3, own.n_heads, own.d_k)  # (rows, 3, H, D)
            q = qkv[:, 0, :, None]  # (rows, H, 1, D)
            kept[..., place, :] = qkv[:, 1:].transpose(0, 1)  # (2, rows, H, D)
            keys, values = kept[..., : place + 1, :]  # (rows, H, positions, D)
            return own.w_o(F.scaled_dot_product_attention(q, keys, values).flatten(1))  # (rows, H·D)

        def attend_to_memory(x: Tensor) -> Tensor:
            # All hypotheses read one source: they ask it as the queries of one sequence.
            q = cross.w_q(x).view(1, -1, cross.n_heads, cross.d_k).transpose(1, 2)  # (1, H, rows, D)
            context = F.scaled_dot_product_attention(q, self.memory.keys, self.memory.values)
            return cross.w_o(context.transpose(1, 2).flatten(2)[0])  # (rows, H·D)

        x = _add_and_norm(self.layer.add_self_attention, x, attend_to_target)
        x = _add_and_norm(self.layer.add_cross_attention, x, attend_to_memory)
        return _add_and_norm(self.layer.add_feed_forward, x, self.layer.feed_forward)


def _add_and_norm(residual: Residual, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
    return x + sublayer(residual.norm(x)) if residual.norm_first else residual.norm(x + sublayer(x))
