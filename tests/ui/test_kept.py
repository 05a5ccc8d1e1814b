"""What is kept for all visitors: bounded, the longest unasked goes first, any thread may ask."""

from __future__ import annotations

import random
from threading import Barrier, Thread

from hypothesis import given
from hypothesis import strategies as some

from viz_transformer.ui.shared.kept import Kept

calls = some.tuples(some.sampled_from(["get", "keep"]), some.integers(0, 6))


@given(some.integers(1, 5), some.lists(calls, max_size=40))
def test_it_is_a_list_of_the_last_asked_for(limit: int, asked: list[tuple[str, int]]) -> None:
    kept: Kept[int, str] = Kept(limit)
    order: list[int] = []  # an oracle: keys, the last asked for at the end
    for what, key in asked:
        if what == "get":
            assert kept.get(key) == (str(key) if key in order else None)
        else:
            assert kept.keep(key, str(key)) == str(key)
        if what == "keep" or key in order:
            order = [*(other for other in order if other != key), key][-limit:]
        assert len(kept) == len(order)


def test_a_new_value_takes_the_place_of_the_old_one() -> None:
    kept: Kept[str, int] = Kept(2)
    kept.keep("a", 1)
    kept.keep("a", 2)
    assert (kept.get("a"), len(kept)) == (2, 1)


def test_threads_that_keep_and_ask_at_once_get_their_own_value_or_none() -> None:
    kept: Kept[int, int] = Kept(4)
    start, wrong = Barrier(8), []

    def visit(seed: int) -> None:
        dice = random.Random(seed)
        start.wait()
        for _ in range(3000):
            key = dice.randrange(8)
            if kept.get(key) not in (None, key) or kept.keep(key, key) != key or len(kept) > 5:
                wrong.append(key)

    threads = [Thread(target=visit, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and len(kept) == 4
