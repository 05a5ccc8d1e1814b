"""Models and recorded passes, shared by all visitors: loaded once, computed once, read-only."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import streamlit as st

from viz_transformer.checkpoint import CARD, CheckpointError
from viz_transformer.heads import HeadRef
from viz_transformer.interventions import Intervention
from viz_transformer.tokenizers import EncodedText
from viz_transformer.trace import Trace, trace
from viz_transformer.translator import Translator, load, model_folder, shipped_models
from viz_transformer.ui.shared import folder_models
from viz_transformer.ui.shared.byte_cache import kept
from viz_transformer.ui.shared.own_models import PREFIX, own_models
from viz_transformer.ui.shared.scheduler import scheduler
from viz_transformer.ui.shared.verbatim import verbatim
from viz_transformer.views.text import _, sentence


@dataclass(frozen=True)
class ModelChoice:
    """A shipped model, one of the server's folder or of the visitor's own, and where it runs."""

    name: str
    device: str


class ModelDamaged(Exception):
    """A model of this server cannot be read. No ValueError: nothing that a visitor gave is wrong.

    Attributes:
        name: of the model.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def reason(self) -> str:
        """What is wrong with its files, or "": a sentence about what the person who serves the app put there."""
        return sentence(self.__cause__) if isinstance(self.__cause__, CheckpointError) else ""


def load_translator(name: str, device: str) -> Translator:
    """The model, in eval mode; unless it is the visitor's own, all visitors share it.

    Raises:
        KeyError: there is no model of this name; a path is no name.
        ModelDamaged: its files are not what they should be.
    """
    if name.startswith(folder_models.PREFIX):
        return _of_folder(name, device)
    own = own_models().get(name) if name.startswith(PREFIX) else None  # shipped ones need no visitor
    return _shipped(name, device) if own is None else _on_device(own, device)


@kept()
def _shipped(name: str, device: str) -> Translator:
    if name not in shipped_models():
        raise KeyError(name)
    try:
        return load(name, device)
    except (CheckpointError, OSError) as error:
        raise ModelDamaged(name) from error


def _of_folder(name: str, device: str) -> Translator:
    """Loads the model under a spinner: the first visitor who chooses it may wait for some seconds."""
    try:
        if folder_models.is_loaded(name, device):
            return folder_models.load_folder_model(name, device)
        with st.spinner(_("Loading the model {name} …").format(name=verbatim(name))):
            return folder_models.load_folder_model(name, device)
    except CheckpointError as error:
        raise ModelDamaged(name) from error


def card_of(name: str) -> Mapping[str, Any]:
    """A model's card, without loading the model.

    Raises:
        KeyError: there is none of this name.
    """
    if name.startswith(folder_models.PREFIX):
        return folder_models.folder_models()[name].card
    return own_models()[name].card if name.startswith(PREFIX) else _shipped_card(name)


@cache
def _shipped_card(name: str) -> Mapping[str, Any]:
    if name not in shipped_models():
        raise KeyError(name)
    card: Mapping[str, Any] = json.loads((model_folder(name) / CARD).read_text(encoding="utf-8"))
    return card


def _on_device(translator: Translator, device: str) -> Translator:
    if translator.model.device.type == device:
        return translator
    return replace(translator, model=deepcopy(translator.model).to(device))


def own_output(model: ModelChoice, source: str | EncodedText) -> Trace:
    """The pass over `source` and the model's own greedy output."""
    return _own_output(model, load_translator(model.name, model.device).encode_source(source))


@kept()
def _own_output(model: ModelChoice, source: EncodedText) -> Trace:
    with scheduler.short():
        return load_translator(model.name, model.device).trace(source)


@kept()
def _given_target(model: ModelChoice, source: EncodedText, target: EncodedText) -> Trace:
    with scheduler.short():
        return load_translator(model.name, model.device).trace(source, target)


def recorded_trace(model: ModelChoice, source: str | EncodedText, target: str | EncodedText = "") -> Trace:
    """The pass over `source` and `target`, or over the model's own output where `target` is empty."""
    if not target:
        return own_output(model, source)
    translator = load_translator(model.name, model.device)
    return _given_target(model, translator.encode_source(source), translator.encode_target(target))


@kept()
def _changed_pass(model: ModelChoice, _trace: Trace, ids: tuple[tuple[int, ...], ...], change: Intervention) -> Trace:
    with scheduler.short():
        return trace(
            load_translator(model.name, model.device).model,
            source_ids=_trace.source_ids,
            source_tokens=_trace.source_tokens,
            target_ids=_trace.target_ids,
            target_tokens=_trace.target_tokens,
            predicted_ids=_trace.predicted_ids,
            predicted_tokens=_trace.predicted_tokens,
            interventions=[change],
        )


def changed_trace(model: ModelChoice, original: Trace, change: Intervention) -> Trace:
    """The pass over the very tokens of `original`, with one change."""
    return _changed_pass(model, original, (original.source_ids, original.target_ids, original.predicted_ids), change)


@kept()
def changed_output(model: ModelChoice, source: str, change: Intervention | None) -> tuple[int, ...]:
    """The ids of the model's own greedy output under a change, or without one."""
    with scheduler.short():
        changes = [] if change is None else [change]
        *_, last = load_translator(model.name, model.device).greedy_search(source, interventions=changes)
        return last.best.ids


def opening_head(translator: Translator) -> HeadRef:
    """The head that the pages open with: the one that the model's card names, or the first of the last layer."""
    return translator.opens_with
