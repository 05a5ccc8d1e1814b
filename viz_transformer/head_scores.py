"""What a head does, measured: where its weights go, over held-out sentences and against a word alignment."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from viz_transformer.heads import ATTENTION_MODULES, HeadRef, n_layers
from viz_transformer.tokenizers import END, START
from viz_transformer.trace import AttentionRecord, Floats
from viz_transformer.translator import Translator

Row = Literal["predicts", "reads"]
OPENS_WITH = "opens_with"  # in a model card: the [layer, head] of cross-attention that a page shows first


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
    """One JSON object a line, with the fields of `AlignedPair`; raises a ValueError with the line's number."""
    pairs = []
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), start=1):
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
            raise ValueError(f"{path}, line {number} is no word alignment: {error}.") from error
        pairs.append(pair)
    return pairs


def alignment_accuracy(
    translator: Translator, pairs: Sequence[AlignedPair], row: Row = "predicts"
) -> tuple[Floats, Floats]:
    """How often cross-attention points at the right source word.

    Counted over the target tokens of words that have a sure link, in the row that predicts the token, or in the
    next one, which reads it. A row is right where its largest weight lies on a token of a linked source word; the
    end token is never right.

    Returns:
        (decoder layers, H) for each head, and (decoder layers,) for the mean over the heads of a layer.
    """
    config = translator.model.config
    heads = np.zeros((config.n_decoder_layers, config.n_heads), dtype=np.float32)
    means = np.zeros(config.n_decoder_layers, dtype=np.float32)
    counted = 0
    for pair in pairs:
        trace = translator.trace(pair.source, pair.target)
        source = _words_of_tokens(translator.encode_source(pair.source).spans, pair.source, pair.source_words)
        target = _words_of_tokens(translator.encode_target(pair.target).spans, pair.target, pair.target_words)
        linked = {j for _, j in pair.sure}
        places = [t for t, word in enumerate(target) if word in linked]
        rows = places if row == "predicts" else [t + 1 for t in places]  # row t predicts target token t
        counted += len(rows)
        right = np.array([[(i, target[t]) in pair.sure for i in (*source, None)] for t in places])  # (rows, S)
        for layer in range(config.n_decoder_layers):
            weights = trace.attention("cross", layer).weights[:, rows]  # (H, rows, S)
            heads[layer] += _hits(weights, right)
            means[layer] += _hits(weights.mean(axis=0, keepdims=True), right)[0]
    return heads / np.float32(counted), means / np.float32(counted)


Score = Callable[[AttentionRecord], Floats]

# Each gives (H,): the mean weight over the rows that have such a key.
HEAD_SCORES: dict[str, Score] = {
    "previous": lambda record: record.weights.diagonal(-1, axis1=1, axis2=2).mean(axis=1),
    "same": lambda record: record.weights.diagonal(0, axis1=1, axis2=2).mean(axis=1),
    "next": lambda record: record.weights.diagonal(1, axis1=1, axis2=2).mean(axis=1),
    "sink": lambda record: record.weights[:, :, _sinks(record)].sum(axis=2).mean(axis=1),
}


def head_scores(translator: Translator, sources: Iterable[str]) -> dict[HeadRef, dict[str, float]]:
    """`HEAD_SCORES` of every head, averaged over the traces of `sources` and the model's own output.

    "previous", "same" and "next" are the weight on the key one before, at and one after the query's position;
    "sink" is the weight on start, end and punctuation together.
    """
    config = translator.model.config
    totals: dict[HeadRef, dict[str, list[float]]] = {}
    for source in sources:
        trace = translator.trace(source)
        if min(len(trace.source_ids), len(trace.target_ids)) < 2:
            continue  # there is no previous and no next token
        for module in ATTENTION_MODULES:
            for layer in range(n_layers(config, module)):
                record = trace.attention(module, layer)
                for name, score in HEAD_SCORES.items():
                    for head, value in enumerate(score(record)):
                        by_name = totals.setdefault(HeadRef(module, layer, head), {})
                        by_name.setdefault(name, []).append(float(value))
    return {ref: {name: float(np.mean(values)) for name, values in by_name.items()} for ref, by_name in totals.items()}


def _sinks(record: AttentionRecord) -> NDArray[np.bool_]:
    return np.array([token in (START, END) or _is_punctuation(token) for token in record.key_tokens])


def _is_punctuation(token: str) -> bool:
    return all(unicodedata.category(character).startswith("P") for character in token)


def _hits(weights: Floats, right: NDArray[np.bool_]) -> Floats:
    """weights (H, rows, S), right (rows, S) → (H,) how many rows point at a right token."""
    best = weights.argmax(axis=2)  # (H, rows)
    return right[np.arange(right.shape[0]), best].sum(axis=1)


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
    """For each token the word that its last character lies in: the first may be the space before."""
    spans = _word_spans(text, words)
    return [next(i for i, (start, end) in enumerate(spans) if start <= last - 1 < end) for _, last in tokens]
