"""Neighbours in embedding space: the tokens whose vectors point where a word's does, or where a sum of words does."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from viz_transformer.tokenizers import Tokenizer
from viz_transformer.translator import TextError

_SIGN = re.compile(r"\s+([+−–-])\s+")  # between spaces, so that T-shirt is a word
Floats = np.ndarray[Any, np.dtype[np.float32]]


class SignedToken(NamedTuple):
    """A term of a sum: +1 or −1, and a token."""

    sign: int
    token_id: int


class Neighbour(NamedTuple):
    """A token, and the cosine between its embedding and what was asked for."""

    token_id: int
    cosine: float


def read_sum(text: str, tokenizer: Tokenizer) -> tuple[SignedToken, ...]:
    """The terms of "went − go + see", or of a word alone.

    Raises:
        TextError: where nothing is there or left, or a word is none of the vocabulary, or more than one token.
    """
    first, *others = _SIGN.split(text.strip())
    words = [("+", first), *zip(others[::2], others[1::2], strict=True)]
    terms = tuple(SignedToken(1 if sign == "+" else -1, _token_of(word, tokenizer)) for sign, word in words)
    totals: Counter[int] = Counter()
    for sign, token_id in terms:
        totals[token_id] += sign
    if not any(totals.values()):
        raise TextError("These words cancel out: no direction is left.")
    return terms


def _token_of(word: str, tokenizer: Tokenizer) -> int:
    if not word.strip():
        raise TextError("Type a word, or a sum of words with spaces around + and −.")
    encoded = tokenizer.encode(word)
    if encoded.unknown:
        raise TextError("{word} is not in the vocabulary of the model.", word=word)
    if len(encoded.ids) != 1:
        raise TextError(
            "{word} is {count} tokens here: {tokens}. Use a word of a single token, because only a token has a vector.",
            word=word,
            count=len(encoded.ids),
            tokens=" ".join(encoded.tokens),
        )
    return encoded.ids[0]


def cosines(table: Floats, terms: Sequence[SignedToken]) -> Floats:
    """The cosine of each row of `table` (V, d) with the sum of the terms' unit vectors → (V); 0 for a row of zeros."""
    lengths = np.linalg.norm(table, axis=1, keepdims=True)  # (V, 1)
    units = np.divide(table, lengths, out=np.zeros_like(table), where=lengths > 0)
    asked = sum(sign * units[token_id] for sign, token_id in terms)  # (d)
    length = np.linalg.norm(asked)
    found: Floats = units @ (asked / length if length > 0 else asked)
    return found


def nearest(found: Floats, count: int, apart_from: Collection[int]) -> tuple[Neighbour, ...]:
    """The `count` tokens of the largest cosines, the nearest first, without those of `apart_from`."""
    order = (int(token_id) for token_id in np.argsort(-found, kind="stable"))
    kept = [token_id for token_id in order if token_id not in apart_from][:count]
    return tuple(Neighbour(token_id, float(found[token_id])) for token_id in kept)
