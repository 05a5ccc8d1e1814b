"""The scheduler: short jobs go before long ones, few threads compute at once, and only so many jobs may wait."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from viz_transformer.ui.shared import scheduler as scheduling
from viz_transformer.ui.shared.scheduler import LONG, MOST, Busy, Scheduler

SOON = 30  # seconds: nothing here takes as long


def nobody(ahead: int) -> None:
    raise AssertionError(f"{ahead} ahead")


def held(begun: Event, may_end: Event) -> Iterator[str]:
    """A job of two steps, of which the first waits."""
    begun.set()
    assert may_end.wait(SOON)
    yield "first"
    yield "second"


@pytest.mark.parametrize("cost", [0, LONG + 1])
def test_a_job_has_all_of_its_steps_in_order(cost: float) -> None:
    assert list(Scheduler(2).steps(iter("abc"), cost, nobody)) == ["a", "b", "c"]
    assert list(Scheduler(1).steps([], cost, nobody)) == []


def test_no_more_than_so_many_compute_at_a_time() -> None:
    some, inside, most = Scheduler(2), 0, 0

    def compute(n: int) -> None:
        nonlocal inside, most
        with some.short():
            inside += 1
            most = max(most, inside)
            Event().wait(0.001)
            inside -= 1

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(compute, range(100)))
    assert (inside, most) == (0, 2)


def test_what_fails_frees_its_turn() -> None:
    some = Scheduler(1)
    for cost in (0, LONG + 1) * 3:
        with pytest.raises(InterruptedError):
            list(some.steps(fails(), cost, nobody))
    with pytest.raises(InterruptedError), some.short():
        raise InterruptedError
    with some.short():
        pass
    assert list(some.steps("a", LONG + 1, nobody)) == ["a"]


def fails() -> Iterator[str]:
    yield "one step"
    raise InterruptedError


def test_a_long_job_waits_for_the_one_before_it_and_hears_how_many_there_are() -> None:
    some, begun, may_end, heard = Scheduler(2), Event(), Event(), Event()
    ahead: list[int] = []

    def waiting(count: int) -> None:
        ahead.append(count)
        heard.set()

    with ThreadPoolExecutor(2) as threads:
        try:
            first = threads.submit(list, some.steps(held(begun, may_end), LONG + 1, nobody))
            assert begun.wait(SOON)
            second = threads.submit(list, some.steps("a", LONG + 1, waiting))
            assert heard.wait(SOON)
            assert not second.done()
        finally:
            may_end.set()
        assert first.result(SOON) == ["first", "second"]
        assert second.result(SOON) == ["a"]
    assert set(ahead) == {1}


def test_whoever_gives_up_while_waiting_leaves_the_queue() -> None:
    some = Scheduler(2)
    before = some.steps("ab", LONG + 1, nobody)
    assert next(before) == "a"  # and keeps its turn

    def give_up(ahead: int) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        list(some.steps("c", LONG + 1, give_up))
    assert list(before) == ["b"]
    assert list(some.steps("d", LONG + 1, nobody)) == ["d"]


def test_too_many_are_turned_away_and_then_there_is_room_again() -> None:
    some = Scheduler(2)
    first = some.steps("ab", LONG + 1, nobody)
    assert next(first) == "a"
    with ThreadPoolExecutor(MOST) as threads:
        waiting = [Event() for _ in range(MOST - 1)]
        jobs = [
            threads.submit(list, some.steps([n], LONG + 1, lambda ahead, one=one: one.set()))  # type: ignore[misc]
            for n, one in enumerate(waiting)
        ]
        assert all(one.wait(SOON) for one in waiting)
        with pytest.raises(Busy):
            list(some.steps("c", LONG + 1, nobody))
        assert list(some.steps("short", 0, nobody)) == list("short")  # which needs no queue
        assert list(first) == ["b"]
        assert sorted(job.result(SOON) for job in jobs) == [[n] for n in range(MOST - 1)]
    assert list(some.steps("d", LONG + 1, nobody)) == ["d"]


def test_a_job_that_was_thought_short_becomes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduling, "SHORT", 0.0)
    some = Scheduler(2)
    before = some.steps("ab", LONG + 1, nobody)
    assert next(before) == "a"
    with pytest.raises(AssertionError, match="1 ahead"):
        list(some.steps("c", 0, nobody))


def test_what_is_short_does_not_wait_for_the_queue_but_a_long_step_waits_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scheduling, "REST", SOON)
    some, stepped = Scheduler(2), Event()
    job = some.steps("ab", LONG + 1, nobody)
    assert next(job) == "a"
    with ThreadPoolExecutor(1) as threads:
        with some.short():
            step = threads.submit(lambda: (next(job), stepped.set()))
            assert not stepped.wait(0.05)  # it gives way as long as this lasts
        assert step.result(SOON)[0] == "b"
