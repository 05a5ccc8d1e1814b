"""An exercise about the residual and the normalisation around every sublayer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from viz_transformer.experiments.exercises.answers import ANumber
from viz_transformer.experiments.exercises.bench import Bench
from viz_transformer.experiments.exercises.exercise import Exercise, Feedback, nearly, right, sized
from viz_transformer.sentences import N_

_X, _SUBLAYER = np.array([1.0, 2, -1, 4]), np.array([3.0, 0, 1, 2])
_CLOSE = 0.006


def _normalised(x: NDArray[np.float64], *, ddof: int = 0) -> float:
    """The first component of LayerNorm(x) with γ = 1, β = 0 and no ε."""
    return float((x[0] - x.mean()) / x.std(ddof=ddof))


def _judge(_bench: Bench, answer: float) -> Feedback:
    total = _X + _SUBLAYER
    exact = _normalised(total)
    if abs(answer - exact) < _CLOSE:
        return right(
            N_(
                "x + Sublayer(x) = ({total}) has mean {mean:g} and variance {variance:g}: "
                "({first:g} − {mean:g}) / √{variance:g} = {exact:.4f}."
            ),
            total=", ".join(f"{one:g}" for one in total),
            mean=float(total.mean()),
            variance=float(total.var()),
            first=float(total[0]),
            exact=exact,
        )
    slips = {
        N_("{answer:g} is what comes out without the residual: x is added first."): _normalised(_SUBLAYER),
        N_("{answer:g} divides by n − 1: LayerNorm takes the mean of the squares, and divides by n."): _normalised(
            total, ddof=1
        ),
        N_("{answer:g} is pre-norm, x added to what was normalised: here the sum is normalised."): float(_X[0])
        + _normalised(_SUBLAYER),
    }
    for sentence, slip in slips.items():
        if abs(answer - slip) < _CLOSE:
            return nearly(sentence, answer=answer)
    return sized(answer, exact)


ADD_AND_NORM = Exercise(
    "add-and-norm",
    N_("Add & Norm by hand"),
    N_(
        "A token is x = (1, 2, −1, 4), and the sublayer turns it into (3, 0, 1, 2). What is the first component "
        "of LayerNorm(x + Sublayer(x)), with γ = 1, β = 0 and no ε, to two decimals?"
    ),
    (
        N_("Add first. Then subtract the mean of the four, and divide by their standard deviation."),
        N_("The variance is the mean of the four squared distances from the mean: divide by 4, not by 3."),
    ),
    ANumber(-10, 10, is_whole=False),
    _judge,
    lambda bench: round(_normalised(_X + _SUBLAYER), 2),
    page="architecture",
    parameters={"lesson": "norm", "model": "copy"},
)
