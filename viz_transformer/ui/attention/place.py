"""Where a person is on the page "Attention step by step", in the link: module, layer, head, stage and cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import streamlit as st

from viz_transformer.heads import ATTENTION_MODULES, AttentionModule, HeadRef, n_layers, stack_config
from viz_transformer.trace import Trace
from viz_transformer.ui.components.matrix_view import MATRICES
from viz_transformer.ui.shared.link import from_link, keep, keep_in_link, read
from viz_transformer.views.head_sheet import HAND_STAGES, STAGES
from viz_transformer.views.linked import CELL, INDEX, Number, OneOf, OrNone, clamped, linked
from viz_transformer.views.matrices import Pinned, StagesView

Cell = tuple[int, int]  # query and key, from 0
MOST_AT_ONCE = 10**6  # numbers, of four bytes
MASKED_FROM = STAGES.index("mask")  # from here on decoder self-attention opens, the one with a causal mask
CHANGES = ("off", "none", "sqrt_d_model", "temperature")
REACHES = ("head", "every")
TEMPERATURES = tuple(tenths / 10 for tenths in range(1, 51))


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
    change: str = linked("whatif", OneOf(CHANGES), "off")
    reach: str = linked("reach", OneOf(REACHES), "head")
    temperature: float = linked("temperature", Number(TEMPERATURES[0], TEMPERATURES[-1], 2), 2.0)


AnyPlace = TypeVar("AnyPlace", HandPlace, Place)
Option = TypeVar("Option")


def place_in_link(trace: Trace, opening: HeadRef) -> Place:
    """The place that the link asks for, clamped to what the trace has.

    By default: the layer and head of `opening`, in cross-attention, or in decoder self-attention from the stage of the
    mask on; the stage of the scores; the cell with the largest weight in the middle row.
    """
    # A link with a change but no reach is an older one: its change was made in every head.
    reach = "every" if "whatif" in st.query_params else "head"
    place = from_link(Place(layer=opening.layer, head=opening.head, reach=reach))
    if not is_module_chosen() and STAGES.index(place.stage) >= MASKED_FROM:
        place = replace(place, module="decoder_self")
    place = clamped(
        place, layer=n_layers(trace.config, place.module), head=stack_config(trace.config, place.module).n_heads
    )
    return _with_cell(place, trace.attention(place.module, place.layer).weights[place.head])


def fits_at_once(trace: Trace, module: AttentionModule) -> bool:
    """Whether the matrices of all layers are sent together, so that another layer needs no answer of the server."""
    record = trace.attention(module, 0)
    each = 4 * record.scores.size + 2 * (record.q.size + record.k.size + record.v.size)
    return n_layers(trace.config, module) * each <= MOST_AT_ONCE


def is_module_chosen() -> bool:
    """Whether a person, or the link that they followed, chose the module."""
    return "module" in st.query_params


def hand_place_in_link(weights: np.ndarray) -> HandPlace:
    """`place_in_link` for weights (T, S) that were worked out by hand."""
    return _with_cell(from_link(HandPlace()), weights)


def stages_view_of(place: AnyPlace, stages: Sequence[str]) -> StagesView:
    """The place as the view of the matrix component."""
    choices = _choices_of(place) if isinstance(place, Place) else ()
    return StagesView(stages.index(place.stage), choices, place.cell and Pinned(0, *place.cell))


def _choices_of(place: Place) -> tuple[int, ...]:
    """What is chosen in each control, as an index, in the page's order.

    There is a reach only where something is changed, and a temperature only where that is the change.
    """
    heat = min(range(len(TEMPERATURES)), key=lambda n: abs(TEMPERATURES[n] - place.temperature))
    every = (
        ATTENTION_MODULES.index(place.module),
        place.layer,
        place.head,
        CHANGES.index(place.change),
        REACHES.index(place.reach),
        heat,
    )
    return every[: {"off": 4, "temperature": 6}.get(place.change, 5)]


def keep_place(key: str, place: Place) -> None:
    """Writes the view that a person settled on in the component `key` into the link; `place` is the one before it."""
    view = MATRICES.committed(key)
    if view is None or len(view.choices) < 4:
        return
    module, layer, head, change, *more = view.choices
    new = replace(
        _settled(place, view, STAGES),
        module=_of(ATTENTION_MODULES, module),
        layer=layer,
        head=head,
        change=_of(CHANGES, change),
        reach=_of(REACHES, more[0]) if more else place.reach,
        temperature=_of(TEMPERATURES, more[1]) if len(more) > 1 else place.temperature,
    )
    was_chosen = is_module_chosen() or new.module != place.module
    keep_in_link(new, usual=Place())
    if not was_chosen:
        st.query_params.pop("module", None)
    if new.change != "off":
        keep("reach", OneOf(REACHES), new.reach)


def _of(options: Sequence[Option], place: int) -> Option:
    return options[min(place, len(options) - 1)]


def keep_hand_place(key: str, place: HandPlace) -> None:
    """`keep_place` for weights that were worked out by hand."""
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
