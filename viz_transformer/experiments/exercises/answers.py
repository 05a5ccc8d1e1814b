"""The kinds of answers: how each is spelled, in a box and in links, and what is said of one that cannot be read.

Heads and cells are spelled as everywhere in links, counted from 1: `cross.2.1`, `3-5` (query, key).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from viz_transformer.chinese import ONLY, foreign_words
from viz_transformer.experiments.exercises.bench import Bench
from viz_transformer.experiments.exercises.typed_number import number_of
from viz_transformer.experiments.heads.knock_out import all_heads
from viz_transformer.heads import ATTENTION_MODULES, AttentionModule, HeadRef
from viz_transformer.sentences import N_, SentenceError
from viz_transformer.tokenizers import EncodedText

MOST_QUOTED = 40  # characters of a wrong answer that a sentence repeats
_MOST_AXES = 8


class AnswerError(SentenceError):
    """An answer that cannot be read as one of its kind."""


class Kind(Protocol):
    """A kind of answers.

    Attributes:
        label: what is asked for, above the box.
    """

    @property
    def label(self) -> str: ...

    def read(self, text: str, bench: Bench) -> Any:
        """The value of a typed or chosen answer; raises a SaidError where it cannot be read."""

    def write(self, answer: Any) -> str:
        """The text that `read` reads as this answer."""


@dataclass(frozen=True)
class AHead:
    """A head of the model, in one of `modules`."""

    modules: tuple[AttentionModule, ...] = ATTENTION_MODULES
    label: str = N_("Head")

    def options(self, bench: Bench) -> dict[str, HeadRef]:
        """The heads by their spelling."""
        heads = all_heads(bench.translator.model.config)
        return {self.write(head): head for head in heads if head.module in self.modules}

    def read(self, text: str, bench: Bench) -> HeadRef:
        """`cross.2.1` → the head."""
        options = self.options(bench)
        if text.strip() not in options:
            raise AnswerError(
                "{answer} is not one of the heads to choose from. A head is a module, a layer and a number, such "
                "as {example}.",
                answer=_quoted(text),
                example=next(iter(options)),
            )
        return options[text.strip()]

    def write(self, answer: HeadRef) -> str:
        """The head → `cross.2.1`."""
        return f"{answer.module}.{answer.layer + 1}.{answer.head + 1}"


@dataclass(frozen=True)
class ANumber:
    """A number within bounds."""

    low: float
    high: float
    is_whole: bool = True
    label: str = N_("Number")

    def read(self, text: str, bench: Bench) -> float:
        """`0.25` → 0.25; see `number_of`."""
        number = number_of(text)
        if number is None:
            raise AnswerError("{answer} is not a number. Write it as 12, 0.25 or 1/4.", answer=_quoted(text))
        if not self.low <= number <= self.high:
            raise AnswerError(
                "The answer is a number from {low:g} to {high:g}; yours was {answer}.",
                low=self.low,
                high=self.high,
                answer=_quoted(text),
            )
        if self.is_whole and number != int(number):
            raise AnswerError("{answer} is not a whole number.", answer=_quoted(text))
        return int(number) if self.is_whole else number

    def write(self, answer: float) -> str:
        """The number, with six digits at most where it is not whole."""
        return str(answer) if isinstance(answer, int) else f"{answer:.6g}"


@dataclass(frozen=True)
class ACell:
    """A cell of a module's matrices: query and key."""

    module: AttentionModule
    label: str = N_("Cell, as query-key, such as 3-5")

    def read(self, text: str, bench: Bench) -> tuple[int, int]:
        """`3-5` → (2, 4)."""
        found = re.fullmatch(r"\s*([0-9]{1,4})\s*[-–]\s*([0-9]{1,4})\s*", text)
        if not found:
            raise AnswerError("{answer} is not a cell. Write its query and its key: 3-5.", answer=_quoted(text))
        query, key = int(found[1]) - 1, int(found[2]) - 1
        queries, keys = bench.trace.attention(self.module, 0).mask.shape
        if not (0 <= query < queries and 0 <= key < keys):
            raise AnswerError(
                "There is no cell {answer}: this matrix has {queries} queries and {keys} keys.",
                answer=_quoted(text),
                queries=queries,
                keys=keys,
            )
        return query, key

    def write(self, answer: tuple[int, int]) -> str:
        """(2, 4) → `3-5`."""
        return f"{answer[0] + 1}-{answer[1] + 1}"


@dataclass(frozen=True)
class AToken:
    """One token of the source or of the output, by its place."""

    side: Literal["source", "output"]
    label: str = N_("Token")

    def tokens(self, bench: Bench) -> tuple[str, ...]:
        """The labels to choose from."""
        return bench.trace.source_tokens if self.side == "source" else bench.trace.predicted_tokens

    def read(self, text: str, bench: Bench) -> int:
        """`3` → the third token, 2."""
        tokens = self.tokens(bench)
        if not re.fullmatch(r"\s*[0-9]{1,4}\s*", text) or not 1 <= int(text) <= len(tokens):
            raise AnswerError(
                "{answer} is not one of the tokens: they are numbered 1 to {count}.",
                answer=_quoted(text),
                count=len(tokens),
            )
        return int(text) - 1

    def write(self, answer: int) -> str:
        """The place, counted from 1."""
        return str(answer + 1)


@dataclass(frozen=True)
class AShape:
    """The sizes of a tensor's axes."""

    label: str = N_("Shape, such as 2 × 3 × 4")

    def read(self, text: str, bench: Bench) -> tuple[int, ...]:
        """`2 × 3 × 4`, `2, 3, 4` or `(2 3 4)` → (2, 3, 4)."""
        sizes = re.split(r"\s*[×xX*,]\s*|\s+", text.strip().strip("()[]").strip())
        if not 1 <= len(sizes) <= _MOST_AXES or not all(re.fullmatch("[0-9]{1,6}", size) for size in sizes):
            raise AnswerError("{answer} is not a shape. Write the size of each axis: 2 × 3 × 4.", answer=_quoted(text))
        return tuple(map(int, sizes))

    def write(self, answer: tuple[int, ...]) -> str:
        """(2, 3, 4) → `2 × 3 × 4`."""
        return " × ".join(map(str, answer))


@dataclass(frozen=True)
class AText:
    """A text that the model can read: one of its sources, or of its targets."""

    side: Literal["source", "target"]
    label: str = N_("Sentence")

    def read(self, text: str, bench: Bench) -> EncodedText:
        """The text as its tokenizer reads it. A piece that the model has never seen is an error."""
        encode = bench.translator.encode_source if self.side == "source" else bench.translator.encode_target
        encoded = encode(text)
        if encoded.unknown:
            raise AnswerError(
                "The model has never seen {unknown}, so the numbers would not be about your sentence. Write it in"
                " the model's language.",
                unknown=_quoted(" ".join(encoded.unknown)),
            )
        language = bench.translator.card.get("source_language")
        if self.side == "source" and language in ONLY and foreign_words(text, language)[1]:
            raise AnswerError(ONLY[language])  # other pages show the noise; here it would pass for an answer
        return encoded

    def write(self, answer: str) -> str:
        """The text itself."""
        return answer


def _quoted(text: str) -> str:
    """The answer, or the beginning of a long one: the box still holds all of it."""
    return text if len(text) <= MOST_QUOTED else f"{text[:MOST_QUOTED]}…"
