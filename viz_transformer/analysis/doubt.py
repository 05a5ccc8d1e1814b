"""Signs that a model is unsure of its own output, read off the pass that wrote it."""

from __future__ import annotations

import math
from itertools import groupby
from typing import Literal, NamedTuple

import numpy as np

from viz_transformer.analysis.measures import is_punctuation
from viz_transformer.heads import n_layers
from viz_transformer.tokenizers import END, STARTS
from viz_transformer.trace import Trace

Sign = Literal["improbable", "repeated", "unread"]

# docs/models.md says how these were chosen, and how often what they mark is wrong.
LEAST_PROBABILITY = 0.78
LEAST_LOOK = 0.35


class Doubt(NamedTuple):
    """A sign that the model is unsure, and the number that says so.

    Attributes:
        sign: "improbable": on average, its tokens have a small probability; "repeated": a word stands twice in a row;
            "unread": a word was written while no head of cross-attention looked at a word of the source.
        token: the label of that word; "" where it is about the whole output.
        value: the geometric mean of all probabilities; how often the word stands in a row; the largest weight that any
            head had on a word of the source.
    """

    sign: Sign
    token: str
    value: float


def doubts(trace: Trace) -> list[Doubt]:
    """The signs of doubt in a trace of the model's own output, at most one of a kind; none where it is sure."""
    found = []
    probability = math.exp(trace.token_log_probs.mean())
    if probability < LEAST_PROBABILITY:
        found.append(Doubt("improbable", "", probability))
    in_a_row = [(token, len([*run])) for token, run in groupby(trace.predicted_tokens) if _is_word(token)]
    token, count = max(in_a_row, key=lambda one: one[1], default=("", 1))
    if count > 1:
        found.append(Doubt("repeated", token, count))
    looks = _looks(trace)
    token, look = min(zip(trace.predicted_tokens, looks, strict=True), key=lambda one: one[1], default=("", 1.0))
    if look < LEAST_LOOK:
        found.append(Doubt("unread", token, look))
    return found


def _looks(trace: Trace) -> list[float]:
    """For each token, the largest weight that a head had on a word of the source; 1 where there is no word to read.

    Only what begins a word or stands alone needs to look: the rest of a word follows from its beginning.
    """
    is_word = np.array([*map(_is_word, trace.source_tokens)])
    if not is_word.any():
        return [1.0] * len(trace.predicted_tokens)
    layers = range(n_layers(trace.config, "cross"))
    weights = np.concatenate([trace.attention("cross", layer).weights for layer in layers])  # (layers · H, T, S)
    largest = weights[:, :, is_word].max(axis=(0, 2))  # (T,)
    begins = [_is_word(token) and not token.startswith("##") for token in trace.predicted_tokens]
    return [float(look) if own else 1.0 for look, own in zip(largest, begins, strict=True)]


def _is_word(token: str) -> bool:
    return token != END and token not in STARTS and not is_punctuation(token)
