"""The loop of a run's process, called here without the process."""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stdout
from io import StringIO
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from viz_transformer import load
from viz_transformer.heads import ATTENTION_MODULES
from viz_transformer.training.evaluation import exact_match
from viz_transformer.training.run import Run
from viz_transformer.training.snapshots import Film, read_film
from viz_transformer.training.tasks import Task
from viz_transformer.training.toy_runs import RunSettings, held_out
from viz_transformer.training.worker import MODEL, SETTINGS, STATE, Worker

SETTINGS_OF_RUN = RunSettings(steps=30, d_model=16, n_heads=2, batch=8, dropout=0.2, warmup=5)


@pytest.fixture(autouse=True)
def own_dice() -> object:
    """A trainer seeds torch's global generator: the other tests keep theirs."""
    with torch.random.fork_rng(devices=[]):
        yield


def run(
    folder: Path,
    wish: str = "",
    at: int = 0,
    settings: RunSettings = SETTINGS_OF_RUN,
) -> list[dict[str, Any]]:
    """The messages of one process that hears a wish after step `at`."""
    folder.mkdir(exist_ok=True)
    (folder / SETTINGS).write_text(json.dumps(settings.to_dict()), encoding="utf-8")
    torch.rand(3)  # somebody else draws from torch's generator
    with redirect_stdout(StringIO()) as said:
        _work(Worker(folder), wish, at)
    return [json.loads(line) for line in said.getvalue().splitlines()]


def _work(worker: Worker, wish: str, at: int) -> None:
    shoot = worker._on_step

    def on_step(report: Any) -> None:
        shoot(report)
        if report.step == at:
            worker.wish = wish

    worker._on_step = on_step  # type: ignore[method-assign]
    worker.run()


