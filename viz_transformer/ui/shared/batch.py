"""Sentences that a model reads as one padded batch, and the pass over them, shared by all visitors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from viz_transformer.experiments.masks.padding import BatchPass, PaddedBatch, make_batch, record_batch
from viz_transformer.translator import TextError, Translator
from viz_transformer.ui.shared.byte_cache import kept
from viz_transformer.ui.shared.models import ModelChoice, load_translator
from viz_transformer.ui.shared.scheduler import scheduler
from viz_transformer.views.text import _

EXAMPLE_BATCHES = {  # of different lengths, so that padding occurs
    "digits": ("3 1 4 1 5 9 2 6", "2 7 1", "7 7 7 0 7"),
    "zh": ("你好,世界!", "我爱你。", "今天天气很好。"),
    "en": ("The weather is nice today.", "I love you.", "What's your name?"),
    "de": ("Das Wetter ist heute schön.", "Ich liebe dich.", "Wie heißt du?"),
    "fr": ("Il fait beau aujourd'hui.", "Je t'aime.", "Comment t'appelles-tu ?"),
    "es": ("Hoy hace buen tiempo.", "Te quiero.", "¿Cómo te llamas?"),
}


def example_batch(card: Mapping[str, Any]) -> tuple[str, ...]:
    """Sentences to start from, for a model with this card; empty texts where it does not say what it reads."""
    if card.get("task"):
        return EXAMPLE_BATCHES["digits"]
    language = card.get("source_language")
    return EXAMPLE_BATCHES.get(str(language), EXAMPLE_BATCHES["en"]) if language else ("", "", "")


def sentences_to_read(translator: Translator, sentences: Sequence[str]) -> tuple[str, ...]:
    """The sentences of the batch; raises a TextError that names the sentence that cannot be read."""
    names = (_("first source"), _("second source"), _("third source"))
    read = [(name, text) for name, text in zip(names, sentences, strict=True) if text.strip() or name != names[2]]
    for name, text in read:
        try:
            translator.encode_source(text)
        except TextError as error:
            raise TextError(error.template, **{**error.values, "side": name}) from error
    return tuple(text for _name, text in read)


@kept()
def batch_of(model: ModelChoice, sentences: tuple[str, ...]) -> tuple[PaddedBatch, BatchPass]:
    """The padded batch with the model's own greedy outputs as targets, and the pass recorded over it."""
    translator = load_translator(model.name, model.device)
    with scheduler.short():
        batch = make_batch(translator, sentences)
        return batch, record_batch(translator.model, batch.source_ids, batch.target_ids, label_ids=batch.label_ids)
