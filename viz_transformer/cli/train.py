"""The command `train`: a model for a toy task or for a TSV of sentence pairs."""

from __future__ import annotations

import argparse
import json
import platform
import re
import shlex
from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from gettext import gettext as _
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from tqdm import tqdm

from viz_transformer.checkpoint import SOURCE_TOKENIZER, TARGET_TOKENIZER, save_checkpoint
from viz_transformer.config import TransformerConfig
from viz_transformer.devices import pick_device
from viz_transformer.machine import keep_freed_memory
from viz_transformer.model import Transformer
from viz_transformer.sentences import SentenceError
from viz_transformer.tokenizers import Tokenizer, train_tokenizer
from viz_transformer.training.corpus import (
    Batch,
    CorpusBatches,
    Pair,
    TaskBatches,
    apart_from,
    make_batch,
    read_pairs,
    refuse_overlap,
)
from viz_transformer.training.evaluation import exact_match, teacher_forced
from viz_transformer.training.exchange import LETTERS, Exchange, read_names
from viz_transformer.training.loop import (
    OPTIMIZERS,
    PRECISIONS,
    Batches,
    Report,
    Trainer,
    TrainingOptions,
    token_loss,
)
from viz_transformer.training.snapshots import Camera, Film, film_sentences, read_film, snapshot_steps
from viz_transformer.training.tasks import FILMED_UNSEEN, TASKS, UNSEEN_SEED, Task
from viz_transformer.translator import Translator

TASK_BATCH, CORPUS_BATCH = 64, 4096  # pairs and tokens a batch, where --batch is not given
SAVE_EVERY = 500  # steps between saved states and validation losses
CURVE, COMMANDS = "curve.json", "commands.json"  # in the folder of the run
RESUMED = " --resume"  # ends a command that goes on with what another one began
FILM_SOURCES = ("3 1 4 1 5 9 2 6", "7 7 7 0 7")  # of a toy task's film


def add_train(parser: argparse.ArgumentParser) -> None:
    """The options of `train`."""
    parser.set_defaults(command=train)
    data = parser.add_argument_group(_("data"))
    kind = data.add_mutually_exclusive_group(required=True)
    kind.add_argument("--task", choices=sorted(TASKS))
    kind.add_argument("--data", type=Path, help=_("TSV: source, tab, target; one pair per line"))
    data.add_argument("--extra", type=Path, nargs="+", help=_("further TSVs, such as a phrasebook"))
    data.add_argument(
        "--extra-repeat", type=int, default=5, help=_("how many times an epoch includes them (default 5)")
    )
    data.add_argument(
        "--exchange",
        type=Path,
        help=_("TSV of kind, name, name in the other language: swaps names and numbers for others"),
    )
    data.add_argument(
        "--exchange-share",
        type=float,
        default=0.75,
        help=_("of the pairs with names, the share whose names are replaced"),
    )
    data.add_argument(
        "--exchange-rounds",
        type=int,
        default=1,
        help=_("how many times an epoch includes each pair, each time with other names and numbers"),
    )
    data.add_argument("--valid", type=Path, help=_("held-out TSV: its loss is reported while training"))
    data.add_argument("--test", type=Path, help=_("held-out TSV: only checked for overlap with the training data"))
    data.add_argument("--source-language", default="zh", help=_('"zh" needs jieba to train its tokenizer'))
    data.add_argument("--target-language", default="en")
    data.add_argument("--source-vocab", type=int, default=6000)
    data.add_argument("--target-vocab", type=int, default=4000)
    data.add_argument("--joint-vocab", type=int, help=_("one vocabulary of this size for both languages"))
    data.add_argument("--drop-punctuation", type=float, default=0.15)
    data.add_argument(
        "--lower-case", type=float, default=0.0, help=_("share of the sources that are turned into lower case")
    )
    data.add_argument("--batch", type=int, help=_("tokens per batch (pairs per batch for a toy task)"))
    model = parser.add_argument_group(_("model"))
    model.add_argument("--d-model", type=int, default=64)
    model.add_argument("--heads", type=int, default=4)
    model.add_argument("--encoder-layers", type=int, default=2)
    model.add_argument("--decoder-layers", type=int, default=2)
    model.add_argument("--d-ff", type=int, default=256)
    model.add_argument("--max-len", type=int, default=128)
    model.add_argument("--dropout", type=float, default=0.1)
    model.add_argument("--attention-dropout", type=float, default=0.0)
    model.add_argument("--norm-first", action="store_true", help=_("pre-norm instead of the paper's post-norm"))
    model.add_argument("--positions", default="sinusoidal", choices=["sinusoidal", "learned", "none"])
    model.add_argument("--no-scaling", action="store_true", help=_("train with softmax(QKᵀ), not divided by √d_k"))
    model.add_argument("--no-causal-mask", action="store_true", help=_("train a decoder that sees what comes next"))
    model.add_argument("--no-residuals", action="store_true", help=_("train with Sublayer(x), without adding x"))
    model.add_argument("--sublayers", default="both", choices=["both", "attention", "feed_forward"])
    training = parser.add_argument_group(_("training"))
    defaults = TrainingOptions()
    training.add_argument("--steps", type=int, default=defaults.steps)
    training.add_argument("--learning-rate", type=float, default=defaults.learning_rate, help=_("peak learning rate"))
    training.add_argument("--warmup", type=int, default=defaults.warmup)
    training.add_argument("--cooldown", type=float, default=defaults.cooldown)
    training.add_argument("--label-smoothing", type=float, default=defaults.label_smoothing)
    training.add_argument("--clip", type=float, default=defaults.clip)
    training.add_argument("--average", type=float, default=defaults.average)
    training.add_argument("--optimizer", default=defaults.optimizer, choices=OPTIMIZERS)
    training.add_argument("--precision", default=defaults.precision, choices=PRECISIONS)
    training.add_argument("--seed", type=int, default=defaults.seed)
    training.add_argument("--device", default="auto")
    training.add_argument("--threads", type=int, help=_("CPU threads"))
    output = parser.add_argument_group(_("output"))
    output.add_argument("--out", type=Path, required=True, help=_("folder of the finished model"))
    output.add_argument("--attribution", help=_("where the data come from, for the model card"))
    output.add_argument("--snapshots", type=int, default=0, help=_("how many snapshots the film of the run has"))
    sentences = _("TSV of the film's sentences (default: two of --valid, or else of --data)")
    output.add_argument("--snapshot-pairs", type=Path, help=sentences)
    output.add_argument("--run", type=Path, help=_("folder of the run's state (default: runs/<name of --out>)"))
    output.add_argument(
        "--resume", action="store_true", help=_("resume from the run's saved state; --steps is the new total")
    )


