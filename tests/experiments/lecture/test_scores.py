"""The rules by which the browser scores a prediction, against numpy's, on whatever may be predicted."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as some

from tests.front_end import FRONT_END, node

# Reads [rule, arguments] one a line, writes the scores in a line each.
_SCORES = f"""
import * as rules from "{(FRONT_END / "src/kit/score.ts").as_uri()}";
const cases = JSON.parse(process.argv[1]);
console.log(JSON.stringify(cases.map(([rule, ...given]) =>
  rules[rule](...given.map((one) => (one && one.set ? new Set(one.set) : one))))));
"""

SHARES = some.floats(0, 1, width=32)


def scored(cases: list[list[Any]]) -> list[Any]:
    said: list[Any] = json.loads(node("--input-type=module", "-e", _SCORES, json.dumps(cases)))
    return said


def collected(strategy: some.SearchStrategy[Any], count: int = 60) -> list[Any]:
    """Examples, so that Node starts once and not for each."""
    found: list[Any] = []

    @given(some.lists(strategy, min_size=3, max_size=3))
    def collect(examples: list[Any]) -> None:
        found.extend(examples)

    collect()
    return found[:count]


@some.composite
def weights_and_marks(draw: some.DrawFn) -> tuple[np.ndarray, list[int | None]]:
    rows, columns = draw(some.integers(1, 6)), draw(some.integers(1, 6))
    weights = np.array(
        draw(some.lists(some.lists(SHARES, min_size=columns, max_size=columns), min_size=rows, max_size=rows))
    )
    weights = (weights + 1e-3) / (weights + 1e-3).sum(axis=1, keepdims=True)
    marks = draw(some.lists(some.none() | some.integers(0, columns - 1), min_size=rows, max_size=rows))
    return weights, marks


def test_weights_score_what_the_marked_cells_collect() -> None:
    cases = collected(weights_and_marks())
    marked = [[row * w.shape[1] + mark for row, mark in enumerate(marks) if mark is not None] for w, marks in cases]
    found = scored(
        [["scoreWeights", w.ravel().tolist(), w.shape[1], m] for (w, _), m in zip(cases, marked, strict=True)]
    )
    for (weights, marks), score in zip(cases, found, strict=True):
        own = sum(weights[row, mark] for row, mark in enumerate(marks) if mark is not None)
        assert np.isclose(score, own / weights.max(axis=1).sum())
        assert 0 <= score <= 1 + 1e-12
    best = [
        [w.ravel().tolist(), w.shape[1], (w.argmax(axis=1) + w.shape[1] * np.arange(len(w))).tolist()] for w, _ in cases
    ]
    assert np.allclose(scored([["scoreWeights", *one] for one in best]), 1)


def test_a_mask_scores_the_share_that_is_told_right() -> None:
    masks = some.lists(some.sampled_from([0, 1]), min_size=1, max_size=40)
    cases = collected(some.tuples(masks, some.sets(some.integers(0, 39))))
    cases = [(mask, {place for place in marked if place < len(mask)}) for mask, marked in cases]
    found = scored([["scoreMask", mask, {"set": sorted(marked)}] for mask, marked in cases])
    for (mask, marked), score in zip(cases, found, strict=True):
        told = np.isin(np.arange(len(mask)), sorted(marked))
        assert np.isclose(score, (told == np.array(mask, bool)).mean())


def test_a_token_scores_its_probability_against_the_likeliest() -> None:
    tokens = ["Katze", "katze", "##s", "<s>", "ß"]
    probabilities = [0.5, 0.25, 0.125, 0.0625, 0.03]
    typed = {"Katze": 0, " katze ": 1, "KATZE": 0, "##S": 2, "Hund": -1, "": -1, "ß": 4}
    assert scored([["rankOf", tokens, text] for text in typed]) == [*typed.values()]
    assert scored([["scoreToken", probabilities, rank] for rank in (0, 1, 4, -1)]) == [1, 0.5, 0.06, 0]


@some.composite
def tokens_and_typed(draw: some.DrawFn) -> tuple[list[str], list[float], str]:
    """Few letters, so that spellings differ in capitals alone; the probabilities fall to far below a hundredth."""
    tokens = draw(some.lists(some.text("aAbB", min_size=1, max_size=2), min_size=1, max_size=12, unique=True))
    falls = draw(some.lists(some.sampled_from([1, 0.9, 0.3, 0.1, 0.01]), min_size=len(tokens), max_size=len(tokens)))
    return tokens, np.cumprod(falls).tolist(), draw(some.text("aAbB", min_size=1, max_size=2))


def test_the_tokens_that_a_room_keeps_score_as_all_of_them_do() -> None:
    cases = collected(tokens_and_typed(), 300)
    kept = scored([["scoredTokens", tokens, probabilities] for tokens, probabilities, _ in cases])
    assert any(len(truth["rows"]) < len(tokens) for truth, (tokens, *_) in zip(kept, cases, strict=True))
    ranks = scored([["rankOf", tokens, typed] for tokens, _, typed in cases])
    of_all = scored([["scoreToken", p, rank] for (_, p, _), rank in zip(cases, ranks, strict=True)])
    found = scored([["scoreOf", "token", truth, typed] for truth, (*_, typed) in zip(kept, cases, strict=True)])
    shown = [scored([["percent", score] for score in scores]) for scores in (found, of_all)]
    assert shown[0] == shown[1]


def test_a_number_scores_by_its_relative_error() -> None:
    numbers = some.floats(-1e6, 1e6).filter(lambda value: value == 0 or abs(value) > 1e-9)
    cases = collected(some.tuples(numbers, numbers))
    found = scored([["scoreNumber", value, guess] for value, guess in cases])
    for (value, guess), score in zip(cases, found, strict=True):
        expected = max(0.0, 1 - abs(guess - value) / abs(value)) if value else float(guess == 0)
        assert np.isclose(score, expected)
        assert 0 <= score <= 1
    assert scored([["scoreNumber", 0, 0], ["scoreNumber", 0, 1], ["scoreNumber", 4, 3]]) == [1, 0, 0.75]


def test_a_curve_scores_by_the_mean_distance_as_a_share_of_the_range() -> None:
    places = some.lists(some.tuples(SHARES, some.none() | SHARES), min_size=2, max_size=33)
    cases = collected(places)
    found = scored([["scoreCurve", [y for y, _own in one], [own for _y, own in one]] for one in cases])
    for one, score in zip(cases, found, strict=True):
        truth = np.array([y for y, _own in one])
        spread = np.ptp(truth) or 1.0
        distances = [spread if own is None else abs(own - y) for y, own in one]
        assert np.isclose(score, max(0, 1 - np.mean(distances) / spread))
        assert 0 <= score <= 1


def test_a_curve_is_read_at_even_places_of_its_axis() -> None:
    x, y = [0.0, 0.1, 0.5, 1.0], [0.0, 0.9, 0.3, 0.7]
    assert np.allclose(scored([["atPlaces", x, y]])[0], np.interp(np.linspace(0, 1, 33), x, y))
    log, linear = {"low": 1, "high": 1024, "log": 2}, {"low": -2, "high": 6, "log": 0}
    assert np.allclose(scored([["shareOf", log, 32], ["shareOf", linear, 0]]), [0.5, 0.25])
    assert np.allclose(scored([["valueAt", log, 0.5], ["valueAt", linear, 0.25]]), [32, 0])


def test_only_what_is_all_right_is_a_hundred() -> None:
    assert scored([["percent", score] for score in (1, 0.9999, 0.29, 0.5, 0)]) == [100, 99, 29, 50, 0]
