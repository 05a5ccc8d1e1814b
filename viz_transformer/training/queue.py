"""The runs that visitors train: a few at a time, each in a process of its own, the others in a queue.

A run belongs to one visitor, who has one at a time. Its process is niced, so that visitors who only look come first; a
paused run has no process: its state is on disk. When the visitor leaves, the run is stopped, and kept for a while.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from heapq import heapify, heapreplace
from pathlib import Path
from threading import RLock, Thread, Timer
from time import monotonic

from viz_transformer.machine import budget, memory, processors
from viz_transformer.places import Places, processes
from viz_transformer.sentences import SentenceError
from viz_transformer.training.run import Run, Status
from viz_transformer.training.toy_runs import RunSettings
from viz_transformer.training.worker import SETTINGS

MAX_SECONDS = 300  # that a run's process may take; then the run stops where it is
GRACE = 30  # seconds that a process has to end when it is told to
MAX_WAITING = 8
APP, WORKER = 600 * 10**6, 600 * 10**6  # bytes: of an app process without its caches, and of a run's process
LOOK = 0.5  # seconds between two tries to take a place that other processes of the server hold
MAX_KEPT = 20  # runs of one visitor
MAX_AWAY = 100  # visitors who have left and whose runs are kept
ERRORS = "errors.txt"

_log = logging.getLogger(__name__)


class QueueFull(SentenceError):
    """No run can be added now."""


class TrainingRuns:
    """The queue. All methods may be called from any thread.

    Args:
        slots: runs at a time, of all processes of the server together; None: `most_at_once`.
    """

    def __init__(self, slots: int | None = None) -> None:
        self.slots = most_at_once() if slots is None else slots
        self._places = Places("training", self.slots)
        self._looking: Timer | None = None
        self._lock = RLock()
        self._runs: dict[str, list[Run]] = {}
        self._waiting: deque[Run] = deque()
        self._running: list[Run] = []
        self._leaving: dict[str, Timer] = {}

    def runs_of(self, owner: str) -> list[Run]:
        """A visitor's runs, the oldest first."""
        with self._lock:
            return list(self._runs.get(owner, ()))

    def submit(self, owner: str, settings: RunSettings) -> Run:
        """Starts a run, or puts it at the end of the queue.

        Raises:
            QueueFull: where the visitor has one that is not over, too many wait, or nothing can be written.
        """
        with self._lock:
            own = self._runs.setdefault(owner, [])
            if any(run.is_active for run in own):
                raise QueueFull("You have a run that is not over yet: stop it first.")
            if len(own) >= MAX_KEPT:
                raise QueueFull("Your table holds {count} runs: clear it first.", count=MAX_KEPT)
            self._refuse_when_full()
            try:
                run = _new_run(owner, own[-1].number + 1 if own else 1, settings)
            except OSError as error:
                _log.error("No run can be started: %s", error)
                raise QueueFull(
                    "This server cannot write the files of a run: its disk is full or not writable."
                ) from error
            own.append(run)
            self._enqueue(run)
            return run

    def pause(self, run: Run) -> None:
        """Pauses a run: its process saves the state and ends; its place goes to the next in the queue."""
        self._tell(run, "pause")

    def resume(self, run: Run) -> None:
        """A paused run goes to the end of the queue; raises QueueFull where too many wait."""
        with self._lock:
            if run.status == "paused":
                self._refuse_when_full()
                run.status, run.wish = "waiting", ""
                self._enqueue(run)

    def stop(self, run: Run) -> None:
        """Ends a run: what it has learned so far is measured and kept. One that never started leaves nothing."""
        with self._lock:
            if run.status == "waiting" and not run.step:
                self._waiting.remove(run)
                self._forget(run)
            elif run.status == "paused":  # the process comes back to finish
                run.status, run.wish = "waiting", "stop"
                self._enqueue(run)
            elif run.status == "waiting":
                run.wish = "stop"
            else:
                self._tell(run, "stop")

    def clear(self, owner: str) -> None:
        """Forgets the visitor's runs that are over."""
        with self._lock:
            self._runs[owner] = [run for run in self._runs.get(owner, []) if run.is_active]

    def leave(self, owner: str, stop_after: float = 0.0, forget_after: float = 0.0) -> None:
        """Stops a visitor's run and later forgets them all, unless `stay` is called within as many seconds.

        Of many visitors who are away, those who left first are forgotten first.
        """
        with self._lock:
            self.stay(owner)
            if self._runs.get(owner):
                self._leaving[owner] = _timer(stop_after, self._stop_all, owner, forget_after - stop_after)
            for one in [*self._leaving][:-MAX_AWAY]:
                self._end(one)

    def stay(self, owner: str) -> None:
        """Cancels a `leave`: the visitor is still here, or back."""
        with self._lock:
            timer = self._leaving.pop(owner, None)
        if timer:
            timer.cancel()

    def place(self, run: Run) -> int:
        """Its place in the queue, from 1; 0 where it does not wait."""
        with self._lock:
            return self._waiting.index(run) + 1 if run in self._waiting else 0

    def longest_wait(self, run: Run) -> float | None:
        """Seconds until a waiting run starts at the latest: if every run before it takes as long as it may.

        None where other processes of the server train, too: nobody knows for how long.
        """
        if self._places.folder is not None:
            return None
        with self._lock:
            now, whole = monotonic(), MAX_SECONDS + GRACE
            free_in = [max(0.0, other.started + whole - now) for other in self._running]
            free_in += [0.0] * (self.slots - len(free_in))
            heapify(free_in)
            for _ in range(self.place(run) - 1):
                heapreplace(free_in, free_in[0] + whole)
            return free_in[0]

    @staticmethod
    def seconds_before_limit(run: Run) -> float:
        """Seconds until a running run is stopped, if it has not ended by then."""
        return max(0.0, run.started + MAX_SECONDS - monotonic())

    def _refuse_when_full(self) -> None:
        if not self.slots:
            raise QueueFull("This server has too little memory to train a run.")
        if len(self._waiting) >= MAX_WAITING:
            raise QueueFull(
                "{count} runs are already waiting; please try again in a few minutes.", count=len(self._waiting)
            )

    def _enqueue(self, run: Run) -> None:
        self._waiting.append(run)
        self._start_next()

    def _start_next(self) -> None:
        with self._lock:
            while self._waiting and len(self._running) < self.slots:
                place = self._places.take()
                if place is None:
                    self._look_later()
                    return
                run = self._waiting.popleft()
                run.status, run.outcome, run.started = "running", "failed", monotonic()
                self._running.append(run)
                Thread(target=self._follow, args=(run, place), daemon=True).start()

    def _look_later(self) -> None:
        if self._looking is None:
            self._looking = _timer(LOOK, self._look_again)

    def _look_again(self) -> None:
        with self._lock:
            self._looking = None
            self._start_next()

    def _follow(self, run: Run, place: int) -> None:
        """Starts the process of a run, hands it the place, and reads its messages to the end; in its own thread."""
        try:
            try:
                with self._lock:
                    process = run.process = _start_process(run.folder.name, place)
                    self._say(run)
            finally:
                Places.leave(place)
            timers = [_timer(MAX_SECONDS, self._reach_limit, run), _timer(MAX_SECONDS + GRACE, process.kill)]
            try:
                _listen(run, process)
            finally:
                for timer in timers:
                    timer.cancel()
        except Exception as error:  # whatever went wrong: the run is over, and its place is free
            _log.error("A training run ended with an error: %s: %s", type(error).__name__, error)
        with self._lock:
            self._running.remove(run)
            outcome: Status = "failed" if run.wish == "end" else run.outcome
            if outcome == "failed" and run.wish != "end":
                _log.error("A training process ended early: %s", _tail(Path(run.folder.name) / ERRORS))
            if outcome != "paused":
                run.folder.cleanup()
            run.process, run.status = None, outcome
        self._start_next()

    def _reach_limit(self, run: Run) -> None:
        run.reached_limit = True
        self._tell(run, "stop")

    def _tell(self, run: Run, wish: str) -> None:
        with self._lock:
            if run.status == "running":
                run.wish = wish
                self._say(run)

    def _say(self, run: Run) -> None:
        if run.process is None or run.process.stdin is None or not run.wish:
            return  # a process that has not started yet is told by `_follow`
        if run.wish == "end":
            run.process.kill()
            return
        with suppress(OSError, ValueError):  # it has just ended by itself
            run.process.stdin.write(f"{run.wish}\n")
            run.process.stdin.flush()

    def _stop_all(self, owner: str, forget_after: float) -> None:
        with self._lock:
            if owner not in self._leaving:
                return  # back again, just now
            for run in self.runs_of(owner):
                if run.is_active:
                    self.stop(run)
            self._leaving[owner] = _timer(forget_after, self._end, owner)

    def _end(self, owner: str) -> None:
        with self._lock:
            self.stay(owner)
            for run in self._runs.pop(owner, []):
                self._tell(run, "end")
                if run in self._waiting:
                    self._waiting.remove(run)
                if run.status in ("waiting", "paused"):
                    run.status = "failed"
                    run.folder.cleanup()

    def _forget(self, run: Run) -> None:
        self._runs[run.owner].remove(run)
        run.folder.cleanup()


