"""What the Masks page lets a person choose, all of it in the link, and the passes behind it, shared by visitors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz_transformer.experiments.masks.causality import Edit, dependence, edit_target
from viz_transformer.experiments.masks.masked_softmax import output_with_blank_row
from viz_transformer.experiments.masks.padding import (
    BatchPass,
    Floats,
    PaddedBatch,
    PaddingLeak,
    make_batch,
    padding_leak,
    record_batch,
)
from viz_transformer.heads import ATTENTION_MODULES, AttentionModule, n_layers
from viz_transformer.interventions import ChangeMask
from viz_transformer.translator import TextError, Translator
from viz_transformer.ui.shared.choices import linked_choice, linked_number, module_names
from viz_transformer.ui.shared.kept import kept
from viz_transformer.ui.shared.models import ModelChoice, compute_slots, load_translator
from viz_transformer.ui.shared.text import _

_DEFAULTS = {  # of different lengths, so that padding occurs
    "digits": ("3 1 4 1 5 9 2 6", "2 7 1", "7 7 7 0 7"),
    "zh": ("你好,世界!", "我爱你。", "今天天气很好。"),
    "en": ("The weather is nice today.", "I love you.", "What's your name?"),
}
_KEYS = ("s1", "s2", "s3")


def choose_sentences(model: ModelChoice) -> tuple[str, ...]:
    """Two or three typed sentences (in the link as `s1`, `s2`, `s3`); the third may be left empty."""
    card = load_translator(model.name, model.device).card
    kind = "digits" if card.get("task") else str(card.get("source_language"))
    defaults = _DEFAULTS.get(kind, ("", "", ""))
    shipped = {text for texts in _DEFAULTS.values() for text in texts}
    typed = [st.session_state.get(key) for key in _KEYS]
    if all(text in shipped for text in typed) and tuple(typed) != defaults and set(typed) - set(defaults):
        for key, default in zip(_KEYS, defaults, strict=True):  # another model brings its own examples
            st.session_state[key] = default
    labels = (_("First sentence"), _("Second sentence"), _("Third sentence (optional)"))
    columns = st.columns(3)
    return tuple(
        column.text_input(label, value=default, key=key, bind="query-params") or ""
        for column, label, default, key in zip(columns, labels, defaults, _KEYS, strict=True)
    )


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
    with compute_slots:
        batch = make_batch(translator, sentences)
        return batch, record_batch(translator.model, batch.source_ids, batch.target_ids)


@kept()
def pass_without_encoder_mask(model: ModelChoice, sentences: tuple[str, ...]) -> BatchPass:
    """The pass over the same batch with no padding mask in encoder self-attention."""
    batch, _recorded = batch_of(model, sentences)
    change = ChangeMask("off", frozenset({"encoder_self"}))
    network = load_translator(model.name, model.device).model
    with compute_slots:
        return record_batch(network, batch.source_ids, batch.target_ids, [change])


@kept()
def leak_of(model: ModelChoice, sentences: tuple[str, ...], sentence: int) -> PaddingLeak:
    """What padding does to one sentence of the batch, with and without the encoder's mask."""
    batch, _recorded = batch_of(model, sentences)
    network = load_translator(model.name, model.device).model
    with compute_slots:
        return padding_leak(network, batch, sentence)


@kept()
def edits_of(
    model: ModelChoice, source: tuple[int, ...], target: tuple[int, ...], place: int, replacement: int
) -> tuple[Edit, Edit]:
    """One edit of the target under the causal mask, and without it."""
    network = load_translator(model.name, model.device).model
    with compute_slots:
        on, off = (edit_target(network, source, target, place, replacement, causal=causal) for causal in (True, False))
        return on, off


@kept()
def dependences_of(
    model: ModelChoice, source: tuple[int, ...], target: tuple[int, ...], replacements: tuple[int, ...]
) -> tuple[Floats, Floats]:
    """Every edit in turn, under the causal mask and without it: each (T, T)."""
    network = load_translator(model.name, model.device).model
    with compute_slots:
        on, off = (dependence(network, source, target, replacements, causal=causal) for causal in (True, False))
        return on, off


@kept()
def blank_row_of(
    model: ModelChoice, source: tuple[int, ...], target: tuple[int, ...], query: int, fill: float
) -> Floats:
    """The output (T, V) where one source token may attend to nothing in the first encoder layer."""
    network = load_translator(model.name, model.device).model
    with compute_slots:
        return output_with_blank_row(network, source, target, query, fill)


def ids_of(batch: PaddedBatch, sentence: int) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Source, target and label ids of one sentence, without its padding."""
    n_source, n_target = batch.source_lengths[sentence], batch.target_lengths[sentence]
    rows: list[tuple[Any, int]] = [
        (batch.source_ids, n_source),
        (batch.target_ids, n_target),
        (batch.label_ids, n_target),
    ]
    source, target, labels = (tuple(ids[sentence, :length].tolist()) for ids, length in rows)
    return source, target, labels


@dataclass(frozen=True, eq=False)
class Lesson:
    """What every lesson of the page is given: the batch, its recorded pass, and one sentence of it, from 0."""

    model: ModelChoice
    translator: Translator
    sentences: tuple[str, ...]
    batch: PaddedBatch
    recorded: BatchPass
    sentence: int


def choose_head(lesson: Lesson, module: AttentionModule, places: Sequence[DeltaGenerator]) -> tuple[int, int]:
    """Layer and head of `module`, from 0 (in the link from 1, as `layer`, `head`), in two `places`."""
    config = lesson.translator.model.config
    left, right = places
    with left:
        layer = linked_number(_("Layer"), "layer", n_layers(config, module))
    with right:
        head = linked_number(_("Head"), "head", config.n_heads)
    return layer, head


def choose_module() -> AttentionModule:
    """One of the three attention modules (in the link as `module`)."""
    chosen = linked_choice(_("Attention module"), "module", module_names(), "decoder_self")
    return next(module for module in ATTENTION_MODULES if module == chosen)
