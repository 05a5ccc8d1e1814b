"""The command line: train a model, measure one, translate with one."""

from __future__ import annotations

import argparse
import json
import platform
import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tqdm import tqdm

from viz_transformer.checkpoint import CARD, save_checkpoint
from viz_transformer.config import TransformerConfig
from viz_transformer.corpus import Batch, CorpusBatches, Pair, TaskBatches, make_batch, read_pairs, refuse_overlap
from viz_transformer.devices import pick_device
from viz_transformer.evaluation import exact_match, scores_by_length, teacher_forced, translate_all
from viz_transformer.head_catalogue import make_catalogue, write_catalogue
from viz_transformer.head_reports import print_catalogue, report_alignment
from viz_transformer.head_scores import OPENS_WITH, read_alignments
from viz_transformer.model import Transformer
from viz_transformer.snapshots import Camera, Film, read_film, snapshot_steps, watch
from viz_transformer.tasks import TASKS, Task
from viz_transformer.tokenizers import Tokenizer, train_tokenizer
from viz_transformer.training import Report, Trainer, TrainingOptions, token_loss
from viz_transformer.translator import Translator, load, model_folder

UNSEEN_SEED = 999_983
TASK_BATCH = 64  # pairs, where --batch does not say
SAVE_EVERY = 500  # steps between saved states and validation losses
WATCHED = ("3 1 4 1 5 9 2 6", "7 7 7 0 7")  # what the snapshots of a toy task read


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; a wrong option or file ends with one sentence on standard error and exit code 2."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    parser = _parser()
    options, rest = parser.parse_known_args(arguments)
    if rest and not (hasattr(options, "texts") and not any(text.startswith("-") for text in rest)):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if rest:
        options.texts += rest  # argparse loses texts that come after an option
    try:
        options.command(options, arguments)
    except (ValueError, OSError) as error:
        print(f"viz_transformer: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="viz_transformer", description=__doc__)
    commands = parser.add_subparsers(required=True)
    _add_train(commands.add_parser("train", help="train a model on a toy task or on a TSV of sentence pairs"))
    _add_evaluate(commands.add_parser("evaluate", help="measure a model: exact match, or BLEU and chrF"))
    _add_translate(commands.add_parser("translate", help="translate texts given as arguments or on standard input"))
    return parser


def _add_train(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=train)
    data = parser.add_argument_group("data")
    kind = data.add_mutually_exclusive_group(required=True)
    kind.add_argument("--task", choices=sorted(TASKS))
    kind.add_argument("--data", type=Path, help="TSV: source, tab, target, a pair a line")
    data.add_argument("--extra", type=Path, help="a second TSV, such as a phrasebook")
    data.add_argument("--extra-repeat", type=int, default=5, help="how often an epoch holds it (default 5)")
    data.add_argument("--valid", type=Path, help="held-out TSV: its loss is reported while training")
    data.add_argument("--test", type=Path, help="held-out TSV: only checked not to be trained on")
    data.add_argument("--source-language", default="zh", help='"zh" needs jieba to train its tokenizer')
    data.add_argument("--target-language", default="en")
    data.add_argument("--source-vocab", type=int, default=6000)
    data.add_argument("--target-vocab", type=int, default=4000)
    data.add_argument("--drop-punctuation", type=float, default=0.15)
    data.add_argument("--batch", type=int, help="tokens a batch (pairs a batch for a task)")
    model = parser.add_argument_group("model")
    model.add_argument("--d-model", type=int, default=64)
    model.add_argument("--heads", type=int, default=4)
    model.add_argument("--encoder-layers", type=int, default=2)
    model.add_argument("--decoder-layers", type=int, default=2)
    model.add_argument("--d-ff", type=int, default=256)
    model.add_argument("--max-len", type=int, default=128)
    model.add_argument("--dropout", type=float, default=0.1)
    model.add_argument("--attention-dropout", type=float, default=0.0)
    model.add_argument("--norm-first", action="store_true", help="pre-norm instead of the paper's post-norm")
    model.add_argument("--positions", default="sinusoidal", choices=["sinusoidal", "learned", "none"])
    model.add_argument("--no-scaling", action="store_true", help="train with softmax(QKᵀ), not divided by √d_k")
    model.add_argument("--no-causal-mask", action="store_true", help="train a decoder that sees what comes next")
    model.add_argument("--sublayers", default="both", choices=["both", "attention", "feed_forward"])
    training = parser.add_argument_group("training")
    defaults = TrainingOptions()
    training.add_argument("--steps", type=int, default=defaults.steps)
    training.add_argument("--learning-rate", type=float, default=defaults.learning_rate, help="the peak")
    training.add_argument("--warmup", type=int, default=defaults.warmup)
    training.add_argument("--cooldown", type=float, default=defaults.cooldown)
    training.add_argument("--label-smoothing", type=float, default=defaults.label_smoothing)
    training.add_argument("--clip", type=float, default=defaults.clip)
    training.add_argument("--average", type=float, default=defaults.average)
    training.add_argument("--seed", type=int, default=defaults.seed)
    training.add_argument("--device", default="auto")
    training.add_argument("--threads", type=int, help="CPU threads")
    output = parser.add_argument_group("output")
    output.add_argument("--out", type=Path, required=True, help="folder of the finished model")
    output.add_argument("--attribution", help="whose data these are, for the model card")
    output.add_argument("--snapshots", type=int, default=0, help="how often to record fixed sentences' attention")
    output.add_argument("--snapshot-pairs", type=Path, help="TSV of those sentences (default: two held-out ones)")
    output.add_argument("--run", type=Path, help="folder of the run's state (default: runs/<name of --out>)")
    output.add_argument("--resume", action="store_true", help="go on from the run's state")


def _add_evaluate(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=evaluate)
    parser.add_argument("model", help="a shipped model's name or a folder")
    parser.add_argument("--data", type=Path, help="TSV of sentence pairs; a toy task makes its own")
    parser.add_argument("--beam", type=int, default=4, help="beam size, measured beside greedy (default 4)")
    parser.add_argument("--length-penalty", type=float, default=0.6, help="GNMT's α (default 0.6)")
    parser.add_argument("--alignment", type=Path, help="JSONL of word alignments: measures the heads against it")
    parser.add_argument("--heads", action="store_true", help="measure what every head does: writes heads.json")
    parser.add_argument("--attribution", help="whose sentences --data holds, for heads.json")
    parser.add_argument("--count", type=int, help="sequences of a toy task (default 2000), sentences for --heads (200)")
    parser.add_argument("--seed", type=int, default=UNSEEN_SEED, help="of a toy task's sequences, of --heads's sample")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--update-card", action="store_true", help="write the scores into the model's card")


def _add_translate(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=translate)
    parser.add_argument("model", help="a shipped model's name or a folder")
    parser.add_argument("texts", nargs="*", help="read from standard input, one a line, if there are none")
    parser.add_argument("--beam", type=int, default=1, help="beam size (default 1: greedy)")
    parser.add_argument("--length-penalty", type=float, default=0.6, help="GNMT's α (default 0.6)")
    parser.add_argument("--device", default="auto")


def train(options: argparse.Namespace, arguments: Sequence[str]) -> None:
    """Trains, with a progress bar; saves its state as it goes and the averaged model at the end."""
    if options.threads:
        torch.set_num_threads(options.threads)
    device = pick_device(options.device)
    source, target, batches, valid = _task_data(options) if options.task else _corpus_data(options)
    config = TransformerConfig(
        source_vocab_size=source.vocab_size,
        target_vocab_size=target.vocab_size,
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
    )
    names = TrainingOptions.__dataclass_fields__
    training = TrainingOptions(**{name: getattr(options, name) for name in names})
    torch.manual_seed(training.seed)
    trainer = Trainer(Transformer(config).to(device), batches, training)
    run = options.run or Path("runs") / options.out.name
    curve_path = run / "curve.json"
    curve: list[dict[str, Any]] = []
    if options.resume:
        trainer.resume(run)
        curve = [point for point in json.loads(curve_path.read_text()) if point["step"] <= trainer.step]

    camera = _camera(options, trainer, (source, target), valid, run)
    reports: list[Report] = []
    with tqdm(total=training.steps, initial=trainer.step, unit="step", disable=None) as bar:

        def show(report: Report) -> None:
            reports.append(report)
            if camera:
                camera(report)
            bar.update()
            bar.set_postfix(loss=f"{report.loss:.3f}", rate=f"{report.learning_rate:.1e}", refresh=False)

        while trainer.step < training.steps:
            reports.clear()
            trainer.run(trainer.step + SAVE_EVERY, show)
            with torch.no_grad():
                valid_loss = token_loss(trainer.averaged_model(), valid.to(device)).item()
            curve.append(
                {
                    "step": trainer.step,
                    "loss": round(sum(report.loss for report in reports) / len(reports), 4),
                    "valid_loss": round(valid_loss, 4),
                    "seconds": round(trainer.seconds, 1),
                }
            )
            trainer.save(run)
            if camera:
                camera.end_curve()
                camera.film.save(run)
            curve_path.write_text(json.dumps(curve) + "\n")
            tqdm.write(f"step {trainer.step}: loss {curve[-1]['loss']:.3f}, held-out loss {valid_loss:.3f}")

    card = {
        "name": options.out.name,
        "attribution": options.attribution,
        "task": options.task,
        "source_language": None if options.task else options.source_language,
        "target_language": None if options.task else options.target_language,
        "command": f"python -m viz_transformer {shlex.join(a for a in arguments if a != '--resume')}",
        "seed": training.seed,
        "seconds": round(trainer.seconds),
        "date": date.today().isoformat(),
        "device": str(device),
        "versions": {"python": platform.python_version(), "torch": torch.__version__},
        "parameters": trainer.model.count_parameters(),
        "training": asdict(training),
        "curve": curve,
    }
    save_checkpoint(options.out, trainer.averaged_model().standard_form(), source, target, card)
    if camera:
        camera.film.save(options.out)
    print(f"saved {options.out}")


def _camera(
    options: argparse.Namespace,
    trainer: Trainer,
    tokenizers: tuple[Tokenizer, Tokenizer],
    valid: Batch,
    run: Path,
) -> Camera | None:
    """What records the snapshots of this run, where any are asked for."""
    if not options.snapshots:
        return None
    if not trainer.model.config.has_attention:
        raise ValueError("A model without attention has no heads to take snapshots of: leave --snapshots out.")
    unseen: list[Pair] = []
    if options.snapshot_pairs:
        pairs = read_pairs(options.snapshot_pairs)
    elif options.task:
        pairs = [(source, " ".join(TASKS[options.task](source.replace(" ", "")))) for source in WATCHED]
    else:
        pairs = read_pairs(options.valid or options.data)[:2]
    if options.task:
        batches = TaskBatches(Task(options.task), options.batch or TASK_BATCH, options.seed)
        unseen = unseen_pairs(batches.task, sources_of(batches, options.steps), 200, UNSEEN_SEED)

    def measure(translator: Translator) -> dict[str, float]:
        loss, token_accuracy = teacher_forced(translator.model, valid)
        numbers = {"valid_loss": round(loss, 5), "token_accuracy": round(token_accuracy, 5)}
        return numbers | ({"exact_match": exact_match(translator, unseen)} if unseen else {})

    first = Translator(trainer.averaged_model(), *tokenizers, {})
    film = read_film(run) if options.resume else Film(watch(first, pairs))
    return Camera(trainer, film, tokenizers, snapshot_steps(options.steps, options.snapshots), measure)


def _task_data(options: argparse.Namespace) -> tuple:
    task = Task(options.task)
    tokenizer = task.tokenizer()
    held_out = task.pairs(500, seed=options.seed + 1_000_003)  # far from every training seed
    valid = make_batch([tokenizer.encode(s).ids for s, _ in held_out], [tokenizer.encode(t).ids for _, t in held_out])
    return tokenizer, tokenizer, TaskBatches(task, options.batch or TASK_BATCH, options.seed), valid


def _corpus_data(options: argparse.Namespace) -> tuple:
    pairs = read_pairs(options.data)
    if options.extra:
        pairs = pairs + read_pairs(options.extra) * options.extra_repeat
    held_out = {path: read_pairs(path) for path in (options.valid, options.test) if path}
    for path, rows in held_out.items():
        refuse_overlap(pairs, rows, str(path))
    source = train_tokenizer([s for s, _ in pairs], options.source_vocab, options.source_language)
    target = train_tokenizer([t for _, t in pairs], options.target_vocab, options.target_language)
    batches = CorpusBatches(
        pairs, source, target, options.batch or 4096, options.max_len, options.seed, options.drop_punctuation
    )
    print(f"{len(batches.rows)} pairs, {batches.batches_per_epoch} batches an epoch, {batches.skipped} too long")
    rows = held_out.get(options.valid) or pairs[:1000]
    valid = make_batch([source.encode(s).ids for s, _ in rows], [target.encode(t).ids for _, t in rows])
    return source, target, batches, valid


def evaluate(options: argparse.Namespace, arguments: Sequence[str]) -> None:
    """Prints the scores of a model on held-out data."""
    translator = load(options.model, options.device)
    scores: dict[str, Any]
    if options.heads:
        _write_heads(translator, options)
        return
    if options.alignment:
        scores = {"data": options.alignment.name}
        scores |= report_alignment(translator, read_alignments(options.alignment))
    elif translator.card.get("task"):
        task = Task(translator.card["task"])
        count = options.count or 2000
        pairs = unseen_pairs(task, drawn_in_training(translator.card), count, options.seed)
        share = exact_match(translator, pairs)
        print(
            f"{task.name}: {share:.2%} exact match, greedy, {len(pairs)} sequences that training did not draw "
            f"(seed {options.seed})"
        )
        scores = {"exact_match": share, "count": len(pairs), "seed": options.seed}
    else:
        if options.data is None:
            raise ValueError("A translation model is measured on pairs: give them with --data.")
        pairs = read_pairs(options.data)
        scores = {"data": options.data.name}
        for name, beam_size in (("greedy", 1), (f"beam {options.beam}", options.beam)):
            sources = tqdm([source for source, _ in pairs], desc=name, disable=None)
            outputs = translate_all(translator, sources, beam_size=beam_size, length_penalty=options.length_penalty)
            print(f"{name:8} {'words':>6} {'pairs':>6} {'BLEU':>6} {'chrF':>6}")
            rows = scores_by_length(outputs, pairs)
            for words, score in rows:
                print(f"{'':8} {words:>6} {score.count:>6} {score.bleu:6.2f} {score.chrf:6.2f}")
            print(f"{rows[0][1].bleu_signature}\n{rows[0][1].chrf_signature}")
            scores[name] = {words: asdict(score) for words, score in rows}
        scores["length_penalty"] = options.length_penalty
    if options.update_card:
        path = model_folder(options.model) / CARD
        card = json.loads(path.read_text(encoding="utf-8"))
        if options.alignment:
            accuracy = np.max([rows["heads"] for rows in scores["alignment_accuracy"].values()], axis=0)
            card[OPENS_WITH] = [int(i) for i in np.unravel_index(accuracy.argmax(), accuracy.shape)]
        card.setdefault("scores", {})[scores.get("data", "held-out")] = scores
        path.write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _write_heads(translator: Translator, options: argparse.Namespace) -> None:
    """Measures every head over held-out sentences and writes `heads.json` into the model's folder."""
    count = options.count or 200
    about = {"seed": options.seed, "target": "the model's own output, greedy"}
    if translator.card.get("task"):
        drawn = drawn_in_training(translator.card)
        sources = [source for source, _ in unseen_pairs(Task(translator.card["task"]), drawn, count, options.seed)]
        about["data"] = f"random sequences of {translator.card['task']!r} that training did not draw"
    else:
        if options.data is None:
            raise ValueError("The heads of a translation model are measured on sentences: give them with --data.")
        rows = read_pairs(options.data)
        chosen = np.random.default_rng(options.seed).permutation(len(rows))[:count]
        sources = [rows[i][0] for i in sorted(chosen)]
        about["data"] = options.data.name
    if options.attribution:
        about["attribution"] = options.attribution
    pairs = read_alignments(options.alignment) if options.alignment else []
    if pairs:
        about["alignment"] = options.alignment.name
    bar = tqdm(sources, desc="heads", unit="sentence", disable=None)
    catalogue = make_catalogue(translator, bar, {**about, "count": len(sources)}, pairs)
    print_catalogue(catalogue)
    print(f"wrote {write_catalogue(model_folder(options.model), catalogue)}")


def drawn_in_training(card: dict[str, Any]) -> set[str]:
    """Every source that the training of a toy task drew, by the command in the model's card."""
    if "command" not in card:
        raise ValueError("The model's card does not say how it was trained, so nobody knows what it has not seen.")
    options = _parser().parse_args(shlex.split(card["command"])[3:])  # after python -m viz_transformer
    return sources_of(TaskBatches(Task(options.task), options.batch or TASK_BATCH, options.seed), options.steps)


def sources_of(batches: TaskBatches, steps: int) -> set[str]:
    """Every source in the first `steps` batches."""
    return {source for step in range(steps) for source, _ in batches.pairs(step)}


def unseen_pairs(task: Task, drawn: set[str], count: int, seed: int) -> list[Pair]:
    """The first `count` random pairs of a toy task whose source is not in `drawn`, no two alike."""
    return [pair for pair in dict.fromkeys(task.pairs(4 * count, seed)) if pair[0] not in drawn][:count]


def translate(options: argparse.Namespace, arguments: Sequence[str]) -> None:
    """Prints one line for each text, and on standard error what the model does not know."""
    translator = load(options.model, options.device)
    for text in options.texts or (line.rstrip("\n") for line in sys.stdin):
        unknown = translator.encode_source(text).unknown
        if unknown:
            print(f"The model does not know: {' '.join(unknown)}", file=sys.stderr)
        print(translator.translate(text, beam_size=options.beam, length_penalty=options.length_penalty))
