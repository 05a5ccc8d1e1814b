"""The process of one run: `python -m viz_transformer.training.worker FOLDER`, started by the app.

In a process of its own, with a lower priority than the app's, a run does not keep visitors waiting; and it has torch's
random numbers to itself, so that it can be repeated bit for bit. The process reads the settings from
FOLDER/settings.json and writes what happens to standard output, one JSON object per line. "pause" on standard input
saves the run's state and ends the process; started again, it goes on from there. "stop" ends the run where it is. When
standard input closes, the app is gone, and the process ends.

Messages, each with "kind":
    "progress"  step, loss, learning_rate, tokens_per_second, seconds (of training, so far)
    "curve"     points: new ones, see `Film`
    "snapshot"  step: the film in FOLDER now holds it and all before it, see `read_film`
    "paused"    step
    "done"      step, seconds, numbers, count (of held-out sequences), examples, has_model (in FOLDER/model)
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Any

import torch

from viz_transformer.checkpoint import save_checkpoint
from viz_transformer.hooks import active_hooks
from viz_transformer.training.evaluation import exact_match
from viz_transformer.training.loop import Report
from viz_transformer.training.snapshots import Camera, Film, Snapshot, film_sentences, read_film, snapshot_steps
from viz_transformer.training.tasks import TASKS, Task
from viz_transformer.training.toy_runs import FILM_SOURCE, RunSettings, examples, measure, new_trainer
from viz_transformer.translator import Translator

SETTINGS, STATE, MODEL = "settings.json", "state", "model"
N_SNAPSHOTS = 16
BEAT = 0.4  # seconds between two messages about progress
BACKGROUND = 5  # niceness, so that visitors come first


def main() -> None:
    """Runs in the folder that the command line names."""
    torch.set_num_threads(1)
    if hasattr(os, "nice"):
        os.nice(BACKGROUND)
    worker = Worker(Path(sys.argv[1]))
    Thread(target=_listen, args=(worker,), daemon=True).start()
    worker.run()
    sys.stdout.flush()
    os._exit(0)  # a normal exit may abort while the listening thread reads standard input


def _listen(worker: Worker) -> None:
    for line in sys.stdin:
        worker.wish = line.strip()
    os._exit(0)  # the app is gone


class Worker:
    """One run from its start, or from where it was paused, to its end or the next pause."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.wish = folder, ""  # the wish: "pause" or "stop"
        self.settings = RunSettings.from_dict(json.loads((folder / SETTINGS).read_text(encoding="utf-8")))
        self.tokenizer = Task(self.settings.task).tokenizer()
        self.trainer, self.held_out = new_trainer(self.settings)
        is_resumed = (folder / STATE).is_dir()
        if is_resumed:
            self.trainer.resume(folder / STATE)
        with active_hooks(*self.settings.hooks):  # the camera takes a snapshot of step 0
            self.film = read_film(folder) if is_resumed else self._new_film()
            self.camera = Camera(
                self.trainer,
                self.film,
                (self.tokenizer, self.tokenizer),
                snapshot_steps(self.settings.steps, N_SNAPSHOTS),
                lambda translator: measure(translator, self.held_out),
                self._say_snapshot,
            )
        self._said = monotonic()

    def run(self) -> None:
        """Trains until the end, or until told to pause or stop; a slip acts in every pass."""
        with active_hooks(*self.settings.hooks):
            self._run()

    def _run(self) -> None:
        trainer, steps = self.trainer, self.settings.steps
        while trainer.step < steps and not self.wish:
            trainer.run(trainer.step + 1, self._on_step)
        self.camera.end_curve()
        self._say_curve()
        if self.wish == "pause" and trainer.step < steps:
            trainer.save(self.folder / STATE)
            say("paused", step=trainer.step)
        else:
            self._finish()

    def _new_film(self) -> Film:
        if not self.settings.config.has_attention:
            return Film(())
        right = TASKS[self.settings.task](FILM_SOURCE.replace(" ", ""))
        first = Translator(self.trainer.averaged_model(), self.tokenizer, self.tokenizer, {})
        return Film(film_sentences(first, [(FILM_SOURCE, " ".join(right))]))

    def _on_step(self, report: Report) -> None:
        self.camera(report)
        if monotonic() - self._said >= BEAT or report.step == 1:
            self._said = monotonic()
            say("progress", **asdict(report), seconds=self.trainer.seconds)
            self._say_curve()

    def _say_curve(self) -> None:
        if self.film.curve:
            say("curve", points=self.film.curve)
            self.film.curve.clear()

    def _say_snapshot(self, snapshot: Snapshot) -> None:
        self._say_curve()  # else the file would hold these points, and a resumed run would send them again
        self.film.save(self.folder)
        say("snapshot", step=snapshot.step)

    def _finish(self) -> None:
        trainer, film = self.trainer, self.film
        if not film.snapshots or film.snapshots[-1].step < trainer.step:  # it was stopped
            self.camera.take(trainer.step)
        model = trainer.averaged_model()
        written = examples(Translator(model, self.tokenizer, self.tokenizer, {}), self.held_out)
        # Measured as a person gets it: in the standard form and in half precision.
        model = model.standard_form().half().float()
        numbers = dict(film.snapshots[-1].numbers)
        numbers["exact_match"] = exact_match(Translator(model, self.tokenizer, self.tokenizer, {}), self.held_out.pairs)
        count = len(self.held_out.pairs)
        card = {
            "task": self.settings.task,
            "command": self.settings.command(f"my-{self.settings.task}"),
            "seed": self.settings.seed,
            "seconds": round(trainer.seconds, 1),
            "device": "cpu",
            "versions": {"torch": torch.__version__},
            "parameters": model.count_parameters(),
            "settings": self.settings.to_dict(),
            "steps": trainer.step,
            "scores": {"held-out": {"exact_match": numbers["exact_match"], "count": count}},
        }
        is_finite = all(bool(parameter.isfinite().all()) for parameter in model.parameters())
        if is_finite:
            save_checkpoint(self.folder / MODEL, model, self.tokenizer, self.tokenizer, card)
        say(
            "done",
            step=trainer.step,
            seconds=trainer.seconds,
            numbers=numbers,
            count=count,
            examples=[asdict(example) for example in written],
            has_model=is_finite,
        )


def say(kind: str, **values: Any) -> None:
    """Sends one message to the app."""
    sys.stdout.write(json.dumps({"kind": kind, **values}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
