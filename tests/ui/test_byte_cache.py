"""The cache for all visitors: bounded in bytes, the least recently used goes first, computed once, on any thread."""

from __future__ import annotations

import random
import weakref
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event, Thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from viz_transformer.ui.shared import byte_cache
from viz_transformer.ui.shared.byte_cache import ByteCache, Kept, kept
from viz_transformer.ui.shared.sizes import size_of

SOON = 60  # seconds for what a busy machine may be slow at
calls = some.tuples(some.sampled_from(["get", "keep"]), some.integers(0, 6), some.integers(0, 3000))


@given(some.integers(500, 9000), some.lists(calls, max_size=40))
def test_it_is_a_list_of_the_last_asked_for_as_long_as_a_budget(limit: int, asked: list[tuple[str, int, int]]) -> None:
    cache = ByteCache(limit)
    values: Kept[int, bytes] = Kept(cache)
    order: list[tuple[int, bytes]] = []  # an oracle: the last asked for at the end
    for what, key, length in asked:
        known = dict(order)
        rest = [pair for pair in order if pair[0] != key]
        if what == "get":
            assert values.get(key) == known.get(key)
            order = [*rest, (key, known[key])] if key in known else order
        else:
            value = bytes(length)
            assert values.keep(key, value) is value
            order = [*rest, (key, value)] if size_of((key, value)) <= limit else rest
            while sum(map(size_of, order)) > limit:
                order.pop(0)
        assert len(values) == len(order)
        assert cache.held == sum(map(size_of, order)) <= limit


def test_a_new_value_takes_the_place_of_the_old_one() -> None:
    values: Kept[str, int] = Kept(ByteCache(10_000))
    values.keep("a", 1)
    values.keep("a", 2)
    assert (values.get("a"), len(values)) == (2, 1)


def test_what_does_not_fit_at_all_drives_nothing_out() -> None:
    values: Kept[str, bytes] = Kept(ByteCache(10_000))
    values.keep("small", bytes(100))
    values.keep("large", bytes(20_000))
    assert values.get("small") == bytes(100)
    assert values.get("large") is None


def test_two_kinds_share_one_budget_and_not_their_keys() -> None:
    cache = ByteCache(10_000)
    first, second = Kept[str, bytes](cache), Kept[str, bytes](cache)
    first.keep("a", bytes(6000))
    second.keep("b", bytes(1000))
    assert second.get("a") is None and len(first) == len(second) == 1
    second.keep("a", bytes(6000))
    assert first.get("a") is None and second.get("b") == bytes(1000)
    second.clear()
    assert (len(second), cache.held) == (0, 0)


def test_what_is_cleared_is_only_the_own() -> None:
    cache = ByteCache(10_000)
    first, second = Kept[str, bytes](cache), Kept[str, bytes](cache)
    first.keep("a", bytes(10))
    second.keep("a", bytes(20))
    first.clear()
    assert first.get("a") is None and second.get("a") == bytes(20)


def test_what_is_driven_out_is_free_and_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    times: list[int] = []
    monkeypatch.setattr(byte_cache, "give_back", lambda: times.append(1))
    values: Kept[int, np.ndarray] = Kept(ByteCache(40 * 2**20))
    kept_alive = []
    for key in range(6):
        array = np.zeros(16 * 2**20, np.uint8)
        kept_alive.append(weakref.ref(values.keep(key, array)))
        del array
    assert [one() is None for one in kept_alive] == [True] * 4 + [False] * 2
    assert len(times) == 2  # 64 MiB were freed, and each 32 MiB are given back


def test_what_grows_after_it_was_returned_counts_from_the_start() -> None:
    cache = ByteCache(10_000)

    @kept(cache=cache, at_least=4000)
    def filled_later(name: str) -> dict[str, int]:
        return {}

    first = filled_later("a")
    first["x"] = 1
    assert filled_later("a") is first
    filled_later("b")
    assert cache.held == 8000
    filled_later("c")
    assert filled_later("a") == {}


def test_threads_that_keep_and_ask_at_once_get_their_own_value_or_none() -> None:
    cache = ByteCache(4 * size_of((1, "1" * 1000)))
    values: Kept[int, str] = Kept(cache)
    start, wrong = Barrier(8), []

    def visit(seed: int) -> None:
        dice = random.Random(seed)
        start.wait()
        for _ in range(1000):
            key = dice.randrange(8)
            value = str(key) * 1000
            if values.get(key) not in (None, value) or values.keep(key, value) != value or cache.held > cache.limit:
                wrong.append(key)

    threads = [Thread(target=visit, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and len(values) == 4


def test_many_who_ask_at_once_wait_for_one_computation() -> None:
    computing, may_end, computed = Event(), Event(), []

    @kept(cache=ByteCache(10_000))
    def answer(of: int) -> list[int]:
        computed.append(of)
        computing.set()
        assert may_end.wait(SOON)
        return [of]

    with ThreadPoolExecutor(8) as visitors:
        asked = [visitors.submit(answer, 7) for _ in range(8)]
        try:
            assert computing.wait(SOON)
        finally:
            may_end.set()
        results = [one.result(SOON) for one in asked]
    assert computed == [7]
    assert all(one is results[0] for one in results)


def test_nobody_waits_for_another_ones_computation() -> None:
    computing, may_end = Event(), Event()

    @kept(cache=ByteCache(10_000))
    def answer(name: str) -> str:
        if name == "slow":
            computing.set()
            assert may_end.wait(SOON)
        return name

    with ThreadPoolExecutor(1) as visitors:
        slow = visitors.submit(answer, "slow")
        try:
            assert computing.wait(SOON)
            assert answer("quick") == "quick"
            assert not slow.done()
        finally:
            may_end.set()
        assert slow.result(SOON) == "slow"


def test_where_one_gives_up_the_next_computes() -> None:
    computing, may_end, tries = Event(), Event(), []

    @kept(cache=ByteCache(10_000))
    def answer() -> str:
        tries.append(1)
        if len(tries) == 1:
            computing.set()
            assert may_end.wait(SOON)
            raise InterruptedError
        return "done"

    with ThreadPoolExecutor(2) as visitors:
        first = visitors.submit(answer)
        try:
            assert computing.wait(SOON)
            second = visitors.submit(answer)
        finally:
            may_end.set()
        assert second.result(SOON) == "done"
        with pytest.raises(InterruptedError):
            first.result(SOON)
    assert len(tries) == 2


def test_a_function_is_asked_by_its_arguments_but_for_those_that_others_stand_for() -> None:
    @kept(cache=ByteCache(100_000))
    def described(a: int, _unhashable: list[int], b: str = "b") -> tuple[int, str, int]:
        """How."""
        return a, b, len(_unhashable)

    first = described(1, [2])
    assert described(1, [2, 3], "b") is first
    assert described(a=1, b="b", _unhashable=[]) is first
    assert described(2, [2]) == (2, "b", 1)
    assert described(1, [], "c") == (1, "c", 0)
    assert (described.__doc__, described.__name__) == ("How.", "described")
    described.clear()
    assert described(1, []) == (1, "b", 0)


def test_nothing_is_kept_too() -> None:
    asked = []

    @kept(cache=ByteCache(10_000))
    def nothing() -> None:
        asked.append(1)

    assert nothing() is nothing() is None
    assert len(asked) == 1
