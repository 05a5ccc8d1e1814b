"""How good a model is: exact match on the toy tasks, BLEU and chrF on sentence pairs, loss and token accuracy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NamedTuple

import torch

from viz_transformer.decoding.search import greedy_batch
from viz_transformer.model import Transformer
from viz_transformer.optional import needed
from viz_transformer.training.corpus import Batch, Pair, pad
from viz_transformer.training.loop import mean_loss
from viz_transformer.translator import Translator

LENGTH_BUCKETS = ((1, 5), (6, 10), (11, 15), (16, 10_000))  # words of the reference


@dataclass(frozen=True)
class TranslationScore:
    """Corpus scores of sacrebleu with their signatures, over `count` sentences."""

    count: int
    bleu: float
    chrf: float
    bleu_signature: str
    chrf_signature: str


class TeacherForced(NamedTuple):
    """What a model predicts while it reads the correct target.

    Attributes:
        loss: mean cross-entropy without smoothing, nats per token.
        token_accuracy: the share of tokens, the end token among them, to which it gives the largest probability.
    """

    loss: float
    token_accuracy: float


@torch.inference_mode()
def teacher_forced(model: Transformer, batch: Batch) -> TeacherForced:
    """Measures one batch in one pass over it."""
    batch = batch.to(model.device)
    logits = model(batch.source_ids, batch.target_ids)  # (B, T, V)
    pad_id = model.config.pad_id
    is_real = batch.label_ids != pad_id
    right = (logits.argmax(dim=-1) == batch.label_ids)[is_real]
    return TeacherForced(mean_loss(logits, batch.label_ids, pad_id=pad_id).item(), right.float().mean().item())


def exact_match(translator: Translator, pairs: Sequence[Pair], batch_size: int = 250) -> float:
    """The share of `pairs` (source, target) that greedy decoding gets right in every token."""
    encode, config = translator.source_tokenizer.encode, translator.model.config
    right = 0
    for start in range(0, len(pairs), batch_size):
        rows = pairs[start : start + batch_size]
        sources = pad([[*encode(source).ids, config.end_id] for source, _ in rows], config.pad_id)
        outputs = greedy_batch(translator.model, sources.to(translator.model.device))
        right += sum(
            translator.target_tokenizer.decode(output) == target
            for output, (_, target) in zip(outputs, rows, strict=True)
        )
    return right / len(pairs)


def sacrebleu_metrics() -> ModuleType:
    """The module `sacrebleu.metrics`; raises a MissingPackageError where it is not installed."""
    return needed("sacrebleu.metrics", "Computing BLEU and chrF", "evaluate")


def translation_score(outputs: Sequence[str], references: Sequence[str]) -> TranslationScore:
    """BLEU (tokenised by 13a) and chrF, detokenised, cased, one reference, by sacrebleu (Post 2018)."""
    metrics = sacrebleu_metrics()
    bleu, chrf = metrics.BLEU(), metrics.CHRF()
    return TranslationScore(
        len(outputs),
        bleu.corpus_score(list(outputs), [list(references)]).score,
        chrf.corpus_score(list(outputs), [list(references)]).score,
        str(bleu.get_signature()),
        str(chrf.get_signature()),
    )


def translate_all(translator: Translator, sources: Iterable[str], **options: Any) -> list[str]:
    """The translation of each source; to show progress, wrap `sources` in a progress bar."""
    return [translator.translate(source, **options) for source in sources]


def scores_by_length(outputs: Sequence[str], pairs: Sequence[Pair]) -> list[tuple[str, TranslationScore]]:
    """A score for all sentences, then one for each bucket of reference length in words."""
    rows = [("all", list(range(len(pairs))))]
    for low, high in LENGTH_BUCKETS:
        chosen = [i for i, (_, reference) in enumerate(pairs) if low <= len(reference.split()) <= high]
        rows.append((f"{low}-{high}" if high < 10_000 else f"{low}+", chosen))
    return [
        (name, translation_score([outputs[i] for i in chosen], [pairs[i][1] for i in chosen]))
        for name, chosen in rows
        if chosen
    ]
