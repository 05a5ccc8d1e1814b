"""The queue of training runs, with processes that the test plays, and with one real one."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from tests.helpers import assert_sentence, until
from viz_transformer.training import queue as training_runs
from viz_transformer.training.queue import (
    GRACE,
    MAX_KEPT,
    MAX_SECONDS,
    MAX_WAITING,
    QueueFull,
    TrainingRuns,
    most_at_once,
)
from viz_transformer.training.run import Run
from viz_transformer.training.toy_runs import RunSettings
from viz_transformer.training.worker import SETTINGS

TINY = RunSettings(steps=20, d_model=16, n_heads=1, batch=4, warmup=2)


class PlayedProcess:
    """What `subprocess.Popen` gives, its other end in the test's hands."""

    def __init__(self, folder: str, place: int) -> None:
        self.folder, self.was_killed = folder, False
        self.place = os.dup(place) if place >= 0 else None  # as a real one inherits it
        read_out, write_out = os.pipe()
        read_in, write_in = os.pipe()
        self.stdout, self._out = os.fdopen(read_out), os.fdopen(write_out, "w")
        self._in, self.stdin = os.fdopen(read_in), os.fdopen(write_in, "w")
        self.heard: list[str] = []
        self._ear = Thread(target=lambda: self.heard.extend(line.strip() for line in self._in), daemon=True)
        self._ear.start()

    def say(self, kind: str, **values: Any) -> None:
        self._out.write(json.dumps({"kind": kind, **values}) + "\n")
        self._out.flush()

    def finish(self, step: int = 20) -> None:
        numbers = {"valid_loss": 1.0, "token_accuracy": 0.5, "exact_match": 0.25}
        self.say("done", step=step, seconds=2.0, numbers=numbers, count=500, examples=[], has_model=False)
        self.end()

    def end(self) -> None:
        if not self._out.closed:
            self._out.close()
            if self.place is not None:
                os.close(self.place)

    def bury(self) -> None:
        self.end()
        self.stdin.close()
        self._ear.join()
        self._in.close()
        self.stdout.close()

    def kill(self) -> None:
        self.was_killed = True
        self.end()

    def wait(self) -> int:
        return 0


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, PlayedProcess]]:
    """Every process that was started, by the folder of its run."""
    started: dict[str, PlayedProcess] = {}
    every: list[PlayedProcess] = []
    is_over = Event()

    def start(folder: str, place: int) -> PlayedProcess:
        started[folder] = PlayedProcess(folder, place)
        every.append(started[folder])
        if is_over.is_set():  # the test is over, and did not wait for this run
            started[folder].bury()
        return started[folder]

    monkeypatch.setattr(training_runs, "_start_process", start)
    yield started
    is_over.set()
    for process in list(every):
        process.bury()


def started(stage: dict[str, PlayedProcess], run: Run) -> PlayedProcess:
    until(lambda: run.folder.name in stage)
    return stage[run.folder.name]


def test_runs_start_in_their_order_as_places_get_free(stage: dict[str, PlayedProcess]) -> None:
    queue = TrainingRuns(slots=2)
    runs = [queue.submit(name, TINY) for name in "abcd"]
    assert [run.status for run in runs] == ["running", "running", "waiting", "waiting"]
    assert [queue.place(run) for run in runs] == [0, 0, 1, 2]
    started(stage, runs[1]).finish()
    until(lambda: runs[1].status == "done")
    until(lambda: runs[2].status == "running")
    assert [queue.place(run) for run in runs] == [0, 0, 0, 1]
    started(stage, runs[0]).finish()
    until(lambda: runs[3].status == "running")
    for run in runs[2:]:
        started(stage, run).finish()
    until(lambda: all(run.status == "done" for run in runs))
    assert [run.numbers["exact_match"] for run in runs] == [0.25] * 4


