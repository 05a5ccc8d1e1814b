"""What a head's scores were divided by in a recorded pass."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def recorded_divisor(scores: NDArray[np.floating], scaled_scores: NDArray[np.floating], d_k: int) -> float:
    """√d_k, unless the model or an intervention scaled the head's scores otherwise: then what they were divided by.

    Args:
        scores, scaled_scores: (T, S) of one head, as recorded.
        d_k: width of its queries and keys.
    """
    usual = math.sqrt(d_k)
    before, after = scores.astype(np.float64), scaled_scores.astype(np.float64)
    common = float((before * after).sum())
    if not 0 < common < math.inf:  # all scores are 0: no divisor changes them
        return usual
    divisor = float((before * before).sum()) / common  # least squares over all cells, since each is rounded
    return usual if math.isclose(divisor, usual, rel_tol=1e-6) else divisor
