"""cos/cos: what positional encodings, (L, d_model) as a pass recorded them, tell about positions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def distances(encoding: Floats) -> Floats:
    """(L, L) Euclidean distances between the encodings of all positions."""
    differences = encoding[:, None].astype(np.float64) - encoding[None]  # (L, L, d_model)
    found: Floats = np.sqrt((differences**2).sum(axis=-1)).astype(np.float32)
    return found


def repeated_dimensions(encoding: Floats) -> int:
    """How many dimensions 2i + 1 say what dimension 2i says, at every position."""
    return int((encoding[:, 0::2] == encoding[:, 1::2]).all(axis=0).sum())


def neighbour_distances(encoding: Floats) -> Floats:
    """(L − 1,) from each position to the next: all alike where sines stand beside cosines."""
    found: Floats = np.diagonal(distances(encoding), offset=1)
    return found


def closest_pair(encoding: Floats) -> tuple[int, int]:
    """The two positions that are hardest to tell apart, from 0; needs two."""
    found = distances(encoding)
    np.fill_diagonal(found, np.inf)
    first, second = np.unravel_index(found.argmin(), found.shape)
    return int(first), int(second)
