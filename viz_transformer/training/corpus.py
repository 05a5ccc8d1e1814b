"""Pairs of texts as batches of ids. A batch is a function of its number, so that a run can resume anywhere."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from viz_transformer.lines import numbered_lines
from viz_transformer.sentences import SentenceError
from viz_transformer.tokenizers import END_ID, PAD_ID, START_ID, UNKNOWN_ID, Tokenizer
from viz_transformer.training.tasks import Task

Pair = tuple[str, str]
Ids = tuple[int, ...]


@dataclass(frozen=True)
class Batch:
    """Source and target ids, padded on the right.

    Attributes:
        source_ids: (B, S) source tokens and the end token.
        target_ids: (B, T) what the decoder reads: the start token and the target tokens.
        label_ids: (B, T) what it should predict: the target tokens and the end token.
    """

    source_ids: Tensor
    target_ids: Tensor
    label_ids: Tensor

    def to(self, device: torch.device) -> Batch:
        return Batch(self.source_ids.to(device), self.target_ids.to(device), self.label_ids.to(device))


def make_batch(sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]) -> Batch:
    """Adds start and end tokens and padding, by the ids of this project's tokenizers, to lists of ids."""
    return Batch(
        pad([[*ids, END_ID] for ids in sources]),
        pad([[START_ID, *ids] for ids in targets]),
        pad([[*ids, END_ID] for ids in targets]),
    )


def pad(rows: Sequence[Sequence[int]], pad_id: int = PAD_ID) -> Tensor:
    """Rows of different lengths → (B, longest) int64, filled with the padding id."""
    padded = np.full((len(rows), max(map(len, rows))), pad_id, dtype=np.int64)
    for i, row in enumerate(rows):
        padded[i, : len(row)] = row
    return torch.from_numpy(padded)


def read_pairs(path: str | Path) -> list[Pair]:
    """The pairs of a file: one per line, as source ⇥ target ⇥ anything; see `numbered_lines`.

    Raises:
        ValueError: with the line's number where a line has no tab or an empty side, or is not UTF-8.
    """
    pairs = []
    for number, line in numbered_lines(path):
        source, tab, rest = line.partition("\t")
        target = rest.partition("\t")[0]
        if not tab or not source.strip() or not target.strip():
            raise SentenceError(
                "{path}, line {number}: expected a source, a tab and a target; the line was {line!r}.",
                path=path,
                number=number,
                line=line,
            )
        pairs.append((source, target))
    return pairs


def refuse_overlap(train: Sequence[Pair], held_out: Sequence[Pair], name: str) -> None:
    """Raises a ValueError if a sentence of `held_out`, on either side, is also in `train`."""
    for side in (0, 1):
        trained = {_canonical(pair[side]) for pair in train}
        shared = [pair[side] for pair in held_out if _canonical(pair[side]) in trained]
        if shared:
            raise SentenceError(
                "{count} sentences of {name} are also in the training data, for example {one!r}; a model must not"
                " be evaluated on the data that it was trained on.",
                count=len(shared),
                name=name,
                one=shared[0],
            )


def apart_from(held_out: Sequence[Pair], train: Sequence[Pair]) -> list[Pair]:
    """The pairs of `train` with no sentence of `held_out` on either side: exchanged numbers can make one by chance."""
    sources, targets = ({_canonical(pair[side]) for pair in held_out} for side in (0, 1))
    return [(s, t) for s, t in train if _canonical(s) not in sources and _canonical(t) not in targets]


def _canonical(text: str) -> str:
    """A text without its differences in width, case, spaces, form of quotes and final punctuation."""
    plain = unicodedata.normalize("NFKC", text).casefold().translate(_QUOTES)
    return "".join(plain.split()).rstrip(".。!?")


_QUOTES = str.maketrans("‘’“”", "''\"\"")


