"""Learned, sinusoidal and no positions, trained briefly on a task that needs order: name the token before.

One attention layer of this package reads random tokens and is to name, at each place, the token one place earlier. It
trains on 12 places and is tested on 24: there a learned table has rows that were never trained, while sinusoids go on.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from viz_transformer.attention import MultiHeadAttention
from viz_transformer.config import PositionKind, TransformerConfig
from viz_transformer.hooks import active_hooks
from viz_transformer.layers import PositionalEncoding
from viz_transformer.seeds import seeded

TRAINED_LENGTH, ASKED_LENGTH = 12, 24
N_TOKENS = 8  # so that a guess is right one time in eight
STEPS, BATCH, ASKED = 160, 32, 200
_CONFIG = {"d_model": 32, "n_heads": 1, "max_len": ASKED_LENGTH, "dropout": 0.0}


class _PreviousToken(nn.Module):
    """Tokens (B, L) → logits (B, L, tokens): embedding + positions, one attention layer, a projection."""

    def __init__(self, kind: PositionKind) -> None:
        super().__init__()
        config = TransformerConfig(positions=kind, **_CONFIG)  # type: ignore[arg-type]
        self.tokens = nn.Embedding(N_TOKENS, config.d_model)
        self.positions = PositionalEncoding(config)
        self.attention = MultiHeadAttention(config)
        self.attention.weights.name = "weights"
        self.output = nn.Linear(config.d_model, N_TOKENS)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.tokens(ids) + self.positions(ids.shape[1])  # (B, L, d_model)
        mask = torch.ones(1, 1, 1, ids.shape[1], dtype=torch.bool)
        logits: Tensor = self.output(self.attention(x, self.attention.project_keys_values(x), mask))
        return logits


@dataclass(frozen=True, eq=False)
class LearnedOrder:
    """What one kind of positions made of the task.

    Attributes:
        losses: (steps,) cross-entropy in nats while training.
        accuracy: (24,) share of right answers at each place, the first of which has no token before it: NaN.
        weights: (24, 24) attention weights over one test sequence.
        table: (24, d_model) the positional encoding after training.
        trained_accuracy, trained_weights: (12,) and (12, 12), the same for sequences as long as those in training.
    """

    kind: PositionKind
    losses: NDArray[np.float64]
    accuracy: NDArray[np.float64]
    weights: NDArray[np.float32]
    table: NDArray[np.float32]
    trained_accuracy: NDArray[np.float64]
    trained_weights: NDArray[np.float32]


def learn_order(kind: PositionKind, seed: int = 0) -> Generator[tuple[int, LearnedOrder | None], None, None]:
    """Trains; yields after every tenth step how many are done and None, at the end the result."""
    with seeded(seed):
        model = _PreviousToken(kind)
    random = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    losses = np.empty(STEPS)
    for step in range(STEPS):
        ids = torch.randint(N_TOKENS, (BATCH, TRAINED_LENGTH), generator=random)
        loss = F.cross_entropy(model(ids)[:, 1:].flatten(0, 1), ids[:, :-1].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses[step] = loss.item()
        if step % 10 == 9 and step + 1 < STEPS:
            yield step + 1, None
    yield STEPS, _ask(model.eval(), kind, losses, random)


@torch.no_grad()
def _ask(
    model: _PreviousToken, kind: PositionKind, losses: NDArray[np.float64], random: torch.Generator
) -> LearnedOrder:
    ids = torch.randint(N_TOKENS, (ASKED, ASKED_LENGTH), generator=random)
    table = model.positions.table.detach().numpy()
    return LearnedOrder(kind, losses, *_answers(model, ids), table, *_answers(model, ids[:, :TRAINED_LENGTH]))


def _answers(model: _PreviousToken, ids: Tensor) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """Sequences (N, L) → accuracy (L,), and the weights (L, L) over the first of them."""
    seen: list[Tensor] = []

    def record(name: str, tensor: Tensor) -> None:
        if name == "weights":
            seen.append(tensor)

    with active_hooks(record):
        logits = model(ids)
    right = (logits[:, 1:].argmax(dim=-1) == ids[:, :-1]).double().mean(dim=0)
    return np.concatenate([[np.nan], right.numpy()]), seen[0][0, 0].numpy()
