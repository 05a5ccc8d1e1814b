"""The slip cos/cos: how well recorded positional encodings (L, d_model) and their distances tell positions apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def repeated_dimensions(encoding: Floats) -> int:
    """How many dimensions 2i + 1 equal dimension 2i at every position."""
    return int((encoding[:, 0::2] == encoding[:, 1::2]).all(axis=0).sum())


def neighbour_distances(distances: Floats) -> Floats:
    """(L, L) distances → (L − 1,) from each position to the next: all equal where sines are paired with cosines."""
    found: Floats = np.diagonal(distances, offset=1)
    return found


def closest_pair(distances: Floats) -> tuple[int, int]:
    """(L, L) distances → the two positions that are hardest to tell apart, from 0; needs two."""
    others = np.where(np.eye(len(distances), dtype=bool), np.inf, distances)
    first, second = np.unravel_index(others.argmin(), others.shape)
    return int(first), int(second)