def of_kind(messages: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [message for message in messages if message["kind"] == kind]


def assert_same_film(one: Film, other: Film) -> None:
    assert [vars(sentence) | {"masks": 0} for sentence in one.sentences] == [
        vars(sentence) | {"masks": 0} for sentence in other.sentences
    ]
    assert [(s.step, s.numbers) for s in one.snapshots] == [(s.step, s.numbers) for s in other.snapshots]
    for first, second in zip(one.snapshots, other.snapshots, strict=True):
        for maps, others in zip(first.maps, second.maps, strict=True):
            assert maps.keys() == others.keys()
            for module in maps:
                np.testing.assert_array_equal(maps[module], others[module])


@pytest.mark.trains
def test_what_the_app_reads_at_a_message_is_what_the_process_filmed(tmp_path: Path) -> None:
    app = Run("somebody", 1, SETTINGS_OF_RUN, "whole")
    with app.folder as folder:
        for message in run(Path(folder)):
            app.take(message)
        assert_same_film(app.film, read_film(folder))
    assert app.film.snapshots[-1].step == 30
    assert [point["step"] for point in app.film.curve] == list(range(1, 31))  # each was said once


@pytest.mark.trains
def test_a_run_says_what_happens_and_leaves_a_model(tmp_path: Path) -> None:
    messages = run(tmp_path)
    assert messages[0] == {"kind": "snapshot", "step": 0} and messages[-1]["kind"] == "done"
    film = read_film(tmp_path)
    (sentence,) = film.sentences
    assert (sentence.source_tokens[:2], sentence.target_tokens[0]) == (("3", "1"), "<s>")
    assert sentence.masks["decoder_self"].sum() == 9 * 10 / 2
    assert [one.step for one in film.snapshots] == [message["step"] for message in of_kind(messages, "snapshot")]
    assert (film.snapshots[0].step, film.snapshots[-1].step) == (0, 30)
    assert all(one.maps[0][module].shape == (1, 2, 9, 9) for one in film.snapshots for module in ATTENTION_MODULES)
    points = [point for message in of_kind(messages, "curve") for point in message["points"]]
    assert [point["step"] for point in points] == list(range(1, 31))
    done = messages[-1]
    assert (done["step"], done["has_model"], len(done["examples"])) == (30, True, 6)
    # The numbers are those of the very model that was saved.
    translator = load(tmp_path / MODEL, "cpu")
    pairs = held_out(Task("copy")).pairs
    assert done["count"] == len(pairs)
    assert done["numbers"]["exact_match"] == exact_match(translator, pairs)
    assert translator.card["scores"]["held-out"]["exact_match"] == done["numbers"]["exact_match"]


STOPS = {"once": [1], "twice": [11, 23]}
Messages = list[dict[str, Any]]


def _whole_and_in_parts(folder: Path) -> tuple[Messages, dict[str, Messages]]:
    torch.set_num_threads(1)  # as the process of a run does
    whole = run(folder / "whole")
    in_parts: dict[str, Messages] = {}
    for name, stops in STOPS.items():
        parts = in_parts.setdefault(name, [])
        for stop in stops:
            parts += run(folder / name, "pause", stop)
            assert parts[-1] == {"kind": "paused", "step": stop}
            assert (folder / name / STATE).is_dir() and not (folder / name / MODEL).exists()
        parts += run(folder / name)
    return whole, in_parts


@pytest.fixture(scope="module")
def paused(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Messages, dict[str, Messages]]:
    """A folder with a run that was never paused and with those that were, and their messages."""
    folder = tmp_path_factory.mktemp("paused")
    # In a process of its own, as a run is: all threads share torch's generator, and one draw by another thread of the
    # tests, in one of the last steps, changes a few bits of the weights.
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        return folder, *process.submit(_whole_and_in_parts, folder).result()


@pytest.mark.trains
@pytest.mark.parametrize("stops", STOPS)
def test_a_paused_run_ends_in_the_same_bits(stops: str, paused: tuple[Path, Messages, dict[str, Messages]]) -> None:
    folder, whole, in_parts = paused
    parts = in_parts[stops]
    files = [(folder / name / MODEL / "model.safetensors").read_bytes() for name in ("whole", stops)]
    assert files[0] == files[1]
    assert of_kind(parts, "snapshot") == of_kind(whole, "snapshot")
    assert_same_film(read_film(folder / stops), read_film(folder / "whole"))
    curves = [[p for message in of_kind(part, "curve") for p in message["points"]] for part in (whole, parts)]
    assert curves[0] == curves[1]
    assert parts[-1]["numbers"] == whole[-1]["numbers"]


@pytest.mark.trains
def test_a_stopped_run_keeps_what_it_has_learned(tmp_path: Path) -> None:
    messages = run(tmp_path, "stop", 13)
    assert (messages[-1]["kind"], messages[-1]["step"]) == ("done", 13)
    assert of_kind(messages, "snapshot")[-1]["step"] == 13
    assert load(tmp_path / MODEL, "cpu").card["steps"] == 13


@pytest.mark.trains
def test_a_model_without_attention_has_no_pictures(tmp_path: Path) -> None:
    settings = RunSettings(steps=20, d_model=16, n_heads=1, batch=4, sublayers="feed_forward")
    messages = run(tmp_path, settings=settings)
    film = read_film(tmp_path)
    assert film.sentences == ()
    assert [one.step for one in film.snapshots] == [message["step"] for message in of_kind(messages, "snapshot")]
    assert all(one.maps == () for one in film.snapshots)
    assert messages[-1]["has_model"]


def test_a_model_that_fell_apart_is_not_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / SETTINGS).write_text(json.dumps(SETTINGS_OF_RUN.to_dict()), encoding="utf-8")
    worker = Worker(tmp_path)
    worker.wish = "stop"
    with torch.no_grad():
        worker.trainer._averages[0].fill_(float("nan"))
    worker.run()
    done = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert not done["has_model"]
    assert not (tmp_path / MODEL).exists()
