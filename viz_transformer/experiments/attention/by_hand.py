"""Attention on matrices small enough for paper: typed Q, K, V and mask, the same stages as in the model."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from viz_transformer.experiments.attention.steps import Floats, HeadStages
from viz_transformer.sentences import SentenceError

ROWS = (2, 4)  # tokens, least and most
COLUMNS = (2, 4)  # d_k
LARGEST = 1000.0


class HandError(SentenceError):
    """A typed matrix that cannot be used; the message is a sentence for the person who typed it."""


def parse_matrix(name: str, text: str) -> Floats:
    """A matrix typed as one row per line, its numbers separated by spaces, semicolons or commas.

    Returns:
        (2 to 4, 2 to 4) float32.

    Raises:
        HandError: what is wrong, and in which row.
    """
    rows = [line.replace(";", " ").replace(",", " ").split() for line in text.splitlines() if line.strip()]
    if not ROWS[0] <= len(rows) <= ROWS[1]:
        raise HandError(
            "{name} has {count} rows; {least} to {most} fit on paper, one line each.",
            name=name,
            count=len(rows),
            least=ROWS[0],
            most=ROWS[1],
        )
    for n, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            raise HandError(
                "Row {row} of {name} has {count} numbers, but row 1 has {first}.",
                row=n,
                name=name,
                count=len(row),
                first=len(rows[0]),
            )
    if not COLUMNS[0] <= len(rows[0]) <= COLUMNS[1]:
        raise HandError(
            "The rows of {name} have {count} numbers; {least} to {most} fit on paper.",
            name=name,
            count=len(rows[0]),
            least=COLUMNS[0],
            most=COLUMNS[1],
        )
    return np.array([[_number(name, n, word) for word in row] for n, row in enumerate(rows, start=1)], dtype=np.float32)


def parse_mask(name: str, text: str) -> NDArray[np.bool_]:
    """A mask typed as zeros and ones, 1 = may attend.

    Raises:
        HandError: as `parse_matrix`; a number that is neither 0 nor 1; a row without a 1.
    """
    numbers = parse_matrix(name, text)
    for n, row in enumerate(numbers, start=1):
        for number in row:
            if number not in (0, 1):
                raise HandError(
                    "Row {row} of {name} has {number}; a mask may only have 1 (may attend) and 0 (masked).",
                    row=n,
                    name=name,
                    number=f"{number:g}",
                )
        if not row.any():
            raise HandError(
                "Row {row} of {name} has no 1: a query that may attend to nothing has no softmax (0 / 0).",
                row=n,
                name=name,
            )
    return np.asarray(numbers == 1)


def attend(q: Floats, k: Floats, v: Floats, mask: NDArray[np.bool_]) -> HeadStages:
    """softmax(QKᵀ / √d_k, masked) V, every stage kept.

    Args:
        q, k, v: (T, D), (S, D), (S, any width).
        mask: (T, S), True = may attend; at least one in each row.

    Raises:
        HandError: where the sizes do not fit together.
    """
    if q.shape[1] != k.shape[1]:
        raise HandError(
            "Q has {first} columns and K has {second}: a dot product needs the same number, d_k, in both.",
            first=q.shape[1],
            second=k.shape[1],
        )
    if k.shape[0] != v.shape[0]:
        raise HandError(
            "K has {first} rows and V has {second}: each key has one value.", first=k.shape[0], second=v.shape[0]
        )
    if mask.shape != (q.shape[0], k.shape[0]):
        raise HandError(
            "The mask has {rows} rows and {columns} columns; QKᵀ has {queries} and {keys}: a row for each query, "
            "a column for each key.",
            rows=mask.shape[0],
            columns=mask.shape[1],
            queries=q.shape[0],
            keys=k.shape[0],
        )
    scores = q @ k.T
    scaled_scores = scores / np.float32(math.sqrt(q.shape[1]))
    masked_scores = np.where(mask, scaled_scores, np.float32(-np.inf))
    exponentials = np.exp(masked_scores - masked_scores.max(axis=1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=1, keepdims=True)
    return HeadStages(q, k, v, scores, scaled_scores, mask, masked_scores, weights, context=weights @ v)


def _number(name: str, row: int, word: str) -> float:
    try:
        number = float(word.replace("−", "-"))
    except ValueError:
        raise HandError(
            "Row {row} of {name}: “{word}” is not a number (use a decimal point: 0.5).", row=row, name=name, word=word
        ) from None
    if not abs(number) <= LARGEST:  # so that NaN fails, too
        raise HandError(
            "Row {row} of {name}: {word} is too large or not finite; numbers up to {most} are allowed.",
            row=row,
            name=name,
            word=word,
            most=int(LARGEST),
        )
    return number