class _Data(NamedTuple):
    """What a model is trained on, and the batch whose loss is reported: of held-out pairs, else of training pairs."""

    source: Tokenizer
    target: Tokenizer
    batches: Batches
    watched: Batch
    is_held_out: bool


def train(options: argparse.Namespace, arguments: Sequence[str]) -> None:
    """Trains, with a progress bar; saves its state as it goes and the averaged model at the end."""
    options.batch = options.batch or (TASK_BATCH if options.task else CORPUS_BATCH)
    keep_freed_memory()
    if options.threads:
        torch.set_num_threads(options.threads)
    device = pick_device(options.device)
    run = options.run or Path("runs") / options.out.name
    data = _task_data(options) if options.task else _corpus_data(options, run)
    training = TrainingOptions(**{name: getattr(options, name) for name in TrainingOptions.__dataclass_fields__})
    torch.manual_seed(training.seed)
    trainer = Trainer(Transformer(_config(options, data)).to(device), data.batches, training)
    curve: list[dict[str, Any]] = []
    commands: list[str] = []
    if options.resume:
        trainer.resume(run)
        if (run / COMMANDS).is_file():  # there is none beside a state that an earlier version saved
            commands = json.loads((run / COMMANDS).read_text())
        curve = [point for point in json.loads((run / CURVE).read_text()) if point["step"] <= trainer.step]

    command = f"python -m viz_transformer {shlex.join(part for part in arguments if part != '--resume')}"
    if not commands or commands[-1].removesuffix(RESUMED) != command:
        commands.append(command + (RESUMED if commands else ""))
    run.mkdir(parents=True, exist_ok=True)
    for path, tokenizer in zip(_kept_tokenizers(run), data[:2], strict=True):
        path.write_text(tokenizer.to_json(), encoding="utf-8")
    (run / COMMANDS).write_text(json.dumps(commands) + "\n")
    camera = _camera(options, trainer, data, run)
    _train_to_the_end(trainer, data, curve, camera, run)
    card = _card(options, " && ".join(commands), trainer) | {"curve": curve}
    save_checkpoint(options.out, trainer.averaged_model().standard_form(), data.source, data.target, card)
    if camera:
        camera.film.save(options.out)
    print(_("saved {folder}").format(folder=options.out))


