"""A scheduler: how many threads compute at once, and in which order. Long jobs give way to short ones at each step.

Python's threads share one interpreter lock, so each that computes slows all others down, however many cores are idle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Condition
from time import monotonic, sleep
from typing import TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz_transformer.machine import processors
from viz_transformer.places import Places, processes
from viz_transformer.views.text import _

Step = TypeVar("Step")

LONG = 400  # tokens through a model; a job that is expected to need more is long from the start
SHORT = 0.3  # seconds of computing, after which any job is long
MOST = 20  # long jobs at a time, the waiting ones included
REST = 0.2  # seconds that a long job waits for others before each step, at most; and between two looks at the queue


class Busy(Exception):
    """There are `MOST` long jobs already."""


class Scheduler:
    """Gives turns to `count` threads at a time; of long jobs, one at a time in all processes of the server together."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._places = Places("long", 1)
        self._changed = Condition()
        self._short = self._computing = 0  # short turns that wait or compute; all turns that compute
        self._long: list[object] = []  # jobs in the order in which they came; the first has its turn

    @contextmanager
    def short(self) -> Iterator[None]:
        """A turn for a forward pass, or for something that takes as long."""
        with self._changed:
            self._short += 1
            self._changed.wait_for(lambda: self._computing < self._count)
            self._computing += 1
        try:
            yield
        finally:
            with self._changed:
                self._short -= 1
                self._computing -= 1
                self._changed.notify_all()

    def steps(self, job: Iterable[Step], cost: float, waiting: Callable[[int], None]) -> Iterator[Step]:
        """The steps of a job, each a turn; once the job is long, they wait for whatever is short.

        Args:
            cost: an estimate, in tokens that go through a model.
            waiting: is told again and again how many long jobs are ahead, while there are any; it may raise.

        Raises:
            Busy: there are too many.
        """
        steps, used = iter(job), 0.0
        while cost <= LONG and used < SHORT:
            with self.short():
                started = monotonic()
                step = next(steps, _END)
                used += monotonic() - started
            if isinstance(step, _End):
                return
            yield step
        with self._queued(waiting):
            while True:
                with self._after_others():
                    step = next(steps, _END)
                if isinstance(step, _End):
                    return
                yield step

    @contextmanager
    def _after_others(self) -> Iterator[None]:
        with self._changed:
            self._changed.wait_for(lambda: not self._short, timeout=REST)
            self._computing += 1
        try:
            yield
        finally:
            with self._changed:
                self._computing -= 1
                self._changed.notify_all()

    @contextmanager
    def _queued(self, waiting: Callable[[int], None]) -> Iterator[None]:
        job = object()
        with self._changed:
            if len(self._long) >= MOST:
                raise Busy
            self._long.append(job)
        try:
            while ahead := self._ahead_of(job):
                waiting(ahead)
            while (place := self._places.take()) is None:
                waiting(1)
                sleep(REST)
            try:
                yield
            finally:
                Places.leave(place)
        finally:
            with self._changed:
                self._long.remove(job)
                self._changed.notify_all()

    def _ahead_of(self, job: object) -> int:
        """How many long jobs are ahead of this one; waits a little for there to be none."""
        with self._changed:
            self._changed.wait_for(lambda: self._long[0] is job, timeout=REST)
            return self._long.index(job)


class _End:
    """Marks the end of a job."""


_END = _End()
scheduler = Scheduler(max(1, processors() // processes()))


def in_turn(job: Iterable[Step], cost: float, place: DeltaGenerator) -> Iterator[Step]:
    """`Scheduler.steps`, with the number of those ahead in `place`; where there are too many, the page ends there."""
    try:
        yield from scheduler.steps(job, cost, lambda ahead: _say(ahead, place))
    except Busy:
        place.warning(
            _(
                "{count} long computations are waiting already. What you typed is still here: try again in a minute, "
                "or with a shorter text."
            ).format(count=MOST)
        )
        st.stop()


def _say(ahead: int, place: DeltaGenerator) -> None:
    place.caption(_("The server is computing for others: {count} ahead of you.").format(count=ahead))
