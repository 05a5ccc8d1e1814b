"""Small runs that a person trains, and breaks, in the app: their settings, their data, and what is measured."""

from __future__ import annotations

import shlex
from dataclasses import asdict, dataclass, fields
from typing import Any, get_args

import torch

from viz_transformer.config import PositionKind, Sublayers, TransformerConfig
from viz_transformer.decoding.search import greedy_batch
from viz_transformer.hooks import Hook
from viz_transformer.interventions import hooks_of
from viz_transformer.model import Transformer
from viz_transformer.training.corpus import Batch, Pair, TaskBatches, make_batch
from viz_transformer.training.evaluation import exact_match, teacher_forced
from viz_transformer.training.loop import Trainer, TrainingOptions
from viz_transformer.training.slips import CHANGES, TRAINERS, Slip
from viz_transformer.training.tasks import MAX_DIGITS, TASKS, UNSEEN_SEED, Task
from viz_transformer.translator import Translator

MAX_LEN = MAX_DIGITS + 1  # and the end token
SHORTEST_HELD_OUT = 4  # digits; shorter sequences are so few that training needs them all
HELD_OUT, QUICK = 500, 100  # sequences measured at the end, and at each snapshot on the way
FILM_SOURCE = "3 1 4 1 5 9 2 6"  # the sequence that the film shows
N_EXAMPLES = 6

RANGES: dict[str, tuple[float, float]] = {
    "n_layers": (1, 3),
    "n_heads": (1, 8),
    "d_model": (16, 128),
    "steps": (20, 3000),
    "batch": (4, 128),
    "learning_rate": (1e-4, 3e-2),
    "warmup": (1, 1000),
    "label_smoothing": (0.0, 0.5),
    "dropout": (0.0, 0.5),
    "seed": (0, 9999),
}
WHOLE = ("n_layers", "n_heads", "d_model", "steps", "batch", "warmup", "seed")


@dataclass(frozen=True)
class RunSettings:
    """Everything that fixes a run. The defaults learn `copy` in some 15 seconds of one CPU core.

    Attributes:
        n_layers: of the encoder, and of the decoder.
        d_model: its feed-forward layers are twice as wide.
        scale_scores, positions, causal, sublayers, residuals: what the model may be trained without; see
            `TransformerConfig`.
        slip: a mistake that is made in every pass of the run; see `hooks`.

    Raises:
        ValueError: a sentence that names the setting, what it was and what is allowed.
    """

    task: str = "copy"
    n_layers: int = 1
    n_heads: int = 4
    d_model: int = 64
    steps: int = 400
    batch: int = 48
    learning_rate: float = 7e-3
    warmup: int = 50
    label_smoothing: float = 0.1
    dropout: float = 0.0
    seed: int = 1
    scale_scores: bool = True
    positions: PositionKind = "sinusoidal"
    causal: bool = True
    sublayers: Sublayers = "both"
    residuals: bool = True
    slip: Slip = "none"

    def __post_init__(self) -> None:
        for name, (low, high) in RANGES.items():
            value = getattr(self, name)
            kind = int if name in WHOLE else int | float
            if isinstance(value, bool) or not isinstance(value, kind) or not low <= value <= high:
                what = "whole number" if name in WHOLE else "number"
                raise ValueError(f"{name} must be a {what} from {low} to {high}; it was {value!r}.")
        for name, allowed in (
            ("task", tuple(TASKS)),
            ("positions", get_args(PositionKind)),
            ("sublayers", get_args(Sublayers)),
            ("slip", get_args(Slip)),
        ):
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} must be one of {', '.join(allowed)}; it was {getattr(self, name)!r}.")
        self.config  # noqa: B018  which checks the rest

    @property
    def config(self) -> TransformerConfig:
        """The config of the model."""
        vocab_size = Task(self.task).tokenizer().vocab_size
        return TransformerConfig(
            source_vocab_size=vocab_size,
            target_vocab_size=vocab_size,
            d_model=self.d_model,
            n_heads=self.n_heads,
            n_encoder_layers=self.n_layers,
            n_decoder_layers=self.n_layers,
            d_ff=2 * self.d_model,
            max_len=MAX_LEN,
            dropout=self.dropout,
            positions=self.positions,
            scale_scores=self.scale_scores,
            causal=self.causal,
            sublayers=self.sublayers,
            residuals=self.residuals,
        )

    @property
    def hooks(self) -> list[Hook]:
        """The hooks that make the slip, to be active in every pass of the run: the model itself knows nothing of it."""
        return hooks_of(CHANGES[self.slip], self.config)

    @property
    def is_for_all_pages(self) -> bool:
        """Whether the other pages can show the model: it has what they explain, and no slip changed its passes."""
        return self.config.has_attention and self.residuals and not CHANGES[self.slip]

    @property
    def options(self) -> TrainingOptions:
        """The options of the training loop; runs are short, and so is the average of the weights."""
        return TrainingOptions(
            steps=self.steps,
            learning_rate=self.learning_rate,
            warmup=self.warmup,
            label_smoothing=self.label_smoothing,
            average=0.98,
            seed=self.seed,
        )

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> RunSettings:
        """The settings that `to_dict` wrote; raises a ValueError for anything else."""
        unknown = sorted(set(values) - {field.name for field in fields(cls)})
        if unknown:
            raise ValueError(f"These are no settings of a run: {', '.join(unknown)}.")
        return cls(**values)

    def command(self, out: str) -> str:
        """The same run on the command line, except that no sequences are held out there, and no slip is made."""
        options = {
            "--task": self.task,
            "--d-model": self.d_model,
            "--heads": self.n_heads,
            "--encoder-layers": self.n_layers,
            "--decoder-layers": self.n_layers,
            "--d-ff": 2 * self.d_model,
            "--max-len": MAX_LEN,
            "--dropout": self.dropout,
            "--positions": self.positions,
            "--sublayers": self.sublayers,
            "--steps": self.steps,
            "--batch": self.batch,
            "--learning-rate": self.learning_rate,
            "--warmup": self.warmup,
            "--label-smoothing": self.label_smoothing,
            "--average": self.options.average,
            "--seed": self.seed,
            "--out": out,
        }
        words = [word for name, value in options.items() for word in (name, f"{value}")]
        words += [] if self.scale_scores else ["--no-scaling"]
        words += [] if self.causal else ["--no-causal-mask"]
        words += [] if self.residuals else ["--no-residuals"]
        return f"python -m viz_transformer train {shlex.join(words)}"


