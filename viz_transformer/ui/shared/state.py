"""The part of a view's state that is no widget, in the link: layer, head, step and cell, counted from 1 there."""

from __future__ import annotations

from typing import Any

import streamlit as st

from viz_transformer.analysis.scores import OPENS_WITH
from viz_transformer.heads import ATTENTION_MODULES
from viz_transformer.trace import Trace
from viz_transformer.ui.components.trace_view import committed_view


def view_from_link(trace: Trace, card: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `trace_view` that the link asks for. What is missing or not a number gets a default:

    cross-attention, the head that the model's card opens with, the last step, where every row is on the screen.

    Too large a number is clamped by the view, to what this trace has.
    """
    parameters = st.query_params
    layer, head = card.get(OPENS_WITH, (trace.config.n_decoder_layers - 1, 0))
    module = parameters.get("module", "cross")
    cell = parameters.get("cell", "").split("-")
    return {
        "module": module if module in ATTENTION_MODULES else "cross",
        "layer": index_in_link(parameters.get("layer"), int(layer)),
        "head": index_in_link(parameters.get("head"), int(head)),
        "step": index_in_link(parameters.get("step"), len(trace.target_tokens) - 1),
        "pinned": (index_in_link(cell[0], 0), index_in_link(cell[1], 0)) if len(cell) == 2 else None,
    }


def keep_view_in_link(key: str) -> None:
    """Writes the view that a person settled on into the link."""
    view = committed_view(key)
    if view is None:
        return
    values = {"module": view.module, "layer": view.layer + 1, "head": view.head + 1, "step": view.step + 1}
    if view.pinned:
        values["cell"] = f"{view.pinned[0] + 1}-{view.pinned[1] + 1}"
    elif "cell" in st.query_params:
        del st.query_params["cell"]
    st.query_params.update({name: str(value) for name, value in values.items()})


def forget_place() -> None:
    """Another text has other steps, cells, tokens and hypotheses: the link keeps only module, layer and head."""
    for name in ("step", "cell", "token", "node"):
        st.query_params.pop(name, None)


def index_in_link(text: str | None, default: int) -> int:
    """A number counted from 1 in a link → an index from 0; `default` where it is no such number."""
    return min(int(text), 10_000) - 1 if text and text.isdecimal() and len(text) < 6 and int(text) > 0 else default
