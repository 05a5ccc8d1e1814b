"""One run of a visitor: what its process has reported so far, and its result."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from viz_transformer.training.scratch import run_folder
from viz_transformer.training.snapshots import Film, read_film
from viz_transformer.training.toy_runs import Example, RunSettings
from viz_transformer.training.worker import MODEL
from viz_transformer.translator import Translator, load

Status = Literal["waiting", "running", "paused", "done", "failed"]


@dataclass(eq=False)
class Run:
    """One run and everything known about it.

    Attributes:
        number: of this visitor's runs, from 1.
        film: the snapshots and the curve so far; no sentences before the process has started.
        progress: the last "progress" message of the worker, see worker.py.
        numbers: measured at the end: loss and token accuracy by teacher forcing, exact match by generation.
        translator, model_name: the model, once there is one, and what the pages call it.
        wish: what was last asked of its process: "pause", "stop" or "end"; "" for nothing.
        is_forgotten: whether the visitor has deleted the model.
        reached_limit: whether it was stopped at the longest time that a run may take.
    """

    owner: str
    number: int
    settings: RunSettings
    status: Status = "waiting"
    film: Film = field(default_factory=lambda: Film(()))
    progress: dict[str, Any] = field(default_factory=dict)
    step: int = 0
    numbers: dict[str, float] = field(default_factory=dict)
    count: int = 0
    examples: list[Example] = field(default_factory=list)
    translator: Translator | None = None
    model_name: str = ""
    is_forgotten: bool = False
    wish: str = ""
    outcome: Status = "failed"  # the status when its process ends; "failed", unless it has reported another
    reached_limit: bool = False
    folder: TemporaryDirectory[str] = field(default_factory=run_folder)
    process: subprocess.Popen[str] | None = None
    started: float = 0.0

    @property
    def is_active(self) -> bool:
        """Whether it waits, runs or is paused."""
        return self.status in ("waiting", "running", "paused")

    @property
    def seconds_left(self) -> float | None:
        """Seconds of training left, at the speed so far; None before that is known."""
        seconds = self.progress.get("seconds")
        if not seconds or not self.step:
            return None
        return float(seconds) / self.step * (self.settings.steps - self.step)

    def take(self, message: dict[str, Any]) -> None:
        """Notes what its worker said."""
        kind = message.pop("kind")
        if kind == "progress":
            self.progress, self.step = message, message["step"]
        elif kind == "curve":
            self.film.curve += message["points"]
        elif kind == "snapshot":
            film = read_film(self.folder.name)
            self.film.sentences, self.film.snapshots = film.sentences, film.snapshots
        elif kind == "paused":
            self.step, self.outcome = message["step"], "paused"
        elif kind == "done":
            self.step, self.numbers, self.count = message["step"], message["numbers"], message["count"]
            self.progress |= {"seconds": message["seconds"]}
            self.examples = [Example(**values) for values in message["examples"]]
            if message["has_model"]:
                self.translator = load(Path(self.folder.name) / MODEL, "cpu")
            self.outcome = "done"