def test_processes_of_a_server_share_their_places(
    stage: dict[str, PlayedProcess], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("VIZ_PLACES", str(tmp_path))
    monkeypatch.setattr(training_runs, "LOOK", 0.01)
    one, other = TrainingRuns(slots=2), TrainingRuns(slots=2)  # as two processes have them
    first, second = one.submit("a", TINY), other.submit("b", TINY)
    third = other.submit("c", TINY)
    started(stage, second)
    assert [run.status for run in (first, second, third)] == ["running", "running", "waiting"]
    assert other.place(third) == 1 and other.longest_wait(third) is None  # nobody knows how long the others take
    started(stage, first).finish()
    until(lambda: third.status == "running")
    for run in (second, third):
        started(stage, run).finish()
    until(lambda: third.status == "done")


@pytest.mark.parametrize(("gigabytes", "count"), [(64, 4), (2.4, 2), (1.5, 0)])
def test_as_many_at_once_as_processors_and_memory_hold(
    monkeypatch: pytest.MonkeyPatch, gigabytes: float, count: int
) -> None:
    monkeypatch.setenv("VIZ_MEMORY_MB", "400")
    monkeypatch.setattr(training_runs, "memory", lambda: int(gigabytes * 10**9))
    monkeypatch.setattr(training_runs, "processors", lambda: 4)
    assert most_at_once() == count == TrainingRuns().slots
    if not count:
        with pytest.raises(QueueFull, match="too little memory") as refused:
            TrainingRuns().submit("a", TINY)
        assert_sentence(str(refused.value))


def test_nobody_waits_longer_than_the_queue_says(stage: dict[str, PlayedProcess]) -> None:
    queue = TrainingRuns(slots=2)
    runs = [queue.submit(name, TINY) for name in "abcdef"]
    whole = MAX_SECONDS + GRACE
    waits = [queue.longest_wait(run) for run in runs[2:]]
    # Two run, so two of those that wait start when these end at the latest, and the next two a whole run later.
    assert waits == pytest.approx([whole, whole, 2 * whole, 2 * whole], abs=5)
    runs[0].started -= 100  # as if it had run that long
    assert queue.longest_wait(runs[2]) == pytest.approx(whole - 100, abs=5)
    assert queue.longest_wait(runs[3]) == pytest.approx(whole, abs=5)


def test_a_run_that_takes_too_long_is_stopped_and_then_killed(
    stage: dict[str, PlayedProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training_runs, "MAX_SECONDS", 0.05)
    monkeypatch.setattr(training_runs, "GRACE", 0.1)
    queue = TrainingRuns(slots=1)
    run, following = queue.submit("a", TINY), queue.submit("b", TINY)
    process = started(stage, run)
    until(lambda: process.heard == ["stop"])
    assert run.reached_limit
    until(lambda: process.was_killed)
    until(lambda: run.status == "failed")
    until(lambda: following.status != "waiting")


def test_a_paused_run_gives_its_place_away_and_waits_for_another(stage: dict[str, PlayedProcess]) -> None:
    queue = TrainingRuns(slots=1)
    first, second = queue.submit("a", TINY), queue.submit("b", TINY)
    process = started(stage, first)
    process.say("progress", step=7, loss=1.0, learning_rate=0.1, tokens_per_second=5.0, seconds=3.5)
    queue.pause(first)
    until(lambda: process.heard == ["pause"])
    assert first.status == "running"  # until its process has saved
    process.say("paused", step=8)
    process.end()
    until(lambda: (first.status, second.status) == ("paused", "running"))
    assert (first.step, Path(first.folder.name).is_dir()) == (8, True)
    queue.resume(first)
    assert (first.status, queue.place(first)) == ("waiting", 1)
    del stage[first.folder.name]
    started(stage, second).finish()
    again = started(stage, first)
    assert again.heard == []
    again.finish()
    until(lambda: first.status == "done")


def test_stopping_a_paused_run_measures_it(stage: dict[str, PlayedProcess]) -> None:
    queue = TrainingRuns(slots=1)
    run = queue.submit("a", TINY)
    process = started(stage, run)
    queue.pause(run)
    process.say("paused", step=8)
    process.end()
    until(lambda: run.status == "paused")
    del stage[run.folder.name]
    queue.stop(run)
    again = started(stage, run)
    until(lambda: again.heard == ["stop"])
    again.finish(8)
    until(lambda: run.status == "done")
    assert run.step == 8


def test_stopping_before_the_start_leaves_nothing(stage: dict[str, PlayedProcess]) -> None:
    queue = TrainingRuns(slots=1)
    queue.submit("a", TINY)
    waiting = queue.submit("b", TINY)
    queue.stop(waiting)
    assert queue.runs_of("b") == []
    assert not Path(waiting.folder.name).exists()
    assert queue.submit("b", TINY).number == 1


def test_a_visitor_has_one_run_at_a_time_and_sees_only_her_own(stage: dict[str, PlayedProcess]) -> None:
    queue = TrainingRuns(slots=2)
    run = queue.submit("a", TINY)
    other = queue.submit("b", RunSettings())
    with pytest.raises(QueueFull) as caught:
        queue.submit("a", TINY)
    assert_sentence(caught.value)
    assert (queue.runs_of("a"), queue.runs_of("b"), queue.runs_of("c")) == ([run], [other], [])
    written = [json.loads((Path(one.folder.name) / SETTINGS).read_text()) for one in (run, other)]
    assert written == [TINY.to_dict(), RunSettings().to_dict()]
    started(stage, run).say("curve", points=[{"step": 1, "loss": 2.0, "learning_rate": 0.1}])
    until(lambda: len(run.film.curve) == 1)
    assert other.film.curve == []


def test_the_queue_and_the_table_are_bounded(stage: dict[str, PlayedProcess]) -> None:
    queue = TrainingRuns(slots=1)
    for n in range(1 + MAX_WAITING):
        queue.submit(f"visitor {n}", TINY)
    with pytest.raises(QueueFull) as caught:
        queue.submit("one more", TINY)
    assert_sentence(caught.value, MAX_WAITING)
    table = TrainingRuns(slots=1)
    for _ in range(MAX_KEPT):
        run = table.submit("a", TINY)
        started(stage, run).finish()
        until(lambda: run.status == "done")  # noqa: B023  waited for at once
    with pytest.raises(QueueFull) as full:
        table.submit("a", TINY)
    assert_sentence(full.value, MAX_KEPT)
    table.clear("a")
    assert table.submit("a", TINY).status == "running"


def test_who_leaves_ends_her_runs_and_who_comes_back_in_time_keeps_them(stage: dict[str, PlayedProcess]) -> None:
    queue = TrainingRuns(slots=1)
    leaving, staying = queue.submit("a", TINY), queue.submit("b", TINY)
    process = started(stage, leaving)
    queue.leave("a")
    until(lambda: process.was_killed)
    until(lambda: staying.status == "running")
    assert queue.runs_of("a") == []
    until(lambda: not Path(leaving.folder.name).exists())
    queue.leave("b", 60, 120)
    queue.stay("b")
    assert not queue._leaving
    assert queue.runs_of("b") == [staying]
    assert not started(stage, staying).was_killed


def test_who_leaves_finds_what_her_run_had_learned_until_it_is_forgotten(stage: dict[str, PlayedProcess]) -> None:
    queue = TrainingRuns(slots=1)
    run, waiting = queue.submit("a", TINY), queue.submit("b", TINY)
    process = started(stage, run)
    queue.leave("a", 0, 3600)
    until(lambda: process.heard == ["stop"])
    process.finish(8)
    until(lambda: run.status == "done")
    queue.stay("a")
    assert queue.runs_of("a") == [run]
    assert (run.step, waiting.status) == (8, "running")
    queue.leave("a", 0, 0.05)
    until(lambda: queue.runs_of("a") == [])
    assert not queue._leaving


def test_of_many_who_are_away_the_first_are_forgotten_first(
    stage: dict[str, PlayedProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("viz_transformer.training.queue.MAX_AWAY", 2)
    queue = TrainingRuns(slots=1)
    for owner in "abc":
        run = queue.submit(owner, TINY)
        started(stage, run).finish()
        until(lambda: run.status == "done")  # noqa: B023  waited for at once
        queue.leave(owner, 60, 3600)
    queue.leave("who never trained", 60, 3600)
    assert [owner for owner in "abc" if queue.runs_of(owner)] == ["b", "c"]
    for owner in "bc":
        queue.stay(owner)


def test_a_process_that_dies_is_a_failed_run(stage: dict[str, PlayedProcess]) -> None:
    queue = TrainingRuns(slots=1)
    run = queue.submit("a", TINY)
    started(stage, run).end()
    until(lambda: run.status == "failed")
    assert not run.is_active
    assert queue.submit("a", TINY).status == "running"


@pytest.mark.trains
def test_two_real_runs_at_once_end_in_models_of_their_own() -> None:
    queue = TrainingRuns(slots=2)
    copy = queue.submit("a", TINY)
    reverse = queue.submit("b", RunSettings(**{**TINY.to_dict(), "task": "reverse", "d_model": 32}))
    until(lambda: copy.status == reverse.status == "done", 120)
    assert copy.translator is not None and reverse.translator is not None
    assert (copy.translator.card["task"], reverse.translator.card["task"]) == ("copy", "reverse")
    assert (copy.translator.model.config.d_model, reverse.translator.model.config.d_model) == (16, 32)
    assert (copy.step, copy.film.snapshots[-1].step, copy.film.curve[-1]["step"]) == (20, 20, 20)
    assert reverse.film.sentences[0].target == "6 2 9 5 1 4 1 3"
    assert not Path(copy.folder.name).exists()