PRESETS: dict[str, dict[str, Any]] = {
    "whole": {},
    "no-scaling": {"scale_scores": False, "n_heads": 1, "d_model": 128, "learning_rate": 4e-3},
    "no-positions": {"positions": "none"},
    "no-mask": {"causal": False, "label_smoothing": 0.0},
    "no-warmup": {"warmup": 1, "learning_rate": 2e-2},
    "one-head": {"n_heads": 1},
    "attention-only": {"sublayers": "attention"},
    "feed-forward-only": {"sublayers": "feed_forward"},
    "no-residuals": {"residuals": False, "n_layers": 2},
    "softmax-axis": {"slip": "softmax-axis"},
    "sqrt-d-model": {"slip": "sqrt-d-model"},
    "polarity": {"slip": "polarity"},
    "diagonal": {"slip": "diagonal"},
    "encoder-mask": {"slip": "encoder-mask"},
    "loss": {"slip": "loss"},
    "pad-loss": {"slip": "pad-loss"},
    "cos-cos": {"slip": "cos-cos"},
}
"""What each lesson changes in the defaults."""


@dataclass(frozen=True)
class HeldOut:
    """Sequences that the run never trains on."""

    pairs: list[Pair]
    quick: list[Pair]
    batch: Batch  # of the quick ones


def held_out(task: Task) -> HeldOut:
    """The held-out sequences of a task: the same for every run, no two alike."""
    drawn = dict.fromkeys(task.pairs(2 * HELD_OUT, seed=UNSEEN_SEED))
    pairs = [pair for pair in drawn if len(pair[0].split()) >= SHORTEST_HELD_OUT][:HELD_OUT]
    encode = task.tokenizer().encode
    quick = pairs[:QUICK]
    batch = make_batch([encode(source).ids for source, _ in quick], [encode(target).ids for _, target in quick])
    return HeldOut(pairs, quick, batch)


def new_trainer(settings: RunSettings) -> tuple[Trainer, HeldOut]:
    """A trainer at step 0, and the sequences that measure it. Seeds torch's global generator.

    The settings' `hooks` must be active while it runs, and while the model that it trains is measured.
    """
    task = Task(settings.task)
    rest = held_out(task)
    batches = TaskBatches(task, settings.batch, settings.seed, [source for source, _ in rest.pairs])
    torch.manual_seed(settings.seed)
    trainer = TRAINERS.get(settings.slip, Trainer)
    return trainer(Transformer(settings.config), batches, settings.options), rest


def measure(translator: Translator, rest: HeldOut) -> dict[str, float]:
    """Held-out loss and token accuracy (teacher forcing) and exact match (generation) on the quick sequences."""
    loss, accuracy = teacher_forced(translator.model, rest.batch)
    return {"valid_loss": loss, "token_accuracy": accuracy, "exact_match": exact_match(translator, rest.quick)}


@dataclass(frozen=True)
class Example:
    """One held-out sequence: the correct output, the tokens predicted from correct prefixes, and what is generated."""

    source: str
    right: str
    teacher_forced: str
    generated: str


@torch.inference_mode()
def examples(translator: Translator, rest: HeldOut, count: int = N_EXAMPLES) -> list[Example]:
    """The first held-out sequences, predicted with teacher forcing and generated."""
    batch, model, tokenizer = rest.batch, translator.model, translator.target_tokenizer
    predicted = model(batch.source_ids, batch.target_ids).argmax(dim=-1)[:count].tolist()  # (count, T)
    generated = greedy_batch(model, batch.source_ids[:count])
    return [
        # What is predicted after the end token does not count.
        Example(source, right, " ".join(tokenizer.labels(ids[: len(right.split()) + 1])), tokenizer.decode(written))
        for (source, right), ids, written in zip(rest.quick, predicted, generated, strict=False)
    ]
