r"""What a head does, measured on one recorded pass: each measure with its definition and its formula.

Shapes: H heads, T queries (rows), S keys. In the formulas A is a head's weights, i a row, j a key, both from 1.

A row that may attend to only one key, as the decoder's first row does, says nothing about a head. R, the rows that a
measure averages over, leaves it out. In cross-attention row i reads target token i - 1 and predicts target token i; its
position is that of the predicted token, so a head that copies has its weight at A_ii, in the row that *writes* token i.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from viz_transformer.heads import ATTENTION_MODULES, AttentionModule, HeadRef, n_layers, stack_config
from viz_transformer.sentences import N_
from viz_transformer.tokenizers import END, STARTS
from viz_transformer.trace import AttentionRecord, Floats, Trace

Unit = Literal["share", "tokens", "bits", "keys"]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Definition:
    """What one number for each head means.

    Attributes:
        name: its key in tables and files.
        title: a few words, shown.
        definition: a sentence.
        formula: LaTeX.
        unit: "share" of the weight or of the tokens, 0 to 1; a number of "tokens" or "keys"; "bits".
        modules: the attention modules that it is defined for.
    """

    name: str
    title: str
    definition: str
    formula: str
    unit: Unit
    modules: tuple[AttentionModule, ...]


@dataclass(frozen=True)
class Measure(Definition):
    """A number that is computed from one recorded pass: `of(record)` is (H,), NaN where there is no such row or key."""

    of: Callable[[AttentionRecord], Floats]


def entropy(weights: NDArray[np.floating]) -> NDArray[np.float64]:
    """(…, S) → (…) -Σ w log2 w in bits: 0 where one key has it all, log2 n where n keys share equally."""
    weights = np.asarray(weights, dtype=np.float64)
    logs = np.log2(weights, out=np.zeros_like(weights), where=weights > 0)
    return np.asarray(-(weights * logs).sum(axis=-1)) + 0.0  # no -0


def is_punctuation(token: str) -> bool:
    """Whether every character of a token is punctuation (Unicode category P)."""
    return all(unicodedata.category(character).startswith("P") for character in token)


def measure_heads(trace: Trace) -> dict[HeadRef, dict[str, float]]:
    """Every measure of every head, where it is defined, on one recorded pass; NaN where there is no such row or key."""
    measured: dict[HeadRef, dict[str, float]] = {}
    for module in ATTENTION_MODULES:
        for layer in range(n_layers(trace.config, module)):
            record = trace.attention(module, layer)
            values = {measure.name: measure.of(record) for measure in MEASURES if module in measure.modules}
            for head in range(stack_config(trace.config, module).n_heads):
                measured[HeadRef(module, layer, head)] = {name: float(v[head]) for name, v in values.items()}
    return measured


def _rows(record: AttentionRecord) -> NDArray[np.bool_]:
    """(T,) R: the rows that may attend to more than one key."""
    rows: NDArray[np.bool_] = record.mask.sum(axis=1) > 1
    return rows


def _mean(values: Floats) -> Floats:
    """(H, n) → (H,), NaN where n is 0."""
    if not values.shape[1]:
        return np.full(values.shape[0], np.nan, dtype=np.float32)
    means: Floats = values.mean(axis=1, dtype=np.float64).astype(np.float32)
    return means


def _on_key(record: AttentionRecord, keys: Indices) -> Floats:
    """The mean weight on one key in each row; keys (T,) from 0, outside of 0 to S - 1 for a row without one."""
    rows = np.flatnonzero(_rows(record) & (keys >= 0) & (keys < len(record.key_tokens)))
    return _mean(record.weights[:, rows, keys[rows]])  # (H, n)


def _offset(record: AttentionRecord, offset: int) -> Floats:
    return _on_key(record, np.arange(len(record.query_tokens)) + offset)


def _diagonal(record: AttentionRecord) -> Floats:
    queries = np.arange(len(record.query_tokens))
    both_are_words = queries < min(record.mask.shape) - 1
    return _on_key(record, np.where(both_are_words, queries, -1))


def _antidiagonal(record: AttentionRecord) -> Floats:
    queries = np.arange(len(record.query_tokens))
    mirrored = len(record.key_tokens) - 2 - queries  # the last key is the end token, the last row writes it
    return _on_key(record, np.where(queries < len(queries) - 1, mirrored, -1))


def _on_keys(record: AttentionRecord, is_meant: Callable[[str], bool]) -> Floats:
    """The total weight on the keys whose token `is_meant`, averaged over the rows."""
    keys = np.array([is_meant(token) for token in record.key_tokens])
    if not keys.any():
        return np.full(record.weights.shape[0], np.nan, dtype=np.float32)
    return _mean(record.weights[:, _rows(record)][:, :, keys].sum(axis=2))  # (H, rows, keys) -> (H, rows) -> (H,)


def _distance(record: AttentionRecord) -> Floats:
    queries, keys = (np.arange(n) for n in record.mask.shape)
    distances = np.abs(queries[:, None] - keys[None, :])  # (T, S)
    return _mean((record.weights * distances).sum(axis=2)[:, _rows(record)])


_SELF: tuple[AttentionModule, ...] = ("encoder_self", "decoder_self")
_SEES_ALL: tuple[AttentionModule, ...] = ("encoder_self", "cross")

MEASURES: tuple[Measure, ...] = (
    Measure(
        "previous",
        N_("previous token"),
        N_(
            "The mean weight on the key one position earlier, over the rows that have one. In cross-attention that is "
            "the position of the token that the row reads."
        ),
        r"\frac{1}{|R'|}\sum_{i \in R'} A_{i,\,i-1}, \quad R' = \{i \in R : 1 \le i - 1 \le S\}",
        "share",
        ATTENTION_MODULES,
        lambda record: _offset(record, -1),
    ),
    Measure(
        "same",
        N_("same position"),
        N_("The mean weight that a token gives itself."),
        r"\frac{1}{|R|}\sum_{i \in R} A_{i,\,i}",
        "share",
        _SELF,
        lambda record: _offset(record, 0),
    ),
    Measure(
        "next",
        N_("next token"),
        N_(
            "The mean weight on the key one position later, over the rows that have one. In the decoder's "
            "self-attention that key is masked."
        ),
        r"\frac{1}{|R'|}\sum_{i \in R'} A_{i,\,i+1}, \quad R' = \{i \in R : i + 1 \le S\}",
        "share",
        _SEES_ALL,
        lambda record: _offset(record, 1),
    ),
    Measure(
        "diagonal",
        N_("diagonal (copy)"),
        N_("The mean weight on source token i in the row that predicts target token i; the end tokens are left out."),
        r"\frac{1}{m}\sum_{i=1}^{m} A_{i,\,i}, \quad m = \min(T, S) - 1",
        "share",
        ("cross",),
        _diagonal,
    ),
    Measure(
        "antidiagonal",
        N_("anti-diagonal (reverse)"),
        N_(
            "The mean weight of row i on the source token that is as far from the end as token i is from the start; "
            "the end tokens are left out. In cross-attention row i predicts target token i."
        ),
        r"\frac{1}{m}\sum_{i=1}^{m} A_{i,\,S-i}, \quad m = \min(T, S) - 1",
        "share",
        _SEES_ALL,
        _antidiagonal,
    ),
    Measure(
        "start",
        N_("start sink"),
        N_("The mean weight on the start token <s>, which is a key only in the decoder's self-attention."),
        r"\frac{1}{|R|}\sum_{i \in R} A_{i,\,\langle s\rangle}",
        "share",
        ("decoder_self",),
        lambda record: _on_keys(record, STARTS.__contains__),
    ),
    Measure(
        "end",
        N_("end sink"),
        N_("The mean weight on the source's end token </s>."),
        r"\frac{1}{|R|}\sum_{i \in R} A_{i,\,\langle /s\rangle}",
        "share",
        _SEES_ALL,
        lambda record: _on_keys(record, END.__eq__),
    ),
    Measure(
        "punctuation",
        N_("punctuation sink"),
        N_("The mean total weight on the keys that are punctuation; sentences without any are not counted."),
        r"\frac{1}{|R|}\sum_{i \in R}\ \sum_{j \in \text{punctuation}} A_{i,\,j}",
        "share",
        ATTENTION_MODULES,
        lambda record: _on_keys(record, is_punctuation),
    ),
    Measure(
        "sinks",
        N_("all sinks"),
        N_("The mean total weight on the start token, the end token and punctuation."),
        r"\frac{1}{|R|}\sum_{i \in R}\ \sum_{j \in \{\langle s\rangle,\,\langle /s\rangle\}\,\cup\,\text{punctuation}}"
        r" A_{i,\,j}",
        "share",
        ATTENTION_MODULES,
        lambda record: _on_keys(record, lambda token: token == END or token in STARTS or is_punctuation(token)),
    ),
    Measure(
        "distance",
        N_("mean distance"),
        N_(
            "The mean distance from query to key in tokens, weighted by attention. In cross-attention the query's "
            "position is that of the token that it predicts."
        ),
        r"\frac{1}{|R|}\sum_{i \in R} \sum_j A_{i,\,j}\,|i - j|",
        "tokens",
        ATTENTION_MODULES,
        _distance,
    ),
    Measure(
        "entropy",
        N_("entropy"),
        N_(
            "The mean entropy of the rows, in bits: 0 where one key has all the weight, log₂ n where n keys share it "
            "equally."
        ),
        r"\frac{1}{|R|}\sum_{i \in R} H_i, \quad H_i = -\sum_j A_{i,\,j} \log_2 A_{i,\,j}",
        "bits",
        ATTENTION_MODULES,
        lambda record: _mean(entropy(record.weights[:, _rows(record)]).astype(np.float32)),
    ),
    Measure(
        "keys",
        N_("effective number of keys"),
        N_("How many keys a row attends to: 2 to the power of its entropy in bits, averaged over the rows."),
        r"\frac{1}{|R|}\sum_{i \in R} 2^{H_i}",
        "keys",
        ATTENTION_MODULES,
        lambda record: _mean((2 ** entropy(record.weights[:, _rows(record)])).astype(np.float32)),
    ),
)
