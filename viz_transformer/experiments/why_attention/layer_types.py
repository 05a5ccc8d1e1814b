"""Table 1 of the paper: what a layer of each type costs, and how far apart it leaves two positions.

Every type looks back only, as in a decoder, so that all five can be compared: output i reads inputs 1 … i, or the
part of them that its type reaches. n is the length, d the width, k the kernel's width, r the number of neighbours
(the position itself counts among k and r).
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

LayerType = Literal["attention", "recurrent", "convolution", "dilated", "restricted"]
LAYER_TYPES: tuple[LayerType, ...] = get_args(LayerType)
MAX_WIDTH = 16_384  # of the layers that people may ask for


class Sizes(NamedTuple):
    """Length, width, kernel width, neighbourhood; each at least 1."""

    n: int
    d: int
    k: int
    r: int


class LayerCost(NamedTuple):
    """One row of Table 1, in numbers.

    Attributes:
        complexity: the term in the O(…) of the table, as a number; the constant before it is left out.
        sequential: operations that must wait for each other, in one layer.
        path: how many connections a signal passes at most, from any input to any later output; None: it never arrives.
        layers: how many stacked layers that takes.
    """

    complexity: int
    sequential: int
    path: int | None
    layers: int | None


def layer_cost(kind: LayerType, sizes: Sizes) -> LayerCost:
    """Table 1 for these sizes. r beyond n counts as n, but k does not: a kernel is applied whole, to padding too."""
    layers = layers_needed(kind, sizes)
    path = sizes.n if kind == "recurrent" else layers  # up once, then from state to state
    return LayerCost(complexity(kind, sizes), sizes.n if kind == "recurrent" else 1, path, layers)


def complexity(kind: LayerType, sizes: Sizes) -> int:
    """n²·d, n·d², k·n·d² or r·n·d, with r at most n."""
    n, d, k, r = sizes
    if kind == "attention":
        return n * n * d
    if kind == "recurrent":
        return n * d * d
    if kind == "restricted":
        return min(r, n) * n * d
    return k * n * d * d


def layers_needed(kind: LayerType, sizes: Sizes) -> int | None:
    """How many layers connect every input with every later output; None where no number of them does."""
    n, _d, k, r = sizes
    if kind in ("attention", "recurrent") or n == 1:
        return 1
    reach = r if kind == "restricted" else k
    if reach == 1:
        return None
    if kind != "dilated":
        return -(-(n - 1) // (reach - 1))
    layers, field = 0, 1
    while field < n:  # in whole numbers: a logarithm of a power of k may come out a little too large
        layers, field = layers + 1, field * reach
    return layers


class Graph(NamedTuple):
    """The connections of stacked layers over n positions. Positions and levels count from 0; level 0 is the input.

    Attributes:
        n: positions.
        levels: layers of the stack, or as many as are drawn.
        edges: (from level, from position, to level, to position).
    """

    n: int
    levels: int
    edges: tuple[tuple[int, int, int, int], ...]


def connections(kind: LayerType, sizes: Sizes, max_layers: int | None = None) -> Graph:
    """The graph of the layers that `layers_needed` asks for, at most `max_layers`; of one layer where none is enough.

    A recurrent layer's states are connected within their level.
    """
    n = sizes.n
    needed = layers_needed(kind, sizes) or 1
    levels = needed if max_layers is None else min(needed, max_layers)
    edges = []
    for level in range(levels):
        for position in range(n):
            edges += [(level, back, level + 1, position) for back in _reads(kind, sizes, level, position)]
            if kind == "recurrent" and position:
                edges.append((level + 1, position - 1, level + 1, position))
    return Graph(n, levels, tuple(edges))


def _reads(kind: LayerType, sizes: Sizes, level: int, position: int) -> list[int]:
    """The positions of the level below that one position reads."""
    if kind == "recurrent":
        return [position]
    if kind == "attention":
        return list(range(position + 1))
    width = sizes.r if kind == "restricted" else sizes.k
    step = sizes.k**level if kind == "dilated" else 1
    width = min(width, position // step + 1)
    return [position - step * back for back in reversed(range(width))]
