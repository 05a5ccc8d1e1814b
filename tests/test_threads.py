"""Many visitors, one model: every thread gets its own numbers (a model that stores its attention fails this)."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.helpers import ALL_ATTENTION, assert_same_bits, random_translator
from viz_transformer import AblateHeads, HeadRef, ScaleScores, Trace
from viz_transformer.hooks import hooks_active
from viz_transformer.interventions import Intervention

THREADS, ROUNDS = 8, 304  # in all

# Each visitor has another sentence, another target and other heads ablated; equal lengths, so that a foreign tensor
# would fit where it does not belong.
VISITS: list[tuple[str, str, tuple[Intervention, ...]]] = [
    (
        " ".join(str((visitor + 3 * i) % 10) for i in range(6)),
        " ".join(str((7 * visitor + i) % 10) for i in range(5)),
        (
            AblateHeads([HeadRef(*ALL_ATTENTION[visitor % 6], visitor % 4)]),
            *([ScaleScores("none")] if visitor % 2 else []),
        ),
    )
    for visitor in range(THREADS)
]


def same(left: Mapping[str, np.ndarray], right: Mapping[str, np.ndarray]) -> bool:
    return left.keys() == right.keys() and all(left[name].tobytes() == right[name].tobytes() for name in left)


def test_no_thread_sees_a_foreign_number() -> None:
    translator = random_translator(1, peaked=2.0)

    def visit(visitor: int) -> Trace:
        text, target, interventions = VISITS[visitor]
        return translator.trace(text, target, interventions=interventions)

    alone = [visit(visitor) for visitor in range(THREADS)]
    distinct = {trace.tensors["logits"].tobytes() for trace in alone}
    assert len(distinct) == THREADS  # a mixed-up result could not pass for the right one

    start = threading.Barrier(THREADS)
    done: list[int] = []
    wrong: list[Any] = []

    def work(thread: int) -> None:
        start.wait()
        try:
            for turn in range(ROUNDS // THREADS):
                visitor = (thread + turn) % THREADS  # in every turn all visits run at once, each in another thread
                trace = visit(visitor)
                if not same(trace.tensors, alone[visitor].tensors) or hooks_active():
                    wrong.append((thread, turn))
                done.append(1)
        except Exception as error:  # otherwise it would be lost with its thread
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(thread,)) for thread in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(done) == ROUNDS >= 300


def test_searches_in_many_threads_are_those_done_alone() -> None:
    translator = random_translator(1, peaked=2.0)

    def search(visitor: int) -> list[np.ndarray]:
        text, _, interventions = VISITS[visitor]
        steps = translator.beam_search(text, beam_size=2, interventions=interventions)
        return [step.log_probs for step, _ in zip(steps, range(6), strict=False)]

    alone = [search(visitor) for visitor in range(THREADS)]
    assert all(len(steps) >= 3 for steps in alone)
    results: dict[int, list[np.ndarray]] = {}
    start = threading.Barrier(THREADS)

    def work(visitor: int) -> None:
        start.wait()
        for _ in range(3):
            results[visitor] = search(visitor)

    threads = [threading.Thread(target=work, args=(visitor,)) for visitor in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == THREADS
    for visitor, expected in enumerate(alone):
        assert len(results[visitor]) == len(expected)
        for left, right in zip(results[visitor], expected, strict=True):
            assert_same_bits(left, right)