class TaskBatches:
    """Endless random batches of a toy task, by number.

    Args:
        held_out: sources left out of every batch, so that a model can be measured on them; a batch is then smaller.
    """

    def __init__(self, task: Task, batch_size: int, seed: int, held_out: Collection[str] = ()) -> None:
        self.task, self.batch_size, self.seed, self.held_out = task, batch_size, seed, frozenset(held_out)
        self.tokenizer = task.tokenizer()

    def pairs(self, step: int) -> list[Pair]:
        """The texts of batch `step`."""
        drawn = self.task.pairs(self.batch_size, seed=[self.seed, step])
        return [pair for pair in drawn if pair[0] not in self.held_out]

    def sources(self, steps: int) -> set[str]:
        """Every source of the first `steps` batches."""
        return {source for step in range(steps) for source, _ in self.pairs(step)}

    def __getitem__(self, step: int) -> Batch:
        pairs = self.pairs(step)
        encode = self.tokenizer.encode
        return make_batch([encode(source).ids for source, _ in pairs], [encode(target).ids for _, target in pairs])


class CorpusBatches:
    """Batches of a parallel corpus, by number: all of about the same number of tokens, reshuffled in every epoch.

    Args:
        pairs: the training pairs.
        source, target: their tokenizers.
        batch_tokens: an upper bound on (pairs in a batch) × (source and target tokens of its longest pair),
            except that a longer pair makes a batch by itself.
        max_len: longer pairs are left out; `skipped` counts them.
        drop_punctuation: the probability that the final punctuation of both sides is left out, so that a
            visitor who types none is understood.
    """

    def __init__(
        self,
        pairs: Sequence[Pair],
        source: Tokenizer,
        target: Tokenizer,
        batch_tokens: int,
        max_len: int,
        seed: int,
        drop_punctuation: float = 0.0,
    ) -> None:
        encoded = [(source.encode(s).ids, target.encode(t).ids) for s, t in pairs]
        self.rows = [(s, t) for s, t in encoded if s and t and max(len(s), len(t)) < max_len]
        if not self.rows:
            raise SentenceError(
                "There is nothing to train on: the data contain no pair that is short enough for the model."
            )
        self.skipped = len(encoded) - len(self.rows)
        self.seed, self.drop_punctuation = seed, drop_punctuation
        self._source_marks = _ids_of(source, "。.!?")
        self._target_marks = _ids_of(target, "。.!?")
        self._lengths = np.array([len(s) + len(t) for s, t in self.rows])
        ordered = np.sort(self._lengths)
        self._cuts = [0]  # where batches begin among the pairs sorted by length; the same in every epoch
        for i in range(len(ordered)):
            if (i + 1 - self._cuts[-1]) * ordered[i] > batch_tokens and i > self._cuts[-1]:
                self._cuts.append(i)
        self._cuts.append(len(ordered))

    @property
    def batches_per_epoch(self) -> int:
        return len(self._cuts) - 1

    def __getitem__(self, step: int) -> Batch:
        epoch, position = divmod(step, self.batches_per_epoch)
        order, batch_order = self._order(epoch)
        batch = batch_order[position]
        rows = [self.rows[i] for i in order[self._cuts[batch] : self._cuts[batch + 1]]]
        drop = np.random.default_rng([self.seed, step]).random(len(rows)) < self.drop_punctuation
        rows = [self._without_final_mark(*row) if without else row for row, without in zip(rows, drop, strict=True)]
        return make_batch([source for source, _ in rows], [target for _, target in rows])

    @lru_cache(maxsize=2)  # noqa: B019  one corpus lives as long as its run
    def _order(self, epoch: int) -> tuple[np.ndarray, np.ndarray]:
        random = np.random.default_rng([self.seed, epoch, 1])
        shuffled = random.permutation(len(self.rows))
        by_length = shuffled[np.argsort(self._lengths[shuffled], kind="stable")]
        return by_length, random.permutation(self.batches_per_epoch)

    def _without_final_mark(self, source: Ids, target: Ids) -> tuple[Ids, Ids]:
        both_end_in_one = source[-1] in self._source_marks and target[-1] in self._target_marks
        if both_end_in_one and len(source) > 1 and len(target) > 1:
            return source[:-1], target[:-1]
        return source, target


def _ids_of(tokenizer: Tokenizer, marks: str) -> set[int]:
    """The ids of `marks` right after a letter (`a.`), as tokens without the sign of a word's beginning (`▁`)."""
    return {tokenizer.encode(f"a{mark}").ids[-1] for mark in marks} - {UNKNOWN_ID}
