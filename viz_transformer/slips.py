"""Slips that people make when they write a Transformer, each as an intervention: see `interventions.py`.

Two more are interventions already: √d_model for √d_k is `ScaleScores("sqrt_d_model")`, and an encoder without its
padding mask `ChangeMask("off", …)`.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from viz_transformer.config import TransformerConfig
from viz_transformer.heads import parse_hook_path
from viz_transformer.hooks import Hook

FILL = -1e9
"""What stands in a masked cell here in place of −∞, as in much code: −∞ makes NaN of a row or column without a key."""


@dataclass(frozen=True)
class SoftmaxOverQueries:
    """`softmax(dim=-2)`: over the queries in place of the keys. Columns sum to 1, rows to anything."""

    def hook(self, config: TransformerConfig) -> Hook:
        filled: dict[str, Tensor] = {}  # of the module that is being computed; a pass computes one at a time

        def change(name: str, tensor: Tensor) -> Tensor | None:
            if name.endswith(".masked_scores"):
                filled["scores"] = tensor.clamp(min=FILL)  # (B, H, T, S)
                return filled["scores"]
            return filled["scores"].softmax(dim=-2) if name.endswith(".weights") else None

        return change


@dataclass(frozen=True)
class InvertMasks:
    """Reads every mask the wrong way round: a query attends to exactly what it must not.

    A query with no key left attends to all keys alike, since all its cells hold `FILL`.
    """

    def hook(self, config: TransformerConfig) -> Hook:
        def change(name: str, tensor: Tensor) -> Tensor | None:
            if name.endswith(".mask"):
                return ~tensor
            return tensor.clamp(min=FILL) if name.endswith(".masked_scores") else None

        return change


@dataclass(frozen=True)
class MaskDiagonal:
    """Masks the diagonal of the decoder's self-attention, too: no token may attend to itself.

    The first query has no key left, so it attends to all keys alike, even to those of later tokens: its cells hold
    `FILL`.
    """

    def hook(self, config: TransformerConfig) -> Hook:
        n_queries = 0  # of the module that is being computed: a mask may have one row for all of them

        def change(name: str, tensor: Tensor) -> Tensor | None:
            nonlocal n_queries
            place = parse_hook_path(name)
            if place is None or place[0] != "decoder_self":
                return None
            if place[2] == "q":
                n_queries = tensor.shape[-2]
            elif place[2] == "mask":
                keys = torch.arange(tensor.shape[-1], device=tensor.device)
                queries = keys[len(keys) - n_queries :, None]  # in writing, they are the last of the keys
                return tensor & (keys != queries)  # (…, T, S)
            return tensor.clamp(min=FILL) if place[2] == "masked_scores" else None

        return change


@dataclass(frozen=True)
class QueryFromMemory:
    """Takes the queries of cross-attention from the encoder's output, as keys and values are.

    The pass needs a target as long as the source; with another, torch cannot add what comes out to the residual.
    """

    def hook(self, config: TransformerConfig) -> Hook:
        memory: dict[str, Tensor] = {}

        def change(name: str, tensor: Tensor) -> Tensor | None:
            if name == "memory":
                memory["output"] = tensor  # (B, S, d_model)
            elif name.endswith(".cross_attention.query_input"):
                if not memory:
                    raise ValueError("Queries from the encoder need one pass over source and target: it cannot write.")
                return memory["output"]
            return None

        return change


@dataclass(frozen=True)
class CosineTwice:
    """Positional encodings of cosines alone: PE(pos, 2i) = PE(pos, 2i + 1), so half of the dimensions say nothing new.

    It changes nothing in a model without positions, or with learned ones: that has no sines.
    """

    def hook(self, config: TransformerConfig) -> Hook:
        def change(name: str, tensor: Tensor) -> Tensor | None:
            if config.positions != "sinusoidal" or not name.endswith(".positions.encoding"):
                return None
            if config.sines_first:
                return tensor[:, config.d_model // 2 :].repeat(1, 2)  # (L, d_model / 2) -> (L, d_model)
            return tensor[:, 1::2].repeat_interleave(2, dim=1)  # (L, d_model / 2) -> (L, d_model)

        return change
