"""The command `evaluate`: how well a model does on held-out data, and what its heads do there."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from gettext import gettext as _
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from viz_transformer.analysis.catalogue import make_catalogue, write_catalogue
from viz_transformer.analysis.reports import aligned, print_catalogue, report_alignment
from viz_transformer.analysis.scores import read_alignments
from viz_transformer.checkpoint import CARD
from viz_transformer.sentences import SentenceError
from viz_transformer.training.corpus import TaskBatches, read_pairs
from viz_transformer.training.evaluation import exact_match, sacrebleu_metrics, scores_by_length, translate_all
from viz_transformer.training.tasks import TASKS, UNSEEN_SEED, Task
from viz_transformer.translator import OPENS_WITH, Translator, load, model_folder


def add_evaluate(parser: argparse.ArgumentParser) -> None:
    """The options of `evaluate`."""
    parser.set_defaults(command=evaluate)
    parser.add_argument("model", help=_("a shipped model's name or a folder"))
    parser.add_argument("--data", type=Path, help=_("TSV of sentence pairs; a toy task makes its own"))
    parser.add_argument(
        "--beam", type=int, default=4, help=_("beam size, measured alongside greedy search (default 4)")
    )
    parser.add_argument("--length-penalty", type=float, default=0.6, help=_("GNMT's α (default 0.6)"))
    parser.add_argument("--alignment", type=Path, help=_("JSONL of word alignments to measure the heads against"))
    parser.add_argument("--heads", action="store_true", help=_("measure what every head does: writes heads.json"))
    parser.add_argument("--attribution", help=_("where the sentences of --data come from, for heads.json"))
    parser.add_argument(
        "--count", type=int, help=_("sequences of a toy task (default 2000), sentences for --heads (200)")
    )
    parser.add_argument(
        "--seed", type=int, default=UNSEEN_SEED, help=_("seed of a toy task's sequences and of the sample for --heads")
    )
    parser.add_argument("--device", default="auto")
    parser.add_argument("--update-card", action="store_true", help=_("write the scores into the model's card"))


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
        pairs = task.unseen_pairs(drawn_in_training(translator.card), count, options.seed)
        share = exact_match(translator, pairs)
        print(
            _(
                "{task}: {share:.2%} exact match, greedy, {count} sequences that training did not draw (seed {seed})"
            ).format(task=task.name, share=share, count=len(pairs), seed=options.seed)
        )
        scores = {"exact_match": share, "count": len(pairs), "seed": options.seed}
    else:
        if options.data is None:
            raise SentenceError("A translation model is measured on pairs: give them with --data.")
        sacrebleu_metrics()  # if it is missing, fail now, not after everything is translated
        pairs = read_pairs(options.data)
        scores = {"data": options.data.name}
        searches = (
            ("greedy", _("greedy"), 1),
            (f"beam {options.beam}", _("beam {k}").format(k=options.beam), options.beam),
        )
        for name, title, beam_size in searches:
            sources = tqdm([source for source, _target in pairs], desc=title, disable=None)
            outputs = translate_all(translator, sources, beam_size=beam_size, length_penalty=options.length_penalty)
            print(aligned(title, 18), *(aligned(heading, -6) for heading in (_("words"), _("pairs"), "BLEU", "chrF")))
            rows = scores_by_length(outputs, pairs)
            for words, score in rows:
                length = aligned(_("all") if words == "all" else words, -6)
                print(f"{'':18} {length} {score.count:>6} {score.bleu:6.2f} {score.chrf:6.2f}")
            print(f"{rows[0][1].bleu_signature}\n{rows[0][1].chrf_signature}")
            scores[name] = {words: asdict(score) for words, score in rows}
        scores["length_penalty"] = options.length_penalty
    if options.update_card:
        path = model_folder(options.model) / CARD
        card = json.loads(path.read_text(encoding="utf-8"))
        if options.alignment:
            # What the pages say of a row is about the token that it writes, not about the one that it has read.
            accuracy = np.array(scores["alignment_accuracy"]["predicts"]["heads"])
            card[OPENS_WITH] = [int(i) for i in np.unravel_index(accuracy.argmax(), accuracy.shape)]
        card.setdefault("scores", {})[scores.get("data", "held-out")] = scores
        path.write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _write_heads(translator: Translator, options: argparse.Namespace) -> None:
    """Measures every head over held-out sentences and writes `heads.json` into the model's folder."""
    count = options.count or 200
    about = {"seed": options.seed, "target": "the model's own output, greedy"}
    if translator.card.get("task"):
        pairs = Task(translator.card["task"]).unseen_pairs(drawn_in_training(translator.card), count, options.seed)
        sources = [source for source, _ in pairs]
        about["data"] = f"random sequences of {translator.card['task']!r} that training did not draw"
    else:
        if options.data is None:
            raise SentenceError("The heads of a translation model are measured on sentences: give them with --data.")
        rows = read_pairs(options.data)
        chosen = np.random.default_rng(options.seed).permutation(len(rows))[:count]
        sources = [rows[i][0] for i in sorted(chosen)]
        about["data"] = options.data.name
    if options.attribution:
        about["attribution"] = options.attribution
    alignments = read_alignments(options.alignment) if options.alignment else []
    if alignments:
        about["alignment"] = options.alignment.name
    bar = tqdm(sources, desc=_("heads"), unit=_("sentence"), disable=None)
    catalogue = make_catalogue(translator, bar, {**about, "count": len(sources)}, alignments)
    print_catalogue(catalogue)
    print(_("wrote {path}").format(path=write_catalogue(model_folder(options.model), catalogue)))


def drawn_in_training(card: dict[str, Any]) -> set[str]:
    """Every source that the training of a toy task drew, by the settings in the model's card.

    Raises:
        ValueError: the card does not hold them.
    """
    match card.get("settings"):
        case {"task": str(task), "batch": int(batch), "seed": int(seed), "steps": int(steps)} if task in TASKS:
            return TaskBatches(Task(task), batch, seed).sources(steps)
    raise SentenceError(
        "The model's card lacks the settings that it was trained with (task, batch, seed and steps), so there is "
        "no telling what it has not seen. Train it again with its command: `train` writes them."
    )
