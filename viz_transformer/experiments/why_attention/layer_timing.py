"""Real torch layers of each type of Table 1, timed on this machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from statistics import quantiles
from time import perf_counter
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from viz_transformer.experiments.why_attention.layer_types import LAYER_TYPES, LayerType, Sizes
from viz_transformer.machine import processors

REPEATS = 9
STEADY = 1.5  # a ratio that may be off by more is not to be trusted
# The largest sizes of a measurement: the slowest layer then takes a good second or less on one core.
MAX_N, MAX_D, MAX_K, MAX_R = 1024, 512, 9, 64


class Timing(NamedTuple):
    """Forward passes of one layer over n positions.

    Attributes:
        seconds: the median of all runs.
        low, high: the first and the third quartile: half of the runs lie between them.
        progress: how far the measurement is, 0 to 1.
    """

    kind: LayerType
    n: int
    seconds: float
    low: float
    high: float
    progress: float


class Ratio(NamedTuple):
    """How much longer one layer takes than another, and how far that may be off: `low` to `high`."""

    value: float
    low: float
    high: float

    @property
    def is_steady(self) -> bool:
        """Whether it is known to a factor of `STEADY`."""
        return self.high <= STEADY * self.low


def ratio(one: Timing, other: Timing) -> Ratio:
    """The ratio of the medians; its `low` and `high` are those of the quartiles that lie furthest apart."""
    return Ratio(one.seconds / other.seconds, one.low / other.high, one.high / other.low)


def load() -> float | None:
    """Processes per core that wanted to run in the last minute; None where the system does not count them."""
    cores = processors()
    return os.getloadavg()[0] / cores if hasattr(os, "getloadavg") else None


def clamped(sizes: Sizes) -> Sizes:
    """The sizes that are measured: each is cut to the largest that is allowed."""
    return Sizes(min(sizes.n, MAX_N), min(sizes.d, MAX_D), min(sizes.k, MAX_K), min(sizes.r, MAX_R))


def lengths_to_time(longest: int) -> tuple[int, ...]:
    """Powers of two from 16 to `longest`."""
    return tuple(2**power for power in range(4, max(longest, 16).bit_length()))


def measure(lengths: Sequence[int], sizes: Sizes) -> Iterator[Timing]:
    """Times every type of layer at every length, in turns, one input of random numbers each.

    Args:
        sizes: d, k and r; its n is not used.
    """
    total = len(lengths) * len(LAYER_TYPES)
    for i, n in enumerate(lengths):
        for j, kind in enumerate(LAYER_TYPES):
            low, seconds, high = _quartiles(kind, sizes._replace(n=n))
            yield Timing(kind, n, seconds, low, high, (i * len(LAYER_TYPES) + j + 1) / total)


def layer(kind: LayerType, sizes: Sizes) -> Callable[[Tensor], Tensor]:
    """(1, n, d) → (1, n, d): one layer; attention over all n positions, without the projections around it.

    Recurrent is `nn.RNN`, the convolutions `nn.Conv1d`, the dilated one with the dilation of its second layer.
    """
    _n, d, k, r = sizes
    if kind == "attention":
        return lambda x: F.scaled_dot_product_attention(x, x, x)
    if kind == "restricted":
        return lambda x: restricted_attention(x, x, x, r)
    if kind == "recurrent":
        recurrent = nn.RNN(d, d, batch_first=True)
        return lambda x: recurrent(x)[0]
    dilation = k if kind == "dilated" else 1
    convolution = nn.Conv1d(d, d, k, dilation=dilation)
    back = (k - 1) * dilation
    return lambda x: convolution(F.pad(x.transpose(1, 2), (back, 0))).transpose(1, 2)


def restricted_attention(q: Tensor, k: Tensor, v: Tensor, r: int) -> Tensor:
    """softmax(q·k / √d) over the r positions up to each query: q, k, v (B, n, d) → (B, n, d), in r·n·d operations."""
    n, d = q.shape[-2:]
    r = min(r, n)
    keys, values = (F.pad(x, (0, 0, r - 1, 0)).unfold(-2, r, 1) for x in (k, v))  # (B, n, d, r), views
    scores = (q.unsqueeze(-2) @ keys).squeeze(-2) / d**0.5  # (B, n, r)
    there = torch.arange(n, device=q.device)[:, None] + torch.arange(r, device=q.device) >= r - 1  # (n, r)
    weights = scores.masked_fill(~there, -torch.inf).softmax(dim=-1)
    context: Tensor = (values @ weights.unsqueeze(-1)).squeeze(-1)
    return context


@torch.inference_mode()
def _quartiles(kind: LayerType, sizes: Sizes) -> list[float]:
    run, x = layer(kind, sizes), torch.randn(1, sizes.n, sizes.d)
    run(x)  # the first run sets things up
    times = []
    for _ in range(REPEATS):
        start = perf_counter()
        run(x)
        times.append(perf_counter() - start)
    return quantiles(times, n=4, method="inclusive")
