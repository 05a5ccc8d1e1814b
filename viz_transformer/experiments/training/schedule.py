"""The learning rate and the smoothed targets of the paper (§5.3, §5.4), as numbers to draw."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def noam_rates(steps: int, d_model: int, warmup: int) -> Floats:
    """(steps,) d_model^-0.5 · min(step^-0.5, step · warmup^-1.5) for step 1, 2, … (§5.3, equation 3).

    Raises:
        ValueError: for a number below 1.
    """
    for name, value in (("steps", steps), ("d_model", d_model), ("warmup", warmup)):
        if value < 1:
            raise ValueError(f"{name} must be at least 1; it was {value}.")
    step = np.arange(1, steps + 1, dtype=np.float64)
    rates: NDArray[np.float64] = d_model**-0.5 * np.minimum(step**-0.5, step * warmup**-1.5)
    return rates


def smoothed_target(label: int, vocab_size: int, smoothing: float) -> Floats:
    """(V,) the target: 1 - ε for the label, and ε shared equally by all tokens, the label included.

    Raises:
        ValueError: where the label is not in the vocabulary, or ε not in 0 … 1.
    """
    if not 0 <= label < vocab_size:
        raise ValueError(f"label must be from 0 to {vocab_size - 1}; it was {label}.")
    if not 0 <= smoothing <= 1:
        raise ValueError(f"smoothing must be from 0 to 1; it was {smoothing}.")
    target = np.full(vocab_size, smoothing / vocab_size)
    target[label] += 1 - smoothing
    return target


def lowest_loss(target: Floats) -> float:
    """The entropy of a target (V,) in nats: no prediction has a smaller cross-entropy with it."""
    positive = target[target > 0]
    return float(-(positive * np.log(positive)).sum())