def _config(options: argparse.Namespace, data: _Data) -> TransformerConfig:
    return TransformerConfig(
        source_vocab_size=data.source.vocab_size,
        target_vocab_size=data.target.vocab_size,
        d_model=options.d_model,
        n_heads=options.heads,
        n_encoder_layers=options.encoder_layers,
        n_decoder_layers=options.decoder_layers,
        d_ff=options.d_ff,
        max_len=options.max_len,
        dropout=options.dropout,
        attention_dropout=options.attention_dropout,
        norm_first=options.norm_first,
        positions=options.positions,
        weight_tying="all" if options.task else "target",
        scale_scores=not options.no_scaling,
        causal=not options.no_causal_mask,
        sublayers=options.sublayers,
        residuals=not options.no_residuals,
    )


def _train_to_the_end(
    trainer: Trainer, data: _Data, curve: list[dict[str, Any]], camera: Camera | None, run: Path
) -> None:
    """Every `SAVE_EVERY` steps, adds a point to `curve`, and saves to the folder `run` what it takes to resume."""
    reports: list[Report] = []
    steps = trainer.options.steps
    with tqdm(total=steps, initial=trainer.step, unit=_("step"), disable=None) as bar:

        def show(report: Report) -> None:
            reports.append(report)
            if camera:
                camera(report)
            bar.update()
            bar.set_postfix(loss=f"{report.loss:.3f}", rate=f"{report.learning_rate:.1e}", refresh=False)

        while trainer.step < steps:
            reports.clear()
            trainer.run(trainer.step + SAVE_EVERY, show)
            with torch.no_grad():
                loss = token_loss(trainer.averaged_model(), data.watched.to(trainer.model.device)).item()
            curve.append(
                {
                    "step": trainer.step,
                    "loss": round(sum(report.loss for report in reports) / len(reports), 4),
                    "valid_loss" if data.is_held_out else "train_loss": round(loss, 4),
                    "seconds": round(trainer.seconds, 1),
                }
            )
            trainer.save(run)
            if camera:
                camera.end_curve()
                camera.film.save(run)
            (run / CURVE).write_text(json.dumps(curve) + "\n")
            name = "held-out loss" if data.is_held_out else "training loss without smoothing and dropout"
            tqdm.write(f"step {trainer.step}: loss {curve[-1]['loss']:.3f}, {name} {loss:.3f}")


def _card(options: argparse.Namespace, command: str, trainer: Trainer) -> dict[str, Any]:
    """How the model was made, for its card."""
    return {
        "name": options.out.name,
        "attribution": options.attribution,
        "task": options.task,
        "source_language": None if options.task else options.source_language,
        "target_language": None if options.task else options.target_language,
        "command": command,
        "settings": settings_of(options),
        "seed": trainer.options.seed,
        "seconds": round(trainer.seconds),
        "date": date.today().isoformat(),
        "device": str(trainer.model.device),
        "versions": {"python": platform.python_version(), "torch": torch.__version__},
        "parameters": trainer.model.count_parameters(),
        "training": asdict(trainer.options),
    }


def settings_of(options: argparse.Namespace) -> dict[str, Any]:
    """The options of the command, defaults included, as data for the card."""
    chosen = {name: value for name, value in vars(options).items() if name not in ("command", "resume")}
    return {name: _as_data(value) for name, value in chosen.items()}


def _as_data(value: Any) -> Any:
    if isinstance(value, list):
        return [_as_data(part) for part in value]
    return value.as_posix() if isinstance(value, Path) else value


