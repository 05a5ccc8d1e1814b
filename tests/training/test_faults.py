"""Runs on a machine that fails: processes that are killed or talk nonsense, full disks, servers that are killed."""

from __future__ import annotations

import errno
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save

from tests.helpers import assert_sentence, until
from tests.pages.helpers import open_page
from tests.training.test_queue import TINY, PlayedProcess, stage, started
from viz_transformer import CheckpointError
from viz_transformer.training import queue as training_runs
from viz_transformer.training import scratch
from viz_transformer.training.queue import QueueFull, TrainingRuns
from viz_transformer.training.toy_runs import RunSettings
from viz_transformer.translator import model_folder
from viz_transformer.ui.shared import own_models
from viz_transformer.ui.shared.own_models import FILES, from_zip

assert stage  # a fixture
LONG = RunSettings(steps=3000, d_model=16, n_heads=1, batch=4)


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """Where temporary files go: empty at first, and without folders of runs in the end."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(scratch, "_held", held := [])
    yield tmp_path
    until(lambda: not list(tmp_path.glob("*/run-*")))  # whoever has ended a run takes its folder away after that
    for _folder, lock in held:
        os.close(lock)


@pytest.mark.trains
def test_a_killed_process_is_a_failed_run_and_the_next_one_starts() -> None:
    queue = TrainingRuns(slots=1)
    run, other = queue.submit("a", LONG), queue.submit("b", TINY)
    until(lambda: run.step > 0)
    assert run.process is not None
    os.kill(run.process.pid, signal.SIGKILL)
    until(lambda: run.status == "failed")
    until(lambda: other.status == "done")


@pytest.mark.trains
def test_a_process_that_cannot_write_is_a_failed_run(monkeypatch: pytest.MonkeyPatch) -> None:
    popen = subprocess.Popen

    def with_little_room(command: list[str], **options: Any) -> Any:
        return popen(["sh", "-c", 'ulimit -f 2; exec "$@"', "sh", *command], **options)

    monkeypatch.setattr(training_runs.subprocess, "Popen", with_little_room)
    queue = TrainingRuns(slots=1)
    run = queue.submit("a", TINY)
    until(lambda: run.status == "failed")


@pytest.mark.parametrize(
    "message", [{"kind": "progress"}, {"kind": "snapshot"}, {"kind": "done", "step": 1}, {}, [], 7]
)
def test_a_process_that_talks_nonsense_is_a_failed_run(message: Any, stage: dict[str, PlayedProcess]) -> None:
    queue = TrainingRuns(slots=1)
    run = queue.submit("a", TINY)
    process = started(stage, run)
    process._out.write(json.dumps(message) + "\n")
    process._out.flush()
    until(lambda: run.status == "failed")
    assert queue.submit("a", TINY).status == "running"
    queue.leave("a")
    until(lambda: not queue._running)


def full(*arguments: object, **more: object) -> Any:
    raise OSError(errno.ENOSPC, "No space left on device", "/secret/place")


@pytest.mark.trains
@pytest.mark.parametrize("where", ["folder", "settings"])
def test_where_nothing_can_be_written_no_run_starts(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    queue = TrainingRuns(slots=1)
    with monkeypatch.context() as broken:
        broken.setattr(scratch, "mkdtemp", full) if where == "folder" else broken.setattr(Path, "write_text", full)
        with pytest.raises(QueueFull) as caught:
            queue.submit("a", TINY)
    assert_sentence(caught.value, "disk")
    assert "secret" not in str(caught.value)
    assert queue.runs_of("a") == []
    run = queue.submit("a", TINY)  # once there is room
    until(lambda: run.status == "done")


def test_the_page_says_that_nothing_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch, "mkdtemp", full)
    app = open_page("pages/training.py", view="train")
    app.button(key="train").click().run()
    assert not app.exception
    assert any("cannot write the files of a run" in warning.value for warning in app.warning)


# --- what a killed server leaves -------------------------------------------------------------------------------

SERVER = """
import sys
from viz_transformer.training.scratch import run_folder
folder = run_folder()
print(folder.name, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def server(folder: Path) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, "TMPDIR": str(folder)}
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        yield process
        process.kill()


def test_the_files_of_a_killed_server_are_removed_and_those_of_a_living_one_stay(
    server: subprocess.Popen[str], folder: Path
) -> None:
    assert server.stdout is not None
    left = Path(server.stdout.readline().strip())
    (left / "model").mkdir()
    own = scratch.run_folder()
    scratch.remove_left_behind()
    assert left.is_dir() and Path(own.name).is_dir()
    server.kill()
    server.wait()
    assert left.is_dir()
    scratch.remove_left_behind()
    assert not left.parent.exists() and Path(own.name).is_dir()
    own.cleanup()


def test_what_is_no_folder_of_a_server_stays(folder: Path) -> None:
    (folder / "precious").mkdir()
    (folder / f"{scratch.PREFIX}file").write_text("x", encoding="utf-8")
    (folder / f"{scratch.PREFIX}link").symlink_to(folder / "precious")
    scratch.remove_left_behind()
    assert (folder / "precious").is_dir() and (folder / f"{scratch.PREFIX}file").is_file()


def test_a_run_has_a_folder_also_where_somebody_has_tidied_up(folder: Path) -> None:
    with scratch.run_folder():
        pass
    for left in folder.glob(f"{scratch.PREFIX}*"):
        left.rmdir()
    with scratch.run_folder() as name:
        assert Path(name).is_dir()


# --- files that somebody loads ---------------------------------------------------------------------------------


def zip_with(weights: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in FILES:
            archive.writestr(name, weights if name == FILES[0] else (model_folder("copy") / name).read_bytes())
    return packed.getvalue()


def test_a_file_of_200_000_tensors_is_refused_at_once() -> None:
    one = np.zeros(1, np.uint8)
    packed = zip_with(save({f"{n}": one for n in range(200_000)}))
    begun = perf_counter()
    with pytest.raises(CheckpointError) as caught:
        from_zip(packed)
    assert perf_counter() - begun < 2  # it once took eight seconds on an idle machine
    assert_sentence(caught.value, "tensors")


def test_where_nothing_can_be_written_no_file_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = (model_folder("copy") / FILES[0]).read_bytes()
    with monkeypatch.context() as broken:
        broken.setattr(own_models, "TemporaryDirectory", full)
        with pytest.raises(CheckpointError) as caught:
            from_zip(zip_with(weights))
    assert_sentence(caught.value, "disk")
    with monkeypatch.context() as broken:
        broken.setattr(Path, "write_bytes", full)
        with pytest.raises(CheckpointError) as caught:
            from_zip(zip_with(weights))
    assert_sentence(caught.value, "disk")
    assert from_zip(zip_with(weights)).translate("3 1 4")
