"""The browser component that draws what one output of each type of layer sees, and the way there from one input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from viz_transformer.experiments.why_attention.layer_types import LAYER_TYPES, LayerType, Sizes, connections, layer_cost
from viz_transformer.ui.components.ahead import with_places_nearby
from viz_transformer.ui.components.frames import frame
from viz_transformer.ui.components.front_end import component
from viz_transformer.ui.components.settled import committed_fields, settle
from viz_transformer.ui.components.sliders import Bar, Values
from viz_transformer.ui.shared.state import index_in_link
from viz_transformer.ui.shared.text import _
from viz_transformer.ui.why_attention.words import layer_names

MAX_LAYERS = 8  # that are drawn


@dataclass(frozen=True)
class Ends:
    """The chosen input and output, from 0; the browser clamps them to what is drawn."""

    from_: int
    to: int


def paths_view(
    bar: Bar, sizes_of: Callable[[Values], Sizes], ends: Ends, *, key: str, on_change: Callable[[], None]
) -> None:
    """Draws the five types over `n` positions, for the sizes of a bar's values.

    Args:
        ends: what the link asks for.
        on_change: called before the run that another choice starts; it keeps `committed_ends(key)` in the link.
    """
    sent = settle(key, ends, committed_ends(key))
    view = {"from": sent.shown.from_, "to": sent.shown.to}
    request = {"key": key, "revision": sent.revision, "view": view, "labels": _labels()}

    def pack(values: Values) -> bytes:
        sizes = sizes_of(values)
        return frame({"n": sizes.n, "kinds": [_kind(kind, sizes) for kind in LAYER_TYPES]})

    component("paths_view", css="lessons")(
        key=key, data=with_places_nearby(bar, pack, head=frame(request)), on_view_change=on_change
    )


def committed_ends(key: str) -> Ends | None:
    """What a person chose in the component `key`, or None before that."""
    raw = committed_fields(key)
    try:
        return None if raw is None else Ends(int(raw["from"]), int(raw["to"]))
    except (KeyError, TypeError, ValueError):
        return None


def ends_in_link(n: int) -> Ends:
    """`from` and `to` of the link, from 1; the first input and the last output where it has none."""
    parameters = st.query_params
    return Ends(index_in_link(parameters.get("from"), 0), index_in_link(parameters.get("to"), n - 1))


def keep_ends_in_link(key: str) -> None:
    """Writes what a person chose into the link."""
    ends = committed_ends(key)
    if ends is not None:
        st.query_params.update({"from": str(ends.from_ + 1), "to": str(ends.to + 1)})


def _kind(kind: LayerType, sizes: Sizes) -> dict[str, Any]:
    cost, graph = layer_cost(kind, sizes), connections(kind, sizes, MAX_LAYERS)
    if cost.path is None:
        note, cut = _("no number of layers connects all"), _("It reads one position only, however many layers.")
    else:
        note = _("layers: {layers} · longest path: {path}").format(layers=cost.layers, path=cost.path)
        hidden = (cost.layers or 1) - graph.levels
        cut = (
            _("{drawn} of {layers} layers are drawn.").format(drawn=graph.levels, layers=cost.layers) if hidden else ""
        )
    return {"id": kind, "title": layer_names()[kind], "note": note, "cut": cut, **graph._asdict()}


def _labels() -> dict[str, str]:
    return {
        "input": _("input {n}"),
        "output": _("output {n}"),
        "outputs": _("outputs above, inputs below"),
        "from": _("From input {n}"),
        "to": _("To output {n}"),
        "sees": _("Output {to} sees inputs from {first} on: {count}."),
        "way": _("Connections from input {from} to output {to}: {length}."),
        "no_way": _("Input {from} does not reach it."),
    }
