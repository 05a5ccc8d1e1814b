"""A question that a class answers, and what counts as a guess at it."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Self

Kind = Literal["cells", "token", "number", "curve"]
Guess = list[int] | str | float | list[float | None]

LONGEST_TOKEN = 60
LARGEST_NUMBER = 1e300


class WrongGuessError(ValueError):
    """This cannot be an answer to the question."""


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
