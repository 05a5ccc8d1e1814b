"""The film of a training run: snapshots of what every head attended to at some of its steps, and its curves.

Shapes: N snapshots, H heads, T queries, S keys.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from viz_transformer.heads import ATTENTION_MODULES, AttentionModule, n_layers
from viz_transformer.tokenizers import Tokenizer
from viz_transformer.trace import Trace
from viz_transformer.training.corpus import Pair
from viz_transformer.training.loop import Report, Trainer
from viz_transformer.translator import Translator

SNAPSHOTS = "snapshots.safetensors"  # in the model's folder
STEPS_PER_UNIT = 50_000
"""A weight w is stored as the whole number nearest to 50,000 w: five steps to a ten-thousandth. Five is odd, so no step
lies halfway between two ten-thousandths: the stored and the recorded weight round to the same four decimals."""
CURVE_POINTS = 100  # of a whole run
_FORMAT = "viz_transformer.snapshots.1"


def to_codes(weights: ArrayLike) -> NDArray[np.uint16]:
    """Weights in 0 … 1 as little-endian uint16, in fractions of `STEPS_PER_UNIT`."""
    return np.floor(np.asarray(weights) * np.float64(STEPS_PER_UNIT) + 0.5).astype("<u2")


def from_codes(codes: NDArray[np.uint16]) -> NDArray[np.float32]:
    """The weights that `to_codes` encoded, to within 1e-5."""
    return (codes / np.float64(STEPS_PER_UNIT)).astype(np.float32)


def snapshot_steps(steps: int, count: int) -> tuple[int, ...]:
    """About `count` steps of a run from 0 to the last, closer together at the start, where heads form."""
    if count < 2:
        return (steps,)
    rest = np.geomspace(min(10, steps), steps, count - 1).round().astype(int)
    return tuple(sorted({0, *rest.tolist()}))


@dataclass(frozen=True, eq=False)
class FilmedSentence:
    """A sentence that every snapshot of a film reads, with the tokens along its axes and its masks.

    Attributes:
        source, target: as typed; the decoder reads the target (teacher forcing).
        masks: (T, S) bool for each module, True = may attend.
    """

    source: str
    target: str
    source_tokens: tuple[str, ...]
    target_tokens: tuple[str, ...]
    predicted_tokens: tuple[str, ...]
    masks: dict[AttentionModule, NDArray[np.bool_]]

    def axes(self, module: AttentionModule) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Its query and key tokens."""
        queries = self.source_tokens if module == "encoder_self" else self.target_tokens
        return queries, self.target_tokens if module == "decoder_self" else self.source_tokens


