"""Where a person is on the page "Attention step by step", in the link: module, layer, head, stage and cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from viz_transformer.heads import ATTENTION_MODULES, AttentionModule, HeadRef, n_layers
from viz_transformer.trace import Trace
from viz_transformer.ui.attention.stages import HAND_STAGES, STAGES
from viz_transformer.ui.components.matrix_view import MATRICES, Pinned, StagesView
from viz_transformer.ui.shared.link import CELL, INDEX, OneOf, OrNone, clamped, from_link, keep_in_link, linked, read

Cell = tuple[int, int]  # query and key, from 0


@dataclass(frozen=True)
class HandPlace:
    """One stage of a head, and one cell or none."""

    stage: str = linked("stage", OneOf(HAND_STAGES), "scores", always=True)
    cell: Cell | None = linked("cell", OrNone(CELL), None, always=True)


@dataclass(frozen=True)
class Place:
    """One head of the model, one stage of it, and one cell or none. Numbers count from 0."""

    module: AttentionModule = linked("module", OneOf(ATTENTION_MODULES), "cross", always=True)
    layer: int = linked("layer", INDEX, 0, always=True)
    head: int = linked("head", INDEX, 0, always=True)
    stage: str = linked("stage", OneOf(STAGES), "scores", always=True)
    cell: Cell | None = linked("cell", OrNone(CELL), None, always=True)


AnyPlace = TypeVar("AnyPlace", HandPlace, Place)


def place_in_link(trace: Trace, opening: HeadRef) -> Place:
    """The place that the link asks for, clamped to what the trace has.

    Without one: the layer and head of `opening`, in cross-attention, the stage of the scores, and in the middle row the
    key with the largest weight.
    """
    place = from_link(Place(layer=opening.layer, head=opening.head))
    place = clamped(place, layer=n_layers(trace.config, place.module), head=trace.config.n_heads)
    return _with_cell(place, trace.attention(place.module, place.layer).weights[place.head])


def hand_place_in_link(weights: np.ndarray) -> HandPlace:
    """The same for weights (T, S) that were worked out by hand."""
    return _with_cell(from_link(HandPlace()), weights)


def stages_view_of(place: AnyPlace, stages: Sequence[str]) -> StagesView:
    """The place as the component has it."""
    choices = (ATTENTION_MODULES.index(place.module), place.layer, place.head) if isinstance(place, Place) else ()
    return StagesView(stages.index(place.stage), choices, place.cell and Pinned(0, *place.cell))


def keep_place(key: str, place: Place) -> None:
    """Writes the view that a person settled on in the component `key` into the link; they came from `place`."""
    view = MATRICES.committed(key)
    if view is None or len(view.choices) != 3:
        return
    module, layer, head = view.choices
    module = min(module, len(ATTENTION_MODULES) - 1)
    place = replace(_settled(place, view, STAGES), module=ATTENTION_MODULES[module], layer=layer, head=head)
    keep_in_link(place, usual=place)


def keep_hand_place(key: str, place: HandPlace) -> None:
    """The same for weights that were worked out by hand."""
    view = MATRICES.committed(key)
    if view is not None:
        place = _settled(place, view, HAND_STAGES)
        keep_in_link(place, usual=place)


def _settled(place: AnyPlace, view: StagesView, stages: Sequence[str]) -> AnyPlace:
    cell = view.pinned and (view.pinned.row, view.pinned.column)
    return replace(place, stage=stages[min(view.stage, len(stages) - 1)], cell=cell)


def _with_cell(place: AnyPlace, weights: np.ndarray) -> AnyPlace:
    row = weights.shape[0] // 2
    usual = (row, int(weights[row].argmax()))
    return clamped(replace(place, cell=read("cell", OrNone(CELL), usual)), cell=weights.shape)
