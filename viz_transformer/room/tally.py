"""How a class answered, in counts: nothing of it says who."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from viz_transformer.room.question import Question

BINS = 24  # of a curve's height at each of its places
MOST_TOKENS = 40


def tally(question: Question, guesses: Sequence[Any]) -> dict[str, Any]:
    """The counts that are shown of these guesses, each of which the question has checked."""
    counted = {"id": question.id, "kind": question.kind, "answers": len(guesses)}
    match question.kind:
        case "cells":
            return {**counted, "counts": _counts(question.size, [place for guess in guesses for place in guess])}
        case "token":
            # Equally frequent ones by the alphabet, so that the order says nothing of who was first.
            ranked = sorted(Counter(guesses).items(), key=lambda pair: (-pair[1], pair[0]))
            others = sum(n for _, n in ranked[MOST_TOKENS:])
            return {**counted, "tokens": [list(pair) for pair in ranked[:MOST_TOKENS]], "others": others}
        case "number":
            return {**counted, "values": sorted(guesses)}
        case "curve":
            bins = [
                place * BINS + min(int(height * BINS), BINS - 1)
                for guess in guesses
                for place, height in enumerate(guess)
                if height is not None
            ]
            return {**counted, "counts": _counts(question.size * BINS, bins)}


def _counts(size: int, places: Sequence[int]) -> list[int]:
    counts = [0] * size
    for place in places:
        counts[place] += 1
    return counts
