"""Attention step by step: one head of the model, stage by stage, on a typed sentence; or matrices typed by hand."""

import streamlit as st

from viz_transformer.experiments.attention.steps import head_stages
from viz_transformer.heads import ATTENTION_MODULES, n_layers
from viz_transformer.ui.attention.by_hand import by_hand
from viz_transformer.ui.attention.code_lens import snippet
from viz_transformer.ui.attention.microscope import microscope
from viz_transformer.ui.attention.place import keep_place, place_in_link, stages_view_of
from viz_transformer.ui.attention.stages import STAGES, axes_of, sheet_of
from viz_transformer.ui.attention.what_if import what_if
from viz_transformer.ui.components.matrix_view import stages_view
from viz_transformer.ui.components.sheets import Choice
from viz_transformer.ui.components.trace_view import default_labels
from viz_transformer.ui.shared.controls import link_note
from viz_transformer.ui.shared.frame import Frame
from viz_transformer.ui.shared.models import opening_head
from viz_transformer.ui.shared.reading import choose_reading
from viz_transformer.ui.shared.text import _

frame = Frame(_("Attention step by step"))
hand = st.toggle(_("By hand: type Q, K, V and the mask yourself"), key="hand", bind="query-params")
if hand:
    by_hand()
    st.stop()

st.markdown(
    _(
        "One head at a time, from the vectors that enter the layer to those that leave it. **Every number "
        "was recorded from the forward pass.** Space or the arrow keys move from stage to stage, digit "
        "keys from head to head."
    )
)
reading = choose_reading(frame)
model, texts, trace = reading.model, reading.texts, reading.trace


@st.fragment
def attention() -> None:
    """In a fragment of its own: another head, stage or cell does not run the page again."""
    labels, config, key = default_labels(), trace.config, "stages"
    place = place_in_link(trace, opening_head(reading.translator))
    module, layer, head = place.module, place.layer, place.head
    layers, heads = range(n_layers(config, module)), range(config.n_heads)
    axes = [axes_of(trace, module, n) for n in heads]
    sheets = [sheet_of(head_stages(trace, module, m, n), axes[n]) for m in layers for n in heads]
    choices = [
        Choice("module", _("Module"), [labels[name] for name in ATTENTION_MODULES]),
        Choice("layer", _("Layer"), [str(n + 1) for n in layers], turns_sheets=True),
        Choice(
            "head",
            _("Head"),
            [str(n + 1) for n in heads],
            hint=labels["head_keys"],
            has_digits=True,
            turns_sheets=True,
        ),
    ]
    stages_view(
        sheets,
        key=key,
        view=stages_view_of(place, STAGES),
        choices=choices,
        on_change=lambda: keep_place(key, place),
    )
    stages = head_stages(trace, module, layer, head)
    microscope(stages, axes[head], place.cell, key="cell")
    if place.cell:
        st.markdown(_("**The same number in a notebook**"))
        target = texts.target or ""
        st.code(snippet(model.name, texts.source, trace, target, (module, layer, head, *place.cell)), language="python")
    what_if(model, trace, texts.source, axes[head], (module, layer, head))


attention()
link_note()
