"""Beam search as on paper: no cache, no code of the package's search, every prefix run through the model afresh."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from tests.helpers import one
from viz_transformer import Transformer, active_hooks

PAD, START, END = 0, 1, 2


@dataclass
class SlowNode:
    """One candidate: its whole output, where it came from, and what became of it."""

    ids: tuple[int, ...]
    parent: int
    log_prob: float
    total: float
    score: float
    status: str


def next_log_probs(model: Transformer, source: Sequence[int], ids: Sequence[int]) -> np.ndarray:
    """log p of every token after `ids`, in float64 from the logits of a fresh pass."""
    with torch.inference_mode():
        logits = model(one(source), one([START, *ids]))[0, -1].double().numpy()
    shifted = logits - logits.max()
    return shifted - np.log(np.exp(shifted).sum())


def attention_row(model: Transformer, source: Sequence[int], ids: Sequence[int], point: str) -> np.ndarray:
    """(H, keys) the last row of the weights at `point` in a fresh pass over the start token and `ids`."""
    seen: dict[str, Any] = {}

    def look(name: str, tensor: Any) -> None:
        seen[name] = tensor

    with torch.inference_mode(), active_hooks(look):
        model(one(source), one([START, *ids]))
    return seen[f"{point}.weights"][0, :, -1].numpy()


def slow_beam(
    model: Transformer, source: Sequence[int], k: int, alpha: float, max_len: int
) -> tuple[list[list[SlowNode]], list[tuple[int, ...]]]:
    """The candidates of every step until k have finished, and the k finished outputs, the best first."""
    levels: list[list[SlowNode]] = []
    alive: list[tuple[int, SlowNode]] = [(-1, SlowNode((), -1, 0.0, 0.0, 0.0, "live"))]
    done: list[SlowNode] = []
    while len(levels) < max_len:
        pool = []
        for place, parent in alive:
            row = next_log_probs(model, source, parent.ids)
            for token in range(len(row)):
                if token in (PAD, START):
                    continue
                ids, total = (*parent.ids, token), parent.total + row[token]
                score = total / ((5 + len(ids)) / 6) ** alpha
                pool.append(SlowNode(ids, place, row[token], total, score, ""))
        pool.sort(key=lambda node: -node.total)
        level, alive = pool[: 2 * k], []
        for rank, node in enumerate(level):
            if node.ids[-1] == END:
                node.status = "finished" if rank < k else "pruned"
                done += [node] if rank < k else []
            else:
                node.status = "live" if len(alive) < k else "pruned"
                alive += [(rank, node)] if len(alive) < k else []
        levels.append(level)
        done = sorted(done, key=lambda node: -node.score)[:k]
        if len(done) == k:
            break
    return levels, [node.ids for node in done]
