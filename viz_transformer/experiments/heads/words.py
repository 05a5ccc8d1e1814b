"""Attention between words instead of tokens, and without the keys that serve as sinks: start, end, punctuation.

Both change what a map says, so a plot of them says what was done: merging sums over the key tokens of a word and
averages over its query tokens; hiding divides the rest of each row by its sum. Shapes: … any axes before, T queries,
S keys, T' and S' words or what is left of them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from viz_transformer.analysis.measures import is_punctuation
from viz_transformer.tokenizer_files import SPACE
from viz_transformer.tokenizers import END, STARTS

Floats = NDArray[np.floating]
Flags = NDArray[np.bool_]
_REST = "##"  # starts a token that continues the word before, see `Tokenizer`


@dataclass(frozen=True)
class Words:
    """The words of one side: `groups` are the positions of each word's tokens, `labels` their texts joined."""

    groups: tuple[tuple[int, ...], ...]
    labels: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Kept:
    """Weights without some keys.

    Attributes:
        weights: (…, T, S') each row divided by its remaining sum; NaN where nothing remains.
        hidden: (…, T) the weight of each row on the hidden keys.
    """

    weights: Floats
    hidden: Floats


def words_of(tokens: Sequence[str], text: str = "", spans: Sequence[tuple[int, int]] = ()) -> Words:
    """Groups tokens into words.

    A token continues the word before if its label says so (`##ing`), or if the two touch in `text` at two letters or
    combining marks, neither of them Han: tokens of Chinese are words already. A token that is only the sign of a word's
    beginning (`▁`) belongs to the word after it, and is left out of its text.

    Args:
        tokens: the labels of one side.
        text, spans: the text, and the spans of its first `len(spans)` tokens; without them only labels count.
    """
    groups: list[list[int]] = []
    for place, token in enumerate(tokens):
        if groups and (
            _only_begins(tokens, spans, place - 1)
            or _continues(tokens[place - 1], token)
            or _touches(text, spans, place)
        ):
            groups[-1].append(place)
        else:
            groups.append([place])
    texts = []
    for first, *rest in groups:
        shown = rest if rest and _only_begins(tokens, spans, first) else [first, *rest]
        texts.append("".join(_bare(tokens[place]) for place in shown))
    return Words(tuple(map(tuple, groups)), tuple(texts))


def merge_words(weights: Floats, queries: Words, keys: Words) -> Floats:
    """(…, T, S) → (…, T', S'): the sum over the keys of a word, the mean over its queries. Rows still sum to 1."""
    summed = np.stack([weights[..., list(group)].sum(axis=-1) for group in keys.groups], axis=-1)  # (…, T, S')
    return np.stack([summed[..., list(group), :].mean(axis=-2) for group in queries.groups], axis=-2)


def merge_mask(mask: Flags, queries: Words, keys: Words) -> Flags:
    """(…, T, S) → (…, T', S'): a word may attend to another if any of their tokens may."""
    any_key = np.stack([mask[..., list(group)].any(axis=-1) for group in keys.groups], axis=-1)
    return np.stack([any_key[..., list(group), :].any(axis=-2) for group in queries.groups], axis=-2)


def is_sink(tokens: Sequence[str]) -> Flags:
    """(S,) which tokens are the start, the end, or punctuation only."""
    return np.array([token == END or token in STARTS or is_punctuation(token) for token in tokens])


def hide_keys(weights: Floats, hidden: Flags) -> Kept:
    """Leaves out the keys marked in `hidden` (S,) and divides the rest of each row by its sum.

    Raises:
        ValueError: every key is hidden.
    """
    if hidden.all():
        raise ValueError("All keys are start, end or punctuation: there would be nothing left to show.")
    kept = weights[..., ~hidden]
    total = kept.sum(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        rows = np.where(total > 0, kept / total, np.nan)
    return Kept(rows, weights[..., hidden].sum(axis=-1))


def _only_begins(tokens: Sequence[str], spans: Sequence[tuple[int, int]], place: int) -> bool:
    """Whether a token is only the sign of a word's beginning, and was not typed."""
    return tokens[place] == SPACE and (place >= len(spans) or spans[place][0] == spans[place][1])


def _continues(before: str, token: str) -> bool:
    return token.startswith(_REST) and len(token) > len(_REST) and before[-1:].isalpha()


def _touches(text: str, spans: Sequence[tuple[int, int]], place: int) -> bool:
    if place >= len(spans) or spans[place - 1][1] < spans[place][0]:
        return False
    here = spans[place][0]
    if here < spans[place - 1][1]:  # both come from one character
        return True
    return all(unicodedata.category(sign)[0] in "LM" and not _is_han(sign) for sign in text[here - 1 : here + 1])


def _bare(token: str) -> str:
    return token.removeprefix(_REST) or token


def _is_han(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith("CJK ")