def most_at_once() -> int:
    """How many runs may train at a time: one per processor, if memory allows. A container's limits count."""
    room = memory() - processes() * (APP + budget())
    return max(0, min(processors(), room // WORKER))


def _new_run(owner: str, number: int, settings: RunSettings) -> Run:
    run = Run(owner, number, settings)
    try:
        (Path(run.folder.name) / SETTINGS).write_text(json.dumps(settings.to_dict()), encoding="utf-8")
    except OSError:
        run.folder.cleanup()
        raise
    return run


def _start_process(folder: str, place: int) -> subprocess.Popen[str]:
    with (Path(folder) / ERRORS).open("w", encoding="utf-8") as errors:
        return subprocess.Popen(
            [sys.executable, "-m", "viz_transformer.training.worker", folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            encoding="utf-8",
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            pass_fds=[place] if place >= 0 else [],
        )


def _listen(run: Run, process: subprocess.Popen[str]) -> None:
    """Hands a process's messages to its run; afterwards the process is gone, whatever happens."""
    assert process.stdin is not None and process.stdout is not None
    try:
        for line in process.stdout:
            run.take(json.loads(line))
    except BaseException:
        process.kill()
        raise
    finally:
        process.wait()
        process.stdout.close()
        with suppress(BrokenPipeError):
            process.stdin.close()


def _timer(seconds: float, action: Callable[..., object], *arguments: object) -> Timer:
    timer = Timer(seconds, action, arguments)
    timer.daemon = True
    timer.start()
    return timer


def _tail(path: Path) -> str:
    return path.read_text(encoding="utf-8")[-2000:] if path.is_file() else ""
