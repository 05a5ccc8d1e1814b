"""What the Masks page lets a person choose, all of it in the link, and the passes behind it, shared by visitors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz_transformer.experiments.masks.causality import Edit, dependence, edit_target
from viz_transformer.experiments.masks.masked_softmax import output_of, output_with_blank_row
from viz_transformer.experiments.masks.padding import (
    BatchPass,
    Floats,
    PaddedBatch,
    PaddingLeak,
    padding_leak,
    record_batch,
    widened,
    without_mask,
)
from viz_transformer.heads import AttentionModule, n_layers, stack_config
from viz_transformer.translator import TextError, Translator
from viz_transformer.ui.shared.batch import EXAMPLE_BATCHES, batch_of, example_batch, sentences_to_read
from viz_transformer.ui.shared.byte_cache import Kept, kept
from viz_transformer.ui.shared.choices import linked_number
from viz_transformer.ui.shared.controls import choose_model, texts_before_drawn
from viz_transformer.ui.shared.frame import Frame, close_box
from viz_transformer.ui.shared.link import before_drawn
from viz_transformer.ui.shared.models import ModelChoice, load_translator
from viz_transformer.ui.shared.notes import sentence_of
from viz_transformer.ui.shared.scheduler import in_turn, scheduler
from viz_transformer.views.text import _

_KEYS = ("s1", "s2", "s3")


def choose_batch(frame: Frame) -> tuple[ModelChoice, tuple[str, ...]]:
    """A model and the sentences of the batch, chosen in the box of the first line, which says what they are."""
    before, _texts = texts_before_drawn()
    typed = _sentences_before_drawn(before)
    said = f"{before.name} · {' | '.join(text.strip() for text in typed if text.strip())}"
    with frame.box(said, _why_unreadable(before, typed), asked=(before, typed)):
        model = choose_model()
        chosen = _choose_sentences(model)
        st.button(_("Run"), type="primary", on_click=close_box)
    return model, chosen


def _why_unreadable(model: ModelChoice, typed: Sequence[str]) -> str:
    try:
        sentences_to_read(load_translator(model.name, model.device), typed)
    except TextError as error:
        return sentence_of(error)
    return ""


def _sentences_before_drawn(model: ModelChoice) -> tuple[str, ...]:
    """What `_choose_sentences` will return."""
    defaults = example_batch(load_translator(model.name, model.device).card)
    said = [before_drawn(key) for key in _KEYS]
    if all(text is None for text in said) or _are_of_another_model([text or "" for text in said], defaults):
        return defaults
    return tuple(default if text is None else text for text, default in zip(said, defaults, strict=True))


def _are_of_another_model(typed: Sequence[object], defaults: tuple[str, ...]) -> bool:
    shipped = {text for texts in EXAMPLE_BATCHES.values() for text in texts}
    return all(text in shipped for text in typed) and tuple(typed) != defaults and bool(set(typed) - set(defaults))


def _choose_sentences(model: ModelChoice) -> tuple[str, ...]:
    """Two or three typed sentences (in the link as `s1`, `s2`, `s3`); the third may be left empty."""
    defaults = example_batch(load_translator(model.name, model.device).card)
    typed = [before_drawn(key) for key in _KEYS]
    if _are_of_another_model(typed, defaults):
        for key, default in zip(_KEYS, defaults, strict=True):  # another model brings its own examples
            st.session_state[key] = default
    labels = (_("First sentence"), _("Second sentence"), _("Third sentence (optional)"))
    return tuple(
        st.text_input(label, value=default, key=key, bind="query-params") or ""
        for label, default, key in zip(labels, defaults, _KEYS, strict=True)
    )


@kept()
def encoder_passes(
    model: ModelChoice, sentences: tuple[str, ...], sentence: int, width: int, zeros: bool
) -> tuple[PaddedBatch, BatchPass, BatchPass]:
    """The batch padded to `width` tokens, and two passes over one of its sentences: with the mask of encoder
    self-attention, and without it; see `without_mask`."""
    batch = widened(batch_of(model, sentences)[0], width)
    network, rows = load_translator(model.name, model.device).model, slice(sentence, sentence + 1)
    off = without_mask(batch, sentence, zeros=zeros)
    with scheduler.short():
        on, without = (
            record_batch(network, batch.source_ids[rows], batch.target_ids[rows], changes) for changes in ((), off)
        )
        return batch, on, without


@kept()
def leak_of(model: ModelChoice, sentences: tuple[str, ...], sentence: int, width: int, zeros: bool) -> PaddingLeak:
    """What padding to `width` tokens does to one sentence of the batch, with and without the encoder's mask; see
    `without_mask`."""
    batch = widened(batch_of(model, sentences)[0], width)
    network = load_translator(model.name, model.device).model
    with scheduler.short():
        return padding_leak(network, batch, sentence, zeros=zeros)


@kept()
def edits_of(
    model: ModelChoice,
    source: tuple[int, ...],
    target: tuple[int, ...],
    labels: tuple[int, ...],
    place: int,
    replacement: int,
) -> tuple[Edit, Edit]:
    """One edit of the target under the causal mask, and without it."""
    network = load_translator(model.name, model.device).model
    with scheduler.short():
        on, off = (
            edit_target(network, source, target, place, replacement, labels, causal=causal) for causal in (True, False)
        )
        return on, off


Edited = tuple[ModelChoice, tuple[int, ...], tuple[int, ...], tuple[int, ...]]  # model, source, target, replacements
_DEPENDENCES: Kept[Edited, tuple[Floats, Floats]] = Kept()


def dependences_of(
    model: ModelChoice, source: tuple[int, ...], target: tuple[int, ...], replacements: tuple[int, ...]
) -> tuple[Floats, Floats]:
    """What each edit changes, under the causal mask and without it, each (T, T); computed under a progress bar."""
    key = model, source, target, replacements
    known = _DEPENDENCES.get(key)
    if known:
        return known
    network, said = load_translator(model.name, model.device).model, _("Editing each token …")
    bar, columns = st.progress(0.0, said), []
    count = 2 * len(target)
    job = chain(*(dependence(network, source, target, replacements, causal=causal) for causal in (True, False)))
    for column in in_turn(job, count * len(target), bar):
        columns.append(column)
        bar.progress(len(columns) / count, said)
    bar.empty()
    on, off = (np.stack(half, axis=1) for half in (columns[: len(target)], columns[len(target) :]))
    return _DEPENDENCES.keep(key, (on, off))


@kept()
def blank_row_of(
    model: ModelChoice, source: tuple[int, ...], target: tuple[int, ...], query: int, fill: float
) -> tuple[int, float]:
    """Where one source token may attend to nothing in the first encoder layer: how many rows of the output are NaN, and
    the largest change of a log-probability.
    """
    network = load_translator(model.name, model.device).model
    with scheduler.short():
        output = output_with_blank_row(network, source, target, query, fill)  # (T, V)
        usual = output_of(network, source, target)
        return int(np.isnan(output).any(axis=1).sum()), float(np.abs(output - usual).max())


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
    """What every lesson of the page is given.

    Attributes:
        batch, recorded: the sentences, and the pass over them.
        sentence: one of them, from 0.
        picture, side: where its picture and its controls stand.
    """

    model: ModelChoice
    translator: Translator
    sentences: tuple[str, ...]
    batch: PaddedBatch
    recorded: BatchPass
    sentence: int
    picture: DeltaGenerator
    side: DeltaGenerator


def choose_head(lesson: Lesson, module: AttentionModule) -> tuple[int, int]:
    """Layer and head of `module`, from 0 (in the link from 1, as `layer`, `head`)."""
    config = lesson.translator.model.config
    layer = linked_number(_("Layer"), "layer", n_layers(config, module))
    return layer, linked_number(_("Head"), "head", stack_config(config, module).n_heads)