def _camera(options: argparse.Namespace, trainer: Trainer, data: _Data, run: Path) -> Camera | None:
    """The camera that takes this run's snapshots, or None where none are asked for."""
    if not options.snapshots:
        return None
    if not trainer.model.config.has_attention:
        raise SentenceError("A model without attention has no heads to take snapshots of: leave --snapshots out.")
    unseen: list[Pair] = []
    if options.snapshot_pairs:
        pairs = read_pairs(options.snapshot_pairs)
    elif options.task:
        pairs = [(source, " ".join(TASKS[options.task](source.replace(" ", "")))) for source in FILM_SOURCES]
    else:
        pairs = read_pairs(options.valid or options.data)[:2]
    if options.task:
        batches = TaskBatches(Task(options.task), options.batch, options.seed)
        unseen = batches.task.unseen_pairs(batches.sources(options.steps), FILMED_UNSEEN, UNSEEN_SEED)

    def measure(translator: Translator) -> dict[str, float]:
        if not data.is_held_out:  # a film names what was held out alone
            return {}
        loss, token_accuracy = teacher_forced(translator.model, data.watched)
        numbers = {"valid_loss": round(loss, 5), "token_accuracy": round(token_accuracy, 5)}
        return numbers | ({"exact_match": exact_match(translator, unseen)} if unseen else {})

    tokenizers = data.source, data.target
    first = Translator(trainer.averaged_model(), *tokenizers, {})
    film = read_film(run) if options.resume else Film(film_sentences(first, pairs))
    return Camera(trainer, film, tokenizers, snapshot_steps(options.steps, options.snapshots), measure)


def _task_data(options: argparse.Namespace) -> _Data:
    task = Task(options.task)
    tokenizer = task.tokenizer()
    held_out = task.pairs(500, seed=options.seed + 1_000_003)  # far from every training seed
    valid = make_batch([tokenizer.encode(s).ids for s, _ in held_out], [tokenizer.encode(t).ids for _, t in held_out])
    return _Data(tokenizer, tokenizer, TaskBatches(task, options.batch, options.seed), valid, True)


def _corpus_data(options: argparse.Namespace, run: Path) -> _Data:
    extra = [pair for path in options.extra or () for pair in read_pairs(path)]
    pairs = read_pairs(options.data) + extra * options.extra_repeat
    held_out = {path: read_pairs(path) for path in (options.valid, options.test) if path}
    for path, rows in held_out.items():
        refuse_overlap(pairs, rows, str(path))
    languages = options.source_language, options.target_language
    source, target = _tokenizers(options, pairs, run)
    if options.exchange:
        exchange = Exchange(read_names(options.exchange), languages, options.seed, options.exchange_share)
        pairs = [exchange(pair) for _round in range(options.exchange_rounds) for pair in pairs]
        pairs = apart_from([row for rows in held_out.values() for row in rows], pairs)
    random = np.random.default_rng([options.seed, 3])
    pairs = [(without_capitals(s) if random.random() < options.lower_case else s, t) for s, t in pairs]
    batches = CorpusBatches(
        pairs, source, target, options.batch, options.max_len, options.seed, options.drop_punctuation
    )
    print(
        _("{pairs} pairs, {batches} batches an epoch, {skipped} too long").format(
            pairs=len(batches.rows), batches=batches.batches_per_epoch, skipped=batches.skipped
        )
    )
    rows = held_out.get(options.valid) or pairs[:1000]
    watched = make_batch([source.encode(s).ids for s, _ in rows], [target.encode(t).ids for _, t in rows])
    return _Data(source, target, batches, watched, options.valid is not None)


def without_capitals(text: str) -> str:
    """As many people type: *i have a plan B*. Letters that stand by themselves are copied, so they stay as they are."""
    return re.sub(r"\b(?![B-HJ-Z]\b)\w+", lambda word: word[0].lower(), text)


def _tokenizers(options: argparse.Namespace, pairs: Sequence[Pair], run: Path) -> tuple[Tokenizer, Tokenizer]:
    """Trained on the pairs; those that the run began with where it is resumed, whatever its pairs are now."""
    kept = _kept_tokenizers(run)
    if options.resume and all(path.is_file() for path in kept):
        source, target = (Tokenizer.from_json(path.read_text(encoding="utf-8")) for path in kept)
        return source, target
    languages = options.source_language, options.target_language
    # The vocabulary is of what people wrote, and of the letters of names: no entry is spent on a name that was made up.
    letters = " ".join(letter * 2 for letter in LETTERS if options.exchange)
    if options.joint_vocab:
        if "zh" in languages:
            raise SentenceError("Chinese has a vocabulary of its own: leave --joint-vocab out.")
        joint = train_tokenizer([letters, *chain.from_iterable(pairs)], options.joint_vocab, "")
        return joint, joint
    source, target = (
        train_tokenizer([letters, *(pair[side] for pair in pairs)], size, languages[side])
        for side, size in enumerate((options.source_vocab, options.target_vocab))
    )
    return source, target


def _kept_tokenizers(run: Path) -> tuple[Path, Path]:
    return run / SOURCE_TOKENIZER, run / TARGET_TOKENIZER
