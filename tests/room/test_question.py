"""Which answers a question takes, and how they are counted."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.room.test_messages import VALUES
from viz_transformer.room.messages import written
from viz_transformer.room.question import Kind, Question, WrongGuessError, WrongTruthError
from viz_transformer.room.tally import BINS, MOST_TOKENS, tally

KINDS: list[Kind] = ["cells", "token", "number", "curve"]


def question(kind: Kind, size: int = 4) -> Question:
    return Question("q", kind, size, 0, "", open=True)


@pytest.mark.parametrize(
    ("kind", "guess", "kept"),
    [
        ("cells", [3, 0], [0, 3]),
        ("cells", [0, 1, 2, 3], [0, 1, 2, 3]),
        ("token", " \n猫 ", "猫"),
        ("token", "x" * 60 + " ", "x" * 60),
        ("token", "a b", "a b"),
        ("number", 3, 3.0),
        ("number", -1e300, -1e300),
        ("curve", [0, None, 1, 0.5], [0, None, 1, 0.5]),
    ],
)
def test_right_answers_are_kept(kind: Kind, guess: Any, kept: Any) -> None:
    assert question(kind).check(guess) == kept


@pytest.mark.parametrize(
    ("kind", "guess"),
    [
        ("cells", []), ("cells", [1, 1]), ("cells", [4]), ("cells", [-1]), ("cells", [True]), ("cells", [1.0]),
        ("cells", [[1]]), ("cells", ["1"]), ("cells", "1"), ("cells", {"0": 1}), ("cells", None), ("cells", [None]),
        ("token", ""), ("token", " "), ("token", "x" * 61), ("token", "a\nb"), ("token", "a\x00b"), ("token", "\ud800"),
        ("token", "a\x85b"), ("token", 1), ("token", ["a"]), ("token", None),
        ("number", True), ("number", "1"), ("number", 1.1e300), ("number", 10**400), ("number", -(10**400)),
        ("number", float("nan")), ("number", float("inf")), ("number", None), ("number", [1]),
        ("curve", [None] * 4), ("curve", [0] * 3), ("curve", [0] * 5), ("curve", [0, 0, 0, 1.001]),
        ("curve", [0, 0, 0, -0.001]), ("curve", [0, 0, 0, True]), ("curve", [0, 0, 0, "0"]), ("curve", "0000"),
        ("curve", [0, 0, 0, 10**400]), ("curve", [0, 0, 0, [0]]), ("curve", None), ("curve", {}),
    ],
)  # fmt: skip
def test_wrong_answers_are_refused(kind: Kind, guess: Any) -> None:
    with pytest.raises(WrongGuessError):
        question(kind).check(guess)


def truth(values: Any = (), rows: Any = (), columns: Any = (), mask: Any = False) -> dict[str, Any]:
    lists = ([*part] if isinstance(part, tuple) else part for part in (values, rows, columns))
    return dict(zip(("values", "rows", "columns"), lists, strict=True)) | {"mask": mask}


@pytest.mark.parametrize(
    ("kind", "true"),
    [
        ("cells", truth((0, 1, 0.5, 0.5), ("a", "b"), ("=k", "\ud800"))),
        ("cells", truth((0, 1, 0, 0), ("", "b" * 1000), ("k", "k"), True)),
        ("token", truth((0.5, 0.25), ("sie", "Sie"))),
        ("curve", truth((0, -0.1, 1.1, 0))),
    ],
)
def test_what_fits_a_question_may_be_true_of_it(kind: Kind, true: dict[str, Any]) -> None:
    asked = replace(question(kind), columns=2)
    assert asked.check_truth({**true, "more": [1]}) == true


def test_a_number_has_one_truth() -> None:
    assert question("number", 1).check_truth(truth((3,))) == truth((3.0,))


@pytest.mark.parametrize(
    ("kind", "true"),
    [
        *((kind, wrong) for kind in KINDS for wrong in (None, "", [], {}, truth(), {"values": [1] * 4})),
        ("cells", truth((0, 1, 0), ("a", "b"), ("k", "l"))), ("cells", truth((0,) * 4, ("a",), ("k", "l", "m", "n"))),
        ("cells", truth((0,) * 6, ("a", "b", "c"), ("k", "l"))), ("cells", truth((0,) * 4)),
        ("cells", truth((0,) * 4, ("a", 1), ("k", "l"))), ("cells", truth((0,) * 4, ("a", "b"), "kl")),
        ("cells", truth((0,) * 4, ("a", "b"), ("k", "l"), 1)), ("cells", truth((0,) * 4, ("a", "b"), ("k", "l"), None)),
        ("token", truth((0.5,), ("a", "b"))), ("token", truth((0.5,), ("a",), ("b",))),
        ("token", truth((True,), ("a",))), ("token", truth((None,), ("a",))), ("token", truth((10**400,), ("a",))),
        ("number", truth((1, 2))), ("number", truth((1.1e300,))), ("number", truth(("1",))),
        ("number", truth({"0": 1})),
        ("number", truth((1,), ("a",))), ("curve", truth((0,) * 3)), ("curve", truth((0, 0, 0, None))),
        ("curve", truth((0, 0, 0, float("inf")))), ("curve", truth((0,) * 4, (), ("a",))),
    ],
)  # fmt: skip
def test_what_does_not_fit_a_question_is_not_true_of_it(kind: Kind, true: Any) -> None:
    with pytest.raises(WrongTruthError):
        replace(question(kind, 1 if kind == "number" else 4), columns=2).check_truth(true)


LISTS = st.lists(st.integers(-1, 4) | st.floats() | st.text(max_size=2) | st.none(), max_size=5)


@given(
    st.sampled_from(KINDS),
    VALUES | st.fixed_dictionaries({"values": LISTS, "rows": LISTS, "columns": LISTS, "mask": st.booleans()}),
)
def test_whatever_is_said_to_be_true_can_be_kept_or_is_refused(kind: Kind, true: Any) -> None:
    try:
        kept = question(kind).check_truth(true)
    except WrongTruthError:
        return
    assert json.loads(written(kept)) == kept


@given(st.sampled_from(KINDS), st.lists(VALUES | st.lists(st.integers(-1, 4) | st.floats(0, 1) | st.none())))
def test_whatever_is_guessed_is_counted_or_refused(kind: Kind, guesses: list[Any]) -> None:
    kept = []
    for guess in guesses:
        try:
            kept.append(question(kind).check(guess))
        except WrongGuessError:
            continue
    assert tally(question(kind), kept)["answers"] == len(kept)


def test_the_same_question_is_of_the_same_kind_and_size() -> None:
    asked = question("cells")
    assert Question("q", "cells", 4, 0, "Another title", open=False).keeps_answers_of(asked)
    assert not question("cells", 5).keeps_answers_of(asked)
    assert not question("curve").keeps_answers_of(asked)


@given(st.lists(st.sets(st.integers(0, 3), min_size=1)))
def test_cells_are_counted_one_by_one(guesses: list[set[int]]) -> None:
    counted = tally(question("cells"), [sorted(guess) for guess in guesses])
    counts = [sum(place in guess for guess in guesses) for place in range(4)]
    assert counted == {"id": "q", "kind": "cells", "answers": len(guesses), "counts": counts}


def test_the_most_frequent_tokens_are_named() -> None:
    guesses = [f"t{n}" for n in range(MOST_TOKENS)] + ["cat", "cat", "a", "b", "b"]
    counted = tally(question("token"), guesses)
    assert counted["tokens"][:3] == [["b", 2], ["cat", 2], ["a", 1]]
    assert len(counted["tokens"]) == MOST_TOKENS
    assert counted["others"] == 3


@given(st.lists(st.text(max_size=2)))
def test_no_token_is_lost(guesses: list[str]) -> None:
    counted = tally(question("token"), guesses)
    assert sum(n for _, n in counted["tokens"]) + counted["others"] == len(guesses)
    assert dict(counted["tokens"]) == Counter(guesses) or counted["others"]


def test_numbers_are_sorted() -> None:
    assert tally(question("number"), [2.5, -1, 2.5])["values"] == [-1, 2.5, 2.5]


@given(st.lists(st.lists(st.none() | st.floats(0, 1), min_size=3, max_size=3)))
def test_a_curves_heights_are_binned_as_numpy_does(guesses: list[list[float | None]]) -> None:
    counts = tally(question("curve", 3), guesses)["counts"]
    for place in range(3):
        heights = [guess[place] for guess in guesses if guess[place] is not None]
        # NumPy decides by edges, which are not exact: a height at an edge may go to the bin below.
        is_clear = all(abs(height * BINS - round(height * BINS)) > 1e-9 or height in (0, 1) for height in heights)
        ours = counts[place * BINS : (place + 1) * BINS]
        assert sum(ours) == len(heights)
        if is_clear:
            assert ours == np.histogram(heights, BINS, (0, 1))[0].tolist()
