"""Toy tasks on digits, for which one can predict the attention: copy, reverse, sort."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from viz_transformer.sentences import SentenceError
from viz_transformer.tokenizers import Tokenizer, symbol_tokenizer

DIGITS = "0123456789"
MAX_DIGITS = 16
FILMED_UNSEEN = 200  # sequences on which a run on the command line measures each snapshot
UNSEEN_SEED = 999_983  # of the sequences on which models are measured
_DIGITS = np.array(list(DIGITS))
TASKS: dict[str, Callable[[str], str]] = {
    "copy": lambda digits: digits,
    "reverse": lambda digits: digits[::-1],
    "sort": lambda digits: "".join(sorted(digits)),
}


@dataclass(frozen=True)
class Task:
    """One toy task: random digit strings of length 1 to `MAX_DIGITS`, and the correct answer to each.

    Raises:
        ValueError: for a name that is not one of `TASKS`.
    """

    name: str

    def __post_init__(self) -> None:
        if self.name not in TASKS:
            raise SentenceError(
                "The task must be one of {allowed}; it was {name!r}.", allowed=", ".join(TASKS), name=self.name
            )

    def tokenizer(self) -> Tokenizer:
        return symbol_tokenizer(DIGITS)

    def pairs(self, count: int, seed: int | Sequence[int]) -> list[tuple[str, str]]:
        """`count` random pairs (source, target), spaces between digits; the same for the same seed."""
        random = np.random.default_rng(seed)
        pairs = []
        for length in random.integers(1, MAX_DIGITS + 1, size=count):
            source = "".join(random.choice(_DIGITS, size=length).tolist())
            pairs.append((" ".join(source), " ".join(TASKS[self.name](source))))
        return pairs

    def unseen_pairs(self, drawn: Collection[str], count: int, seed: int) -> list[tuple[str, str]]:
        """The first `count` random pairs whose source is not in `drawn`, no two alike."""
        return [pair for pair in dict.fromkeys(self.pairs(4 * count, seed)) if pair[0] not in drawn][:count]
