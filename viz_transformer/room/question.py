"""A question that a class answers, and what counts as a guess at it, or as what is true of it."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Self, TypeGuard

Kind = Literal["cells", "token", "number", "curve"]
Guess = list[int] | str | float | list[float | None]

LONGEST_TOKEN = 60
LARGEST_NUMBER = 1e300


class WrongGuessError(ValueError):
    """This cannot be an answer to the question."""


class WrongTruthError(ValueError):
    """This cannot be what is true of the question."""


@dataclass(frozen=True)
class Question:
    """What is asked.

    Attributes:
        size: cells of a matrix, or places of a curve.
        columns: of the matrix; the server only passes it on.
        unread: it is over, and nobody sees the texts that answer it before the lecturer has read them.
    """

    id: str
    kind: Kind
    size: int
    columns: int
    title: str
    open: bool
    unread: bool = False

    @classmethod
    def from_json(cls, text: str) -> Self:
        return cls(**json.loads(text))

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def closed(self, unread: bool = False) -> Self:
        return replace(self, open=False, unread=unread and self.kind == "token")

    def keeps_answers_of(self, earlier: Self) -> bool:
        """Whether an answer to the one is an answer to the other."""
        return (self.kind, self.size, self.columns) == (earlier.kind, earlier.size, earlier.columns)

    def check(self, guess: Any) -> Guess:
        """The guess as it is kept.

        Raises:
            WrongGuessError: it is no answer to this question.
        """
        match self.kind:
            case "cells":
                return _cells(guess, self.size)
            case "token":
                return _token(guess)
            case "number":
                return _number(guess, LARGEST_NUMBER)
            case "curve":
                return _curve(guess, self.size)

    def check_truth(self, truth: Any) -> dict[str, Any]:
        """What is true as it is kept (`Truth` of `frontend/src/kit/classroom.ts`): numbers, and the tokens of them.

        Raises:
            WrongTruthError: it has another form, or does not fit this question.
        """
        if not isinstance(truth, dict):
            raise WrongTruthError
        values, rows, columns, mask = (truth.get(name) for name in ("values", "rows", "columns", "mask"))
        if not (_are_numbers(values) and _are_texts(rows) and _are_texts(columns) and isinstance(mask, bool)):
            raise WrongTruthError
        match self.kind:
            case "cells":
                fits = len(columns) == self.columns and len(values) == len(rows) * len(columns) == self.size
            case "token":
                fits = len(values) == len(rows) and not columns
            case "number" | "curve":
                fits = len(values) == self.size and not rows and not columns
        if not (fits and values):
            raise WrongTruthError
        return {"values": list(map(float, values)), "rows": rows, "columns": columns, "mask": mask}


def _are_numbers(values: Any) -> TypeGuard[list[float]]:
    return isinstance(values, list) and all(
        type(value) in (int, float) and abs(value) <= LARGEST_NUMBER for value in values
    )


def _are_texts(texts: Any) -> TypeGuard[list[str]]:
    return isinstance(texts, list) and all(isinstance(text, str) for text in texts)


def _cells(guess: Any, size: int) -> list[int]:
    if not isinstance(guess, list) or not 0 < len(guess) <= size:
        raise WrongGuessError
    if not all(type(place) is int and 0 <= place < size for place in guess) or len(set(guess)) < len(guess):
        raise WrongGuessError
    return sorted(guess)


def _token(guess: Any) -> str:
    if not isinstance(guess, str):
        raise WrongGuessError
    token = guess.strip()
    if not 0 < len(token) <= LONGEST_TOKEN or any(unicodedata.category(sign) in ("Cc", "Cs") for sign in token):
        raise WrongGuessError
    return token


def _number(guess: Any, largest: float) -> float:
    if type(guess) not in (int, float) or not abs(guess) <= largest:
        raise WrongGuessError
    return float(guess)


def _curve(guess: Any, size: int) -> list[float | None]:
    if not isinstance(guess, list) or len(guess) != size:
        raise WrongGuessError
    heights = [None if height is None else _number(height, 1) for height in guess]
    drawn = [height for height in heights if height is not None]
    if not drawn or min(drawn) < 0:
        raise WrongGuessError
    return heights
