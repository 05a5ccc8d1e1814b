"""Where a person is on the page "Attention step by step", in the link: module, layer, head, stage and cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from viz_transformer.analysis.scores import OPENS_WITH
from viz_transformer.heads import ATTENTION_MODULES, AttentionModule, n_layers
from viz_transformer.trace import Trace
from viz_transformer.ui.attention.stages import STAGES
from viz_transformer.ui.components.matrix_view import Pinned, StagesView, committed_stages
from viz_transformer.ui.shared.state import index_in_link


@dataclass(frozen=True)
class Place:
    """One head, one stage of it, and one cell (query, key) or none; every number from 0."""

    module: AttentionModule
    layer: int
    head: int
    stage: int
    cell: tuple[int, int] | None

    @property
    def view(self) -> StagesView:
        """The place as the component has it."""
        choices = {"module": ATTENTION_MODULES.index(self.module), "layer": self.layer, "head": self.head}
        return StagesView(self.stage, choices, self.cell and Pinned(0, *self.cell))


def place_in_link(trace: Trace, card: dict[str, Any]) -> Place:
    """The place that the link asks for, clamped to what the trace has.

    Without one: the head that the model's card opens with, in cross-attention, the stage of the scores, and in the
    middle row the key with the largest weight.
    """
    parameters = st.query_params
    opening_layer, opening_head = card.get(OPENS_WITH, (trace.config.n_decoder_layers - 1, 0))
    module: AttentionModule = next((name for name in ATTENTION_MODULES if name == parameters.get("module")), "cross")
    layer = min(index_in_link(parameters.get("layer"), int(opening_layer)), n_layers(trace.config, module) - 1)
    head = min(index_in_link(parameters.get("head"), int(opening_head)), trace.config.n_heads - 1)
    weights = trace.attention(module, layer).weights[head]
    return Place(module, layer, head, stage_in_link(STAGES), cell_in_link(weights))


def stage_in_link(stages: Sequence[str]) -> int:
    """Which of `stages` the link asks for; the scores if none."""
    asked = st.query_params.get("stage", "")
    return stages.index(asked if asked in stages else "scores")


def cell_in_link(weights: np.ndarray) -> tuple[int, int] | None:
    """The cell of the weights (T, S) that the link asks for; the default if it has none, None if it says "none"."""
    asked = st.query_params.get("cell", "")
    if asked == "none":
        return None
    row, _dash, column = asked.partition("-")
    i = index_in_link(row, weights.shape[0] // 2)
    i = min(i, weights.shape[0] - 1)
    j = index_in_link(column, int(weights[i].argmax()))
    return i, min(j, weights.shape[1] - 1)


def keep_in_link(key: str, stages: Sequence[str] = STAGES) -> None:
    """Writes the view that a person settled on in the component `key` into the link."""
    view = committed_stages(key)
    if view is None:
        return
    values = {name: str(chosen + 1) for name, chosen in view.choices.items() if name != "module"}
    if "module" in view.choices:
        values["module"] = ATTENTION_MODULES[min(view.choices["module"], len(ATTENTION_MODULES) - 1)]
    values["stage"] = stages[min(view.stage, len(stages) - 1)]
    values["cell"] = f"{view.pinned.row + 1}-{view.pinned.column + 1}" if view.pinned else "none"
    st.query_params.update(values)
