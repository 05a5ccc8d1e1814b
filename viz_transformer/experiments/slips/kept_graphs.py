"""What a running total of the losses keeps alive: with `total += loss`, the graph of every batch.

Autograd notes a node for every operation, with the tensors that its derivative needs. `backward` lets go of these
tensors; the nodes live as long as something that was computed through them does.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any
from weakref import WeakSet

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from viz_transformer.model import Transformer
from viz_transformer.trace import Trace
from viz_transformer.training.loop import mean_loss

BATCHES = 4
LOOPS = ("training", "evaluation")
"""With a backward pass for every batch; and with none, where `no_grad` was forgotten."""


@dataclass(frozen=True, eq=False)
class KeptGraphs:
    """What is alive after each batch of one sentence.

    Attributes:
        nodes: (LOOPS, BATCHES) of the graphs.
        megabytes: (LOOPS, BATCHES) of the tensors that they have saved; the model's own weights are not counted.
    """

    nodes: NDArray[np.int64]
    megabytes: NDArray[np.float32]


def kept_graphs(model: Transformer, trace: Trace) -> tuple[KeptGraphs, KeptGraphs]:
    """Both loops over the texts of a trace, with `total += loss.item()` and with `total += loss`; the model stays as it
    is."""
    model = deepcopy(model).requires_grad_(True)
    ids = (trace.source_ids, trace.target_ids, trace.predicted_ids)
    batch = [torch.tensor([row], device=model.device) for row in ids]
    right, wrong = ([_counted(model, batch, loop, is_slip) for loop in LOOPS] for is_slip in (False, True))
    return _packed(right), _packed(wrong)


class _Saved:
    """A tensor that a node holds for its derivative; it is alive as long as this is."""

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor.detach()  # else it would hold its own node, and that it, for ever


def _counted(model: Transformer, batch: list[Tensor], loop: str, is_slip: bool) -> list[tuple[int, int]]:
    """The nodes and bytes that are alive after each batch."""
    source, target, labels = batch
    parameters = list(model.parameters())
    saved: WeakSet[_Saved] = WeakSet()

    def pack(tensor: Tensor) -> _Saved:
        one = _Saved(tensor)
        saved.add(one)
        return one

    total: Any = 0.0
    found = []
    with torch.enable_grad(), torch.autograd.graph.saved_tensors_hooks(pack, lambda one: one.tensor):
        for _n in range(BATCHES):
            loss = mean_loss(model(source, target), labels)
            if loop == "training":
                torch.autograd.grad(loss, parameters)
            total += loss if is_slip else loss.item()
            found.append((_nodes(total if is_slip else loss), _bytes(saved, parameters)))
    return found


def _nodes(loss: Tensor) -> int:
    """How many nodes the graph behind a number has."""
    seen = set()
    waiting = [loss.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in seen:
            seen.add(node)
            waiting += [before for before, _output in node.next_functions]
    return len(seen)


def _bytes(saved: WeakSet[_Saved], parameters: Sequence[Tensor]) -> int:
    """Of all memory that saved tensors share, but for the model's own."""
    own = {parameter.untyped_storage().data_ptr() for parameter in parameters}
    storages = [one.tensor.untyped_storage() for one in saved]
    return sum({storage.data_ptr(): storage.nbytes() for storage in storages if storage.data_ptr() not in own}.values())


def _packed(loops: list[list[tuple[int, int]]]) -> KeptGraphs:
    counts = np.array(loops)  # (LOOPS, BATCHES, 2)
    return KeptGraphs(counts[..., 0], (counts[..., 1] / 1e6).astype(np.float32))
