"""Cross-attention against hand-made word alignments: how often a head points at the right source word."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from viz_transformer.analysis.measures import Definition
from viz_transformer.lines import numbered_lines
from viz_transformer.sentences import N_
from viz_transformer.trace import Floats
from viz_transformer.translator import Translator

Row = Literal["predicts", "reads"]
Among = Literal["keys", "words"]

ALIGNMENT = Definition(
    "alignment",
    N_("alignment"),
    N_(
        "Over hand-aligned sentence pairs: of all tokens of linked target words, the share for which the row that "
        "predicts the token has its largest weight on a token of a source word linked to that word."
    ),
    r"\frac{1}{n}\sum_{i} \left[\left(\text{word}(\arg\max_j A_{i,\,j}),\ \text{word}(i)\right) \in S\right]",
    "share",
    ("cross",),
)


@dataclass(frozen=True)
class AlignedPair:
    """A sentence pair with a hand-made word alignment.

    Attributes:
        sure: (source word, target word) index pairs that mean the same.
    """

    source: str
    target: str
    source_words: tuple[str, ...]
    target_words: tuple[str, ...]
    sure: frozenset[tuple[int, int]]


def read_alignments(path: str | Path) -> list[AlignedPair]:
    """Reads one JSON object a line, with the fields of `AlignedPair`; a ValueError names the line that is wrong."""
    pairs = []
    for number, line in numbered_lines(path):
        try:
            row = json.loads(line)
            pair = AlignedPair(
                row["source"],
                row["target"],
                tuple(row["source_words"]),
                tuple(row["target_words"]),
                frozenset((int(i), int(j)) for i, j in row["sure"]),
            )
            _word_spans(pair.source, pair.source_words)
            _word_spans(pair.target, pair.target_words)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path}, line {number} is not a word alignment: {error}.") from error
        pairs.append(pair)
    return pairs


@dataclass(frozen=True, eq=False)
class AlignmentScores:
    """How well cross-attention agrees with hand-made word alignments.

    A row points at the source word of the key with its largest weight. Among "keys", a row whose largest weight is on
    the end token points at no word; among "words", the end token is left out, as Garg et al. 2019 do.

    Attributes:
        accuracy: (decoder layers, H) the share of the tokens of linked target words whose row points at a linked
            source word.
        mean_accuracy: (decoder layers,) the same for the mean over the heads of a layer.
        error_rate: (decoder layers, H) AER = 1 - 2 |A ∩ S| / (|A| + |S|) over all pairs, S the sure links and A what
            the rows of all target words point at (Och & Ney 2003, with sure links only); 0 is best.
        mean_error_rate: (decoder layers,) for the mean over the heads.
        by_pair: (pairs, decoder layers, H) the accuracy in each pair, NaN where none of its words is linked.
    """

    accuracy: Floats
    mean_accuracy: Floats
    error_rate: Floats
    mean_error_rate: Floats
    by_pair: Floats


def alignment_scores(
    translator: Translator, pairs: Sequence[AlignedPair], row: Row = "predicts", among: Among = "keys"
) -> AlignmentScores:
    """Scores cross-attention against `pairs`, in the row that predicts a target token or the next, which reads it."""
    counts = [
        _count_pair(translator, pair, row, among) for pair in pairs
    ]  # each (decoder layers, H + 1), the mean last
    hits, common, drawn = (np.stack([getattr(count, name) for count in counts]) for name in ("hits", "common", "drawn"))
    rows = np.array([count.rows for count in counts], dtype=np.float64)
    sure = sum(len(pair.sure) for pair in pairs)
    accuracy = (hits.sum(axis=0) / rows.sum()).astype(np.float32)
    error_rate = (1 - 2 * common.sum(axis=0) / (drawn.sum(axis=0) + sure)).astype(np.float32)
    with np.errstate(invalid="ignore"):
        by_pair = (hits / rows[:, None, None]).astype(np.float32)
    return AlignmentScores(accuracy[:, :-1], accuracy[:, -1], error_rate[:, :-1], error_rate[:, -1], by_pair[:, :, :-1])


@dataclass(frozen=True, eq=False)
class _PairCounts:
    rows: int  # whose target word is linked
    hits: NDArray[np.int64]  # (decoder layers, H + 1) of them point at a linked word
    common: NDArray[np.int64]  # |A ∩ S|
    drawn: NDArray[np.int64]  # |A|


def _count_pair(translator: Translator, pair: AlignedPair, row: Row, among: Among) -> _PairCounts:
    trace = translator.trace(pair.source, pair.target)
    source = _words_of_tokens(translator.encode_source(pair.source).spans, pair.source, pair.source_words)
    target = _words_of_tokens(translator.encode_target(pair.target).spans, pair.target, pair.target_words)
    linked = {j for _, j in pair.sure}
    rows = np.arange(len(target)) + (row == "reads")  # row t predicts target token t
    shape = (translator.model.config.n_decoder_layers, translator.model.config.decoder.n_heads + 1)
    hits, common, drawn = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    for layer in range(shape[0]):
        weights = trace.attention("cross", layer).weights[:, rows]  # (H, target tokens, S)
        if among == "words":
            weights = weights[:, :, : len(source)]  # the end token is the last key
        with_mean = np.concatenate([weights, weights.mean(axis=0, keepdims=True)])
        for head, best in enumerate(with_mean.argmax(axis=2)):  # (target tokens,)
            links = [(source[key], word) for key, word in zip(best, target, strict=True) if key < len(source)]
            hits[layer, head] = sum(link in pair.sure for link in links)
            common[layer, head] = len(pair.sure & set(links))
            drawn[layer, head] = len(set(links))
    return _PairCounts(sum(word in linked for word in target), hits, common, drawn)


def _word_spans(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    spans, place = [], 0
    for word in words:
        start = text.find(word, place)
        if start < 0 or text[place:start].strip():
            raise ValueError(f"the words {list(words)} are not those of {text!r}")
        place = start + len(word)
        spans.append((start, place))
    if text[place:].strip():
        raise ValueError(f"the words {list(words)} do not reach the end of {text!r}")
    return spans


def _words_of_tokens(tokens: Sequence[tuple[int, int]], text: str, words: Sequence[str]) -> list[int]:
    """For each token, the index of the word with its last character; for an empty token, of the word that it begins."""
    spans = _word_spans(text, words)
    return [
        next(i for i, (start, end) in enumerate(spans) if start <= max(first, last - 1) < end) for first, last in tokens
    ]
