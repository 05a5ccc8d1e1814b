"""One output computed twice: all its tokens at once, as in training, and one after the other, as in generation.

Under the causal mask both give the same rows. The cache is what makes the second affordable: keys and values of
earlier positions never change, so each step computes one new position only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from viz_transformer.config import TransformerConfig
from viz_transformer.heads import DECODER_MODULES, AttentionModule, hook_path, n_layers
from viz_transformer.hooks import active_hooks
from viz_transformer.interventions import Intervention, hooks_of
from viz_transformer.model import Transformer
from viz_transformer.trace import Trace


@dataclass(frozen=True, eq=False)
class StepByStep:
    """What the decoder computed, one token at a time, with the cache.

    Attributes:
        log_probs: (T, V), row t from step t.
        weights: by module and layer, (H, T, S); 0 for the keys to the right of a step, which do not exist yet.
        encoder_passes: how often the encoder ran.
    """

    log_probs: NDArray[np.float32]
    weights: dict[tuple[AttentionModule, int], NDArray[np.float32]]
    encoder_passes: int


@torch.inference_mode()
def step_by_step(
    model: Transformer,
    source_ids: Sequence[int],
    target_ids: Sequence[int],
    interventions: Sequence[Intervention] = (),
) -> StepByStep:
    """Feeds `target_ids` (T, the start token first) to the decoder one at a time, as a search does.

    Args:
        model: in eval mode.
        source_ids: the end token included.
        interventions: changes to every forward pass.
    """
    source = torch.tensor([list(source_ids)], device=model.device)  # (1, S)
    cache, n_target = model.new_cache(), len(target_ids)
    places = {
        f"{hook_path(module, layer)}.weights": (module, layer)
        for module in DECODER_MODULES
        for layer in range(n_layers(model.config, module))
    }
    rows: dict[tuple[AttentionModule, int], list[NDArray[np.float32]]] = {place: [] for place in places.values()}
    log_probs, encoder_passes = [], 0

    def record(name: str, tensor: Tensor) -> None:
        nonlocal encoder_passes
        encoder_passes += name == "memory"
        if name in places:
            row = tensor[0, :, 0].cpu().numpy()  # (1, H, 1, keys so far) -> (H, keys so far)
            width = n_target if places[name][0] == "decoder_self" else row.shape[1]
            rows[places[name]].append(np.pad(row, ((0, 0), (0, width - row.shape[1]))))

    memory = None
    for token_id in target_ids:
        with active_hooks(*hooks_of(interventions, model.config), record):
            memory = model.encode(source) if memory is None else memory
            logits = model.decode(torch.tensor([[token_id]], device=model.device), memory, source, cache)  # (1, 1, V)
        log_probs.append(logits[0, 0].log_softmax(dim=-1).cpu().numpy())
    weights = {place: np.stack(found, axis=1) for place, found in rows.items()}  # T rows (H, S) -> (H, T, S)
    return StepByStep(np.stack(log_probs), weights, encoder_passes)


@dataclass(frozen=True)
class Difference:
    """The largest difference between the two passes, and at which step (from 0) it is."""

    largest: float
    step: int


def differences(parallel: Trace, generated: StepByStep) -> dict[str, Difference]:
    """The largest differences of "log_probs", "cross" and "decoder_self" weights, over all layers and heads.

    Raises:
        ValueError: where the outputs of the two differ in length.
    """
    log_probs = parallel.log_probs  # (T, V)
    if log_probs.shape != generated.log_probs.shape:
        raise ValueError(
            f"The passes are of other outputs: {log_probs.shape[0]} and {generated.log_probs.shape[0]} steps."
        )
    found = {"log_probs": _largest(log_probs - generated.log_probs)}
    for module in DECODER_MODULES:
        rows = [
            np.abs(parallel.attention(module, layer).weights - weights).max(axis=(0, 2))  # (T,)
            for (name, layer), weights in generated.weights.items()
            if name == module
        ]
        if rows:
            found[module] = _largest(np.stack(rows, axis=1))
    return found


def _largest(by_step: NDArray[np.float32]) -> Difference:
    size = np.abs(by_step)
    return Difference(float(size.max()), int(size.max(axis=1).argmax()))


def cached_step_cost(config: TransformerConfig, source_length: int, step: int) -> int:
    """Multiply-adds of the decoder's matrix products at `step` (from 0) with the cache, for one hypothesis."""
    cost = _decoder_cost(config, new=1, length=step + 1, source_length=source_length)
    return cost + (_memory_cost(config, source_length) if step == 0 else 0)


def uncached_step_cost(config: TransformerConfig, source_length: int, step: int) -> int:
    """The same without the cache: every position is computed anew, and so are the memory's keys and values."""
    cost = _decoder_cost(config, new=step + 1, length=step + 1, source_length=source_length)
    return cost + _memory_cost(config, source_length)


def cache_size(config: TransformerConfig, source_length: int, step: int) -> int:
    """How many float32 numbers the cache holds after `step` (from 0): K and V of each self- and cross-attention."""
    return n_layers(config, "cross") * 2 * (step + 1 + source_length) * config.d_model


def _decoder_cost(config: TransformerConfig, new: int, length: int, source_length: int) -> int:
    d = config.d_model
    attention = (
        new * (4 * d * d)  # W_Q, W_K, W_V, W_O of self-attention
        + new * (2 * length * d)  # QKᵀ and weights · V
        + new * (2 * d * d)  # W_Q, W_O of cross-attention
        + new * (2 * source_length * d)
    )
    feed_forward = new * (2 * d * config.decoder.d_ff) if config.has_feed_forward else 0
    layers = n_layers(config, "cross") * attention + config.n_decoder_layers * feed_forward
    return layers + new * d * config.target_vocab_size


def _memory_cost(config: TransformerConfig, source_length: int) -> int:
    return n_layers(config, "cross") * 2 * source_length * config.d_model**2  # W_K, W_V of cross-attention