Maps = dict[AttentionModule, NDArray[np.uint16]]
"""The weights of all heads on one sentence: (layers, H, T, S) codes for each module."""


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The heads at one step.

    Attributes:
        maps: one for each sentence.
        numbers: what was measured there, such as "loss" or "exact_match".
    """

    step: int
    maps: tuple[Maps, ...]
    numbers: dict[str, float]


@dataclass(eq=False)
class Film:
    """A run as snapshots, in the order of their steps.

    Attributes:
        curve: points with "step", "loss" (nats a token, the mean since the point before) and "learning_rate".
    """

    sentences: tuple[FilmedSentence, ...]
    snapshots: list[Snapshot] = field(default_factory=list)
    curve: list[dict[str, float]] = field(default_factory=list)

    def cut_after(self, step: int) -> None:
        """Drops what lies after `step`."""
        self.snapshots[:] = [snapshot for snapshot in self.snapshots if snapshot.step <= step]
        self.curve[:] = [point for point in self.curve if point["step"] <= step]

    def save(self, folder: str | Path) -> None:
        """Writes one safetensors file into `folder`; labels and curves are JSON in its header.

        Raises:
            ValueError: where there is no snapshot yet.
        """
        if not self.snapshots:
            raise ValueError("A film without a snapshot cannot be saved.")
        tensors: dict[str, NDArray[Any]] = {}
        for n, sentence in enumerate(self.sentences):
            for module, mask in sentence.masks.items():
                tensors[f"{n}.{module}.mask"] = np.ascontiguousarray(mask)
                tensors[f"{n}.{module}.weights"] = np.stack([snapshot.maps[n][module] for snapshot in self.snapshots])
        description = {
            "sentences": [{name: getattr(sentence, name) for name in _TEXTS} for sentence in self.sentences],
            "snapshots": [{"step": snapshot.step, "numbers": snapshot.numbers} for snapshot in self.snapshots],
            "curve": self.curve,
        }
        metadata = {"format": _FORMAT, "film": json.dumps(description, ensure_ascii=False)}
        partial = Path(folder) / f"{SNAPSHOTS}.partial"
        save_file(tensors, partial, metadata=metadata)
        partial.replace(Path(folder) / SNAPSHOTS)


_TEXTS = ("source", "target", "source_tokens", "target_tokens", "predicted_tokens")


def read_film(folder: str | Path) -> Film:
    """The film that `Film.save` wrote into `folder`.

    Raises:
        FileNotFoundError: where there is none.
        ValueError: where the file is something else.
    """
    path = Path(folder) / SNAPSHOTS
    if not path.is_file():
        raise FileNotFoundError(f"There is no file of snapshots {str(path)!r}.")
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  not a dict
        if metadata.get("format") != _FORMAT:
            raise ValueError(f"{path} holds no snapshots that this version of the package can read.")
        film = json.loads(metadata["film"])
        sentences = tuple(
            FilmedSentence(
                source=text["source"],
                target=text["target"],
                source_tokens=tuple(text["source_tokens"]),
                target_tokens=tuple(text["target_tokens"]),
                predicted_tokens=tuple(text["predicted_tokens"]),
                masks={module: tensors[f"{n}.{module}.mask"] for module in ATTENTION_MODULES},
            )
            for n, text in enumerate(film["sentences"])
        )
        snapshots = [
            Snapshot(
                snapshot["step"],
                tuple({m: tensors[f"{n}.{m}.weights"][i] for m in ATTENTION_MODULES} for n in range(len(sentences))),
                snapshot["numbers"],
            )
            for i, snapshot in enumerate(film["snapshots"])
        ]
    except (SafetensorError, KeyError, IndexError, TypeError) as error:
        raise ValueError(f"The snapshots in {path} cannot be read: {error!r}.") from error
    return Film(sentences, snapshots, film["curve"])


def film_sentences(translator: Translator, pairs: Sequence[Pair]) -> tuple[FilmedSentence, ...]:
    """Texts as the sentences of a film; raises a TextError for one that the model cannot read."""
    return tuple(_filmed(source, target, translator.trace(source, target)) for source, target in pairs)


def take_snapshot(
    translator: Translator, sentences: Sequence[FilmedSentence], step: int, numbers: dict[str, float]
) -> Snapshot:
    """What the heads of a model attend to now: one recorded pass over each sentence and its target."""
    passes = (translator.trace(sentence.source, sentence.target) for sentence in sentences)
    return Snapshot(step, tuple(_maps_of(trace) for trace in passes), numbers)


class Camera:
    """Takes the snapshots of a run and draws its curve. Called after every step, as `on_step` of `Trainer.run`.

    Args:
        trainer: at the step from which the film continues.
        film: so far; whatever lies after the trainer's step is dropped.
        tokenizers: of the source and of the target.
        steps: where to take a snapshot.
        measure: what to measure at each of them, with the averaged weights.
        on_snapshot: called with each new one.
    """

    def __init__(
        self,
        trainer: Trainer,
        film: Film,
        tokenizers: tuple[Tokenizer, Tokenizer],
        steps: Collection[int],
        measure: Callable[[Translator], dict[str, float]],
        on_snapshot: Callable[[Snapshot], None] = lambda snapshot: None,
    ) -> None:
        self.trainer, self.film, self.tokenizers = trainer, film, tokenizers
        self.steps, self.measure, self.on_snapshot = frozenset(steps), measure, on_snapshot
        self._every = max(1, trainer.options.steps // CURVE_POINTS)
        self._losses: list[float] = []
        film.cut_after(trainer.step)
        if trainer.step == 0 in self.steps and not film.snapshots:
            self.take(0)

    def __call__(self, report: Report) -> None:
        self._losses.append(report.loss)
        if report.step % self._every == 0 or report.step == self.trainer.options.steps:
            self.end_curve()
        if report.step in self.steps:
            self.take(report.step)

    def end_curve(self) -> None:
        """Completes the curve up to the present step, before the run is saved or stopped."""
        if self._losses:
            step = self.trainer.step
            loss = sum(self._losses) / len(self._losses)
            rate = self.trainer.options.learning_rate_at(step)
            self.film.curve.append({"step": step, "loss": round(loss, 5), "learning_rate": rate})
            self._losses.clear()

    def take(self, step: int) -> None:
        """Takes a snapshot of the averaged weights, as of `step`."""
        translator = Translator(self.trainer.averaged_model(), *self.tokenizers, {})
        snapshot = take_snapshot(translator, self.film.sentences, step, self.measure(translator))
        self.film.snapshots.append(snapshot)
        self.on_snapshot(snapshot)


def _filmed(source: str, target: str, trace: Trace) -> FilmedSentence:
    masks = {module: _open_cells(trace, module) for module in ATTENTION_MODULES}
    return FilmedSentence(source, target, trace.source_tokens, trace.target_tokens, trace.predicted_tokens, masks)


def _open_cells(trace: Trace, module: AttentionModule) -> NDArray[np.bool_]:
    """(T, S) the cells that the mask allows, and those that get weight in spite of it, as under a slip."""
    record = trace.attention(module, 0)
    open_cells: NDArray[np.bool_] = record.mask | (record.weights > 0).any(axis=0)
    return open_cells


def _maps_of(trace: Trace) -> Maps:
    return {
        module: to_codes(
            np.stack([trace.attention(module, layer).weights for layer in range(n_layers(trace.config, module))])
        )
        for module in ATTENTION_MODULES
    }
