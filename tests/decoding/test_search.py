"""Search against slow oracles: no cache, no shared code, every prefix run through the model from the start."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch

from tests.helpers import assert_near, assert_same_bits, assert_sentence, one, random_ids, random_model
from viz_transformer import (
    AblateHeads,
    ChangeMask,
    DecodingStep,
    HeadRef,
    Hypothesis,
    PermuteSource,
    ScaleScores,
    ShiftPositions,
    Transformer,
    beam_search,
    greedy_search,
    length_penalty_gnmt,
)
from viz_transformer.config import MAX_SIZE
from viz_transformer.decoding.ranking import MAX_BEAM_SIZE, MAX_LENGTH_PENALTY, BeamOptions
from viz_transformer.decoding.search import greedy_batch
from viz_transformer.decoding.step_decoder import never_written
from viz_transformer.hooks import hooks_active
from viz_transformer.training.corpus import pad

NORMALIZATIONS: list[tuple[Any, float]] = [("sum", 0.6), ("mean", 0.6), ("gnmt", 0.6), ("gnmt", 1.0), ("gnmt", -1.0)]
STOPS: list[Any] = ["first", "likely", "certain"]
BANNED = (0, 1)  # padding and start, the default
VOCABULARY = 8  # so small that random models end their outputs often enough


def small_model(seed: int) -> Transformer:
    return random_model(seed, peaked=3.0, target_vocab_size=VOCABULARY, weight_tying="none", max_len=16)


def forced_log_probs(model: Transformer, source: Sequence[int], prefix: Sequence[int]) -> np.ndarray:
    """log p of every token after `prefix`, computed afresh."""
    logits = model(one(source), one([1, *prefix]))[0, -1].double().numpy()
    return logits - logits.max() - np.log(np.exp(logits - logits.max()).sum())


def score_of(total: float, length: int, normalization: str, alpha: float) -> float:
    """The three normalisations, written out again."""
    return total / {"sum": 1.0, "mean": length, "gnmt": (5 + length) ** alpha / 6**alpha}[normalization]


# --- greedy ----------------------------------------------------------------------------------------------------


def slow_greedy(model: Transformer, source: Sequence[int], max_len: int) -> tuple[list[int], list[float]]:
    ids: list[int] = []
    log_probs: list[float] = []
    while len(ids) < max_len and 2 not in ids:
        row = forced_log_probs(model, source, ids)
        row[list(BANNED)] = -np.inf
        ids.append(int(row.argmax()))
        log_probs.append(float(row.max()))
    return ids, log_probs


@pytest.mark.parametrize("seed", range(8))
def test_greedy_search_equals_a_slow_one(seed: int) -> None:
    model, source = small_model(seed), random_ids(seed, 6)
    ids, log_probs = slow_greedy(model, source, max_len=12)
    steps = list(greedy_search(model, source, max_len=12))
    best = steps[-1].best
    assert list(best.ids) == ids
    assert_near(best.log_probs, log_probs, 1e-5)
    assert best.finished == (ids[-1] == 2)
    assert steps[-1].stop_reason == ("beam_finished" if best.finished else "max_len")
    assert [step.index for step in steps] == list(range(len(ids)))


def test_the_seeds_above_end_by_themselves_and_at_the_limit() -> None:
    ended = [slow_greedy(small_model(seed), random_ids(seed, 6), 12)[0][-1] == 2 for seed in range(8)]
    assert any(ended) and not all(ended)


@pytest.mark.parametrize(("normalization", "alpha"), NORMALIZATIONS)
@pytest.mark.parametrize("stop", STOPS)
def test_a_beam_of_one_is_greedy_search(normalization: Any, alpha: float, stop: Any) -> None:
    for seed in range(4):
        model, source = small_model(seed), random_ids(seed, 6)
        ids, log_probs = slow_greedy(model, source, max_len=12)
        *_, last = beam_search(
            model, source, beam_size=1, normalization=normalization, length_penalty=alpha, stop=stop, max_len=12
        )
        assert list(last.best.ids) == ids
        assert_near(last.best.log_probs, log_probs, 1e-5)
        assert_near(last.best.score, score_of(sum(log_probs), len(ids), normalization, alpha), 1e-5)


def test_greedy_search_of_a_batch_equals_that_of_each_source_alone() -> None:
    model = small_model(3)
    sources = [random_ids(seed, 2 + seed % 7) for seed in range(12)]
    together = greedy_batch(model, pad(sources), max_len=12)
    for source, output in zip(sources, together, strict=True):
        *_, last = greedy_search(model, source, max_len=12)
        assert output == [i for i in last.best.ids if i != 2]


def test_greedy_search_of_a_batch_never_takes_padding_or_the_start_token() -> None:
    favourites = set()
    for seed in range(12):
        model, source = small_model(seed), random_ids(seed, 6)
        favourites.add(int(forced_log_probs(model, source, []).argmax()))
        ids, _ = slow_greedy(model, source, max_len=12)
        assert greedy_batch(model, one(source), max_len=12) == [[i for i in ids if i != 2]]
    assert {0, 1} <= favourites  # so that it matters


def test_the_models_own_limit_ends_a_search() -> None:
    model = small_model(0)
    steps = list(greedy_search(model, random_ids(0, 6), banned_ids=(0, 1, 2)))
    assert len(steps) == model.config.max_len == len(steps[-1].best.ids)
    assert steps[-1].stop_reason == "max_len"


# --- the bookkeeping of a beam ---------------------------------------------------------------------------------


def check_step(
    model: Transformer,
    source: Sequence[int],
    before: Sequence[Hypothesis],
    finished_before: Sequence[Hypothesis],
    step: DecodingStep,
    k: int,
    scored: tuple[str, float],
) -> None:
    """One step against the rules at the top of `decoding/search.py`, each written out again here."""
    # Every row is what a fresh forced decode of that hypothesis gives; pruned candidates are rated by it too.
    fresh = np.stack([forced_log_probs(model, source, hypothesis.ids) for hypothesis in before])
    assert_near(step.log_probs, fresh, 1e-5)
    for candidate in step.candidates:
        assert abs(candidate.log_prob - fresh[candidate.parent, candidate.token_id]) <= 1e-5

    # The 2k best continuations by summed log-probability, the best first.
    totals = np.array([[sum(hypothesis.log_probs)] for hypothesis in before]) + fresh
    totals[:, list(BANNED)] = -np.inf
    best = np.sort(totals[np.isfinite(totals)])[::-1][: 2 * k]
    assert_near([candidate.total_log_prob for candidate in step.candidates], best, 1e-5)
    assert [candidate.rank for candidate in step.candidates] == list(range(len(best)))
    taken = {(candidate.parent, candidate.token_id) for candidate in step.candidates}
    assert len(taken) == len(step.candidates)

    live: list[Hypothesis] = []
    finished = list(finished_before)
    for candidate in step.candidates:
        parent = before[candidate.parent]
        log_probs = (*parent.log_probs, candidate.log_prob)
        total = sum(log_probs)
        assert candidate.log_prob == step.log_probs[candidate.parent, candidate.token_id]
        assert abs(candidate.total_log_prob - total) <= 1e-12
        length = len(log_probs)
        assert abs(candidate.score - score_of(total, length, *scored)) <= 1e-9
        ends = candidate.token_id == 2
        hypothesis = Hypothesis((*parent.ids, candidate.token_id), log_probs, candidate.score, ends)
        if ends and candidate.rank < k:
            expected = ("finished", "ended")
            finished.append(hypothesis)
        elif ends:
            expected = ("pruned", "end_too_low")
        elif len(live) < k:
            expected = ("live", "among_the_best")
            live.append(hypothesis)
        else:
            expected = ("pruned", "beam_full")
        assert (candidate.status, candidate.reason) == expected
    assert step.live == tuple(live)
    assert step.finished == tuple(sorted(finished, key=lambda hypothesis: -hypothesis.score)[:k])
    assert step.best == (step.finished[0] if step.finished else step.live[0])


def expected_stop(step: DecodingStep, k: int, scored: tuple[str, float], stop: str, max_len: int) -> str | None:
    length = step.index + 1
    if len(step.finished) == k:
        if stop == "first":
            return "beam_finished"
        lengths = range(length, length + 1 if stop == "likely" else max_len + 1)
        hope = max(score_of(step.live[0].total_log_prob, n, *scored) for n in lengths)
        if hope <= min(hypothesis.score for hypothesis in step.finished):
            return "no_better_now" if stop == "likely" else "no_better_ever"
    return "max_len" if length == max_len else None


@pytest.mark.parametrize("scored", NORMALIZATIONS)
@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize("k", [2, 3, 10])  # 10: more than the first step has continuations
def test_every_step_of_a_beam_follows_the_rules(scored: tuple[Any, float], stop: Any, k: int) -> None:
    for seed in (0, 1):
        model, source = small_model(seed), random_ids(seed, 6)
        live: Sequence[Hypothesis] = [Hypothesis((), (), 0.0, finished=False)]
        finished: Sequence[Hypothesis] = []
        steps = list(
            beam_search(
                model, source, beam_size=k, normalization=scored[0], length_penalty=scored[1], stop=stop, max_len=7
            )
        )
        for index, step in enumerate(steps):
            assert step.index == index
            check_step(model, source, live, finished, step, k, scored)
            assert step.stop_reason == expected_stop(step, k, scored, stop, max_len=7)
            assert (step.stop_reason is None) == (step is not steps[-1])
            live, finished = step.live, step.finished


def test_parents_and_tokens_lead_back_to_every_hypothesis() -> None:
    steps = list(beam_search(small_model(2), random_ids(2, 6), beam_size=3, stop="certain", max_len=8))
    last = steps[-1]
    live_rows = [[c for c in step.candidates if c.status == "live"] for step in steps]
    for place, hypothesis in enumerate(last.live):
        ids, log_probs = [], []
        for row in reversed(live_rows):
            ids.append(row[place].token_id)
            log_probs.append(row[place].log_prob)
            place = row[place].parent
        assert (tuple(ids[::-1]), tuple(log_probs[::-1])) == (hypothesis.ids, hypothesis.log_probs)
        assert abs(hypothesis.total_log_prob - sum(log_probs)) <= 1e-9


def test_every_status_and_every_way_to_stop_occurs_in_these_tests() -> None:
    reasons, stops = set(), set()
    for seed, k, stop in itertools.product((0, 1), (2, 3), STOPS):
        for step in beam_search(small_model(seed), random_ids(seed, 6), beam_size=k, stop=stop, max_len=7):
            reasons |= {candidate.reason for candidate in step.candidates}
            stops.add(step.stop_reason)
    assert reasons == {"among_the_best", "ended", "beam_full", "end_too_low"}
    assert stops == {"beam_finished", "no_better_now", "no_better_ever", "max_len", None}


def test_a_search_ends_where_nothing_can_go_on() -> None:
    only_the_end = [i for i in range(VOCABULARY) if i != 2]
    (step,) = beam_search(small_model(0), random_ids(0, 6), beam_size=3, banned_ids=only_the_end)
    assert (step.live, [hypothesis.ids for hypothesis in step.finished]) == ((), [(2,)])
    assert step.stop_reason == "no_better_ever"


def test_banned_tokens_are_never_taken_but_their_probabilities_are_shown() -> None:
    model, source = small_model(1), random_ids(1, 6)
    for banned in [(), (2, 5), tuple(range(3, VOCABULARY))]:
        for step in beam_search(model, source, beam_size=3, banned_ids=banned, max_len=5):
            assert not {candidate.token_id for candidate in step.candidates} & set(banned)
            assert_near(np.exp(step.log_probs.astype(np.float64)).sum(axis=1), np.ones(len(step.log_probs)), 1e-5)


def test_labels_come_from_the_caller() -> None:
    step = next(beam_search(small_model(0), random_ids(0, 6), label=lambda i: f"<{i}>"))
    assert [candidate.token for candidate in step.candidates] == [f"<{c.token_id}>" for c in step.candidates]


@pytest.mark.parametrize(("length", "alpha", "expected"), [(1, 0.6, 1.0), (7, 1.0, 2.0), (19, 0.5, 2.0), (9, 0, 1.0)])
def test_gnmts_penalty_is_its_formula(length: int, alpha: float, expected: float) -> None:
    # ((5 + |Y|) / 6)^α: (6/6)^α = 1, (12/6)^1 = 2, (24/6)^½ = 2, anything^0 = 1
    assert length_penalty_gnmt(length, alpha) == pytest.approx(expected, abs=1e-12)


# --- one thread, many searches ---------------------------------------------------------------------------------


def assert_same_steps(actual: Sequence[DecodingStep], expected: Sequence[DecodingStep]) -> None:
    assert len(actual) == len(expected)
    for left, right in zip(actual, expected, strict=True):
        assert_same_bits(left.log_probs, right.log_probs)
        assert (left.candidates, left.live, left.finished) == (right.candidates, right.live, right.finished)


def test_searches_with_different_interventions_interleave_without_touching_each_other() -> None:
    model = small_model(0)
    searches: list[dict[str, Any]] = [
        {"source_ids": random_ids(0, 6), "interventions": [AblateHeads([HeadRef("cross", 0, 1)])], "beam_size": 3},
        {"source_ids": random_ids(1, 4), "interventions": [ScaleScores("none")], "beam_size": 2},
        {"source_ids": random_ids(2, 5), "interventions": [PermuteSource((4, 3, 2, 1, 0))], "beam_size": 1},
        {"source_ids": random_ids(0, 6), "interventions": [], "beam_size": 3},
    ]
    alone = [list(beam_search(model, max_len=8, **search)) for search in searches]
    running = [beam_search(model, max_len=8, **search) for search in searches]
    mixed: list[list[DecodingStep]] = [[] for _ in searches]
    for _ in range(8):
        for steps, search in zip(mixed, running, strict=True):
            step = next(search, None)
            assert not hooks_active()
            assert not torch.is_inference_mode_enabled()
            assert torch.is_grad_enabled()
            if step:
                steps.append(step)
    for steps, expected in zip(mixed, alone, strict=True):
        assert_same_steps(steps, expected)
    with pytest.raises(AssertionError):
        assert_same_steps(mixed[0], mixed[3])  # the ablation did something


def test_a_search_given_up_leaves_nothing_behind() -> None:
    given_up = beam_search(small_model(0), random_ids(0, 6), interventions=[ChangeMask("off")])
    next(given_up)
    given_up.close()  # type: ignore[attr-defined]
    assert (hooks_active(), torch.is_inference_mode_enabled(), torch.is_grad_enabled()) == (False, False, True)


@pytest.mark.parametrize(
    "wrong",
    [
        PermuteSource((1, 0)),  # fails inside the pass: the source has six tokens
        ShiftPositions(20),  # so does this: the table has 16 places
        AblateHeads([HeadRef("cross", 9, 0)]),  # fails before it, when its hook is made
    ],
    ids=lambda intervention: type(intervention).__name__,
)
def test_a_search_that_fails_leaves_nothing_behind(wrong: Any) -> None:
    left: list[tuple[Any, ...]] = []

    def fail() -> None:
        try:
            next(beam_search(small_model(0), random_ids(0, 6), interventions=[ScaleScores("none"), wrong]))
        except ValueError as error:
            # The error is still held here, as a server's log holds it, so nothing that its frames hold is collected.
            left.append((error, hooks_active(), torch.is_inference_mode_enabled(), torch.is_grad_enabled()))

    # A thread of its own: these modes are a thread's, so that a failure here does not make all later tests fail.
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    ((error, *modes),) = left
    assert_sentence(error)
    assert modes == [False, False, True]


# --- arguments -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"source_ids": []}, "0"),
        ({"source_ids": [4] * 17}, "17"),
        ({"beam_size": 0}, "0"),
        ({"beam_size": MAX_BEAM_SIZE + 1}, str(MAX_BEAM_SIZE)),
        ({"max_len": 0}, "max_len"),
        ({"max_len": 17}, "16"),
        ({"length_penalty": -40.1}, "-40.1"),
        ({"length_penalty": float("nan")}, "nan"),
        ({"length_penalty": float("inf")}, "inf"),
        ({"length_penalty": 1e6}, "1000000.0"),
        ({"length_penalty": "long"}, "'long'"),
        ({"beam_size": 2.5}, "2.5"),
        ({"beam_size": None}, "None"),
        ({"max_len": 2.5}, "2.5"),
        ({"source_ids": [4, 14, 2]}, "14"),
        ({"source_ids": [0, 0]}, "padding"),
        ({"source_ids": [-1, 2]}, "-1"),
        ({"source_ids": [4.5, 2]}, "4.5"),
        ({"prefix_ids": [2**70]}, str(2**70)),
        ({"normalization": "median"}, "'median'"),
        ({"stop": "now"}, "'now'"),
    ],
)
def test_a_wrong_argument_is_refused_at_once_with_a_sentence(arguments: dict[str, Any], named: str) -> None:
    arguments = {"source_ids": random_ids(0, 6), **arguments}
    with pytest.raises(ValueError) as caught:
        beam_search(small_model(0), **arguments)  # not at the first step, which may be far from here
    assert_sentence(caught.value, named)


def test_the_largest_length_penalty_is_a_number_at_every_length() -> None:
    scores = [BeamOptions(length_penalty=MAX_LENGTH_PENALTY).score(-1.0, length) for length in (1, 512, MAX_SIZE)]
    assert all(np.isfinite(scores)) and scores == sorted(scores) and scores[-1] < 0


def test_a_start_token_that_is_the_end_token_may_be_written() -> None:
    """As in BART, whose decoder reads the end token first."""
    model = random_model(0, peaked=3.0, start_id=2, end_id=2)
    assert never_written(model.config) == (0,)
    outputs = [list(beam_search(model, random_ids(n, 6), beam_size=3))[-1].best for n in range(20)]
    assert any(best.finished and best.ids[-1] == 2 for best in outputs)
